/* recipe.h - what to train, as text: `[section]` lines and `key = value` lines.
 * Every key has a type, a default and limits, all in one table (recipe_keys.c); a value is checked
 * when it is set, so whoever asks for one can rely on it. */
#ifndef RECIPE_RECIPE_H
#define RECIPE_RECIPE_H

#include "base/buffer.h"
#include "recipe/keys.h"

#include <stdint.h>

struct ken_recipe {
    char *name;                  /* file, for messages                    */
    char *values[KEN_KEY_COUNT]; /* NULL: the default                     */
    size_t lines[KEN_KEY_COUNT]; /* where it was set; 0: on the command line or nowhere */
    ken_buffer text;             /* for ken_recipe_text()                 */
};

const char *ken_recipe_value(const ken_recipe *recipe, enum ken_key key);
size_t ken_recipe_choice(const ken_recipe *recipe, enum ken_key key); /* index of the word */
bool ken_recipe_yes(const ken_recipe *recipe, enum ken_key key);
size_t ken_recipe_size(const ken_recipe *recipe, enum ken_key key); /* KEN_UNLIMITED for "all" */
double ken_recipe_real(const ken_recipe *recipe, enum ken_key key);
bool ken_recipe_given(const ken_recipe *recipe, enum ken_key key); /* not left to the default */

/* Fails with "FILE:LINE: section.key: ..." (or "section.key=value: ..."), for what can only be
 * judged with other keys or the data. */
ken_status ken_recipe_fail(const ken_recipe *recipe, enum ken_key key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

ken_status ken_recipe_copy(ken_recipe **copy, const ken_recipe *recipe);

#endif
