/* test_view.c - views of a trained model: every choice of heads and layers, names, answers, files,
 * and what cannot be shown. */
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "format/npy.h"
#include "model/model.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { D = 12, H = 3 };

/* ---- pictures of a view ---------------------------------------------------------------------- */

static void check_rows(const ken_picture *picture)
{
    const float *value = picture->values;
    for (size_t r = 0; r < picture->count * picture->rows; r++) {
        double sum = 0;
        for (size_t j = 0; j < picture->cols; j++) sum += *value++;
        assert_true(fabs(sum - 1) < 1e-5);
    }
}

/* Every choice shows the weights of ken_model_look(), in the right shape, with rows that add up to
 * 1. */
static void check_all(ken_view *view, ken_look which, size_t rows, size_t cols)
{
    ken_task *task = view->task;
    const ken_sequences *input = task->input.kind ? &view->batch.input : NULL;
    const ken_sequences *target = task->output == KEN_GENERATE ? &view->batch.target : NULL;
    size_t size = rows * cols;
    float *one = ken_memory_new(size, sizeof *one);
    ken_picture picture;
    assert_int_equal(ken_view_layers(view, which), 2);
    assert_int_equal(ken_view_heads(view, which), H);
    for (size_t l = 0; l < 2; l++)
        for (size_t h = 0; h <= H; h++) {
            size_t head = h < H ? h : KEN_ALL_HEADS;
            must(ken_model_look(task->model, one, which, l, head, input, target));
            must(ken_view_show(view, &picture, &(ken_glance){ which, l, head, 0 }));
            assert_int_equal(picture.dimensions, 2);
            assert_int_equal(picture.rows, rows);
            assert_int_equal(picture.cols, cols);
            assert_memory_equal(picture.values, one, size * sizeof *one);
            check_rows(&picture);
            if (h == H) continue;
            must(ken_view_show(view, &picture, &(ken_glance){ which, KEN_EVERY, h, 0 }));
            assert_memory_equal(picture.values + l * size, one, size * sizeof *one);
            must(ken_view_show(view, &picture, &(ken_glance){ which, l, KEN_EVERY, 0 }));
            assert_memory_equal(picture.values + h * size, one, size * sizeof *one);
        }
    for (size_t l = 0; l < 3; l++) {
        must(ken_view_show(view, &picture,
                           &(ken_glance){ which, l < 2 ? l : KEN_EVERY, KEN_EVERY, 1 }));
        assert_int_equal(picture.count, 1);
        check_rows(&picture);
    }
    ken_memory_free(one);
}

static void every_choice_of_every_model(void **state)
{
    (void)state;
    ken_view *view = view_of(TAGS, "the cat flew over it", NULL);
    check_all(view, KEN_LOOK_ENCODER, 5, 5);
    assert_int_equal(ken_view_layers(view, KEN_LOOK_DECODER), 0);
    assert_int_equal(ken_view_heads(view, KEN_LOOK_CROSS), 0);
    ken_view_free(view);
    view = view_of(MOODS, "good", NULL);
    check_all(view, KEN_LOOK_ENCODER, 1, 1);
    ken_view_free(view);
    view = view_of(TURNED, "abca", "ac");
    check_all(view, KEN_LOOK_ENCODER, 4, 4);
    check_all(view, KEN_LOOK_DECODER, 3, 3);
    check_all(view, KEN_LOOK_CROSS, 3, 4);
    ken_view_free(view);
    view = view_of(STORY, "a b", "");
    check_all(view, KEN_LOOK_DECODER, 4, 4);
    ken_view_free(view);
}

/* ---- blocks without attention ---------------------------------------------------------------- */

