/* offset.h - relative position biases: numbers that are added to a score according to how far apart
 * query and key are. They fill the array `bias` of kernel/attend.h, (H, 2 span + 1), where column
 * span + i - j is for query i and key j. */
#ifndef KERNEL_OFFSET_H
#define KERNEL_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Buckets of distances as in T5: short distances have one bucket each, then buckets get wider and
 * wider. The last one begins a little before KEN_BUCKETS_SPAN and has no end. */
enum { KEN_BUCKETS = 32, KEN_BUCKETS_SPAN = 128 };

/* Returns the bucket of a key that lies `ahead` rows after the query, or before it if `ahead` is
 * negative. With `past` (causal), all buckets are for keys before the query, and keys after it
 * share the first bucket; without `past`, each side has half of the buckets. */
int32_t ken_bucket_of(ptrdiff_t ahead, bool past);

/* Sets which[0] .. which[2 KEN_BUCKETS_SPAN] to the bucket of each column of the bias. */
void ken_bucket_fill(int32_t *which, bool past);

/* Copies columns by number. Forward: y[h][j] = x[h][which[j]], with x (H, cols) and y (H, n).
 * Backward: dx[h][which[j]] += dy[h][j], with j ascending. */
void ken_pick_forward(float *y, const float *x, const int32_t *which, size_t H, size_t cols,
                      size_t n);
void ken_pick_backward(float *dx, const float *dy, const int32_t *which, size_t H, size_t cols,
                       size_t n);

/* Computes a bias that falls quadratically. For head h and a key d rows after the query,
 * y[h][span - d] = -a ((d - c)^2 - c^2) = -a d (d - 2 c), with a = e^sharp[h] > 0 and c =
 * centre[h]. The bias is largest for d = c, and 0 for d = 0. In backward, dsharp or dcentre may be
 * NULL:
 *   dsharp += sum of dy y    dcentre += sum of dy 2 a d */
void ken_quadratic_forward(float *y, const float *sharp, const float *centre, size_t H,
                           size_t span);
void ken_quadratic_backward(float *dsharp, float *dcentre, const float *dy, const float *sharp,
                            const float *centre, size_t H, size_t span);

#endif
