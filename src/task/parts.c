/* parts.c - reads the data that a recipe names: files, or examples that are generated. */
#include "made/made.h"
#include "task/task.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the value of data.train (or dev, test) for generated data: "2000" is a number of examples,
 * and "2000@64" also gives the exact distance between related words. */
static bool read_order(struct ken_make *how, const char *order)
{
    size_t digits = strspn(order, "0123456789"), more = 0;
    if (order[digits] == '@') more = strspn(order + digits + 1, "0123456789");
    if (digits == 0 || digits > 8 || more > 8) return false;
    how->count = strtoull(order, NULL, 10);
    how->exact = more > 0;
    if (how->exact) how->distance = strtoull(order + digits + 1, NULL, 10);
    return how->count > 0 && order[digits + how->exact + more] == '\0' &&
           (!how->exact || how->distance > 0);
}

/* Generates the examples of a made (synthetic) format. The recipe gives a number of examples
 * instead of a file. */
static ken_status make(ken_corpus *corpus, const ken_recipe *recipe, const struct ken_maker *maker,
                       const char *order, enum ken_made_part part)
{
    struct ken_layout layout = ken_settings_layout(recipe);
    struct ken_make how = { .seed = ken_recipe_size(recipe, KEN_KEY_TRAIN_SEED),
                            .part = part,
                            .distance = ken_recipe_size(recipe, KEN_KEY_DATA_DISTANCE),
                            .each = layout.each,
                            .homophily = ken_recipe_real(recipe, KEN_KEY_DATA_HOMOPHILY),
                            .noise = ken_recipe_real(recipe, KEN_KEY_DATA_NOISE),
                            .target_kind = layout.target_kind };
    if (!read_order(&how, order) || (how.exact && !maker->draft))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: expected a number of examples to make%s, not \"%s\"",
                        maker->info.name, maker->draft ? ", or number@distance" : "", order);
    return ken_make(corpus, maker, &how);
}

static const struct ken_maker *maker_of(const ken_recipe *recipe)
{
    return ken_maker_named(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT));
}

static bool takes_two(const ken_recipe *recipe)
{
    return ken_settings_format(recipe)->second != KEN_SECOND_NONE;
}

static bool has_split(const ken_recipe *recipe)
{
    return ken_recipe_value(recipe, KEN_KEY_DATA_SPLIT)[0] != '\0';
}

/* Returns PART if `files` has the form "FILE @PART" and the recipe splits files into parts;
 * otherwise NULL. */
static const char *part_in(const ken_recipe *recipe, const char *files)
{
    const char *at = strrchr(files, '@');
    if (!has_split(recipe) || !at || at == files) return NULL;
    return at[-1] == ' ' && at[1] && !strchr(at, '/') ? at + 1 : NULL;
}

/* Reads one or two files. `part` is the part (split) of the files to read; NULL = all. */
static ken_status read_files(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                             const char *second, const char *part, ken_complaint_fn *complain,
                             void *user)
{
    static const char *const files[] = { [KEN_SECOND_NONE] = "one file",
                                         [KEN_SECOND_TARGETS] = "two files, input and target",
                                         [KEN_SECOND_LINKS] = "two files, nodes and links" };
    const struct ken_format_info *format = ken_settings_format(recipe);
    struct ken_layout layout = ken_settings_layout(recipe);
    if (takes_two(recipe) != (second != NULL))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: format %s takes %s", path, format->name,
                        files[format->second]);
    layout.part = part;
    ken_status status = ken_corpus_read(corpus, path, second, &layout, complain, user);
    if (status == KEN_ERR_IO && !has_split(recipe) && strstr(second ? second : path, " @"))
        return ken_fail_because(status, "a part (@) needs data.split");
    return status;
}

/* Copies a file name without the " @PART" at its end; `part` points into `file`, or is NULL. */
static void without_part(ken_buffer *name, const char *file, const char *part)
{
    size_t length = part ? (size_t)(part - file) - 1 : strlen(file);
    while (part && length > 0 && file[length - 1] == ' ') length--;
    ken_buffer_append(name, file, length);
}

ken_status ken_part_from(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                         const char *second, ken_complaint_fn *complain, void *user)
{
    const struct ken_maker *maker = maker_of(recipe);
    if (maker) {
        if (second)
            return ken_fail(KEN_ERR_ARGUMENT,
                            "%s: format %s is made and takes a single number: how many examples",
                            second, maker->info.name);
        return make(corpus, recipe, maker, path, KEN_MADE_TEST);
    }
    ken_buffer last = { 0 };
    const char *part = part_in(recipe, second ? second : path);
    without_part(&last, second ? second : path, part);
    ken_status status = ken_buffer_status(&last);
    const char *name = ken_buffer_string(&last);
    if (!status)
        status = read_files(corpus, recipe, second ? path : name, second ? name : NULL, part,
                            complain, user);
    ken_buffer_release(&last);
    return status;
}

/* Returns the folder that is the value of the environment variable `name`; NULL if the variable is
 * not set. KEN_DATA, the folder of public data sets, defaults to the folder that tools/get-data
 * fills. */
static const char *folder_in(const char *name)
{
    const char *folder = getenv(name);
    if (strcmp(name, "KEN_DATA") == 0 && (!folder || !folder[0])) return "data";
    return folder;
}

