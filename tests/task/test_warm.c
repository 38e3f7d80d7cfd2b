/* test_warm.c - a model that starts from another one takes weights only to where they mean the
 * same: by id and by label. */
#include "base/size.h"
#include "model/model.h"
#include "task/evaluate.h"
#include "tests/folder.h"
#include "tests/starts.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Labels a b c, then b c d with another word; `cold` is the same task without the old model. */
static void weights_follow_words_and_labels(void **state)
{
    static const char keys[] =
        "format = tsv\n[input]\nleast = 1\nletters = yes\nletters_width = 8\n"
        "[output]\nkind = each";
    static const char *const first = "aa aa bb cc\ta a b c\n";
    static const char *const second = "cc cc dd dd bb\tc c d d b\n";
    (void)state;
    struct ken_taken taken;
    ken_task *old = start_old(first, keys, "old.ken");
    ken_task *new = start_made(&taken, second, keys, folder_path("old.ken"), NULL);
    ken_task *cold = start_made(NULL, second, keys, "", NULL);
    assert_int_equal(ken_tokeniser_size(&new->input.tokeniser), KEN_ID_FIRST + 4);
    for (size_t id = 0; id < KEN_ID_FIRST + 3; id++) start_check_row(new, old, "input", id, id);
    assert_int_equal(ken_vocabulary_find(&new->input.tokeniser.tokens, "dd", 2), KEN_ID_FIRST + 3);
    for (size_t id = 0; id < ken_vocabulary_size(&old->input.tokeniser.letters); id++)
        start_check_row(new, old, "spelling.table", id, id);
    for (size_t j = 0; j < 3; j++) { /* b and c have moved by one, d is new */
        const ken_task *source = j < 2 ? old : cold;
        start_check_row(new, source, "head.weight", j, j < 2 ? j + 1 : j);
        assert_true(start_tensor(new, "head.bias")->data[j] ==
                    start_tensor(source, "head.bias")->data[j < 2 ? j + 1 : j]);
    }
    start_check_row(new, old, "encoder.0.attention.project.weight", 3, 3);
    assert_int_equal(taken.tensors, new->model->parameters.count);
    assert_int_equal(taken.taken, taken.tensors);
    assert_int_equal(taken.partly, 4);
    size_t fresh = 8 + 8 + 8 + 1; /* a word, the letter d, a row and a bias */
    assert_int_equal(taken.numbers, ken_model_size(new->model) - fresh);
    ken_task_free(old);
    ken_task_free(new);
    ken_task_free(cold);
}

/* Each label gets the same weights if the labels of the old model are in another order, whether the
 * output is a separate layer or the last bare block, which may also be the first. */
static void permuted_labels_get_the_same(void **state)
{
    static const struct {
        const char *unit, *keys;
    } kinds[] = {
        { "words", "[model]\n" },
        { "words", "[blocks]\nkind = bare\n[model]\nencoder_blocks = 1\n" },
        { "numbers", "[blocks]\nkind = bare\n[model]\nencoder_blocks = 1\n" },
        { "words", "[blocks]\nkind = bare\n[model]\nscore = gat\n" },
        { "words", "[blocks]\nkind = bare\n[model]\nscore = gatv2\nlast_heads = 3\n" },
        { "words", "[blocks]\nkind = bare\n[model]\nscore = gat\nencoder_blocks = 1\n" },
    };
    static const char *const order[] = { "c", "a", "d", "b", NULL };
    static const char data[] = "{\"nodes\":[%s,%s,%s,%s],\"links\":[[0,1,0.5],[1,2,1],[1,3,2]],"
                               "\"target\":[\"b\",\"a\",\"c\",\"d\"]}\n"
                               "{\"nodes\":[%s,%s],\"links\":[[0,1,3]],\"target\":[\"a\",\"a\"]}\n";
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(kinds); i++) {
        char keys[400], graphs[400];
        bool words = kinds[i].unit[0] == 'w';
        const char *a = words ? "\"aa\"" : "[1,2]", *b = words ? "\"bb\"" : "[2,0]";
        const char *c = words ? "\"cc\"" : "[0,5]";
        struct ken_taken taken;
        ken_buffer was = { 0 }, is = { 0 };
        ken_dataset dataset = { 0 };
        ken_corpus corpus = { 0 };
        snprintf(keys, sizeof keys,
                 "format = graphs\n[input]\nleast = 1\nunit = %s\n[output]\nkind = each\n"
                 "%sreach = edges\nposition = none\n",
                 kinds[i].unit, kinds[i].keys);
        snprintf(graphs, sizeof graphs, data, a, b, c, a, b, a);
        ken_task *old = start_old(graphs, keys, "old.ken");
        ken_task *new = start_made(&taken, graphs, keys, folder_path("old.ken"), order);
        assert_int_equal(taken.taken, taken.tensors);
        assert_int_equal(taken.partly, 0);
        assert_int_equal(ken_part_read(&corpus, old->recipe, KEN_KEY_DATA_TRAIN, NULL, NULL), 0);
        assert_int_equal(ken_task_encode(old, &dataset, &corpus, NULL), KEN_OK);
        assert_int_equal(ken_labels_predict(old, &was, &dataset), KEN_OK);
        assert_int_equal(ken_labels_predict(new, &is, &dataset), KEN_OK);
        for (size_t n = 0; n < 6 * 4; n++) {
            float x = ken_buffer_floats(&was)[n - n % 4 + (size_t)(order[n % 4][0] - 'a')];
            float y = ken_buffer_floats(&is)[n];
            if (!(fabsf(x - y) < 1e-5f)) fail_msg("kind %zu: %g and %g", i, x, y);
        }
        ken_dataset_release(&dataset);
        ken_corpus_release(&corpus);
        ken_buffer_release(&was);
        ken_buffer_release(&is);
        ken_task_free(old);
        ken_task_free(new);
    }
}

