/* offset.h - numbers that are added to a score for how far apart key and query are: what fills the
 * bias (H, 2 span + 1) of kernel/attend.h. Its column span + o belongs to the offset o = i - j of
 * query i and key j, so the key lies d = -o rows ahead. */
#ifndef KERNEL_OFFSET_H
#define KERNEL_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Buckets of distances as in T5: one for each distance at first, then wider and wider, the last for
 * all from KEN_BUCKETS_SPAN on (nearly: it begins a little before that). */
enum { KEN_BUCKETS = 32, KEN_BUCKETS_SPAN = 128 };

/* The bucket of a key `ahead` rows ahead of the query, or before it if negative. With `past` all
 * are for what came before, the first also for the rest; else half of them for each side. */
int32_t ken_bucket_of(ptrdiff_t ahead, bool past);

/* which (2 KEN_BUCKETS_SPAN + 1): the bucket of each column of the bias. */
void ken_bucket_fill(int32_t *which, bool past);

/* y[h][j] = x[h][which[j]]: x (H, cols), y (H, n); dx[h][which[j]] += dy[h][j], j ascending */
void ken_pick_forward(float *y, const float *x, const int32_t *which, size_t H, size_t cols,
                      size_t n);
void ken_pick_backward(float *dx, const float *dy, const int32_t *which, size_t H, size_t cols,
                       size_t n);

/* y[h][span - d] = -a ((d - c)^2 - c^2) = -a d (d - 2 c) with a = e^sharp[h] > 0, c = centre[h]:
 * highest where the key is c rows ahead, and 0 where it is the query's own row.
 *   dsharp += sum of dy y    dcentre += sum of dy 2 a d;  either may be NULL */
void ken_quadratic_forward(float *y, const float *sharp, const float *centre, size_t H,
                           size_t span);
void ken_quadratic_backward(float *dsharp, float *dcentre, const float *dy, const float *sharp,
                            const float *centre, size_t H, size_t span);

#endif
