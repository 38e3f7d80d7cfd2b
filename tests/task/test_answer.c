/* test_answer.c - answers of a model: as JSON, with the distribution over all labels, several
 * samples, texts in pieces, and a callback that stops the run. */
#include "base/fault.h"
#include "base/json.h"
#include "base/size.h"
#include "base/text.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *const words[] = { "a\"b", "\xc3\xa4" };
static const double scores[] = { 0.5, -1.25 };

static const struct {
    ken_answer answer;
    const char *json;
} cases[] = {
    { { 0, 2, words, words, scores },
      "{\"index\":0,\"tokens\":[\"a\\\"b\",\"\xc3\xa4\"],\"answers\":[\"a\\\"b\",\"\xc3\xa4\"],"
      "\"scores\":[0.5,-1.25]}\n" },
    { { 7, 1, NULL, words, scores }, "{\"index\":7,\"answers\":[\"a\\\"b\"],\"scores\":[0.5]}\n" },
    { { 8, 2, words, NULL, scores },
      "{\"index\":8,\"tokens\":[\"a\\\"b\",\"\xc3\xa4\"],\"answers\":[0.5,-1.25]}\n" },
    { { 9, 0, NULL, words, scores }, "{\"index\":9,\"answers\":[],\"scores\":[]}\n" },
    { { 10, 1, NULL, NULL, (const double[]){ NAN } }, "{\"index\":10,\"answers\":[null]}\n" },
    { { .index = 11, .error = "a\"b:3: bad" }, "{\"index\":11,\"error\":\"a\\\"b:3: bad\"}\n" },
};

static void as_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_buffer out = { 0 };
        must(ken_answer_json(&cases[i].answer, collect, &out));
        assert_string_equal(out.data, cases[i].json);
        ken_buffer_release(&out);
    }
}

/* Nothing is written unless all of it can be. */
static void without_memory(void **state)
{
    (void)state;
    size_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        char room[256];
        ken_buffer out = { .data = room, .room = sizeof room };
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        ken_status status = ken_answer_json(&cases[0].answer, collect, &out);
        bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, fired ? KEN_ERR_MEMORY : KEN_OK);
        assert_int_equal(out.size, fired ? 0 : strlen(cases[0].json));
        if (!fired) break;
        failures++;
    }
    assert_true(failures > 0);
}

/* ---- stopping -------------------------------------------------------------------------------- */

struct count {
    size_t calls, stop; /* stop at this call, from 1 */
    size_t last;        /* index of the last answer  */
};

static int count_answers(void *user, const ken_answer *answer)
{
    struct count *count = user;
    count->last = answer->index;
    return ++count->calls == count->stop ? -1 : 0;
}

/* Labels and generated texts; the next run of the same task is not affected. */
static void stopped(void **state)
{
    (void)state;
    static const char *const texts[] = { [TAGS] = "the\na dog\nthe cat\n", [TURNED] = "a\nb\nc\n" };
    static const enum kind kinds[] = { TAGS, TURNED };
    for (size_t i = 0; i < KEN_COUNT(kinds); i++)
        for (size_t stop = 1; stop <= 4; stop++) {
            const char *text = texts[kinds[i]];
            struct count count = { .stop = stop };
            ken_request request = { .text = text,
                                    .size = strlen(text),
                                    .name = "text",
                                    .first = 10 };
            ken_status status = ken_task_run(tasks[kinds[i]], &request, count_answers, &count);
            assert_int_equal(status, stop <= 3 ? KEN_ERR_STOPPED : KEN_OK);
            assert_int_equal(count.calls, stop <= 3 ? stop : 3);
            assert_int_equal(count.last, 10 + count.calls - 1);
            if (stop > 3) continue;
            char words_of_it[80];
            snprintf(words_of_it, sizeof words_of_it, "the caller stopped the run at example %zu",
                     10 + stop);
            assert_string_equal(ken_last_error(), words_of_it);
        }
}

/* ---- the distribution over all labels -------------------------------------------------------- */

