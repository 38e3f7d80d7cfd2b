/* test_metrics.c - BLEU and chrF against sacreBLEU's own figures (tests/golden/metrics.json, made
 * by tools/golden_metrics.py), against scores counted by hand, and with bytes that are not text. */
#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"
#include "measure/metrics.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

struct scores {
    ken_bleu bleu, lower;
    ken_chrf chrf;
};

static const struct scores no_scores = { .lower.lower = true };

/* Adds to each metric, even if another one failed. */
static ken_status add(struct scores *scores, const char *answer, const char *reference)
{
    ken_status first = ken_bleu_add(&scores->bleu, answer, reference);
    ken_status second = ken_bleu_add(&scores->lower, answer, reference);
    ken_status third = ken_chrf_add(&scores->chrf, answer, reference);
    return first ? first : second ? second : third;
}

/* ---- Against sacreBLEU ---------------------------------------------------------------------- */

static json_t *golden;

static int read_golden(void **state)
{
    (void)state;
    json_error_t error;
    golden = json_load_file("tests/golden/metrics.json", JSON_REJECT_DUPLICATES, &error);
    return golden ? 0 : -1;
}

static int free_golden(void **state)
{
    (void)state;
    json_decref(golden);
    return 0;
}

static const char *text_at(const json_t *line, size_t column)
{
    const char *text = json_string_value(json_array_get(line, column));
    assert_non_null(text);
    return text;
}

static void check_tokens(const char *line, const char *expected)
{
    ken_buffer tokens = { 0 };
    assert_int_equal(ken_bleu_tokens(&tokens, line), KEN_OK);
    assert_string_equal(ken_buffer_string(&tokens), expected);
    ken_buffer_release(&tokens);
}

static void check_score(const json_t *corpus, const char *score, double got)
{
    double expected = json_real_value(json_object_get(corpus, score));
    assert_true(json_is_real(json_object_get(corpus, score)));
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("%s, %s: %.12g, expected %.12g",
                 json_string_value(json_object_get(corpus, "name")), score, got, expected);
}

static void as_sacrebleu(void **state)
{
    (void)state;
    size_t i, j;
    json_t *corpus, *line;
    json_array_foreach(json_object_get(golden, "corpora"), i, corpus)
    {
        struct scores scores = no_scores;
        json_array_foreach(json_object_get(corpus, "lines"), j, line)
        {
            check_tokens(text_at(line, 0), text_at(line, 1));
            check_tokens(text_at(line, 2), text_at(line, 3));
            assert_int_equal(add(&scores, text_at(line, 0), text_at(line, 2)), KEN_OK);
        }
        assert_true(j > 0);
        check_score(corpus, "bleu", ken_bleu_score(&scores.bleu));
        check_score(corpus, "bleu_lower", ken_bleu_score(&scores.lower));
        check_score(corpus, "chrf", ken_chrf_score(&scores.chrf));
    }
    assert_true(i > 8);
}

/* ---- By hand -------------------------------------------------------------------------------- */

static void bleu_by_hand(void **state)
{
    (void)state;
    ken_bleu bleu = { 0 };
    assert_true(ken_bleu_score(&bleu) == 0);
    assert_int_equal(ken_bleu_add(&bleu, "the cat sat on the mat", "the cat is on the mat"), 0);
    const uint64_t match[4] = { 5, 3, 1, 0 }, total[4] = { 6, 5, 4, 3 };
    assert_memory_equal(bleu.match, match, sizeof match);
    assert_memory_equal(bleu.total, total, sizeof total);
    /* an n without a match counts as half a match */
    assert_true(fabs(ken_bleu_score(&bleu) - 100 * pow(5. / 6 * 3 / 5 * 1 / 4 * .5 / 3, .25)) <
                1e-12);
    /* 8 5 4 3 of 10 8 6 4, 10 tokens for 11 */
    bleu = (ken_bleu){ 0 };
    assert_int_equal(ken_bleu_add(&bleu, "The dog bit the man.", "The dog bit the man."), 0);
    assert_int_equal(ken_bleu_add(&bleu, "It wasn't surprising.", "It was not unexpected."), 0);
    assert_int_equal(bleu.answer, 10);
    assert_int_equal(bleu.reference, 11);
    assert_true(fabs(ken_bleu_score(&bleu) - 63.9817) < 5e-5);
}

static void chrf_by_hand(void **state)
{
    (void)state;
    ken_chrf chrf = { 0 };
    assert_true(ken_chrf_score(&chrf) == 0);
    /* characters, not bytes, and no spaces: matches are 2 of 3 and of 4; 1 of 2 and of 3; 0 of 1
     * and of 2; only the reference has a 4-gram */
    assert_int_equal(ken_chrf_add(&chrf, "\xc3\xa9 \xe6\xbc\xa2x", "\xc3\xa9\xe6\xbc\xa2yz"), 0);
    const uint64_t match[6] = { 2, 1 }, answer[6] = { 3, 2, 1 }, reference[6] = { 4, 3, 2, 1 };
    assert_memory_equal(chrf.match, match, sizeof match);
    assert_memory_equal(chrf.answer, answer, sizeof answer);
    assert_memory_equal(chrf.reference, reference, sizeof reference);
    double precision = (2. / 3 + 1. / 2) / 3, recall = (2. / 4 + 1. / 3) / 3;
    assert_true(fabs(ken_chrf_score(&chrf) -
                     100 * 5 * precision * recall / (4 * precision + recall)) < 1e-12);
    /* with a short reference, longer n-grams of the answer are not counted */
    ken_chrf longer = { 0 };
    assert_int_equal(ken_chrf_add(&longer, "abcdefgh", "ab"), 0);
    const uint64_t counted[6] = { 8, 7 };
    assert_memory_equal(longer.answer, counted, sizeof counted);
}

