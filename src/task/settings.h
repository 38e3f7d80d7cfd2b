/* settings.h - translates the keys of a recipe into the structs that other parts of the library
 * use. */
#ifndef TASK_SETTINGS_H
#define TASK_SETTINGS_H

#include "input/input.h"

/* Fails if keys of the recipe contradict each other, or if they describe a model that is not
 * possible. */
ken_status ken_settings_check(const ken_recipe *recipe);
/* Fails if the keys of the model are invalid; ignores all other keys. */
ken_status ken_settings_check_model(const ken_recipe *recipe);

/* ken_settings_format() returns the table entry of data.format. ken_settings_input() returns the
 * table entry of the kind of input; NULL for a language model, and for an input.unit that the
 * format does not support (which ken_settings_check() refuses). */
const struct ken_format_info *ken_settings_format(const ken_recipe *recipe);
const struct ken_input_kind *ken_settings_input(const ken_recipe *recipe);

bool ken_settings_linked(const ken_recipe *recipe); /* whether examples are graphs */
/* Returns the maximum rows of a training example. */
size_t ken_settings_longest(const ken_recipe *recipe);
size_t ken_settings_run_longest(
    const ken_recipe *recipe); /* returns the maximum rows of an example that a model answers */
struct ken_layout ken_settings_layout(const ken_recipe *recipe);

/* Replaces "auto" in data.separator and data.decimal by the characters that the training file uses,
 * so that later files are read in the same way. separator = 0 means the default of the format;
 * decimal = 0 leaves data.decimal unchanged. */
ken_status ken_settings_reading(ken_recipe *recipe, char separator, char decimal);

ken_training ken_settings_training(const ken_recipe *recipe, uint64_t steps);
ken_generation ken_settings_generation(const ken_recipe *recipe);

/* Returns the shape of the model. `outputs` is the number of labels, or of units that can be
 * generated. */
ken_config ken_settings_config(const ken_recipe *recipe, const struct ken_input_side *input,
                               size_t outputs);

#endif