/* The probabilities of ken_model_predict() for all examples of a text. */
static void predict(ken_buffer *out, ken_task *task, const ken_request *request)
{
    ken_corpus corpus = { 0 };
    ken_dataset dataset = { 0 };
    ken_gathered batch = { 0 };
    must(ken_run_parse(task, &corpus, request));
    for (size_t i = 0; i < corpus.count; i++) {
        must(ken_run_encode(task, &dataset, &corpus, i, NULL));
        must(ken_gather(&batch, &dataset, &i, 1));
        size_t rows = task->output == KEN_EACH ? batch.input.start[1] : 1;
        float row[64];
        assert_true(rows * ken_vocabulary_size(&task->labels) <= KEN_COUNT(row));
        must(ken_model_predict(task->model, row, &batch.input));
        ken_buffer_append(out, row, rows * ken_vocabulary_size(&task->labels) * sizeof *row);
    }
    ken_gathered_release(&batch);
    ken_dataset_release(&dataset);
    ken_corpus_release(&corpus);
}

struct judge {
    ken_task *task;
    const float *predicted; /* of the rows that have not been judged yet */
    size_t best;            /* best_count that is expected               */
    size_t rows;            /* rows judged so far                        */
};

/* Parses an answer's JSON and compares its probabilities with those of the answer. */
static void check_json(const ken_answer *answer)
{
    ken_buffer text = { 0 };
    must(ken_answer_json(answer, collect, &text));
    json_t *json = ken_json_read(text.data, text.size, 0, NULL);
    json_t *rows = json_object_get(json, "probabilities");
    assert_int_equal(json_array_size(rows), answer->best_count > 0 ? answer->rows : 0);
    assert_int_equal(json_array_size(json_object_get(json, "answers")), answer->count);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        json_t *row = json_array_get(rows, r);
        assert_int_equal(json_object_size(row), answer->best_count);
        for (size_t k = 0; k < answer->best_count; k++) {
            size_t j = (size_t)answer->best[r * answer->best_count + k];
            double value = json_number_value(json_object_get(row, answer->classes[j]));
            assert_true((float)value == answer->probabilities[r * answer->class_count + j]);
        }
    }
    json_decref(json);
    ken_buffer_release(&text);
}

static int judge_answer(void *user, const ken_answer *answer)
{
    struct judge *judge = user;
    const ken_vocabulary *labels = &judge->task->labels;
    size_t classes = ken_vocabulary_size(labels), best = answer->best_count;
    bool sets = judge->task->value == KEN_VALUE_SET;
    assert_int_equal(answer->class_count, classes);
    assert_int_equal(best, judge->best);
    assert_int_equal(answer->rows, judge->task->output == KEN_EACH ? answer->count : 1);
    for (size_t j = 0; j < classes; j++)
        assert_string_equal(answer->classes[j], ken_vocabulary_name(labels, (int32_t)j, NULL));
    for (size_t r = 0; r < answer->rows; r++) {
        const float *row = answer->probabilities + r * classes;
        const int32_t *rank = answer->best + r * best;
        double sum = 0;
        assert_memory_equal(row, judge->predicted + (judge->rows + r) * classes,
                            classes * sizeof *row);
        for (size_t j = 0; j < classes; j++) sum += (double)row[j];
        if (!sets) assert_true(fabs(sum - 1) < 1e-6);
        for (size_t k = 1; k < best; k++) assert_true(row[rank[k - 1]] >= row[rank[k]]);
        for (size_t j = 0; j < classes && best > 0; j++) { /* no other label is more likely */
            bool listed = false;
            for (size_t k = 0; k < best; k++) listed = listed || (size_t)rank[k] == j;
            if (!listed) assert_true(row[j] <= row[rank[best - 1]]);
        }
        if (!sets && best > 0) {
            assert_string_equal(answer->labels[r], answer->classes[rank[0]]);
            assert_true((float)answer->scores[r] == row[rank[0]]);
        }
    }
    for (size_t i = 0; i < answer->count; i++)
        assert_int_equal(answer->lengths[i], strlen(answer->labels[i]));
    check_json(answer);
    judge->rows += answer->rows;
    return 0;
}