static void has_none(ken_view *view, ken_look which, const char *kind)
{
    ken_picture picture;
    char words[80];
    snprintf(words, sizeof words, "no %s attention to show: its blocks are of kind %s",
             ken_word(KEN_CHOICE_LOOK, (int)which), kind);
    assert_int_equal(ken_view_layers(view, which), 0);
    assert_int_equal(ken_view_heads(view, which), 0);
    for (int rollout = 0; rollout < 2; rollout++) {
        ken_glance glance = { which, KEN_EVERY, KEN_EVERY, rollout };
        assert_int_equal(ken_view_show(view, &picture, &glance), KEN_ERR_ARGUMENT);
        if (!strstr(ken_last_error(), words)) fail_msg("\"%s\": %s", words, ken_last_error());
    }
}

/* A generator still has cross-attention. Its encoder has no attention, so there is no rollout,
 * neither alone nor on a page. */
static void has_cross(ken_view *view, size_t rows, size_t cols)
{
    ken_picture picture;
    ken_buffer page = { 0 };
    ken_glance glance = { KEN_LOOK_CROSS, KEN_EVERY, KEN_EVERY, 0 };
    assert_int_equal(ken_view_layers(view, KEN_LOOK_CROSS), 2);
    assert_int_equal(ken_view_heads(view, KEN_LOOK_CROSS), H);
    must(ken_view_show(view, &picture, &glance));
    assert_int_equal(picture.count, 2 * H);
    assert_true(picture.rows == rows && picture.cols == cols);
    check_rows(&picture);
    must(ken_view_html(view, &glance, collect, &page));
    assert_non_null(strstr(page.data, "\"which\":\"cross\",\"layers\":2"));
    assert_null(strstr(page.data, "\"which\":\"encoder\""));
    assert_null(strstr(page.data, "\"rollout\":"));
    ken_buffer_release(&page);
    glance.rollout = 1;
    assert_int_equal(ken_view_show(view, &picture, &glance), KEN_ERR_ARGUMENT);
    assert_non_null(strstr(ken_last_error(), "rollout"));
}

static void without_attention(void **state)
{
    (void)state;
    for (int i = KEN_MIX_FC; i <= KEN_MIX_GRU; i++) {
        const char *kind = ken_word(KEN_CHOICE_MIXING, i);
        char name[20], keys[200];
        const char *form = "format = tsv\n[input]\nunit = characters\nleast = 1\n[output]\n"
                           "kind = %s\nunit = characters\nleast = 1\n[blocks]\nkind = %s\n[model]";
        snprintf(name, sizeof name, "whole%d", i);
        snprintf(keys, sizeof keys, form, "whole", kind);
        ken_task *task = task_of(name, "abc\tx\nbca\ty\n", keys);
        ken_view *view = view_by(task, "abca", NULL);
        has_none(view, KEN_LOOK_ENCODER, kind);
        ken_view_free(view);
        ken_task_free(task);
        snprintf(name, sizeof name, "turned%d", i);
        snprintf(keys, sizeof keys, form, "generate", kind);
        task = task_of(name, "abc\tcba\nbca\tacb\n", keys);
        view = view_by(task, "abca", "ac");
        has_none(view, KEN_LOOK_ENCODER, kind);
        has_none(view, KEN_LOOK_DECODER, kind);
        has_cross(view, 3, 4);
        ken_view_free(view);
        ken_task_free(task);
    }
}

/* ---- names and answers ----------------------------------------------------------------------- */

static void names_are(const char *const *names, size_t count, const char *expected)
{
    ken_buffer all = { 0 };
    for (size_t i = 0; i < count; i++) ken_buffer_format(&all, "%s|", names[i]);
    assert_string_equal(ken_buffer_string(&all), expected);
    ken_buffer_release(&all);
}

