/* recipe.c - reads, checks, overrides and writes recipes. */
#include "recipe/recipe.h"

#include "base/io.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/plain.h"
#include "base/size.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECIPE_MOST = 1 << 20, NAME_MOST = 64 };
/* The largest whole number that a recipe may contain. Up to 2^53 a double represents every whole
 * number exactly. */
static const uint64_t WHOLE_MOST = UINT64_C(1) << 53;

/* The origin of a value, which messages name: "FILE:LINE" or, for a value from the command line,
 * the assignment itself. */
struct place {
    const char *name;
    size_t line; /* number of the line in the file; 0 = the value is not from a file */
};

static ken_status refuse(struct place place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static ken_status refuse(struct place place, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    ken_plain_vprint(words, sizeof words, format, arguments);
    va_end(arguments);
    if (place.line == 0) return ken_fail(KEN_ERR_ARGUMENT, "%s: %s", place.name, words);
    return ken_fail(KEN_ERR_FORMAT, "%s:%zu: %s", place.name, place.line, words);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool whole_number(const char *value, double *number)
{
    uint64_t whole;
    if (!ken_number_whole(&whole, value, strlen(value), WHOLE_MOST)) return false;
    *number = (double)whole;
    return true;
}

static bool real_number(const char *value, double *number)
{
    return ken_number_read(number, value, strlen(value));
}

/* Writes a hint that suggests the one of `names` that is most similar to `word`; writes "" if none
 * is similar. */
static void suggest(char *hint, size_t size, const char *word, const char *const *names,
                    size_t count)
{
    const char *nearest = ken_nearest(word, names, count);
    hint[0] = '\0';
    if (nearest) snprintf(hint, size, "; did you mean \"%s\"?", nearest);
}

static ken_status check_choice(struct place place, const struct ken_key_info *info,
                               const char *value)
{
    if (ken_words_find(info->words, value) != SIZE_MAX) return KEN_OK;
    char words[KEN_WORDS_SIZE], hint[NAME_MOST + 32];
    const char *names[32];
    size_t count = ken_size_min(info->words->count, KEN_COUNT(names));
    for (size_t i = 0; i < count; i++) names[i] = info->words->list[i].word;
    suggest(hint, sizeof hint, value, names, count);
    return refuse(place, "%s.%s is \"%s\", expected one of: %s%s", info->section, info->name, value,
                  ken_words_print(words, sizeof words, info->words), hint);
}

/* The value of data.split is the name of a column, or "hash N". */
static ken_status check_split(struct place place, const struct ken_key_info *info,
                              const char *value)
{
    double number;
    if (strncmp(value, "hash ", 5) != 0) return KEN_OK;
    if (whole_number(value + 5, &number) && number >= info->least && number <= info->most)
        return KEN_OK;
    return refuse(place, "%s.%s is \"%s\", expected hash and a whole number from %g to %g",
                  info->section, info->name, value, info->least, info->most);
}

static ken_status check_value(struct place place, const struct ken_key_info *info,
                              const char *value)
{
    double number = 0;
    bool good = true, whole = info->type == KEN_TYPE_SIZE || info->type == KEN_TYPE_REACH;
    switch (info->type) {
    case KEN_TYPE_TEXT: return KEN_OK;
    case KEN_TYPE_SPLIT: return check_split(place, info, value);
    case KEN_TYPE_CHOICE: return check_choice(place, info, value);
    case KEN_TYPE_YES_NO:
        if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0) return KEN_OK;
        return refuse(place, "%s.%s is \"%s\", expected yes or no", info->section, info->name,
                      value);
    case KEN_TYPE_REACH:
        if (strcmp(value, "all") == 0) return KEN_OK; /* fall through */
    case KEN_TYPE_SIZE: good = whole_number(value, &number); break;
    case KEN_TYPE_REAL: good = real_number(value, &number); break;
    }
    if (good && number >= info->least && number <= info->most) return KEN_OK;
    return refuse(place, "%s.%s is \"%s\", expected a %snumber from %g to %g%s", info->section,
                  info->name, value, whole ? "whole " : "", info->least, info->most,
                  info->type == KEN_TYPE_REACH ? ", or all" : "");
}

/* ---- keys ------------------------------------------------------------------------------------ */

static ken_status unknown_section(struct place place, const char *section)
{
    const char *names[KEN_KEY_COUNT];
    char hint[NAME_MOST + 32];
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) names[k] = ken_key_table[k].section;
    suggest(hint, sizeof hint, section, names, KEN_KEY_COUNT);
    return refuse(place, "unknown section \"%s\"%s", section, hint);
}

static ken_status find_key(size_t *key, struct place place, const char *section, const char *name)
{
    const char *names[KEN_KEY_COUNT];
    char hint[NAME_MOST + 32];
    size_t count = 0;
    bool known = false;
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        if (strcmp(info->section, section) != 0) continue;
        known = true;
        names[count++] = info->name;
        if (strcmp(info->name, name) != 0) continue;
        *key = k;
        return KEN_OK;
    }
    if (!known) return unknown_section(place, section);
    suggest(hint, sizeof hint, name, names, count);
    return refuse(place, "unknown key \"%s\" in section %s%s", name, section, hint);
}