static void judge_task(ken_task *task, const char *text)
{
    size_t classes = ken_vocabulary_size(&task->labels);
    for (size_t asked = 0; asked < 5; asked++) {
        ken_request request = { .text = text, .size = strlen(text), .name = "text", .best = asked };
        ken_buffer predicted = { 0 };
        predict(&predicted, task, &request);
        struct judge judge = { .task = task,
                               .predicted = ken_buffer_floats(&predicted),
                               .best = asked > 0                   ? ken_size_min(asked, classes)
                                       : task->output == KEN_WHOLE ? classes
                                                                   : 0 };
        must(ken_task_run(task, &request, judge_answer, &judge));
        assert_int_equal(judge.rows * classes * sizeof(float), predicted.size);
        ken_buffer_release(&predicted);
    }
}

static void distribution(void **state)
{
    (void)state;
    ken_task *sets = task_of("sets", "red wine\tred,drink\nblue sea\tblue\nred sea\tred\nnone\t\n",
                             "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n"
                             "value = set\n[model]");
    judge_task(tasks[TAGS], "the dog\n\na cat sat on the mat\n");
    judge_task(tasks[MOODS], "good\nbad bad film\n\nso so\n");
    judge_task(sets, "red wine\nsea\n\n");
    ken_task_free(sets);
}

static void what_models_do_not_have(void **state)
{
    (void)state;
    ken_task *numbers = task_of("numbers", "one\t1\ntwo\t2\nthree\t3\n",
                                "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n"
                                "value = number\n[model]");
    static int (*const none)(void *,
                             const ken_fragment *) = (ken_fragment_fn *)1; /* never called */
    const struct {
        ken_task *task;
        ken_request request;
        const char *words;
    } bad[] = {
        { numbers, { .best = 2 }, "this model gives numbers" },
        { numbers, { .samples = 2 }, "several samples: this model gives numbers" },
        { tasks[TAGS], { .samples = 2 }, "several samples: this model gives labels" },
        { tasks[MOODS], { .stream = none }, "streaming: this model gives labels" },
        { tasks[STORY], { .samples = 2 }, "2 samples: at generate.temperature=0" },
        { tasks[STORY], { .samples = 2, .best = 2 }, "2 best results" },
    };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        struct count count = { 0 };
        ken_request request = bad[i].request;
        request.text = "one\n";
        request.size = 4;
        request.name = "text";
        assert_int_equal(ken_task_run(bad[i].task, &request, count_answers, &count),
                         KEN_ERR_ARGUMENT);
        if (!strstr(ken_last_error(), bad[i].words)) fail_msg("%s", ken_last_error());
        assert_int_equal(count.calls, 0);
    }
    struct count count = { 0 };
    ken_request request = { .text = "one\n", .size = 4, .name = "text", .best = 1 };
    must(ken_task_run(numbers, &request, count_answers, &count));
    assert_int_equal(count.calls, 1);
    ken_task_free(numbers);
}

/* ---- samples, and texts in pieces ------------------------------------------------------------ */

/* The texts of a run: the answers' and those put together from pieces. */
struct texts {
    ken_strings whole;
    ken_buffer scores; /* double */
    ken_strings pieced;
    ken_buffer current;
    size_t pieces, stop; /* pieces so far; stop at this one, 0 = never */
    size_t samples;      /* texts per example                          */
};

static int take_answer(void *user, const ken_answer *answer)
{
    struct texts *texts = user;
    for (size_t i = 0; i < answer->count; i++)
        ken_strings_add(&texts->whole, answer->labels[i], answer->lengths[i]);
    ken_buffer_append(&texts->scores, answer->scores, answer->count * sizeof(double));
    return 0;
}

/* Fails unless a character of the text begins at `at`, or the text ends there. */
static void begins_at(const ken_buffer *text, size_t at)
{
    size_t i = 0;
    while (i < at) i += ken_text_step(text->data + i, text->size - i);
    assert_int_equal(i, at);
}

