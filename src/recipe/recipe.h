/* recipe.h - a recipe describes a training run as text: lines `[section]` and `key = value`. Every
 * key has a type, a default and limits, all in one table (recipe_keys.c). A value is checked when
 * it is set, so code that gets a value from a recipe need not check it again. */
#ifndef RECIPE_RECIPE_H
#define RECIPE_RECIPE_H

#include "base/buffer.h"
#include "recipe/keys.h"

#include <stdint.h>

struct ken_recipe {
    char *name;                  /* file name of the recipe, used in messages */
    char *values[KEN_KEY_COUNT]; /* value of each key; NULL = default value   */
    /* Number of the line that sets each key; 0 = the key is set on the command line, or not at
     * all. */
    size_t lines[KEN_KEY_COUNT];
    ken_buffer text; /* memory for the text that ken_recipe_text() returns */
};

const char *ken_recipe_value(const ken_recipe *recipe, enum ken_key key);
/* Returns the index of the chosen word, for a key of type KEN_TYPE_CHOICE. */
size_t ken_recipe_choice(const ken_recipe *recipe, enum ken_key key);
bool ken_recipe_yes(const ken_recipe *recipe, enum ken_key key);
/* Returns the value of a key whose type is a whole number; KEN_UNLIMITED if the value is "all". */
size_t ken_recipe_size(const ken_recipe *recipe, enum ken_key key);
double ken_recipe_real(const ken_recipe *recipe, enum ken_key key);
/* Returns whether the value of the key differs from its default. */
bool ken_recipe_given(const ken_recipe *recipe, enum ken_key key);

/* Returns a failure with the message "FILE:LINE: section.key: ..." or "section.key=value: ...".
 * Used for values that can only be checked together with other keys or with the data. */
ken_status ken_recipe_fail(const ken_recipe *recipe, enum ken_key key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

ken_status ken_recipe_copy(ken_recipe **copy, const ken_recipe *recipe);

#endif
