/* threshold.h - from which probability on a label is said to be there.
 * Trained probabilities of rare labels stay far below one half, so the threshold is chosen on
 * examples that were not trained on. Not here: a threshold a label, which a few hundred examples
 * cannot tell. */
#ifndef MEASURE_THRESHOLD_H
#define MEASURE_THRESHOLD_H

#include "base/status.h"

/* The one threshold for all labels, of 0.05, 0.06 .. 0.95, with the highest macro F1
 * (ken_sets_macro), and that F1; of equally good ones the nearest to 0.5, the lower one first. So
 * where nothing is known it is 0.5, with an F1 of NaN.
 * probabilities, truth (count, labels): truth is 0, 1 or NaN for unknown. */
ken_status ken_threshold_tune(float *threshold, double *score, const float *probabilities,
                              const float *truth, size_t count, size_t labels);

#endif