/* Expands $NAME at the start of a path to the value of the environment variable NAME. */
static ken_status expand(ken_buffer *path, const ken_recipe *recipe, enum ken_key part,
                         const char *value, size_t length)
{
    size_t name = 1;
    char variable[64];
    if (value[0] == '$') {
        while (name < length && (isalnum((unsigned char)value[name]) || value[name] == '_')) name++;
        if (name == 1)
            return ken_recipe_fail(recipe, part,
                                   "$ must be followed by the name of an environment variable: "
                                   "letters, digits and _");
        if (name > sizeof variable - 1)
            return ken_recipe_fail(recipe, part,
                                   "the name of the environment variable is too long");
        memcpy(variable, value + 1, name - 1);
        variable[name - 1] = '\0';
        const char *folder = folder_in(variable);
        if (!folder)
            return ken_recipe_fail(recipe, part,
                                   "the environment variable %s is not set: set it to the "
                                   "folder of the data, or give another path",
                                   variable);
        ken_buffer_text(path, folder);
        value += name;
        length -= name;
    }
    ken_buffer_append(path, value, length);
    return ken_buffer_status(path);
}

/* Adds data.source, which says where the recipe's data can be obtained, to the message about a file
 * that could not be opened. Paths without $ were probably typed by the user, so the hint is not
 * added for them. */
static ken_status explain(ken_status status, const ken_recipe *recipe, const char *value)
{
    char reason[512];
    const char *source = ken_recipe_value(recipe, KEN_KEY_DATA_SOURCE);
    value += value[0] == '"';
    if (status != KEN_ERR_IO || value[0] != '$' || !source[0]) return status;
    snprintf(reason, sizeof reason, "%s", ken_last_error());
    return ken_fail(status, "%s; %s", reason, source);
}

/* Reads one path from the text at *at, and moves *at after the path and the spaces that follow it.
 * A path that is not in double quotes has a length of `unquoted` bytes. */
static ken_status take_path(ken_buffer *path, const ken_recipe *recipe, enum ken_key key,
                            const char **at, size_t unquoted)
{
    const char *text = *at;
    bool quoted = text[0] == '"';
    size_t length = quoted ? strcspn(++text, "\"") : unquoted;
    if (quoted && text[length] == '\0')
        return ken_recipe_fail(recipe, key, "a quote is opened and not closed");
    KEN_TRY(expand(path, recipe, key, text, length));
    *at = text + length + quoted;
    *at += strspn(*at, " ");
    return KEN_OK;
}

/* The files that a key of the recipe names, and which part (split) of them to read. */
struct files {
    ken_buffer path, second;
    const char *part; /* name of the part to read; NULL = all parts */
};

/* Splits the value of a key into one or two paths and a part. A path in double quotes may contain
 * spaces. A path without quotes may contain spaces only if it is the last or only path. */
static ken_status take_files(struct files *files, const ken_recipe *recipe, enum ken_key key,
                             const char *value)
{
    const char *at = value;
    if (takes_two(recipe)) KEN_TRY(take_path(&files->path, recipe, key, &at, strcspn(at, " ")));
    if (takes_two(recipe) && *at == '\0') return KEN_OK;
    ken_buffer last = { 0 };
    if (at[0] != '"') files->part = part_in(recipe, at);
    without_part(&last, at, files->part);
    ken_buffer *path = takes_two(recipe) ? &files->second : &files->path;
    ken_status status = ken_buffer_status(&last);
    if (!status) status = take_path(path, recipe, key, &at, last.size);
    ken_buffer_release(&last);
    if (status || files->part || *at == '\0') return status;
    if (*at != '@')
        return ken_recipe_fail(recipe, key,
                               "found \"%s\" after the path; a path with spaces must "
                               "be in double quotes",
                               at);
    if (!has_split(recipe)) return ken_recipe_fail(recipe, key, "a part (@) needs data.split");
    files->part = at + 1;
    return KEN_OK;
}

/* Reads the data that `value` names; `value` is written like data.train in a recipe. */
static ken_status read_part(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                            const char *value, ken_complaint_fn *complain, void *user)
{
    static const enum ken_made_part parts[] = { [KEN_KEY_DATA_TRAIN] = KEN_MADE_TRAIN,
                                                [KEN_KEY_DATA_DEV] = KEN_MADE_DEV,
                                                [KEN_KEY_DATA_TEST] = KEN_MADE_TEST };
    const struct ken_maker *maker = maker_of(recipe);
    struct files files = { 0 };
    if (value[0] == '\0') return ken_recipe_fail(recipe, part, "no file given");
    if (maker) return make(corpus, recipe, maker, value, parts[part]);
    ken_status status = take_files(&files, recipe, part, value);
    const char *second = files.second.size > 0 ? ken_buffer_string(&files.second) : NULL;
    if (!status)
        status = read_files(corpus, recipe, ken_buffer_string(&files.path), second, files.part,
                            complain, user);
    if (status == KEN_ERR_IO && second && value[0] != '"' && strchr(second, ' '))
        status = ken_fail_because(status, "a path with spaces must be in double quotes");
    ken_buffer_release(&files.path);
    ken_buffer_release(&files.second);
    return explain(status, recipe, value);
}

ken_status ken_part_read(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                         ken_complaint_fn *complain, void *user)
{
    return read_part(corpus, recipe, part, ken_recipe_value(recipe, part), complain, user);
}

ken_status ken_part_test(ken_corpus *corpus, const ken_recipe *recipe, const char *value)
{
    return read_part(corpus, recipe, KEN_KEY_DATA_TEST, value, NULL, NULL);
}
