/* parts.c - the data that a recipe names: files, or examples made on the spot. */
#include "base/memory.h"
#include "data/signals.h"
#include "task/task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Made examples of dev and test begin where those of training never come. */
static const uint64_t first_made[] = { [KEN_KEY_DATA_TRAIN - KEN_KEY_DATA_TRAIN] = 0,
                                       [KEN_KEY_DATA_DEV - KEN_KEY_DATA_TRAIN] = 1u << 30,
                                       [KEN_KEY_DATA_TEST - KEN_KEY_DATA_TRAIN] = 2u << 30 };

static bool format_is(const ken_recipe *recipe, const char *name)
{
    return strcmp(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT), name) == 0;
}

static ken_status make_dates(ken_corpus *corpus, uint64_t seed, uint64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
        size_t line = i + 1;
        ken_date_example(written, iso, seed, first + i, first > 0);
        ken_strings_add(&corpus->input, written, strlen(written));
        ken_strings_add(&corpus->target, iso, strlen(iso));
        corpus->count++;
        ken_buffer_append(&corpus->line, &line, sizeof line);
        ken_buffer_append(&corpus->input_ends, &corpus->input.count, sizeof(size_t));
        ken_buffer_append(&corpus->target_ends, &corpus->target.count, sizeof(size_t));
    }
    KEN_TRY(ken_strings_status(&corpus->input));
    KEN_TRY(ken_strings_status(&corpus->target));
    KEN_TRY(ken_buffer_status(&corpus->line));
    KEN_TRY(ken_buffer_status(&corpus->input_ends));
    return ken_buffer_status(&corpus->target_ends);
}

/* For formats that are made, a "file" is a number of examples. */
static ken_status make(ken_corpus *corpus, const ken_recipe *recipe, const char *number,
                       uint64_t first)
{
    size_t digits = strspn(number, "0123456789");
    size_t count = digits > 0 && digits < 9 && number[digits] == '\0' ? strtoull(number, NULL, 10)
                                                                      : 0;
    if (count == 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: expected a number of examples to make, not \"%s\"",
                        ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT), number);
    uint64_t seed = ken_recipe_size(recipe, KEN_KEY_TRAIN_SEED);
    const char *name = ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT);
    corpus->path = ken_memory_new(strlen(name) + 1, 1);
    if (!corpus->path) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu examples", count);
    memcpy(corpus->path, name, strlen(name) + 1);
    if (format_is(recipe, "dates")) return make_dates(corpus, seed, first, count);
    struct ken_layout layout = ken_settings_layout(recipe);
    return ken_signals_make(corpus, seed, first, count, layout.each, layout.target_kind);
}

static bool is_made(const ken_recipe *recipe)
{
    return format_is(recipe, "dates") || format_is(recipe, "signals");
}

/* Input and target in files of their own. */
static bool takes_two(const ken_recipe *recipe)
{
    return format_is(recipe, "parallel") || format_is(recipe, "npy");
}

ken_status ken_part_from(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                         const char *second, ken_complaint_fn *complain, void *user)
{
    if (is_made(recipe)) {
        if (second) return ken_fail(KEN_ERR_ARGUMENT, "%s: one number is enough", second);
        return make(corpus, recipe, path, first_made[KEN_KEY_DATA_TEST - KEN_KEY_DATA_TRAIN]);
    }
    struct ken_layout layout = ken_settings_layout(recipe);
    bool two = takes_two(recipe);
    if (two != (second != NULL))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: format %s takes %s", path,
                        ken_format_name(layout.format),
                        two ? "two files, input and target" : "one file");
    return ken_corpus_read(corpus, path, second, &layout, complain, user);
}

/* A leading $NAME stands for that variable of the environment. */
static ken_status expand(ken_buffer *path, const ken_recipe *recipe, enum ken_key part,
                         const char *value, size_t length)
{
    size_t name = 1;
    char variable[64];
    if (value[0] == '$') {
        while (name < length && (isalnum((unsigned char)value[name]) || value[name] == '_')) name++;
        if (name > sizeof variable - 1)
            return ken_recipe_fail(recipe, part, "a variable with a name this long");
        memcpy(variable, value + 1, name - 1);
        variable[name - 1] = '\0';
        const char *folder = getenv(variable);
        if (!folder)
            return ken_recipe_fail(recipe, part,
                                   "the environment has no %s: set it to the folder of the data, "
                                   "or give another path",
                                   variable);
        ken_buffer_text(path, folder);
        value += name;
        length -= name;
    }
    ken_buffer_append(path, value, length);
    return ken_buffer_status(path);
}

ken_status ken_part_read(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                         ken_complaint_fn *complain, void *user)
{
    const char *value = ken_recipe_value(recipe, part);
    if (value[0] == '\0') return ken_recipe_fail(recipe, part, "no file given");
    if (is_made(recipe)) return make(corpus, recipe, value, first_made[part - KEN_KEY_DATA_TRAIN]);
    ken_buffer path = { 0 }, second = { 0 };
    size_t length = takes_two(recipe) ? strcspn(value, " ") : strlen(value);
    const char *rest = value + length + strspn(value + length, " ");
    ken_status status = expand(&path, recipe, part, value, length);
    if (!status && rest[0]) status = expand(&second, recipe, part, rest, strlen(rest));
    if (!status)
        status = ken_part_from(corpus, recipe, ken_buffer_string(&path),
                               rest[0] ? ken_buffer_string(&second) : NULL, complain, user);
    ken_buffer_release(&path);
    ken_buffer_release(&second);
    return status;
}
