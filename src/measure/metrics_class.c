/* metrics_class.c - metrics of classes, sets of labels, and numbers. Classes and sets are counted
 * in whole numbers, so the order of the answers does not matter; for numbers the order can change
 * the last bits. A metric over no answers is NaN. A label that is never answered has precision 0, a
 * label that never occurs has recall 0. */
#include "measure/metrics.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static double mean(double sum, uint64_t count)
{
    return count > 0 ? sum / (double)count : NAN;
}

/* Computes precision = right / said, recall = right / there and F1, their harmonic mean. F1 is
 * computed as 2 right / (said + there), which is the same value but needs no special case if
 * precision and recall are both 0. */
static struct ken_precision precision_of(uint64_t right, uint64_t said, uint64_t there)
{
    return (struct ken_precision){
        .precision = share(right, said),
        .recall = share(right, there),
        .f1 = share(2 * right, said + there),
        .right = right,
        .said = said,
        .there = there,
    };
}

/* ---- One label of several ------------------------------------------------------------------- */

ken_status ken_confusion_init(ken_confusion *confusion, size_t labels)
{
    size_t columns = labels <= KEN_CONFUSION_MOST ? labels : 0;
    uint64_t *block = ken_memory_zeroed(labels, (3 + columns) * sizeof *block);
    *confusion = (ken_confusion){ 0 };
    if (!block) return ken_fail(KEN_ERR_MEMORY, "no memory to count %zu labels", labels);
    *confusion = (ken_confusion){ .labels = labels,
                                  .right = block,
                                  .said = block + labels,
                                  .there = block + 2 * labels,
                                  .counts = columns > 0 ? block + 3 * labels : NULL };
    return KEN_OK;
}

void ken_confusion_release(ken_confusion *confusion)
{
    ken_memory_free(confusion->right); /* frees all arrays: they are one allocation */
    *confusion = (ken_confusion){ 0 };
}

void ken_confusion_add(ken_confusion *confusion, size_t right, size_t answer)
{
    assert(right < confusion->labels && answer < confusion->labels);
    confusion->said[answer]++;
    confusion->there[right]++;
    confusion->right[right] += right == answer;
    if (confusion->counts) confusion->counts[right * confusion->labels + answer]++;
}

double ken_confusion_accuracy(const ken_confusion *confusion)
{
    uint64_t right = 0, count = 0;
    for (size_t i = 0; i < confusion->labels; i++) {
        right += confusion->right[i];
        count += confusion->there[i];
    }
    return mean((double)right, count);
}

struct ken_precision ken_confusion_label(const ken_confusion *confusion, size_t label)
{
    return precision_of(confusion->right[label], confusion->said[label], confusion->there[label]);
}

/* Computes macro F1. Labels that are never a target and never an answer are left out of the
 * mean. */
double ken_confusion_macro(const ken_confusion *confusion)
{
    double sum = 0;
    size_t occur = 0;
    for (size_t i = 0; i < confusion->labels; i++) {
        struct ken_precision label = ken_confusion_label(confusion, i);
        sum += label.f1;
        occur += label.said + label.there > 0;
    }
    return mean(sum, occur);
}

/* ---- Sets of labels ------------------------------------------------------------------------- */

ken_status ken_sets_init(ken_sets *sets, size_t labels)
{
    *sets = (ken_sets){ .labels = labels };
    /* The arrays `right`, `said` and `there` are one allocation. */
    sets->right = ken_memory_zeroed(labels, 3 * sizeof *sets->right);
    if (!sets->right) return ken_fail(KEN_ERR_MEMORY, "no memory to count %zu labels", labels);
    sets->said = sets->right + labels;
    sets->there = sets->said + labels;
    return KEN_OK;
}

void ken_sets_release(ken_sets *sets)
{
    ken_memory_free(sets->right);
    *sets = (ken_sets){ 0 };
}

void ken_sets_clear(ken_sets *sets)
{
    memset(sets->right, 0, sets->labels * 3 * sizeof *sets->right);
    sets->exact = sets->count = 0;
}

/* Adds one set of labels. If the probability of a label is NaN, the label counts as not
 * predicted. */
void ken_sets_add(ken_sets *sets, const float *probability, const float *truth, float threshold)
{
    size_t known = 0, wrong = 0;
    for (size_t i = 0; i < sets->labels; i++) {
        if (isnan(truth[i])) continue;
        bool said = probability[i] >= threshold, there = truth[i] > 0.5f;
        sets->said[i] += said;
        sets->there[i] += there;
        sets->right[i] += said && there;
        known++;
        wrong += said != there;
    }
    sets->count += known > 0;
    sets->exact += known > 0 && wrong == 0;
}

struct ken_precision ken_sets_label(const ken_sets *sets, size_t label)
{
    return precision_of(sets->right[label], sets->said[label], sets->there[label]);
}

double ken_sets_exact(const ken_sets *sets)
{
    return mean((double)sets->exact, sets->count);
}

double ken_sets_micro(const ken_sets *sets)
{
    uint64_t right = 0, said = 0, there = 0;
    for (size_t i = 0; i < sets->labels; i++) {
        right += sets->right[i];
        said += sets->said[i];
        there += sets->there[i];
    }
    return sets->count > 0 ? precision_of(right, said, there).f1 : NAN;
}

double ken_sets_macro(const ken_sets *sets)
{
    double sum = 0;
    for (size_t i = 0; i < sets->labels; i++) sum += ken_sets_label(sets, i).f1;
    return sets->count > 0 ? sum / (double)sets->labels : NAN;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* Adds one number. Mean and spread of the true values are updated one value at a time (Welford
 * 1962). Computing the spread as a difference of two sums of squares would lose all digits if the
 * values are far from 0. */
void ken_deviation_add(ken_deviation *deviation, double answer, double truth)
{
    if (isnan(truth)) return;
    double error = answer - truth, before = truth - deviation->mean;
    deviation->count++;
    deviation->squares += error * error;
    deviation->absolute += fabs(error);
    deviation->mean += before / (double)deviation->count;
    deviation->spread += before * (truth - deviation->mean);
}

double ken_deviation_rmse(const ken_deviation *deviation)
{
    return sqrt(mean(deviation->squares, deviation->count));
}

double ken_deviation_mae(const ken_deviation *deviation)
{
    return mean(deviation->absolute, deviation->count);
}

double ken_deviation_r2(const ken_deviation *deviation)
{
    if (deviation->count == 0) return NAN;
    if (deviation->spread > 0) return 1 - deviation->squares / deviation->spread;
    return deviation->squares == 0;
}