/* A block that gives the answers in only one of two models is not copied, even if the shapes are
 * the same because there are as many labels as the model is wide. */
static void blocks_that_answer_are_told_from_others(void **state)
{
    static const char keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n"
                               "[blocks]\nkind = bare\n[model]\nposition = none\n";
    static const char data[] = "aa bb cc aa dd ee ff\ta b c d e f g\nbb\th\n";
    (void)state;
    char flat[300];
    struct ken_taken taken;
    snprintf(flat, sizeof flat, "%sencoder_blocks = 1", keys);
    ken_task *old = start_old(data, flat, "old.ken"),
             *deep = start_made(NULL, data, keys, "", NULL), *new;
    assert_int_equal(start_tensor(old, "input")->cols, start_tensor(deep, "input")->cols);
    assert_int_equal(start_new(&new, data, keys, folder_path("old.ken")), KEN_OK);
    assert_int_equal(start_set_up(new, &taken, NULL), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "no tensor of "));
    ken_task_free(new);
    ken_task_free(deep);
    ken_task_free(old);
}

/* A model that gives labels has no weights for the output of a generator, but reads the same
 * input. */
static void a_generator_from_a_classifier(void **state)
{
    static const char whole[] = "format = tsv\n[input]\nunit = characters\nleast = 1\n[output]\n"
                                "kind = whole";
    static const char writes[] = "format = tsv\n[input]\nunit = characters\nleast = 1\n[output]\n"
                                 "kind = generate\nunit = characters\nleast = 1";
    (void)state;
    struct ken_taken taken;
    /* as many labels as the generator has ids, so the shapes alone would match */
    ken_task *old = start_old("ab\t1\nba\t2\naa\t3\nbb\t4\na\t5\n", whole, "old.ken");
    ken_task *cold = start_made(NULL, "ab\tc\nba\td\n", writes, "", NULL);
    ken_task *new = start_made(&taken, "ab\tc\nba\td\n", writes, folder_path("old.ken"), NULL);
    assert_int_equal(start_tensor(new, "head.weight")->rows,
                     start_tensor(old, "head.weight")->rows);
    for (size_t i = 0; i < 5; i++) {
        start_check_row(new, old, "input", i, i);
        start_check_row(new, cold, "head.weight", i, i);
        start_check_row(new, cold, "target", i, i);
    }
    start_check_row(new, old, "encoder.0.forward_in.weight", 2, 2);
    ken_task_free(old);
    ken_task_free(cold);
    ken_task_free(new);
}

static void small_shares_are_said(void **state)
{
    static const char keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n";
    (void)state;
    char expected[300];
    struct ken_taken taken;
    ken_buffer words = { 0 };
    ken_task *old = start_old("a\tx\nb\ty\n", keys, "old.ken");
    ken_task *task;
    assert_int_equal(start_new(&task, "a\tx\nb\ty\n", keys, folder_path("old.ken")), KEN_OK);
    assert_int_equal(ken_recipe_set(task->recipe, "model.width=16"), KEN_OK);
    assert_int_equal(start_set_up(task, &taken, NULL), KEN_OK);
    ken_warm_words(&words, task, &taken);
    snprintf(expected, sizeof expected,
             "from %s: 3 of %zu tensors; only %.2g %% of all weights, the others start at random",
             folder_path("old.ken"), taken.tensors,
             100.0 * (2 + 8 + 8) /
                 (double)ken_model_size(task->model)); /* biases: labels, hidden */
    assert_string_equal(words.data, expected);
    ken_buffer_release(&words);
    ken_task_free(task);
    ken_task_free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_follow_words_and_labels),
        cmocka_unit_test(permuted_labels_get_the_same),
        cmocka_unit_test(blocks_that_answer_are_told_from_others),
        cmocka_unit_test(a_generator_from_a_classifier),
        cmocka_unit_test(small_shares_are_said),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
