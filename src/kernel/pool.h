/* pool.h - pooling: makes one vector of all rows of a sequence. */
#ifndef KERNEL_POOL_H
#define KERNEL_POOL_H

#include "ken.h"

#include <stddef.h>

/* The kinds of pooling are in ken.h. Max: if several maxima are equal, the first one gets the
 * gradient. Attentive: y = sum of w_i x_i, where w is the softmax of the sequence's scores. */

/* Computes y (B, D) from B sequences of rows of D numbers; sequence b has rows start[b] up to
 * start[b + 1] - 1 of x, and an empty sequence gives 0. Attentive pooling needs one score per row,
 * and stores each row's weight in `weights` for backward. */
void ken_pool_forward(float *y, float *weights, const float *x, const float *score,
                      const size_t *start, size_t B, size_t D, enum ken_pooling kind);

/* Adds to dx and, for attentive pooling, to dscore; either may be NULL:
 *   dx_i += w_i dy,  dscore_i += w_i dy . (x_i - y) */
void ken_pool_backward(float *dx, float *dscore, const float *dy, const float *y,
                       const float *weights, const float *x, const size_t *start, size_t B,
                       size_t D, enum ken_pooling kind);

/* Slow reference implementations, which define the correct results. */
void ken_pool_forward_ref(float *y, float *weights, const float *x, const float *score,
                          const size_t *start, size_t B, size_t D, enum ken_pooling kind);
void ken_pool_backward_ref(float *dx, float *dscore, const float *dy, const float *y,
                           const float *weights, const float *x, const size_t *start, size_t B,
                           size_t D, enum ken_pooling kind);

#endif