static void names(void **state)
{
    (void)state;
    ken_view *view = view_of(TAGS, " the  cat\n", NULL);
    names_are(ken_view_row_names(view, KEN_LOOK_ENCODER), 2, "the|cat|");
    const ken_answer *answer = ken_view_answer(view);
    assert_int_equal(answer->count, 2);
    names_are(answer->tokens, 2, "the|cat|");
    assert_true(strlen(answer->labels[0]) == 1 && answer->scores[0] > 0.3 &&
                answer->scores[0] <= 1);
    ken_view_free(view);

    view = view_of(TURNED, "ab c", "c\xc3\xa4");
    names_are(ken_view_row_names(view, KEN_LOOK_CROSS), 3, "c|\xc3\xa4|<end>|");
    names_are(ken_view_col_names(view, KEN_LOOK_CROSS), 4, "a|b| |c|");
    names_are(ken_view_col_names(view, KEN_LOOK_DECODER), 3, "<begin>|c|\xc3\xa4|");
    assert_true(ken_view_answer(view)->scores[0] < 0); /* the log probability of the given target */
    ken_view_free(view);

    view = view_of(STORY, "a b", "c");
    names_are(ken_view_row_names(view, KEN_LOOK_DECODER), 5, "a| |b|c|<end>|");
    ken_view_free(view);
    view = view_of(STORY, "\n", NULL); /* from an empty text */
    assert_int_equal(view->steps, ken_view_extent(view, KEN_LOOK_DECODER).T);
    assert_true(view->steps >= 1 && view->steps <= 7);
    ken_view_free(view);
}

struct given {
    char text[100];
    double score;
};

static int keep(void *user, const ken_answer *answer)
{
    struct given *given = user;
    snprintf(given->text, sizeof given->text, "%s", answer->labels[0]);
    given->score = answer->scores[0];
    return 0;
}

/* The answer has the bits of ken_task_run(). */
static void answers(void **state)
{
    (void)state;
    static const char *const texts[] = { "the", "good bad", "abc", "a", "sat" };
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct given given = { 0 };
        ken_request request = { .text = texts[kind], .size = strlen(texts[kind]), .name = "text" };
        must(ken_task_run(tasks[kind], &request, keep, &given));
        ken_view *view = view_of(kind, texts[kind], NULL);
        assert_string_equal(ken_view_answer(view)->labels[0], given.text);
        assert_true(ken_view_answer(view)->scores[0] == given.score);
        ken_view_free(view);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void arrays(void **state)
{
    (void)state;
    ken_view *view = view_of(TURNED, "abca", "cb");
    ken_picture picture;
    ken_npy npy;
    ken_source source;
    const char *path = folder_path("weights.npy");
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_CROSS, KEN_EVERY, KEN_EVERY, 0 }));
    must(ken_picture_npy(&picture, path));
    must(ken_source_open(&source, path));
    must(ken_npy_open(&npy, &source));
    assert_int_equal(npy.dimensions, 4);
    assert_memory_equal(npy.shape, ((const size_t[]){ 2, H, 3, 4 }), 4 * sizeof(size_t));
    assert_true(npy.type == 'f' && npy.item == 4);
    assert_int_equal((npy.end - 2 * H * 3 * 4 * 4) % 64, 0);
    for (size_t i = 0; i < 2 * H * 3 * 4; i++) {
        uint64_t bits;
        must(ken_npy_next(&npy, &bits));
        assert_true(ken_npy_float(&npy, bits) == picture.values[i]);
    }
    must(ken_npy_end(&npy));
    ken_source_close(&source);
    assert_int_equal(ken_picture_npy(&picture, folder_path("no/where.npy")), KEN_ERR_IO);
    ken_view_free(view);
}

static json_t *data_of(const ken_buffer *page)
{
    const char *from = strstr(page->data, "id=\"data\">");
    assert_non_null(from);
    from = strchr(from, '{');
    json_t *json = json_loadb(from, (size_t)(strstr(from, "</script") - from), 0, NULL);
    assert_non_null(json);
    return json;
}

/* Checks what the page shows first, and the masks of its parts: only the decoder's triangle needs
 * one. */