static ken_status set_value(ken_recipe *recipe, struct place place, const char *section,
                            const char *name, const char *value)
{
    size_t key = 0;
    KEN_TRY(find_key(&key, place, section, name));
    KEN_TRY(check_value(place, &ken_key_table[key], value));
    char *copy = ken_memory_text(value, strlen(value));
    if (!copy) return ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    ken_memory_free(recipe->values[key]);
    recipe->values[key] = copy;
    recipe->lines[key] = place.line;
    return KEN_OK;
}

/* Removes spaces and tabs at both ends of `text`, in place. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1])) length--;
    text[length] = '\0';
    return text;
}

/* Checks that a value can stand in a line of a recipe file. This is needed because recipes are
 * saved as text and read again. */
static ken_status check_line(struct place place, const char *value)
{
    size_t length = strlen(value);
    if (ken_text_valid(value, length) != length) return refuse(place, "not UTF-8 text");
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)value[i] < ' ' && value[i] != '\t')
            return refuse(place, "a value must be one line of text");
        if (value[i] == '#' && (i == 0 || strchr(" \t", value[i - 1])))
            return refuse(place, "a # at the start or after a space begins a comment");
    }
    return KEN_OK;
}

ken_status ken_recipe_set(ken_recipe *recipe, const char *assignment)
{
    char section[NAME_MOST], name[NAME_MOST];
    struct place place = { assignment, 0 };
    KEN_TRY(KEN_GIVEN(recipe));
    KEN_TRY(KEN_GIVEN(assignment));
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    if (!dot || !equals || dot > equals || dot - assignment >= NAME_MOST ||
        equals - dot > NAME_MOST)
        return refuse(place, "expected section.key=value");
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
    KEN_TRY(check_line(place, equals + 1));
    char *value = ken_memory_text(equals + 1, strlen(equals + 1));
    if (!value) return ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    ken_status status = set_value(recipe, place, section, name, trim(value));
    ken_memory_free(value);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Removes the comment of a line: it begins with # at the start of the line or after a space or
 * tab. */
static void drop_comment(char *line)
{
    for (char *at = line; (at = strchr(at, '#')); at++) {
        if (at > line && at[-1] != ' ' && at[-1] != '\t') continue;
        *at = '\0';
        return;
    }
}

static ken_status read_line(ken_recipe *recipe, struct place place, char *section, char *line)
{
    drop_comment(line);
    line = trim(line);
    size_t length = strlen(line);
    if (length == 0) return KEN_OK;
    if (line[0] == '[') {
        if (line[length - 1] != ']' || length > NAME_MOST)
            return refuse(place, "expected [section], found \"%.80s\"", line);
        line[length - 1] = '\0';
        snprintf(section, NAME_MOST, "%s", trim(line + 1));
        for (size_t k = 0; k < KEN_KEY_COUNT; k++)
            if (strcmp(section, ken_key_table[k].section) == 0) return KEN_OK;
        return unknown_section(place, section);
    }
    char *equals = strchr(line, '=');
    if (!equals) return refuse(place, "expected key = value, found \"%.80s\"", line);
    if (section[0] == '\0') return refuse(place, "a [section] must come before the first key");
    *equals = '\0';
    char *name = trim(line);
    size_t key;
    KEN_TRY(find_key(&key, place, section, name));
    if (recipe->lines[key] > 0)
        return refuse(place, "%s.%s is already set in line %zu", section, name, recipe->lines[key]);
    return set_value(recipe, place, section, name, trim(equals + 1));
}

static ken_status read_text(ken_recipe *recipe, char *text, size_t size)
{
    char section[NAME_MOST] = "";
    struct place place = { recipe->name, 0 };
    if (strlen(text) != size)
        return refuse((struct place){ recipe->name, 1 }, "not a text: it contains a byte 0");
    if (ken_text_valid(text, size) != size)
        return refuse((struct place){ recipe->name, 1 }, "not UTF-8 text");
    static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark, which some editors write */
    char *rest = text + (strncmp(text, mark, 3) == 0 ? 3 : 0), *line;
    while ((line = strsep(&rest, "\n"))) {
        place.line++;
        KEN_TRY(read_line(recipe, place, section, line));
    }
    return KEN_OK;
}

ken_status ken_recipe_parse(ken_recipe **recipe, const char *text, const char *name)
{
    KEN_TRY(KEN_GIVEN(recipe));
    *recipe = NULL;
    KEN_TRY(KEN_GIVEN(text));
    if (!name) name = "recipe";
    size_t size = strlen(text);
    ken_recipe *made = ken_memory_zeroed(1, sizeof *made);
    char *own = ken_memory_text(text, size);
    if (made) made->name = ken_memory_text(name, strlen(name));
    ken_status status = KEN_OK;
    if (!made || !own || !made->name) status = ken_fail(KEN_ERR_MEMORY, "no memory for %s", name);
    if (!status) status = read_text(made, own, size);
    ken_memory_free(own);
    if (status) {
        ken_recipe_free(made);
        return status;
    }
    *recipe = made;
    return KEN_OK;
}

ken_status ken_recipe_read(ken_recipe **recipe, const char *path)
{
    char *text;
    size_t size;
    KEN_TRY(KEN_GIVEN(recipe));
    *recipe = NULL;
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(ken_file_read(&text, &size, path, RECIPE_MOST));
    const char *wide = ken_text_wide(text, size);
    ken_status status;
    if (wide)
        status = ken_fail(KEN_ERR_FORMAT,
                          "%s is %s, but a recipe is UTF-8; convert it with: iconv -f %s -t UTF-8 "
                          "OLD > NEW",
                          path, wide, wide);
    else if (strlen(text) != size)
        status = ken_fail(KEN_ERR_FORMAT, "%s:1: not a text: it contains a byte 0", path);
    else status = ken_recipe_parse(recipe, text, path);
    ken_memory_free(text);
    return status;
}

void ken_recipe_free(ken_recipe *recipe)
{
    if (!recipe) return;
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) ken_memory_free(recipe->values[k]);
    ken_memory_free(recipe->name);
    ken_buffer_release(&recipe->text);
    ken_memory_free(recipe);
}