static int take_piece(void *user, const ken_fragment *piece)
{
    struct texts *texts = user;
    assert_int_equal(piece->index, 20 + texts->pieced.count / texts->samples);
    assert_int_equal(piece->sample, texts->pieced.count % texts->samples);
    assert_true(piece->length > 0 || piece->last);
    size_t before = texts->current.size;
    ken_buffer_append(&texts->current, piece->text, piece->length);
    begins_at(&texts->current, before);
    if (piece->last) {
        ken_strings_add(&texts->pieced, ken_buffer_string(&texts->current), texts->current.size);
        ken_buffer_clear(&texts->current);
    }
    assert_true(piece->last ? piece->score <= 0 : isnan(piece->score));
    return ++texts->pieces == texts->stop;
}

static void release(struct texts *texts)
{
    ken_strings_release(&texts->whole);
    ken_strings_release(&texts->pieced);
    ken_buffer_release(&texts->scores);
    ken_buffer_release(&texts->current);
}

static ken_status write_texts(struct texts *texts, ken_task *task, size_t samples, bool stream)
{
    static const char text[] = "a b\n\nc\n";
    ken_request request = { .text = text,
                            .size = strlen(text),
                            .name = "text",
                            .first = 20,
                            .samples = samples,
                            .stream = stream ? take_piece : NULL };
    texts->samples = ken_size_max(samples, 1);
    return ken_task_run(task, &request, take_answer, texts);
}

static void same_strings(const ken_strings *a, const ken_strings *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        size_t length, other;
        const char *text = ken_strings_at(a, i, &length), *same = ken_strings_at(b, i, &other);
        assert_int_equal(length, other);
        assert_memory_equal(text, same, length);
    }
}

/* The pieces of a text are the text, for every unit, with and without drawing. At a high
 * temperature a model of bytes writes any bytes, the byte 0 and broken characters included. */
static void pieces_are_the_text(void **state)
{
    (void)state;
    static const char lines[] = "gr\xc3\xbc\xc3\x9f dich\n\xe2\x82\xac 5 \xf0\x9f\x98\x80\n";
    static const char *const units[] = { "bytes", "characters", "subwords", "words" };
    for (size_t u = 0; u < KEN_COUNT(units); u++) {
        char keys[200], name[40];
        snprintf(name, sizeof name, "of_%s", units[u]);
        snprintf(keys, sizeof keys,
                 "format = plain\n[output]\nkind = generate\nunit = %s\nleast = 1\n[model]\n"
                 "encoder_blocks = 0",
                 units[u]);
        ken_task *task = task_of(name, lines, keys);
        must(ken_task_set(task, "generate.longest=40"));
        for (size_t samples = 0; samples <= 3; samples += 3) { /* 0 = the most likely text */
            struct texts plain = { 0 }, streamed = { 0 };
            if (samples > 0) must(ken_task_set(task, "generate.temperature=50"));
            must(write_texts(&plain, task, samples, false));
            must(write_texts(&streamed, task, samples, true));
            assert_int_equal(plain.whole.count, 3 * ken_size_max(samples, 1));
            same_strings(&plain.whole, &streamed.whole);
            same_strings(&plain.whole, &streamed.pieced);
            assert_int_equal(plain.scores.size, streamed.scores.size);
            assert_memory_equal(plain.scores.data, streamed.scores.data, plain.scores.size);
            if (samples > 0) assert_true(streamed.pieces > 3 * streamed.pieced.count);
            release(&plain);
            release(&streamed);
        }
        ken_task_free(task);
    }
}

/* Sample k of an example is the same whatever the number of samples; the first is what a run
 * without samples draws. Another seed gives others. */
