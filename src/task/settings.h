/* settings.h - translates the keys of a recipe into the structs of the other folders. */
#ifndef TASK_SETTINGS_H
#define TASK_SETTINGS_H

#include "input/input.h"

/* Refuses a recipe whose keys contradict each other, or whose model is not possible. */
ken_status ken_settings_check(const ken_recipe *recipe);
ken_status ken_settings_check_model(const ken_recipe *recipe); /* checks the model only */

/* Return the table row of data.format, and the table row of the input kind. The input kind is NULL
 * for a language model, and for a unit that the format does not support, which ken_settings_check()
 * refuses. */
const struct ken_format_info *ken_settings_format(const ken_recipe *recipe);
const struct ken_input_kind *ken_settings_input(const ken_recipe *recipe);

bool ken_settings_linked(const ken_recipe *recipe);    /* whether examples are graphs        */
size_t ken_settings_longest(const ken_recipe *recipe); /* maximum rows of a training example */
size_t ken_settings_run_longest(
    const ken_recipe *recipe); /* maximum rows of an example to answer */
struct ken_layout ken_settings_layout(const ken_recipe *recipe);

/* Sets data.separator and data.decimal, if they are auto, to what the training file has, so that
 * all other files are read in the same way. A separator of 0 stands for the default of the format;
 * a decimal mark of 0 leaves data.decimal unchanged. */
ken_status ken_settings_reading(ken_recipe *recipe, char separator, char decimal);

ken_training ken_settings_training(const ken_recipe *recipe, uint64_t steps);
ken_generation ken_settings_generation(const ken_recipe *recipe);

/* Returns the shape of the model. `outputs` is the number of labels, or of units that can be
 * generated. */
ken_config ken_settings_config(const ken_recipe *recipe, const struct ken_input_side *input,
                               size_t outputs);

#endif
