/* test_labels.c - evaluates labels, sets and numbers: data without known answers, exact losses, and
 * answers that are not finite. */
#include "base/size.h"
#include "model/model.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char set_keys[] = "format = tsv\ntarget = 2 3\n[input]\nleast = 1\n[output]\n"
                               "kind = whole\nvalue = set\n[model]";
static const char number_keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n"
                                  "value = number\n[model]";
static const char class_keys[] =
    "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n[model]";

/* Models trained for a few steps on each kind of label. */
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
    assert_non_null(strstr(ken_last_error(), "lines: found no known target"));
    assert_int_equal(evaluate(numbers, &out, "a b\t? ?\n"), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "found no known target"));
    assert_int_equal(out.size, 0);
    must(evaluate(sets, &out, "a\t?\t?\nb\t?\t1\n"));
    assert_null(strstr(out.data, "null")); /* one answer is enough */
    must(evaluate(numbers, &out, "a b\t? 1\n"));
    assert_null(strstr(out.data, "null"));
    ken_buffer_release(&out);
}

/* Data without known answers cannot be trained on either, and a run that could not be evaluated
 * does not start. */
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
        assert_non_null(strstr(ken_last_error(), "none: found no known target"));
        ken_recipe_free(recipe);
    }
}

/* ---- losses of sets -------------------------------------------------------------------------- */

static double loss_of(ken_task *task, const char *lines)
{
    ken_buffer out = { 0 };
    must(evaluate(task, &out, lines));
    const char *at = strstr(out.data, "\"loss\":");
    assert_non_null(at);
    double loss = strtod(at + 7, NULL);
    ken_buffer_release(&out);
    return loss;
}

/* With logits +z and -z for any input, a wrong answer costs ln(1 + e^z) and a right one
 * ln(1 + e^-z): the same for present and absent labels, however sure the model is. */
static void sure_and_wrong(void **state)
{
    (void)state;
    static const float logits[] = { 0, 1, 16, 17, 30, 90, 1000 };
    ken_tensor *weight = &sets->model->head.weight, *bias = &sets->model->head.bias;
    float kept[2], *old = weight->data;
    float zeros[2 * 12] = { 0 };
    memcpy(kept, bias->data, sizeof kept);
    weight->data = zeros;
    ken_model_changed(sets->model);
    for (size_t i = 0; i < KEN_COUNT(logits); i++) {
        double z = logits[i], wrong = z + log1p(exp(-z)), right = log1p(exp(-z));
        bias->data[0] = logits[i];
        bias->data[1] = -logits[i];
        const struct {
            const char *lines;
            double loss;
        } cases[] = { { "a b\t0\t?\n", wrong },
                      { "a b\t?\t1\n", wrong },
                      { "a b\t1\t?\n", right },
                      { "a b\t?\t0\n", right },
                      { "a b\t0\t0\nb\t0\t?\n", (2 * wrong + right) / 3 } };
        for (size_t c = 0; c < KEN_COUNT(cases); c++) {
            double loss = loss_of(sets, cases[c].lines);
            if (!(fabs(loss - cases[c].loss) <= 1e-6 * cases[c].loss + 1e-300))
                fail_msg("logit %g: %.9g, expected %.9g", z, loss, cases[c].loss);
        }
    }
    weight->data = old;
    ken_model_changed(sets->model);
    memcpy(bias->data, kept, sizeof kept);
}

/* ---- answers that are not finite ------------------------------------------------------------- */

static int ignore(void *user, const ken_answer *answer)
{
    (void)user;
    (void)answer;
    return 0;
}

/* Makes the answer to the word "c" not finite; the first example does not contain it. */
static void refuses(ken_task *task, const char *lines, float number)
{
    ken_buffer out = { 0 };
    ken_request request = { .text = "a b\nb c\n", .size = 8, .name = "text" };
    int32_t id = ken_vocabulary_find(&task->input.tokeniser.tokens, "c", 1);
    float *cell = task->model->input_table.data + (size_t)id * 12, kept = *cell;
    must(evaluate(task, &out, lines));
    must(ken_task_run(task, &request, ignore, NULL));
    *cell = number;
    assert_int_equal(evaluate(task, &out, lines), KEN_ERR_DIVERGED);
    assert_non_null(strstr(ken_last_error(), "lines:2: the model's answer is not finite"));
    assert_int_equal(ken_task_run(task, &request, ignore, NULL), KEN_ERR_DIVERGED);
    assert_non_null(strstr(ken_last_error(), "example 2: the model's answer is not finite"));
    *cell = kept;
    must(evaluate(task, &out, lines));
    ken_buffer_release(&out);
}

static void not_finite(void **state)
{
    (void)state;
    static const float bad[] = { NAN, INFINITY, 3e38f };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        refuses(sets, "a\t1\t0\nb c\t0\t1\n", bad[i]);
        refuses(numbers, "a b\t1 2\nb c\t1 ?\n", bad[i]);
        refuses(classes, "a\tx\nb c\ty\n", bad[i]);
    }
    /* an infinite logit, though its probability is 1 */
    ken_buffer out = { 0 };
    float *bias = sets->model->head.bias.data, kept = *bias;
    *bias = INFINITY;
    assert_int_equal(evaluate(sets, &out, "a\t1\t0\n"), KEN_ERR_DIVERGED);
    *bias = kept;
    ken_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(nothing_to_train_with),
        cmocka_unit_test(sure_and_wrong),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, make_tasks, free_tasks);
}
