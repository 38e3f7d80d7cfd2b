/* compare_plan.c - the plan of a comparison, which says which variants there are. A plan is made
 * from lists of values, or read from plan.json when a comparison is resumed. */
#include "compare/compare.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "task/run_folder.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { PLAN_MOST = 1 << 24 }; /* maximum bytes of plan.json */

static const char no_memory[] = "no memory for the plan of a comparison";

void ken_plan_release(struct ken_plan *plan)
{
    ken_recipe_free(plan->recipe);
    ken_memory_free(plan->command);
    ken_strings_release(&plan->tests);
    for (size_t k = 0; k < plan->key_count; k++) {
        ken_memory_free(plan->keys[k].key);
        ken_strings_release(&plan->keys[k].values);
    }
    *plan = (struct ken_plan){ 0 };
}

/* ---- lists of values ------------------------------------------------------------------------- */

/* Splits a list at its commas. A comma after a backslash does not split, but belongs to the
 * value. */
static ken_status split(ken_strings *values, const char *list)
{
    ken_buffer value = { 0 };
    ken_status status = KEN_OK;
    for (const char *at = list; !status; at++) {
        if (at[0] == '\\' && at[1] == ',') at++;
        else if (at[0] == ',' || at[0] == '\0') {
            status = ken_buffer_status(&value);
            ken_strings_add(values, ken_buffer_string(&value), value.size);
            ken_buffer_clear(&value);
            if (at[0] == '\0') break;
            continue;
        }
        ken_buffer_append(&value, at, 1);
    }
    ken_buffer_release(&value);
    return status ? status : ken_strings_status(values);
}

static ken_status check_values(const struct ken_plan_key *key)
{
    for (size_t i = 0; i < key->values.count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *value = ken_strings_at(&key->values, i, NULL);
            if (strcmp(value, ken_strings_at(&key->values, j, NULL)) == 0)
                return ken_fail(KEN_ERR_ARGUMENT, "%s: the value \"%s\" is listed twice", key->key,
                                value);
        }
    if (strcmp(key->key, "train.seed") == 0)
        return ken_fail(
            KEN_ERR_ARGUMENT,
            "train.seed cannot be a list: runs use train.seed, train.seed + 1 and so on; "
            "give the number of runs with --seeds");
    return KEN_OK;
}

/* Takes the values of one change, "key=value,value". A single value is set in the recipe of all
 * variants; several values make a key of the plan. */
static ken_status take_values(struct ken_plan *plan, struct ken_plan_key *key, const char *change)
{
    if (key->values.count > 1) {
        if (!ken_recipe_get(plan->recipe, key->key)) /* fails and reports that the key is unknown */
            return ken_recipe_set(plan->recipe, change);
        if (plan->key_count == KEN_PLAN_KEYS)
            return ken_fail(KEN_ERR_ARGUMENT, "at most %d keys may have several values",
                            KEN_PLAN_KEYS);
        KEN_TRY(check_values(key));
        plan->keys[plan->key_count++] = *key;
        *key = (struct ken_plan_key){ 0 };
        return KEN_OK;
    }
    ken_buffer assignment = { 0 };
    ken_buffer_format(&assignment, "%s=%s", key->key, ken_strings_at(&key->values, 0, NULL));
    ken_status status = ken_buffer_status(&assignment);
    if (!status) status = ken_recipe_set(plan->recipe, assignment.data);
    ken_buffer_release(&assignment);
    return status;
}

static ken_status add_change(struct ken_plan *plan, const char *change)
{
    const char *equals = strchr(change, '=');
    struct ken_plan_key key = { 0 };
    if (!equals) return ken_recipe_set(plan->recipe, change);
    key.key = ken_memory_text(change, (size_t)(equals - change));
    ken_status status = key.key ? split(&key.values, equals + 1)
                                : ken_fail(KEN_ERR_MEMORY, "%s", no_memory);
    for (size_t k = 0; k < plan->key_count && !status; k++)
        if (strcmp(plan->keys[k].key, key.key) == 0)
            status = ken_fail(KEN_ERR_ARGUMENT, "%s is given twice", key.key);
    if (!status) status = take_values(plan, &key, change);
    ken_memory_free(key.key);
    ken_strings_release(&key.values);
    return status;
}

/* Checks that no two tests have the same name, because results are stored by the names of the
 * tests. */
