/* test_labels.c - measuring labels, sets and numbers: what there is to measure, exact losses, and
 * answers that are no numbers. */
#include "model/model.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char set_keys[] = "format = tsv\ntarget = 2 3\n[input]\nleast = 1\n[output]\n"
                               "kind = whole\nvalue = set\n[model]";
static const char number_keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n"
                                  "value = number\n[model]";
static const char class_keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n[model]";

/* Trained for a moment on each kind of label. */
static ken_task *sets, *numbers, *classes;

static int make_tasks(void **state)
{
    if (folder_make_fast(state)) return -1;
    sets = task_of("sets", "a b\t1\t0\nb c\t0\t?\nc a\t1\t1\n", set_keys);
    numbers = task_of("numbers", "a b\t1 ?\nb c\t2 3\n", number_keys);
    classes = task_of("classes", "a b\tx\nb c\ty\nc a\tx\n", class_keys);
    return 0;
}

static int free_tasks(void **state)
{
    ken_task_free(sets);
    ken_task_free(numbers);
    ken_task_free(classes);
    return folder_remove(state);
}

static ken_status evaluate(ken_task *task, ken_buffer *out, const char *lines)
{
    const char *path = folder_path("lines");
    file_of(path, lines, strlen(lines));
    ken_buffer_clear(out);
    return ken_task_evaluate(task, path, NULL, 1, collect, out);
}

/* ---- nothing to measure ---------------------------------------------------------------------- */

static void nothing_is_known(void **state)
{
    (void)state;
    ken_buffer out = { 0 };
    assert_int_equal(evaluate(sets, &out, "a\t?\t?\nb\t?\t?\n"), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "lines: no answer is known"));
    assert_int_equal(evaluate(numbers, &out, "a b\t? ?\n"), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "no answer is known"));
    assert_int_equal(out.size, 0);
    must(evaluate(sets, &out, "a\t?\t?\nb\t?\t1\n"));
    assert_null(strstr(out.data, "null")); /* one answer is something */
    must(evaluate(numbers, &out, "a b\t? 1\n"));
    assert_null(strstr(out.data, "null"));
    ken_buffer_release(&out);
}

/* Neither is there anything to learn from, and a run that could not be measured does not begin. */
static void nothing_to_train_with(void **state)
{
    (void)state;
    char text[1000];
    file_of(folder_path("some"), "a b\t1\t0\n", 8);
    file_of(folder_path("none"), "a b\t?\t?\n", 8);
    for (int dev = 0; dev < 2; dev++) {
        ken_recipe *recipe;
        snprintf(text, sizeof text,
                 "[data]\ntrain = %s\ndev = %s\n%s\nwidth = 12\nheads = 3\nhidden = 8\n",
                 folder_path(dev ? "some" : "none"), folder_path("none"), set_keys);
        must(ken_recipe_parse(&recipe, text, "recipe"));
        assert_int_equal(ken_train(recipe, folder_path("run"), NULL, NULL), KEN_ERR_FORMAT);
        assert_non_null(strstr(ken_last_error(), "none: no answer is known"));
        ken_recipe_free(recipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(nothing_to_train_with),
    };
    return cmocka_run_group_tests(tests, make_tasks, free_tasks);
}
