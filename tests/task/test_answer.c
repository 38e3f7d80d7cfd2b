/* test_answer.c - answers of a model: as JSON, and a callback that stops the run. */
#include "base/fault.h"
#include "base/size.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_json),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(stopped),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, views_make, views_remove);
}
