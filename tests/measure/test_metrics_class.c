/* test_metrics_class.c - metrics of classes, sets, numbers, edits and thresholds, against figures
 * counted by hand and against slow implementations. */
#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"
#include "measure/metrics.h"
#include "measure/threshold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g, expected %.17g", got, expected);
}

/* ---- One label of several ------------------------------------------------------------------- */

/* The table, with the right labels as rows:   0: 3 1 0 0   1: 2 4 1 0   2: 0 0 0 0   3: 0 0 0 0 */
static void confusion_by_hand(void **state)
{
    (void)state;
    static const uint64_t counts[2][4] = { { 3, 1, 0, 0 }, { 2, 4, 1, 0 } };
    ken_confusion confusion;
    assert_int_equal(ken_confusion_init(&confusion, 4), KEN_OK);
    assert_true(isnan(ken_confusion_accuracy(&confusion)));
    assert_true(isnan(ken_confusion_macro(&confusion)));
    for (size_t right = 0; right < 2; right++)
        for (size_t answer = 0; answer < 4; answer++)
            for (uint64_t i = 0; i < counts[right][answer]; i++)
                ken_confusion_add(&confusion, right, answer);
    near(ken_confusion_accuracy(&confusion), 7. / 11);
    struct ken_precision first = ken_confusion_label(&confusion, 0);
    near(first.precision, 3. / 5);
    near(first.recall, 3. / 4);
    near(first.f1, 2. / 3);
    near(ken_confusion_label(&confusion, 1).f1, 2 * 4. / 5 * 4 / 7 / (4. / 5 + 4. / 7));
    struct ken_precision only_said = ken_confusion_label(&confusion, 2);
    assert_true(only_said.precision == 0 && only_said.recall == 0 && only_said.f1 == 0);
    assert_int_equal(only_said.said, 1);
    assert_int_equal(only_said.there, 0);
    /* a label that occurs only as an answer counts, one that never occurs does not */
    near(ken_confusion_macro(&confusion), (2. / 3 + 2. / 3) / 3);
    assert_memory_equal(confusion.counts, counts, sizeof counts);
    ken_confusion_release(&confusion);
    assert_int_equal(ken_confusion_init(&confusion, SIZE_MAX / 2), KEN_ERR_MEMORY);
    ken_confusion_release(&confusion);
    assert_int_equal(ken_confusion_init(&confusion, 0), KEN_OK);
    assert_true(isnan(ken_confusion_accuracy(&confusion)));
    assert_true(isnan(ken_confusion_macro(&confusion)));
    ken_confusion_release(&confusion);
}

/* A table of so many labels would be 2 TB. The figures are those of a small table whose labels are
 * far apart. */
static void confusion_of_many(void **state)
{
    (void)state;
    enum { MANY = 500000, FEW = 40, ANSWERS = 1000 };
    ken_confusion many, few;
    assert_int_equal(ken_confusion_init(&many, MANY), KEN_OK);
    assert_int_equal(ken_confusion_init(&few, FEW), KEN_OK);
    for (uint64_t i = 0; i < ANSWERS; i++) {
        size_t right = ken_random_below(1, i, FEW);
        size_t answer = ken_random_below(2, i, 3) ? right : ken_random_below(3, i, FEW);
        ken_confusion_add(&few, right, answer);
        ken_confusion_add(&many, right * (MANY / FEW), answer * (MANY / FEW));
    }
    assert_null(many.counts);
    assert_true(ken_confusion_accuracy(&many) == ken_confusion_accuracy(&few));
    assert_true(ken_confusion_macro(&many) == ken_confusion_macro(&few));
    for (size_t j = 0; j < FEW; j++) {
        struct ken_precision one = ken_confusion_label(&many, j * (MANY / FEW)),
                             other = ken_confusion_label(&few, j);
        uint64_t said = 0, there = 0; /* counted from the table */
        for (size_t k = 0; k < FEW; k++) said += few.counts[k * FEW + j];
        for (size_t k = 0; k < FEW; k++) there += few.counts[j * FEW + k];
        assert_true(other.said == said && other.there == there);
        assert_true(other.right == few.counts[j * FEW + j]);
        assert_memory_equal(&one, &other, sizeof one);
    }
    ken_confusion_release(&many);
    ken_confusion_release(&few);
}

/* ---- Sets of labels ------------------------------------------------------------------------- */

static void all_nan(const ken_sets *sets)
{
    assert_true(isnan(ken_sets_exact(sets)));
    assert_true(isnan(ken_sets_micro(sets)));
    assert_true(isnan(ken_sets_macro(sets)));
}