static void samples_of_a_task(void **state)
{
    (void)state;
    struct texts runs[4] = { { .samples = 0 } };
    static const size_t samples[] = { 5, 2, 0, 5 };
    must(ken_task_set(tasks[STORY], "generate.temperature=3"));
    for (size_t i = 0; i < KEN_COUNT(runs); i++) {
        if (i == 3) must(ken_task_set(tasks[STORY], "generate.seed=2"));
        must(write_texts(&runs[i], tasks[STORY], samples[i], false));
        size_t n = ken_size_max(samples[i], 1);
        assert_int_equal(runs[i].whole.count, 3 * n);
        for (size_t r = 0; r < 3 * n; r++) {
            const char *text = ken_strings_at(&runs[i].whole, r, NULL);
            const char *first = ken_strings_at(&runs[0].whole, r / n * 5 + r % n, NULL);
            if (i < 3) assert_string_equal(text, first);
            else assert_string_not_equal(text, first);
        }
    }
    for (size_t k = 1; k < 5; k++)
        assert_string_not_equal(ken_strings_at(&runs[0].whole, 0, NULL),
                                ken_strings_at(&runs[0].whole, k, NULL));
    for (size_t i = 0; i < KEN_COUNT(runs); i++) release(&runs[i]);
    must(ken_task_set_all(tasks[STORY],
                          (const char *const[]){ "generate.temperature=0", "generate.seed=1" }, 2));
}

/* A callback stops a run at any piece. */
static void streams_end_early(void **state)
{
    (void)state;
    struct texts texts = { 0 };
    must(write_texts(&texts, tasks[TURNED], 0, true));
    size_t pieces = texts.pieces;
    assert_true(pieces > 3);
    release(&texts);
    for (size_t stop = 1; stop <= pieces; stop++) {
        texts = (struct texts){ .stop = stop };
        assert_int_equal(write_texts(&texts, tasks[TURNED], 0, true), KEN_ERR_STOPPED);
        assert_int_equal(texts.pieces, stop);
        assert_non_null(strstr(ken_last_error(), "the caller stopped the run at example 2"));
        release(&texts);
    }
}

static int count_pieces(void *user, const ken_fragment *piece)
{
    struct count *count = user;
    count->last = piece->index;
    return 0;
}

/* Every allocation that fails is reported, for labels with their distribution, and for texts in
 * pieces. */
static void runs_without_memory(void **state)
{
    (void)state;
    static const enum kind kinds[] = { TAGS, TURNED };
    for (size_t i = 0; i < KEN_COUNT(kinds); i++) {
        size_t failures = 0;
        for (uint64_t nth = 1;; nth++) {
            struct count count = { 0 };
            ken_request request = { .text = "the cat\nb\n", .size = 10, .name = "text", .best = 1 };
            if (kinds[i] == TURNED) request.stream = count_pieces;
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_status status = ken_task_run(tasks[kinds[i]], &request, count_answers, &count);
            bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            if (!fired) break;
            failures += status == KEN_ERR_MEMORY;
            if (status != KEN_ERR_MEMORY) { /* an allocation that only saves time */
                assert_int_equal(status, KEN_OK);
                assert_int_equal(count.calls, 2);
            }
        }
        assert_true(failures > 10);
    }
}

/* Keys that are set together are checked together, in any order; if one is wrong, none is set. */
static void keys_together(void **state)
{
    (void)state;
    ken_task *task = tasks[TURNED];
    const char *const draw[] = { "generate.top_k=3", "generate.temperature=1" };
    const char *const search[] = { "generate.beam=2", "generate.temperature=0" };
    const char *const wrong[] = { "generate.longest=3", "generate.beam=0" };
    must(ken_task_set_all(task, draw, 2));
    assert_int_equal(ken_task_set(task, "generate.beam=2"), KEN_ERR_ARGUMENT);
    must(ken_task_set_all(task, search, 2));
    assert_int_equal(ken_task_set_all(task, wrong, 2), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_task_get(task, "generate.longest"), "6");
    assert_string_equal(ken_task_get(task, "generate.beam"), "2");
    const char *const other[] = { "model.width=3" };
    assert_int_equal(ken_task_set_all(task, other, 1), KEN_ERR_ARGUMENT);
    const char *const back[] = { "generate.beam=1", "generate.top_k=0" };
    must(ken_task_set_all(task, back, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_json),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(stopped),
        cmocka_unit_test(distribution),
        cmocka_unit_test(what_models_do_not_have),
        cmocka_unit_test(pieces_are_the_text),
        cmocka_unit_test(samples_of_a_task),
        cmocka_unit_test(streams_end_early),
        cmocka_unit_test(runs_without_memory),
        cmocka_unit_test(keys_together),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, views_make, views_remove);
}
