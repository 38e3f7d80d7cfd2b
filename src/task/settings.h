/* settings.h - from the keys of a recipe to the structs of the parts below. */
#ifndef TASK_SETTINGS_H
#define TASK_SETTINGS_H

#include "format/corpus.h"
#include "recipe/recipe.h"

struct ken_task;

/* Refuses keys that contradict each other: among themselves, or by what the model says of them. */
ken_status ken_settings_check(const ken_recipe *recipe);
ken_status ken_settings_check_model(const ken_recipe *recipe); /* settings_model.c */
bool ken_settings_format_is(const ken_recipe *recipe, const char *name);
bool ken_settings_vectors(const ken_recipe *recipe); /* the input is rows of numbers */
bool ken_settings_unit_is(const ken_recipe *recipe, const char *name);
bool ken_settings_linked(const ken_recipe *recipe);    /* the data has links */
size_t ken_settings_longest(const ken_recipe *recipe); /* rows of an example */
struct ken_layout ken_settings_layout(const ken_recipe *recipe);
ken_training ken_settings_training(const ken_recipe *recipe, uint64_t steps);
ken_generation ken_settings_generation(const ken_recipe *recipe);
ken_config ken_settings_config(const struct ken_task *task);

#endif
