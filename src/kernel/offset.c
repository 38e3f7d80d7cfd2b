/* offset.c - relative position biases. A training step computes only a few thousand of them, so
 * plain loops in double precision are fast enough, and there is no separate reference. */
#include "kernel/offset.h"

#include <math.h>

/* Returns base^exponent. In this file the result has at most 112 bits, so it cannot overflow. */
static unsigned __int128 power(unsigned __int128 base, size_t exponent)
{
    unsigned __int128 result = 1;
    while (exponent-- > 0) result *= base;
    return result;
}

/* Returns the bucket of distance r. Each of the first half of the `count` buckets has one distance.
 * The other half divides the distances up to 128 evenly by their logarithm: bucket half + k begins
 * where ln(r / half) / ln(128 / half) >= k / half. This is computed in whole numbers, r^half >=
 * half^half (128 / half)^k, so that it is exact on every machine. */
static size_t bucket_of_distance(size_t r, size_t count)
{
    size_t half = count / 2, k = 0;
    if (r < half) return r;
    if (r > KEN_BUCKETS_SPAN) r = KEN_BUCKETS_SPAN;
    while (k + 1 < half &&
           power(r, half) >= power(half, half) * power(KEN_BUCKETS_SPAN / half, k + 1))
        k++;
    return half + k;
}

int32_t ken_bucket_of(ptrdiff_t ahead, bool past)
{
    size_t distance = ahead > 0 ? (size_t)ahead : (size_t)-ahead;
    if (past) return (int32_t)bucket_of_distance(ahead > 0 ? 0 : distance, KEN_BUCKETS);
    return (int32_t)(bucket_of_distance(distance, KEN_BUCKETS / 2) +
                     (ahead > 0 ? KEN_BUCKETS / 2 : 0));
}

void ken_bucket_fill(int32_t *which, bool past)
{
    for (ptrdiff_t o = -KEN_BUCKETS_SPAN; o <= KEN_BUCKETS_SPAN; o++)
        which[o + KEN_BUCKETS_SPAN] = ken_bucket_of(-o, past);
}

void ken_pick_forward(float *y, const float *x, const int32_t *which, size_t H, size_t cols,
                      size_t n)
{
    for (size_t h = 0; h < H; h++)
        for (size_t j = 0; j < n; j++) y[h * n + j] = x[h * cols + (size_t)which[j]];
}

void ken_pick_backward(float *dx, const float *dy, const int32_t *which, size_t H, size_t cols,
                       size_t n)
{
    for (size_t h = 0; h < H; h++)
        for (size_t j = 0; j < n; j++) dx[h * cols + (size_t)which[j]] += dy[h * n + j];
}

void ken_quadratic_forward(float *y, const float *sharp, const float *centre, size_t H, size_t span)
{
    for (size_t h = 0; h < H; h++) {
        double a = exp((double)sharp[h]), c = centre[h];
        for (size_t j = 0; j <= 2 * span; j++, y++) {
            double d = (double)span - (double)j;
            *y = (float)(-a * d * (d - 2 * c));
        }
    }
}

void ken_quadratic_backward(float *dsharp, float *dcentre, const float *dy, const float *sharp,
                            const float *centre, size_t H, size_t span)
{
    for (size_t h = 0; h < H; h++) {
        double a = exp((double)sharp[h]), c = centre[h], by_sharp = 0, by_centre = 0;
        for (size_t j = 0; j <= 2 * span; j++, dy++) {
            double d = (double)span - (double)j;
            by_sharp -= *dy * a * d * (d - 2 * c);
            by_centre += *dy * 2 * a * d;
        }
        if (dsharp) dsharp[h] += (float)by_sharp;
        if (dcentre) dcentre[h] += (float)by_centre;
    }
}