static ken_status check_tests(const ken_strings *tests)
{
    if (tests->count > KEN_PLAN_TESTS)
        return ken_fail(KEN_ERR_ARGUMENT, "%zu tests are too many, at most %d are allowed",
                        tests->count, KEN_PLAN_TESTS);
    for (size_t i = 0; i < tests->count; i++)
        for (size_t j = 0; j <= i; j++) {
            const char *test = ken_strings_at(tests, i, NULL);
            if (!test[0]) return ken_fail(KEN_ERR_ARGUMENT, "a test in the list is empty");
            if (j < i && strcmp(test, ken_strings_at(tests, j, NULL)) == 0)
                return ken_fail(KEN_ERR_ARGUMENT, "the test \"%s\" is listed twice", test);
        }
    return KEN_OK;
}

static ken_status count_variants(struct ken_plan *plan)
{
    plan->variants = 1;
    for (size_t k = 0; k < plan->key_count; k++)
        plan->variants = ken_size_min(plan->variants * plan->keys[k].values.count,
                                      KEN_PLAN_RUNS + 1);
    if (plan->seeds >= 1 && plan->seeds <= KEN_PLAN_RUNS &&
        plan->variants * plan->seeds <= KEN_PLAN_RUNS)
        return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT,
                    "a comparison has at most %d runs (variants times seeds); use fewer values or "
                    "seeds",
                    KEN_PLAN_RUNS);
}

ken_status ken_plan_make(struct ken_plan *plan, const ken_comparison *comparison)
{
    *plan = (struct ken_plan){ .seeds = ken_size_max(1, comparison->seeds) };
    KEN_TRY(ken_recipe_copy(&plan->recipe, comparison->recipe));
    ken_status status = KEN_OK;
    if (comparison->command) {
        plan->command = ken_memory_text(comparison->command, strlen(comparison->command));
        if (!plan->command) status = ken_fail(KEN_ERR_MEMORY, "%s", no_memory);
    }
    for (size_t i = 0; i < comparison->change_count && !status; i++)
        status = add_change(plan, comparison->changes[i]);
    if (!status && comparison->tests) status = split(&plan->tests, comparison->tests);
    if (!status) status = check_tests(&plan->tests);
    if (!status) status = count_variants(plan);
    if (status) ken_plan_release(plan);
    return status;
}

/* ---- a variant ------------------------------------------------------------------------------- */

const char *ken_plan_value(const struct ken_plan *plan, size_t variant, size_t key)
{
    for (size_t k = plan->key_count - 1; k > key; k--) variant /= plan->keys[k].values.count;
    return ken_strings_at(&plan->keys[key].values, variant % plan->keys[key].values.count, NULL);
}

void ken_plan_name(const struct ken_plan *plan, size_t variant, ken_buffer *name)
{
    for (size_t k = 0; k < plan->key_count; k++) {
        const char *value = ken_plan_value(plan, variant, k);
        ken_buffer_format(name, "%s%s", k > 0 ? ", " : "", value[0] ? value : "(nothing)");
    }
    if (plan->key_count == 0) ken_buffer_text(name, "the recipe");
}

/* Writes the folder name of a variant. It begins with the number of the variant, because two
 * variants may have the same name after special characters were replaced. */
void ken_plan_folder(const struct ken_plan *plan, size_t variant, ken_buffer *folder)
{
    enum { LONGEST = 60 };
    ken_buffer_format(folder, "%02zu", variant + 1);
    size_t last = folder->size + LONGEST;
    for (size_t k = 0; k < plan->key_count; k++) {
        ken_buffer_text(folder, "-");
        for (const char *at = ken_plan_value(plan, variant, k); *at && folder->size < last; at++) {
            bool plain = isascii(*at) && (isalnum((unsigned char)*at) || strchr("._+", *at));
            ken_buffer_append(folder, plain ? at : "_", 1);
        }
    }
}

uint64_t ken_plan_seed(const struct ken_plan *plan, size_t seed)
{
    return ken_recipe_size(plan->recipe, KEN_KEY_TRAIN_SEED) + seed;
}

ken_status ken_plan_recipe(const struct ken_plan *plan, size_t variant, size_t seed,
                           ken_recipe **recipe)
{
    ken_buffer assignment = { 0 };
    KEN_TRY(ken_recipe_copy(recipe, plan->recipe));
    ken_status status = KEN_OK;
    for (size_t k = 0; k <= plan->key_count && !status; k++) {
        ken_buffer_clear(&assignment);
        if (k < plan->key_count)
            ken_buffer_format(&assignment, "%s=%s", plan->keys[k].key,
                              ken_plan_value(plan, variant, k));
        else ken_buffer_format(&assignment, "train.seed=%" PRIu64, ken_plan_seed(plan, seed));
        status = ken_buffer_status(&assignment);
        if (!status) status = ken_recipe_set(*recipe, assignment.data);
    }
    ken_buffer_release(&assignment);
    if (!status) return KEN_OK;
    ken_recipe_free(*recipe);
    *recipe = NULL;
    return status;
}

