/* test_run.c - requests with bad examples: what the callback gets, with and without keep_going, and
 * when memory is short. */
#include "base/fault.h"
#include "base/size.h"
#include "model/model.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The answers of a run as text, one line each: "INDEX label label" or "INDEX error: message". */
struct log {
    ken_buffer text;
    size_t calls, errors;
    bool stop; /* stop at the first error */
};

static int write_log(void *user, const ken_answer *answer)
{
    struct log *log = user;
    log->calls++;
    log->errors += answer->error != NULL;
    ken_buffer_format(&log->text, "%zu", answer->index);
    if (answer->error) {
        assert_int_equal(answer->count, 0);
        assert_null(answer->labels);
        assert_null(answer->tokens);
        assert_null(answer->scores);
        ken_buffer_format(&log->text, " error: %s", answer->error);
    }
    for (size_t i = 0; i < answer->count; i++)
        ken_buffer_format(&log->text, " %s:%a", answer->labels ? answer->labels[i] : "number",
                          answer->scores[i]);
    ken_buffer_text(&log->text, "\n");
    return log->stop && answer->error;
}

static ken_status run_text(struct log *log, ken_task *task, const char *text, const char *format,
                           bool keep_going)
{
    ken_request request = { .text = text,
                            .size = strlen(text),
                            .name = "text",
                            .format = format,
                            .first = 5,
                            .keep_going = keep_going };
    ken_buffer_clear(&log->text);
    log->calls = log->errors = 0;
    return ken_task_run(task, &request, write_log, log);
}

/* Checks that line `number` (from 0) of the log is "INDEX error: what". */
static void expect_error(const struct log *log, size_t number, const char *what)
{
    char expected[300];
    const char *line = log->text.data;
    for (size_t i = 0; i < number; i++) line = strchr(line, '\n') + 1;
    snprintf(expected, sizeof expected, "%zu error: %s\n", 5 + number, what);
    if (strncmp(line, expected, strlen(expected)) != 0)
        fail_msg("found %s, expected %s", line, expected);
}

/* ---- bad lines ------------------------------------------------------------------------------- */

static void in_their_places(void **state)
{
    (void)state;
    struct log log = { 0 }, good = { 0 };
    must(run_text(&log, tasks[TAGS], "\xff\nthe cat\n\xfe\na\xfd\ndog\nthe\n\xff", NULL, true));
    assert_int_equal(log.calls, 7);
    assert_int_equal(log.errors, 4);
    expect_error(&log, 0, "text:1: byte 1 is not UTF-8 (0xff)");
    expect_error(&log, 2, "text:3: byte 1 is not UTF-8 (0xfe)");
    expect_error(&log, 3, "text:4: byte 2 is not UTF-8 (0xfd)");
    expect_error(&log, 6, "text:7: byte 1 is not UTF-8 (0xff)");
    /* the good ones have the bits that they have without the bad ones */
    must(run_text(&good, tasks[TAGS], "x\nthe cat\nx\nx\ndog\nthe\nx\n", NULL, true));
    static const char *const lines[] = { "\n6 ", "\n9 ", "\n10 " };
    for (size_t i = 0; i < KEN_COUNT(lines); i++) {
        const char *a = strstr(log.text.data, lines[i]), *b = strstr(good.text.data, lines[i]);
        assert_non_null(a);
        assert_memory_equal(a, b, strcspn(b + 1, "\n") + 2);
    }
    must(run_text(&log, tasks[TAGS], "\xff\n", NULL, true)); /* nothing but bad lines */
    assert_int_equal(log.errors, 1);
    ken_buffer_release(&log.text);
    ken_buffer_release(&good.text);
}

/* Without keep_going the first bad line ends the run before any answer is given. */
static void strict(void **state)
{
    (void)state;
    struct log log = { 0 };
    static const char text[] = "good film\nbad \xff\ngood\n";
    static const char longer[] = "good\na b c d e f g h i j\ngood\n";
    assert_int_equal(run_text(&log, tasks[MOODS], text, NULL, false), KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "text:2: byte 5 is not UTF-8 (0xff)");
    assert_int_equal(log.calls, 0);
    assert_int_equal(run_text(&log, tasks[MOODS], longer, NULL, false), KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "text:2: the example needs 10 positions, and the model "
                                          "has learned 9 (model.longest)");
    assert_int_equal(log.calls, 0);
    ken_buffer_release(&log.text);
}