static void sets_by_hand(void **state)
{
    (void)state;
    static const float truth[4][3] = { { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, NAN }, { NAN, NAN, NAN } };
    static const float said[4][3] = { { .5f, .4f, .1f },
                                      { .9f, .2f, .7f },
                                      { .1f, .6f, .9f },
                                      { 1, 1, 1 } };
    ken_sets sets;
    assert_int_equal(ken_sets_init(&sets, 3), KEN_OK);
    all_nan(&sets);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 4; i++) ken_sets_add(&sets, said[i], truth[i], .5f);
        /* right 2 1 0, said 2 1 1, there 2 2 0; unknown labels are not counted */
        assert_int_equal(sets.count, 3);
        near(ken_sets_exact(&sets), 2. / 3);
        near(ken_sets_label(&sets, 0).f1, 1);
        near(ken_sets_label(&sets, 1).precision, 1);
        near(ken_sets_label(&sets, 1).recall, 1. / 2);
        near(ken_sets_label(&sets, 1).f1, 2. / 3);
        near(ken_sets_label(&sets, 2).f1, 0);
        near(ken_sets_micro(&sets), 2 * 3. / (4 + 4));
        near(ken_sets_macro(&sets), (1 + 2. / 3 + 0) / 3);
        ken_sets_clear(&sets);
        assert_true(sets.count == 0 && sets.exact == 0 && sets.said[2] == 0);
    }
    ken_sets_release(&sets);
    assert_int_equal(ken_sets_init(&sets, 0), KEN_OK);
    ken_sets_add(&sets, NULL, NULL, .5f);
    all_nan(&sets);
    ken_sets_release(&sets);
    assert_int_equal(ken_sets_init(&sets, SIZE_MAX / 2), KEN_ERR_MEMORY);
}

/* ---- Ranking --------------------------------------------------------------------------------- */

/* Compares every positive with every negative; NaN is below all numbers and equal to other NaN. */
static double slow_auc(const float *score, const float *truth, size_t count)
{
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            if (truth[i] != 1 || truth[j] != 0) continue;
            double yes = isnan(score[i]) ? -INFINITY : score[i];
            double no = isnan(score[j]) ? -INFINITY : score[j];
            sum += yes > no ? 1 : yes == no ? 0.5 : 0;
            pairs++;
        }
    return sum / pairs;
}

static void ranks(void **state)
{
    (void)state;
    enum { COUNT = 41 };
    float score[2 * COUNT], truth[2 * COUNT], one[2][COUNT], is[2][COUNT];
    double auc, mean;
    for (uint64_t round = 0; round < 60; round++) {
        uint64_t often = round % 3 ? 2 + round % 9 : 1; /* in some rounds all are NaN */
        for (size_t i = 0; i < 2 * COUNT; i++) {
            score[i] = (float)ken_random_below(round, i, 12) / 12; /* with ties */
            truth[i] = (float)ken_random_below(round + 100, i, 2);
            if (round > 10 && ken_random_below(round + 200, i, often) == 0) score[i] = NAN;
            if (ken_random_below(round + 300, i, 7) == 0) truth[i] = NAN;
            one[i % 2][i / 2] = score[i];
            is[i % 2][i / 2] = truth[i];
        }
        for (size_t column = 0; column < 2; column++) {
            assert_int_equal(ken_auc(&auc, score + column, truth + column, COUNT, 2), KEN_OK);
            near(auc, slow_auc(one[column], is[column], COUNT));
        }
        assert_int_equal(ken_auc_mean(&mean, score, truth, COUNT, 2), KEN_OK);
        near(mean, (slow_auc(one[0], is[0], COUNT) + slow_auc(one[1], is[1], COUNT)) / 2);
    }
    static const float yes[] = { 1, 1, NAN }, any[] = { NAN, 1, 0 };
    assert_int_equal(ken_auc(&auc, any, yes, 3, 1), KEN_OK);
    assert_true(isnan(auc)); /* there is no negative */
    assert_int_equal(ken_auc(&auc, any, yes, 0, 1), KEN_OK);
    assert_true(isnan(auc));
}

/* ---- The threshold -------------------------------------------------------------------------- */

enum { EXAMPLES = 60, LABELS = 4 };

