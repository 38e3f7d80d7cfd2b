/* settings_model.c - checks whether a model with the settings of a recipe is possible, before any
 * data is read. It asks the code that will later make the model, with placeholders for the sizes
 * that come from the data. */
#include "base/memory.h"
#include "model/model.h"
#include "task/settings.h"

#include <stdio.h>
#include <string.h>

/* Placeholder for the number of ids, which comes from the data; it is above all special ids. */
enum { SOME = 16 };

static ken_status judge(ken_recipe *recipe)
{
    struct ken_input_side input;
    ken_input_open(&input, ken_settings_input(recipe), recipe);
    ken_config config = ken_settings_config(recipe, &input, SOME);
    config.input_size = SOME;
    config.letters = input.letters ? SOME : 0;
    return ken_config_check(&config);
}

static bool is_of_model(enum ken_key key)
{
    const char *section = ken_key_table[key].section;
    return strcmp(section, "model") == 0 || strcmp(section, "blocks") == 0 ||
           key == KEN_KEY_INPUT_STACK;
}

/* Returns whether `key` was set later than `than`. A key on the command line counts as later than
 * all keys in the file. */
static bool is_later(const ken_recipe *recipe, enum ken_key key, enum ken_key than)
{
    return recipe->lines[key] == 0 ||
           (recipe->lines[than] > 0 && recipe->lines[key] > recipe->lines[than]);
}

/* Judges the recipe with `key` at its default. Sets *fine to whether it is accepted, and *other to
 * whether it is refused with a message other than `words`. */
static ken_status judge_without(bool *fine, bool *other, const ken_recipe *recipe, enum ken_key key,
                                const char *words)
{
    ken_recipe *without;
    KEN_TRY(ken_recipe_copy(&without, recipe));
    ken_memory_free(without->values[key]);
    without->values[key] = NULL;
    ken_status status = judge(without);
    ken_recipe_free(without);
    *fine = status == KEN_OK;
    *other = status && strcmp(ken_last_error(), words) != 0;
    return status == KEN_ERR_MEMORY ? status : KEN_OK;
}

/* Finds the key to blame for a refused recipe: the key that was set last among those whose default
 * would make the recipe valid. If there is none, because something else is wrong too, it is the
 * last among those whose default would change the message. KEN_KEY_COUNT = no key that was set is
 * to blame. */
static ken_status find_culprit(enum ken_key *culprit, const ken_recipe *recipe, const char *words)
{
    bool mends = false;
    *culprit = KEN_KEY_COUNT;
    for (enum ken_key k = 0; k < KEN_KEY_COUNT; k++) {
        bool fine, other;
        if (!is_of_model(k) || !ken_recipe_given(recipe, k)) continue;
        KEN_TRY(judge_without(&fine, &other, recipe, k, words));
        if (!fine && (mends || !other)) continue;
        bool better = *culprit == KEN_KEY_COUNT || (fine && !mends);
        if (better || is_later(recipe, k, *culprit)) *culprit = k;
        mends = mends || fine;
    }
    return KEN_OK;
}

ken_status ken_settings_check_model(const ken_recipe *recipe)
{
    ken_recipe *copy;
    enum ken_key culprit;
    KEN_TRY(ken_recipe_copy(&copy, recipe));
    ken_status status = judge(copy);
    ken_recipe_free(copy);
    if (status != KEN_ERR_ARGUMENT) return status;
    char words[512];
    snprintf(words, sizeof words, "%s", ken_last_error());
    KEN_TRY(find_culprit(&culprit, recipe, words));
    if (culprit != KEN_KEY_COUNT) return ken_recipe_fail(recipe, culprit, "%s", words);
    return ken_fail(status, "%s: [model] %s", recipe->name, words);
}