static void check_first(const json_t *json)
{
    static const char *const masks[] = { NULL, "1011", NULL };
    const json_t *first = json_object_get(json, "first");
    assert_string_equal(json_string_value(json_object_get(first, "which")), "cross");
    assert_string_equal(json_string_value(json_object_get(first, "values")), "relative");
    assert_int_equal(json_integer_value(json_object_get(first, "layer")), 1);
    assert_int_equal(json_integer_value(json_object_get(first, "head")), 2);
    for (size_t i = 0; i < 3; i++) {
        const json_t *part = json_array_get(json_object_get(json, "parts"), i);
        const json_t *mask = json_object_get(part, "mask");
        size_t T = (size_t)json_integer_value(json_object_get(part, "T"));
        size_t S = (size_t)json_integer_value(json_object_get(part, "S"));
        assert_int_equal(json_array_size(json_object_get(part, "rows")), T);
        assert_int_equal(json_array_size(json_object_get(part, "cols")), S);
        assert_int_equal(mask != NULL, masks[i] != NULL);
        if (mask) assert_string_equal(json_string_value(mask), masks[i]);
    }
}

/* The data of the page is JSON, contains no "<" that could end the script, and its numbers are the
 * weights, even if the page shows ratios first. */
static void pages(void **state)
{
    (void)state;
    ken_view *view = view_of(TURNED, "</script><!--", "c");
    ken_glance glance = { KEN_LOOK_CROSS, 1, 2, .relative = 1 };
    ken_buffer page = { 0 };
    ken_picture picture;
    must(ken_view_html(view, &glance, collect, &page));
    size_t ends = 0;
    for (const char *at = page.data; (at = strstr(at, "</script")); at++) ends++;
    assert_int_equal(ends, 2);
    assert_null(strstr(page.data, "<!--"));
    assert_null(strstr(page.data, "://"));
    json_t *json = data_of(&page);
    check_first(json);
    json_t *part = json_array_get(json_object_get(json, "parts"), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(part, "cols"), 0)), "<");
    json_t *weights = json_object_get(part, "weights");
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_CROSS, KEN_EVERY, KEN_EVERY, 0 }));
    assert_int_equal(json_array_size(weights), 2 * H * 2 * 13);
    for (size_t i = 0; i < json_array_size(weights); i++)
        assert_true(fabs((double)json_integer_value(json_array_get(weights, i)) / 10000 -
                         picture.values[i]) < 0.51e-4);
    json_decref(json);
    ken_buffer_release(&page);
    ken_view_free(view);
}

