/* test_reading_notes.c - what a model file says about the files it was trained on: separator,
 * decimal mark, and columns with missing numbers. A false list of columns is refused. */
#include "base/size.h"
#include "model/model_file.h"
#include "task/store.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <stdio.h>
#include <string.h>

static const char keys[] = "format = vectors\nheader = yes\ninput = a b\ntarget = y\n[output]\n"
                           "kind = whole\n[model]";
static const char data[] = "a;b;c;y\n1,5;2;x;p\n2;NA;x;q\n3;4;x;?\n4;1;x;q\n";

/* Saves the task with another note "sizes" and loads it again. */
static ken_status load_with(const ken_task *task, const char *sizes)
{
    struct ken_learned learned = { 0 };
    struct ken_note notes[KEN_LEARNED + 1];
    ken_task *again;
    const char *path = folder_path("changed.ken");
    must(ken_learned_write(&learned, task));
    for (size_t i = 0; i < KEN_LEARNED; i++) {
        notes[i] = learned.notes[i];
        if (strcmp(notes[i].key, "sizes") == 0) notes[i].value = sizes;
    }
    notes[KEN_LEARNED] = (struct ken_note){ "recipe", ken_recipe_text(task->recipe) };
    must(ken_model_store(task->model, path, notes, KEN_COUNT(notes)));
    ken_learned_release(&learned);
    ken_status status = ken_task_load(&again, path);
    ken_task_free(again);
    return status;
}

static void what_is_remembered(void **state)
{
    (void)state;
    ken_task *task = task_of("series", data, keys);
    const size_t *missing = (const size_t *)(const void *)task->input.missing.data;
    assert_string_equal(ken_task_get(task, "data.separator"), "semicolon");
    assert_string_equal(ken_task_get(task, "data.decimal"), "comma");
    assert_int_equal(task->input.missing.size, sizeof(size_t));
    assert_int_equal(missing[0], 1);
    assert_int_equal(task->model->config.input_size, 3);
    must(ken_task_set(task, "data.separator=comma"));
    assert_string_equal(ken_task_get(task, "data.separator"), "comma");
    assert_int_equal(ken_task_set(task, "data.header=no"), KEN_ERR_ARGUMENT);
    ken_task_free(task);
}

static void false_lists(void **state)
{
    (void)state;
    static const char *const lists[] = { "[2]",     "[-1]", "[1,1]",   "[1,0]",     "[1.5]",
                                         "[\"1\"]", "{}",   "1",       "null",      "[null]",
                                         "[0,1]",   "[]",   "[1e400]", "[99999999]" };
    char sizes[80];
    ken_task *task = task_of("lists", data, keys);
    must(load_with(task, "{\"indices\":0,\"links\":0,\"missing\":[1]}"));
    for (size_t i = 0; i < KEN_COUNT(lists); i++) {
        snprintf(sizes, sizeof sizes, "{\"indices\":0,\"links\":0,\"missing\":%s}", lists[i]);
        if (load_with(task, sizes) != KEN_ERR_FORMAT) fail_msg("%s", lists[i]);
    }
    ken_task_free(task);
}

/* A model of version 0.1 does not name its separator, which was the format's default. */
static void older_recipes(void **state)
{
    (void)state;
    static const struct {
        const char *format, *separator;
    } cases[] = { { "csv", "comma" }, { "vectors", "tab" }, { "tsv", "auto" } };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        char text[80];
        ken_recipe *recipe;
        snprintf(text, sizeof text, "[data]\nformat = %s\n", cases[i].format);
        must(ken_recipe_parse(&recipe, text, "r"));
        must(ken_settings_reading(recipe, 0, 0));
        assert_string_equal(ken_recipe_get(recipe, "data.separator"), cases[i].separator);
        assert_string_equal(ken_recipe_get(recipe, "data.decimal"), "auto");
        ken_recipe_free(recipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_remembered),
        cmocka_unit_test(false_lists),
        cmocka_unit_test(older_recipes),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
