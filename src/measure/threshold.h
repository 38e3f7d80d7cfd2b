/* threshold.h - chooses the threshold: the probability from which on a label counts as present.
 * Trained probabilities of rare labels stay far below one half, so the threshold is chosen on
 * examples that were not used for training. All labels share one threshold, because a few hundred
 * examples are too few to choose one per label. */
#ifndef MEASURE_THRESHOLD_H
#define MEASURE_THRESHOLD_H

#include "base/status.h"

/* Finds the threshold among 0.05, 0.06 .. 0.95 with the highest macro F1, and stores that F1 in
 * *score. Among equally good thresholds, the one nearest to 0.5 is taken; of two that are equally
 * near, the lower one. `probabilities` and `truth` have one row per example and one column per
 * label; truth is 0, 1, or NaN for unknown. If no label is known, the threshold is 0.5 and *score
 * is NaN. */
ken_status ken_threshold_tune(float *threshold, double *score, const float *probabilities,
                              const float *truth, size_t count, size_t labels);

#endif