static void positions(void **state)
{
    (void)state;
    ken_view *view;
    ken_picture picture;
    must(ken_view_places(&view, &picture, tasks[MOODS], KEN_LOOK_ENCODER, 0));
    assert_int_equal(picture.rows, 9);
    assert_int_equal(picture.cols, D);
    const ken_tensor *learned = &tasks[MOODS]->model->input_places.learned;
    assert_memory_equal(picture.values, learned->data, 9 * D * sizeof(float));
    ken_view_free(view);
    must(ken_view_places(&view, &picture, tasks[TURNED], KEN_LOOK_DECODER, 70));
    assert_int_equal(picture.rows, 70);
    for (size_t i = 0; i < 70 * D; i++) {
        double angle = (double)(i / D) / pow(10000, (double)(i % D / 2 * 2) / D);
        assert_true(fabs((i % 2 ? cos(angle) : sin(angle)) - picture.values[i]) < 1e-6);
    }
    ken_view_free(view);
    assert_int_equal(ken_view_places(&view, &picture, tasks[MOODS], KEN_LOOK_ENCODER, 10),
                     KEN_ERR_ARGUMENT);
    assert_int_equal(ken_view_places(&view, &picture, tasks[MOODS], KEN_LOOK_DECODER, 1),
                     KEN_ERR_ARGUMENT);
    assert_int_equal(ken_view_places(&view, &picture, tasks[STORY], KEN_LOOK_DECODER, 1),
                     KEN_ERR_ARGUMENT); /* rotary */
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refused(enum kind kind, const char *text, size_t example, const char *target,
                    ken_status expected, const char *words)
{
    ken_view *view;
    ken_request request = { .text = text, .size = strlen(text), .name = "text" };
    assert_int_equal(ken_view_new(&view, tasks[kind], &request, example, target), expected);
    assert_null(view);
    if (!strstr(ken_last_error(), words)) fail_msg("\"%s\": %s", words, ken_last_error());
}

static void misuse(void **state)
{
    (void)state;
    refused(TAGS, "", 0, NULL, KEN_ERR_FORMAT, "no example");
    refused(TAGS, " \n", 0, NULL, KEN_ERR_FORMAT, "text:1: the input is empty");
    refused(TURNED, "\n", 0, "a", KEN_ERR_FORMAT, "text:1: the input is empty");
    refused(TAGS, "the\ncat\n", 2, NULL, KEN_ERR_ARGUMENT, "2 examples");
    refused(TAGS, "the", 0, "D", KEN_ERR_ARGUMENT, "takes no target");
    refused(TURNED, "abc", 0, "\xff", KEN_ERR_FORMAT, "UTF-8");
    refused(TAGS, "\xff", 0, NULL, KEN_ERR_FORMAT, "text:1");
    refused(MOODS, "good good good good good good good good good good", 0, NULL, KEN_ERR_ARGUMENT,
            "9");
    ken_view *view = view_of(TURNED, "abc", "c");
    ken_picture picture;
    ken_glance bad[] = { { KEN_LOOK_CROSS, 2, 0, 0 },
                         { KEN_LOOK_CROSS, 0, H, 0 },
                         { (ken_look)3, 0, 0, 0 },
                         { (ken_look)-1, 0, 0, 0 } };
    for (size_t i = 0; i < KEN_COUNT(bad); i++)
        assert_int_equal(ken_view_show(view, &picture, &bad[i]), KEN_ERR_ARGUMENT);
    ken_view_free(view);
    view = view_of(STORY, "a", "b");
    assert_int_equal(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_CROSS, 0, 0, 0 }),
                     KEN_ERR_ARGUMENT);
    ken_view_free(view);
}

/* Every allocation fails once: there is an error and nothing leaks (the sanitizer checks that), or
 * the call works without that memory and gives the usual result. */
static ken_status whole_life(enum kind kind, ken_buffer *out)
{
    ken_view *view;
    ken_request request = { .text = "a b c\n", .size = 6, .name = "text" };
    ken_glance glance = { ken_task_usual_look(tasks[kind]), KEN_EVERY, KEN_EVERY, 0 };
    KEN_TRY(ken_view_new(&view, tasks[kind], &request, 0, NULL));
    ken_status status = ken_view_json(view, &glance, collect, out);
    if (!status) status = ken_view_html(view, &glance, collect, out);
    if (!status) status = ken_buffer_status(out);
    ken_view_free(view);
    return status;
}

static void faults(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ken_buffer calm = { 0 };
        size_t told = 0;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        must(whole_life(kind, &calm));
        uint64_t count = ken_fault_calls(KEN_FAULT_MEMORY);
        for (uint64_t nth = 1; nth <= count; nth++) {
            ken_buffer out = { 0 };
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_status status = whole_life(kind, &out);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            told += status != KEN_OK;
            if (status) assert_int_equal(status, KEN_ERR_MEMORY);
            else assert_string_equal(ken_buffer_string(&out), calm.data);
            ken_buffer_release(&out);
        }
        assert_true(count > 50 && told > count * 9 / 10);
        ken_buffer_release(&calm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_of_every_model),
        cmocka_unit_test(without_attention),
        cmocka_unit_test(names),
        cmocka_unit_test(answers),
        cmocka_unit_test(arrays),
        cmocka_unit_test(pages),
        cmocka_unit_test(positions),
        cmocka_unit_test(misuse),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, views_make, views_remove);
}