/* Macro F1, straight from its definition. */
static double slow_macro(const float *probability, const float *truth, float threshold)
{
    double sum = 0;
    for (size_t label = 0; label < LABELS; label++) {
        double right = 0, said = 0, there = 0;
        for (size_t i = label; i < EXAMPLES * LABELS; i += LABELS) {
            if (isnan(truth[i])) continue;
            said += probability[i] >= threshold;
            there += truth[i] == 1;
            right += probability[i] >= threshold && truth[i] == 1;
        }
        double precision = said > 0 ? right / said : 0, recall = there > 0 ? right / there : 0;
        if (right > 0) sum += 2 * precision * recall / (precision + recall);
    }
    return sum / LABELS;
}

static void best_threshold(void **state)
{
    (void)state;
    float probability[EXAMPLES * LABELS], truth[EXAMPLES * LABELS], threshold;
    double score;
    for (uint64_t round = 0; round < 20; round++) {
        for (size_t i = 0; i < KEN_COUNT(truth); i++) {
            float p = ken_random_uniform(round, i);
            probability[i] = p * p;
            truth[i] = ken_random_uniform(round + 100, i) < p;
            if (ken_random_below(round + 200, i, 9) == 0) truth[i] = NAN;
        }
        assert_int_equal(ken_threshold_tune(&threshold, &score, probability, truth, EXAMPLES,
                                            LABELS),
                         KEN_OK);
        near(score, slow_macro(probability, truth, threshold));
        assert_true(threshold >= .05f && threshold <= .95f);
        for (int h = 5; h <= 95; h++) {
            float other = (float)h / 100;
            double macro = slow_macro(probability, truth, other);
            assert_true(macro <= score + 1e-12);
            if (macro >= score - 1e-12) assert_true(abs(h - 50) >= fabsf(threshold - .5f) * 99.99f);
        }
    }
}

static void plain_thresholds(void **state)
{
    (void)state;
    float threshold = 0;
    double score = -1;
    static const float rare[] = { .08f, .02f, .09f, .01f }, is[] = { 1, 0, 1, 0 };
    assert_int_equal(ken_threshold_tune(&threshold, &score, rare, is, 4, 1), KEN_OK);
    near(score, 1);
    assert_true(fabsf(threshold - .08f) < 1e-6f);
    static const float unknown[] = { NAN, NAN, NAN, NAN };
    assert_int_equal(ken_threshold_tune(&threshold, &score, rare, unknown, 2, 2), KEN_OK);
    assert_true(threshold == .5f && isnan(score));
    assert_int_equal(ken_threshold_tune(&threshold, &score, rare, is, 0, 3), KEN_OK);
    assert_true(threshold == .5f && isnan(score));
    assert_int_equal(ken_threshold_tune(&threshold, &score, rare, is, 4, 0), KEN_OK);
    assert_true(threshold == .5f && isnan(score));
}

/* ---- Numbers -------------------------------------------------------------------------------- */

static void deviations(void **state)
{
    (void)state;
    static const double truth[] = { 1, 2, 4, 9 }, answer[] = { 1, 3, 2, 9.5 };
    ken_deviation deviation = { 0 };
    assert_true(isnan(ken_deviation_rmse(&deviation)));
    assert_true(isnan(ken_deviation_mae(&deviation)));
    assert_true(isnan(ken_deviation_r2(&deviation)));
    ken_deviation_add(&deviation, 5, NAN);
    assert_int_equal(deviation.count, 0);
    for (size_t i = 0; i < 4; i++) ken_deviation_add(&deviation, answer[i], truth[i]);
    near(ken_deviation_rmse(&deviation), sqrt((1 + 4 + .25) / 4));
    near(ken_deviation_mae(&deviation), 3.5 / 4);
    near(ken_deviation_r2(&deviation), 1 - 5.25 / 38); /* mean 4: 9 + 4 + 0 + 25 */
    /* the same a billion away from 0: the differences are exact there, and so is their share */
    ken_deviation far = { 0 };
    for (size_t i = 0; i < 4; i++) ken_deviation_add(&far, answer[i] + 1e9, truth[i] + 1e9);
    assert_true(fabs(ken_deviation_r2(&far) - ken_deviation_r2(&deviation)) < 1e-6);
    /* a truth that never changes */
    ken_deviation still = { 0 };
    ken_deviation_add(&still, .1, .1);
    ken_deviation_add(&still, .1, .1);
    near(ken_deviation_r2(&still), 1);
    ken_deviation_add(&still, .2, .1);
    near(ken_deviation_r2(&still), 0);
}

/* ---- Edits ---------------------------------------------------------------------------------- */