static void stop_at_an_error(void **state)
{
    (void)state;
    struct log log = { .stop = true };
    assert_int_equal(run_text(&log, tasks[TAGS], "the\n\xff\ncat\n", NULL, true), KEN_ERR_STOPPED);
    assert_string_equal(ken_last_error(), "the caller stopped the run at example 7");
    assert_int_equal(log.calls, 2);
    ken_buffer_release(&log.text);
}

/* Drawn texts depend on the number of the example, and bad examples count. */
static void draws(void **state)
{
    (void)state;
    struct log log = { 0 }, good = { 0 };
    must(ken_task_set(tasks[STORY], "generate.temperature=1"));
    must(run_text(&good, tasks[STORY], "a\nb\na\nb\n", NULL, true));
    must(run_text(&log, tasks[STORY], "a\n\xff\na\nb\n", NULL, true));
    must(ken_task_set(tasks[STORY], "generate.temperature=0"));
    assert_int_equal(log.errors, 1);
    const char *a = strstr(log.text.data, "\n7 "), *b = strstr(good.text.data, "\n7 ");
    assert_non_null(a);
    assert_string_equal(a, b);
    ken_buffer_release(&log.text);
    ken_buffer_release(&good.text);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void too_long(void **state)
{
    (void)state;
    struct log log = { 0 };
    must(run_text(&log, tasks[MOODS], "good\na b c d e f g h i j\nbad\n", NULL, true));
    assert_int_equal(log.errors, 1);
    expect_error(&log, 1,
                 "text:2: the example needs 10 positions, and the model has learned 9 "
                 "(model.longest)");
    must(ken_task_set(tasks[TAGS], "run.longest=2"));
    must(run_text(&log, tasks[TAGS], "the cat\nthe cat sat\n\n", NULL, true));
    assert_int_equal(log.errors, 1);
    expect_error(&log, 1, "text:2: the example has 3 rows, and run.longest is 2");
    must(ken_task_set(tasks[TAGS], "run.longest=0"));
    must(run_text(&log, tasks[TAGS], "the cat\nthe cat sat\n", NULL, true));
    assert_int_equal(log.errors, 0);
    must(ken_task_set(tasks[STORY], "run.longest=2"));
    must(run_text(&log, tasks[STORY], "ab\nabc\n", NULL, true));
    must(ken_task_set(tasks[STORY], "run.longest=100000"));
    assert_int_equal(log.errors, 1);
    assert_int_equal(ken_task_set(tasks[TAGS], "model.longest=3"), KEN_ERR_ARGUMENT);
    ken_buffer_release(&log.text);
}

/* One answer that is not finite is the error of its example alone. */
static void not_finite(void **state)
{
    (void)state;
    struct log log = { 0 };
    ken_task *task = tasks[TAGS];
    int32_t id = ken_vocabulary_find(&task->input.tokeniser.tokens, "cat", 3);
    float *cell = task->model->input_table.data + (size_t)id * 12, kept = *cell;
    *cell = NAN;
    must(run_text(&log, task, "the\ncat\ndog\n", NULL, true));
    *cell = kept;
    assert_int_equal(log.calls, 3);
    assert_int_equal(log.errors, 1);
    expect_error(&log, 1, "text:2: the model's answer is not finite");
    ken_buffer_release(&log.text);
}

/* A number that is finite in the file, but not after scaling. */
static void too_large(void **state)
{
    (void)state;
    struct log log = { 0 };
    ken_task *task = task_of("rows", "1\t1\tx\n1.001\t2\ty\n0.999\t1\tx\n",
                             "format = vectors\n[output]\nkind = whole\n[model]");
    must(run_text(&log, task, "1\t1\n3e38\t1\n1\t2\n", NULL, true));
    assert_int_equal(log.calls, 3);
    assert_int_equal(log.errors, 1);
    expect_error(&log, 1, "text:2: a number is too large for the model");
    ken_task_free(task);
    ken_buffer_release(&log.text);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* An allocation that fails once costs nobody an answer, except while the request is read, which
 * then fails as a whole. If all allocations fail from some point on, every example has an answer or
 * an error, or the request fails. */
static void without_memory(void **state)
{
    (void)state;
    static const char text[] = "the cat\n\xff\na dog\nthe dog sat\n";
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        size_t whole = 0, failed = 0, spared = 0;
        for (uint64_t nth = 1;; nth++) {
            struct log log = { 0 };
            char room[4000];
            log.text = (ken_buffer){ .data = room, .room = sizeof room };
            ken_fault_arm(KEN_FAULT_MEMORY, nth, for_ever);
            ken_status status = run_text(&log, tasks[TAGS], text, NULL, true);
            bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_true(status == KEN_OK || status == KEN_ERR_MEMORY);
            if (status) failed++;
            else assert_int_equal(log.calls, 4);
            if (!status && log.errors == 1) whole++;
            if (!status && log.errors > 1) {
                spared++;
                assert_non_null(strstr(room, "error: text:"));
                assert_non_null(strstr(room, ": no memory"));
            }
            if (!fired) break;
        }
        assert_true(failed > 0);
        assert_true(whole > 1 || for_ever); /* retried, and all was well */
        assert_true(spared > 0 || !for_ever);
    }
}

/* ---- the choice of the format ---------------------------------------------------------------- */

static void formats(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *file, *text, *format; /* "" = refused */
    } cases[] = {
        { TAGS, "x.tsv", "the cat\n", "tsv" },
        { TAGS, "a/X.TSV.GZ", "the cat\n", "tsv" },
        { TAGS, "x.txt", "the cat\tD N\n", "tsv" },
        { TAGS, NULL, "the cat\tD N\n", "tsv" },
        { TAGS, NULL, "the cat\tD X\n", "" },
        { TAGS, NULL, "the cat\n", NULL },
        { TAGS, "x.csv", "the cat\n", "" },
        { TAGS, "x.csv", "the cat,D N\na dog,D N\n", "csv" },
        { TAGS, "x.conllu", "# text = a\n", "conllu" },
        { TAGS, "x.txt", "# text = a\n", "" },
        { TAGS, "x.txt", "the D\ncat N\n", "" },
        { TAGS, "x.npy", "the cat\n", NULL }, /* not a format that the model reads */
        { TAGS, "tsv", "the cat\n", NULL },
        { TAGS, NULL, "", NULL },
        { MOODS, NULL, "good film\tpos\n", "tsv" },
        { MOODS, NULL, "good film,pos\ngood,neg\n", "" },
        { MOODS, NULL, "__label__x film\n", "" },
        { MOODS, NULL, "yes, good film, neg\n", NULL },
        { TURNED, NULL, "abc\tcba\n", "tsv" },
        { TURNED, NULL, "abc,cba\nabc,cba\n", NULL },
        { STORY, "x.txt", "abc\n", NULL },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        const char *format = "?", *expected = cases[i].format;
        ken_status status = ken_task_recognise(tasks[cases[i].kind], &format, cases[i].file,
                                               cases[i].text, strlen(cases[i].text));
        bool refused = expected && !*expected;
        bool good = refused ? status == KEN_ERR_FORMAT
                            : !status && (format == expected ||
                                          (format && expected && strcmp(format, expected) == 0));
        if (!good) fail_msg("case %zu: %d, %s", i, status, status ? ken_last_error() : format);
    }
    assert_true(ken_task_line_by_line(tasks[TAGS], NULL));
    assert_true(ken_task_line_by_line(tasks[TAGS], "lines"));
    assert_false(ken_task_line_by_line(tasks[TAGS], "tsv"));
    assert_false(ken_task_line_by_line(tasks[TAGS], "conllu"));
    assert_false(ken_task_line_by_line(tasks[TAGS], "unknown"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_their_places),  cmocka_unit_test(strict),
        cmocka_unit_test(stop_at_an_error), cmocka_unit_test(draws),
        cmocka_unit_test(too_long),         cmocka_unit_test(not_finite),
        cmocka_unit_test(too_large),        cmocka_unit_test(without_memory),
        cmocka_unit_test(formats),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, views_make, views_remove);
}