/* ---- Whatever the bytes are ----------------------------------------------------------------- */

/* Scores are always from 0 to 100, and a text against itself has the best score. */
static void any_bytes(void **state)
{
    (void)state;
    static const char bytes[] = "a \xc3\xa9\xe2\x80\x89\xff\x80\xf0.,-1&\n\x1c";
    char line[2][40];
    struct scores against = no_scores, itself = no_scores;
    for (size_t i = 0; i < 2000; i++) {
        for (size_t side = 0; side < 2; side++) {
            uint64_t key = ken_random_key(i, side);
            size_t length = ken_random_below(key, 0, sizeof line[0]);
            for (size_t at = 0; at < length; at++)
                line[side][at] = bytes[ken_random_below(key, at + 1, sizeof bytes - 1)];
            line[side][length] = '\0';
        }
        assert_int_equal(add(&against, line[0], line[1]), KEN_OK);
        assert_int_equal(add(&itself, line[0], line[0]), KEN_OK);
    }
    assert_true(ken_bleu_score(&against.bleu) > 0 && ken_bleu_score(&against.bleu) < 50);
    assert_true(ken_chrf_score(&against.chrf) > 0 && ken_chrf_score(&against.chrf) < 50);
    assert_true(fabs(ken_bleu_score(&itself.lower) - 100) < 1e-9);
    assert_true(fabs(ken_chrf_score(&itself.chrf) - 100) < 1e-9);
}

/* The time for a line of hundreds of kilobytes is linear in its length, not quadratic. */
static void long_lines(void **state)
{
    (void)state;
    enum { LONG = 300000 };
    static char line[LONG + 1];
    for (size_t i = 0; i < LONG; i++) line[i] = ". ab-1,&"[ken_random_below(3, i, 8)];
    struct scores scores = no_scores;
    assert_int_equal(add(&scores, line, line), KEN_OK);
    assert_true(fabs(ken_bleu_score(&scores.bleu) - 100) < 1e-9);
    assert_true(fabs(ken_chrf_score(&scores.chrf) - 100) < 1e-9);
}

/* ---- Without memory ------------------------------------------------------------------------- */

/* Compares all members; there may be padding after the first one. */
static void same_bleu(const ken_bleu *got, const ken_bleu *expected)
{
    size_t from = offsetof(ken_bleu, match);
    assert_memory_equal((const char *)got + from, (const char *)expected + from,
                        sizeof *got - from);
}

/* Every allocation fails, alone or with all that follow: the sums are unchanged or complete. */
static void no_memory(void **state)
{
    (void)state;
    const char *answer = "It's 1,000.50 in the U.S., \xc3\x84GER!",
               *reference = "it's 1,000.5 in a";
    struct scores calm = no_scores;
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    assert_int_equal(add(&calm, answer, reference), KEN_OK);
    uint64_t count = ken_fault_calls(KEN_FAULT_MEMORY);
    assert_true(count > 50);
    for (uint64_t nth = 1; nth <= 2 * count; nth++) {
        struct scores scores = no_scores;
        ken_fault_arm(KEN_FAULT_MEMORY, (nth + 1) / 2, nth % 2);
        ken_status status = add(&scores, answer, reference);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, KEN_ERR_MEMORY);
        assert_non_null(strstr(ken_last_error(), "no memory"));
        if (scores.bleu.answer == 0) ken_bleu_add(&scores.bleu, answer, reference);
        if (scores.lower.answer == 0) ken_bleu_add(&scores.lower, answer, reference);
        if (scores.chrf.answer[0] == 0) ken_chrf_add(&scores.chrf, answer, reference);
        same_bleu(&scores.bleu, &calm.bleu);
        same_bleu(&scores.lower, &calm.lower);
        assert_memory_equal(&scores.chrf, &calm.chrf, sizeof calm.chrf);
    }
    /* for tokens, the caller's buffer may fail too */
    ken_status status = KEN_ERR_MEMORY;
    for (uint64_t nth = 1; status; nth++) {
        ken_buffer tokens = { 0 };
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        status = ken_bleu_tokens(&tokens, answer);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        if (status) assert_int_equal(status, KEN_ERR_MEMORY);
        else assert_string_equal(tokens.data, "It's 1,000.50 in the U . S . , \xc3\x84GER !");
        ken_buffer_release(&tokens);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_sacrebleu), cmocka_unit_test(bleu_by_hand),
        cmocka_unit_test(chrf_by_hand), cmocka_unit_test(any_bytes),
        cmocka_unit_test(long_lines),   cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, read_golden, free_golden);
}
