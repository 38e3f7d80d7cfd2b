/* settings_model.c - checks, before any data is read, whether a model with the settings of a recipe
 * is possible. The check is done by the code that will later make the model, with placeholders for
 * the sizes that come from the data. */
#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"
#include "task/settings.h"

#include <stdio.h>
#include <string.h>

/* Placeholder for the number of ids, which is not known before the data is read. It is larger than
 * the number of special ids. */
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

/* Returns whether `key` was set later than the key `than`. A key on the command line counts as
 * later than all keys in the file. */
static bool is_later(const ken_recipe *recipe, enum ken_key key, enum ken_key than)
{
    return recipe->lines[key] == 0 ||
           (recipe->lines[than] > 0 && recipe->lines[key] > recipe->lines[than]);
}

/* Checks the recipe as if `key` had its default value. Sets *fine to whether the recipe is then
 * valid, and *other to whether it is refused with a message other than `words`. */
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

/* Finds the key to name in the message about an invalid recipe: a key whose default value would
 * make the recipe valid. If there is no such key, because several keys are wrong, a key whose
 * default value would change the message is taken. Among several such keys, the one that was set
 * last is taken. *culprit is KEN_KEY_COUNT if no key is found. */
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

/* This table translates names of fields and values of ken_config, as they occur in messages, into
 * the recipe keys that set them. Fields such as width and heads are missing here, because their
 * keys in [model] have the same names. */
static const struct {
    const char *name;
    enum ken_key key;
    const char *value; /* text to write after the key, such as "=each" */
} fields[] = {
    { "longest", KEN_KEY_MODEL_LONGEST, "" },
    { "kv_heads", KEN_KEY_MODEL_KV_HEADS, "" },
    { "last_heads", KEN_KEY_MODEL_LAST_HEADS, "" },
    { "window_left", KEN_KEY_MODEL_LEFT, "" },
    { "window_right", KEN_KEY_MODEL_RIGHT, "" },
    { "reach_global", KEN_KEY_MODEL_REACH_GLOBAL, "" },
    { "reach_block", KEN_KEY_MODEL_REACH_BLOCK, "" },
    { "reach_random", KEN_KEY_MODEL_REACH_RANDOM, "" },
    { "word_dropout", KEN_KEY_MODEL_WORD_DROPOUT, "" },
    { "hidden_dropout", KEN_KEY_MODEL_HIDDEN_DROPOUT, "" },
    { "both_ways", KEN_KEY_BLOCKS_BOTH_WAYS, "" },
    { "neighbours", KEN_KEY_BLOCKS_NEIGHBOURS, "" },
    { "input_stack", KEN_KEY_INPUT_STACK, "" },
    { "letters_width", KEN_KEY_INPUT_LETTERS_WIDTH, "" },
    { "KEN_INPUT_IDS", KEN_KEY_INPUT_TABLE, "=embedding" },
    { "KEN_INPUT_VECTORS", KEN_KEY_DATA_FORMAT, "=vectors or npy" },
    { "KEN_EACH", KEN_KEY_OUTPUT_KIND, "=each" },
};

/* Appends a word of a message, or the key that it stands for. */
static void add_word(ken_buffer *out, const char *word, size_t length)
{
    for (size_t i = 0; i < KEN_COUNT(fields); i++) {
        if (strlen(fields[i].name) != length || memcmp(fields[i].name, word, length) != 0) continue;
        const struct ken_key_info *info = &ken_key_table[fields[i].key];
        ken_buffer_format(out, "%s.%s%s", info->section, info->name, fields[i].value);
        return;
    }
    ken_buffer_append(out, word, length);
}

/* Appends a message about a configuration in the words of recipes: without the part of the library
 * that it begins with, such as "attention: ", and with keys instead of fields of ken_config. */
static void add_message(ken_buffer *out, const char *words)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t part = strspn(words, letters);
    if (part > 0 && strncmp(words + part, ": ", 2) == 0) words += part + 2;
    while (*words) {
        size_t word = strspn(words, letters), rest = strcspn(words + word, letters);
        add_word(out, words, word);
        ken_buffer_append(out, words + word, rest);
        words += word + rest;
    }
}

/* Reports a refused configuration and the key to blame, if there is one. */
static ken_status refuse(const ken_recipe *recipe, enum ken_key culprit, const char *words)
{
    ken_buffer message = { 0 };
    add_message(&message, words);
    ken_status status = ken_buffer_status(&message);
    if (!status && culprit != KEN_KEY_COUNT)
        status = ken_recipe_fail(recipe, culprit, "%s", ken_buffer_string(&message));
    else if (!status)
        status = ken_fail(KEN_ERR_ARGUMENT, "%s: [model] %s", recipe->name,
                          ken_buffer_string(&message));
    ken_buffer_release(&message);
    return status;
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
    return refuse(recipe, culprit, words);
}