/* The recurrence as it is written, without remembering results. */
static size_t slow_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count)
{
    if (a_count == 0) return b_count;
    if (b_count == 0) return a_count;
    size_t replaced = slow_distance(a + 1, a_count - 1, b + 1, b_count - 1) + (a[0] != b[0]);
    size_t deleted = slow_distance(a + 1, a_count - 1, b, b_count) + 1;
    size_t inserted = slow_distance(a, a_count, b + 1, b_count - 1) + 1;
    return ken_size_min(replaced, ken_size_min(deleted, inserted));
}

static void edits(void **state)
{
    (void)state;
    static const int32_t kitten[] = { 1, 2, 3, 3, 4, 5 }, sitting[] = { 6, 2, 3, 3, 2, 5, 7 };
    assert_int_equal(ken_edit_distance(kitten, 6, sitting, 7), 3);
    assert_int_equal(ken_edit_distance(sitting, 7, kitten, 6), 3);
    assert_int_equal(ken_edit_distance(kitten, 6, kitten, 6), 0);
    assert_int_equal(ken_edit_distance(kitten, 6, NULL, 0), 6);
    assert_int_equal(ken_edit_distance(NULL, 0, NULL, 0), 0);
    for (uint64_t round = 0; round < 300; round++) {
        int32_t a[6], b[6];
        size_t a_count = ken_random_below(round, 0, 7), b_count = ken_random_below(round, 1, 7);
        for (size_t i = 0; i < 6; i++) {
            a[i] = (int32_t)ken_random_below(round, 2 + i, 3) - 1;
            b[i] = (int32_t)ken_random_below(round, 20 + i, 3) - 1;
        }
        assert_int_equal(ken_edit_distance(a, a_count, b, b_count),
                         slow_distance(a, a_count, b, b_count));
    }
}

static void rates(void **state)
{
    (void)state;
    static const int32_t words[] = { 1, 2, 3, 4, 5, 6 };
    const struct ken_units right[] = { { words + 1, 5 }, { words, 4 }, { words, 2 } };
    ken_errors errors = { 0 };
    assert_int_equal(ken_errors_add(&errors, right[1], right, 0), KEN_ERR_ARGUMENT);
    assert_int_equal(errors.wholes, 0);
    assert_int_equal(ken_errors_add(&errors, right[1], right, 3), KEN_OK); /* the second, exact */
    assert_true(errors.edits == 0 && errors.units == 4 && errors.wrong == 0 && errors.wholes == 1);
    /* 1 2 3 is one edit away from the second and from the third; the second counts, with 4 units */
    assert_int_equal(ken_errors_add(&errors, (struct ken_units){ words, 3 }, right, 3), KEN_OK);
    assert_true(errors.edits == 1 && errors.units == 8 && errors.wrong == 1 && errors.wholes == 2);
    assert_int_equal(ken_errors_add(&errors, (struct ken_units){ NULL, 0 }, right, 1), KEN_OK);
    assert_true(errors.edits == 6 && errors.units == 13 && errors.wrong == 2 && errors.wholes == 3);
}

/* ---- Without memory ------------------------------------------------------------------------- */

/* Each of these takes memory once; the two right answers, twice. */
static void no_memory(void **state)
{
    (void)state;
    static const int32_t ids[] = { 1, 2, 3 };
    static const float number = 1;
    const struct ken_units right[] = { { ids, 2 }, { ids + 1, 2 } };
    ken_confusion confusion;
    ken_sets sets;
    ken_errors errors = { 0 }, none = { 0 };
    float threshold;
    double score;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        assert_int_equal(ken_errors_add(&errors, right[0], right, 2), KEN_ERR_MEMORY);
        assert_memory_equal(&errors, &none, sizeof none);
    }
    ken_fault_arm(KEN_FAULT_MEMORY, 1, true);
    assert_true(ken_edit_distance(ids, 3, ids, 2) == SIZE_MAX);
    assert_int_equal(ken_confusion_init(&confusion, 3), KEN_ERR_MEMORY);
    assert_non_null(strstr(ken_last_error(), "no memory"));
    ken_confusion_release(&confusion);
    assert_int_equal(ken_sets_init(&sets, 3), KEN_ERR_MEMORY);
    assert_non_null(strstr(ken_last_error(), "no memory"));
    ken_sets_release(&sets);
    assert_int_equal(ken_threshold_tune(&threshold, &score, &number, &number, 1, 1),
                     KEN_ERR_MEMORY);
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confusion_by_hand),
        cmocka_unit_test(confusion_of_many),
        cmocka_unit_test(sets_by_hand),
        cmocka_unit_test(ranks),
        cmocka_unit_test(best_threshold),
        cmocka_unit_test(plain_thresholds),
        cmocka_unit_test(deviations),
        cmocka_unit_test(edits),
        cmocka_unit_test(rates),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
