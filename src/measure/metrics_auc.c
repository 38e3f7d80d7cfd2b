/* metrics_auc.c - computes the area under the ROC curve from the ranks of the scores, without
 * computing the curve. */
#include "base/memory.h"
#include "measure/metrics.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    float score;
    bool yes;
};

/* Compares two answers by their scores. NaN is lower than all numbers and equal to another NaN. */
static int by_score(const void *a, const void *b)
{
    float x = ((const struct ranked *)a)->score, y = ((const struct ranked *)b)->score;
    if (isnan(x) || isnan(y)) return !isnan(x) - !isnan(y);
    return (x > y) - (x < y);
}

/* Computes the area from Mann and Whitney's U, the number of pairs (positive, negative) in which
 * the positive has the higher score; pairs with equal scores count half. The area is U divided by
 * the number of pairs. */
static double area(const struct ranked *list, size_t count, size_t yes, size_t no)
{
    double below = 0, sum = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i, yes_here = 0, no_here = 0;
        for (; end < count && by_score(&list[end], &list[i]) == 0; end++) {
            yes_here += list[end].yes;
            no_here += !list[end].yes;
        }
        sum += (double)yes_here * (below + 0.5 * (double)no_here);
        below += (double)no_here;
        i = end;
    }
    return sum / ((double)yes * (double)no);
}

ken_status ken_auc(double *auc, const float *score, const float *truth, size_t count, size_t stride)
{
    size_t known = 0, yes = 0;
    struct ranked *list = ken_memory_new(count, sizeof *list);
    *auc = NAN;
    if (!list) return ken_fail(KEN_ERR_MEMORY, "no memory to rank %zu answers", count);
    for (size_t i = 0; i < count; i++) {
        if (isnan(truth[i * stride])) continue;
        list[known] = (struct ranked){ score[i * stride], truth[i * stride] > 0.5f };
        yes += list[known++].yes;
    }
    qsort(list, known, sizeof *list, by_score);
    if (yes > 0 && yes < known) *auc = area(list, known, yes, known - yes);
    ken_memory_free(list);
    return KEN_OK;
}

ken_status ken_auc_mean(double *mean, const float *score, const float *truth, size_t count,
                        size_t labels)
{
    double sum = 0, there = 0;
    for (size_t j = 0; j < labels; j++) {
        double one;
        KEN_TRY(ken_auc(&one, score + j, truth + j, count, labels));
        if (isnan(one)) continue;
        sum += one;
        there++;
    }
    *mean = there > 0 ? sum / there : NAN;
    return KEN_OK;
}
