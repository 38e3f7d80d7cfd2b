/* threshold.c - finds the best threshold by computing the metric for every threshold of a grid. The
 * grid is coarse on purpose: a threshold that is tuned more finely would fit only the examples on
 * which it is tuned. */
#include "measure/threshold.h"

#include "measure/metrics.h"

#include <math.h>

/* Thresholds that are tried, in hundredths: 50 - 45 to 50 + 45, that is 0.05 to 0.95. */
enum { MIDDLE = 50, FARTHEST = 45 };

static double macro_at(ken_sets *sets, float threshold, const float *probabilities,
                       const float *truth, size_t count)
{
    size_t labels = sets->labels;
    ken_sets_clear(sets);
    for (size_t i = 0; i < count; i++)
        ken_sets_add(sets, probabilities + i * labels, truth + i * labels, threshold);
    return ken_sets_macro(sets);
}

ken_status ken_threshold_tune(float *threshold, double *score, const float *probabilities,
                              const float *truth, size_t count, size_t labels)
{
    ken_sets sets;
    KEN_TRY(ken_sets_init(&sets, labels));
    *threshold = (float)MIDDLE / 100;
    *score = NAN;
    for (int distance = 0; distance <= FARTHEST; distance++)
        for (int side = -1; side <= 1; side += 2) {
            float candidate = (float)(MIDDLE + side * distance) / 100;
            double macro = macro_at(&sets, candidate, probabilities, truth, count);
            if (isnan(macro) || macro <= *score) continue;
            *threshold = candidate;
            *score = macro;
        }
    ken_sets_release(&sets);
    return KEN_OK;
}
