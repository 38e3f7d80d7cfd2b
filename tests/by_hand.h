/* by_hand.h - self-attention written down from its formulas: any score, weigh, reach and position,
 * pair by pair in double, with nothing of the kernels. What the layer is compared with. */
#ifndef TESTS_BY_HAND_H
#define TESTS_BY_HAND_H

#include "model/model.h"

enum { HAND_ROWS = 16, HAND_WIDTH = 16 }; /* at the most */

/* out (T, D): what the attention of the first encoder block makes of one sequence x (T, D). Which
 * blocks are drawn, and numbers that positions add, are asked for: they have tests of their own. */
void attention_by_hand(double *out, ken_model *model, const float *x, size_t T);

#endif