/* ---- plan.json ------------------------------------------------------------------------------- */

static void write_text(ken_buffer *json, const char *name, const char *text)
{
    ken_buffer_format(json, "\"%s\":", name);
    ken_json_string(json, text, strlen(text));
    ken_buffer_text(json, ",");
}

static void write_list(ken_buffer *json, const ken_strings *list)
{
    ken_buffer_text(json, "[");
    for (size_t i = 0; i < list->count; i++) {
        const char *value = ken_strings_at(list, i, NULL);
        if (i > 0) ken_buffer_text(json, ",");
        ken_json_string(json, value, strlen(value));
    }
    ken_buffer_text(json, "]");
}

ken_status ken_plan_write(struct ken_plan *plan, const char *folder)
{
    ken_buffer json = { 0 };
    const char *text = ken_recipe_text(plan->recipe);
    if (!text) return ken_fail(KEN_ERR_MEMORY, "%s", no_memory);
    ken_buffer_text(&json, "{");
    if (plan->command) write_text(&json, "command", plan->command);
    write_text(&json, "name", plan->recipe->name);
    write_text(&json, "recipe", text);
    ken_buffer_format(&json, "\"seeds\":%zu,\"keys\":[", plan->seeds);
    for (size_t k = 0; k < plan->key_count; k++) {
        const struct ken_plan_key *key = &plan->keys[k];
        ken_buffer_text(&json, k > 0 ? ",{" : "{");
        write_text(&json, "key", key->key);
        ken_buffer_text(&json, "\"values\":");
        write_list(&json, &key->values);
        ken_buffer_text(&json, "}");
    }
    ken_buffer_text(&json, "],\"tests\":");
    write_list(&json, &plan->tests);
    ken_buffer_text(&json, "}\n");
    ken_status status = ken_folder_write(folder, "plan.json", &json);
    ken_buffer_release(&json);
    return status;
}

static bool read_list(ken_strings *list, const json_t *values)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (!value) return false;
        ken_strings_add(list, value, strlen(value));
    }
    return !ken_strings_status(list);
}

/* Reads one key with its values from plan.json. Returns false if ken_plan_make() could not have
 * made this key. */
static bool read_key(struct ken_plan_key *key, const json_t *object, const ken_recipe *recipe)
{
    const char *name = json_string_value(json_object_get(object, "key"));
    const json_t *values = json_object_get(object, "values");
    if (!name || !ken_recipe_get(recipe, name) || json_array_size(values) < 2) return false;
    key->key = ken_memory_text(name, strlen(name));
    return key->key && read_list(&key->values, values) && !check_values(key);
}

static ken_status read_plan(struct ken_plan *plan, const json_t *object, const char *path)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    const char *recipe = json_string_value(json_object_get(object, "recipe"));
    const char *command = json_string_value(json_object_get(object, "command"));
    const json_t *seeds = json_object_get(object, "seeds"), *keys = json_object_get(object, "keys");
    bool good = name && recipe && json_integer_value(seeds) >= 1 && json_is_array(keys) &&
                json_array_size(keys) <= KEN_PLAN_KEYS;
    if (good) KEN_TRY(ken_recipe_parse(&plan->recipe, recipe, name));
    /* Line numbers are removed, because they refer to the text inside plan.json and not to the file
     * that messages name. */
    if (good) memset(plan->recipe->lines, 0, sizeof plan->recipe->lines);
    if (good && command) plan->command = ken_memory_text(command, strlen(command));
    for (size_t k = 0; good && k < json_array_size(keys); k++) {
        plan->key_count++;
        good = read_key(&plan->keys[k], json_array_get(keys, k), plan->recipe);
    }
    good = good && read_list(&plan->tests, json_object_get(object, "tests")) &&
           !check_tests(&plan->tests);
    if (!good) return ken_fail(KEN_ERR_FORMAT, "%s: not a valid plan of a comparison", path);
    plan->seeds = (size_t)json_integer_value(seeds);
    return count_variants(plan);
}

ken_status ken_plan_read(struct ken_plan *plan, const char *path)
{
    char *text;
    size_t size;
    *plan = (struct ken_plan){ 0 };
    KEN_TRY(ken_file_read(&text, &size, path, PLAN_MOST));
    json_t *object = ken_json_read(text, size, 0, NULL);
    ken_status status = read_plan(plan, object, path);
    json_decref(object);
    ken_memory_free(text);
    if (status) ken_plan_release(plan);
    return status;
}