ken_status ken_recipe_copy(ken_recipe **copy, const ken_recipe *recipe)
{
    KEN_TRY(ken_recipe_parse(copy, "", recipe->name));
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const char *value = recipe->values[k];
        (*copy)->lines[k] = recipe->lines[k];
        if (value) (*copy)->values[k] = ken_memory_text(value, strlen(value));
        if (!value || (*copy)->values[k]) continue;
        ken_recipe_free(*copy);
        *copy = NULL;
        return ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    }
    return KEN_OK;
}

const char *ken_recipe_text(ken_recipe *recipe)
{
    if (KEN_GIVEN(recipe)) return NULL;
    ken_buffer *text = &recipe->text;
    const char *section = "";
    ken_buffer_clear(text);
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        if (strcmp(info->section, section) != 0)
            ken_buffer_format(text, "%s[%s]\n", k > 0 ? "\n" : "", info->section);
        section = info->section;
        ken_buffer_format(text, "%s = %s\n", info->name, ken_recipe_value(recipe, k));
    }
    return ken_buffer_status(text) ? NULL : ken_buffer_string(text);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const char *ken_recipe_value(const ken_recipe *recipe, enum ken_key key)
{
    return recipe->values[key] ? recipe->values[key] : ken_key_table[key].value;
}

bool ken_recipe_given(const ken_recipe *recipe, enum ken_key key)
{
    return strcmp(ken_recipe_value(recipe, key), ken_key_table[key].value) != 0;
}

size_t ken_recipe_choice(const ken_recipe *recipe, enum ken_key key)
{
    return ken_words_find(ken_key_table[key].words, ken_recipe_value(recipe, key));
}

bool ken_recipe_yes(const ken_recipe *recipe, enum ken_key key)
{
    return strcmp(ken_recipe_value(recipe, key), "yes") == 0;
}

size_t ken_recipe_size(const ken_recipe *recipe, enum ken_key key)
{
    const char *value = ken_recipe_value(recipe, key);
    return strcmp(value, "all") == 0 ? KEN_UNLIMITED : (size_t)strtoull(value, NULL, 10);
}

double ken_recipe_real(const ken_recipe *recipe, enum ken_key key)
{
    /* This cannot fail, because values are checked when they are set. (A test checks the default
     * values.) */
    double number = 0;
    real_number(ken_recipe_value(recipe, key), &number);
    return number;
}

const char *ken_recipe_get(const ken_recipe *recipe, const char *key)
{
    if (KEN_GIVEN(recipe) || KEN_GIVEN(key)) return NULL;
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        size_t length = strlen(info->section);
        if (strncmp(key, info->section, length) == 0 && key[length] == '.' &&
            strcmp(key + length + 1, info->name) == 0)
            return ken_recipe_value(recipe, k);
    }
    return NULL;
}

ken_status ken_recipe_fail(const ken_recipe *recipe, enum ken_key key, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    ken_plain_vprint(words, sizeof words, format, arguments);
    va_end(arguments);
    const struct ken_key_info *info = &ken_key_table[key];
    if (recipe->lines[key] > 0)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: %s.%s: %s", recipe->name, recipe->lines[key],
                        info->section, info->name, words);
    return ken_fail(KEN_ERR_ARGUMENT, "%s: %s.%s=%s: %s", recipe->name, info->section, info->name,
                    ken_recipe_value(recipe, key), words);
}
