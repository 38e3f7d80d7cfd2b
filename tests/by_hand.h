/* by_hand.h - self-attention computed from its formulas, for comparison with the layer: any score,
 * weigh, reach and position, pair by pair in double precision, without the kernels. */
#ifndef TESTS_BY_HAND_H
#define TESTS_BY_HAND_H

#include "model/model.h"

enum { HAND_ROWS = 16, HAND_WIDTH = 16 }; /* limits of T and D */

/* out (T, D) = the result of the first encoder block's attention for one sequence x (T, D). Random
 * blocks, and the numbers that positions add, are taken from ken, because they have tests of their
 * own. */
void attention_by_hand(double *out, ken_model *model, const float *x, size_t T);

#endif
