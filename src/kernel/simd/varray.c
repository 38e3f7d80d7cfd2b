/* varray.c - sums and multiples of arrays, for one chunk. */
#include "base/size.h"
#include "kernel/simd/table.h"

void KEN_SIMD(array_combine)(float *y, const float *a, const float *b, float factor, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        v_store_some(y + i, v_load_some(a + i, count) + factor * v_load_some(b + i, count), count);
    }
}

void KEN_SIMD(array_scale)(float *y, const float *x, float factor, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        v_store_some(y + i, factor * v_load_some(x + i, count), count);
    }
}

/* Adds up the columns of eight neighbouring vectors, row after row, so that each row is read in
 * long pieces. */
INLINE void sum_wide(float *sums, const float *x, size_t stride, size_t rows)
{
    vf sum[8];
    UNROLL
    for (size_t v = 0; v < 8; v++) sum[v] = v_load(sums + v * LANES);
    for (size_t i = 0; i < rows; i++, x += stride) UNROLL
    for (size_t v = 0; v < 8; v++) sum[v] += v_load(x + v * LANES);
    UNROLL
    for (size_t v = 0; v < 8; v++) v_store(sums + v * LANES, sum[v]);
}

void KEN_SIMD(array_column_sums)(float *sums, const float *x, size_t stride, size_t rows, size_t n)
{
    size_t j = 0;
    for (; j + 8 * LANES <= n; j += 8 * LANES) sum_wide(sums + j, x + j, stride, rows);
    for (; j < n; j += LANES) {
        size_t count = ken_size_min(n - j, LANES);
        vf sum = v_load_some(sums + j, count);
        for (size_t i = 0; i < rows; i++) sum += v_load_some(x + i * stride + j, count);
        v_store_some(sums + j, sum, count);
    }
}

double KEN_SIMD(array_dot)(const float *x, const float *y, size_t n)
{
    double sum = 0;
    size_t i = 0;
    while (i < n) { /* adds up 32 vectors at a time in float, and these sums in double */
        size_t end = ken_size_min(n, i + 32 * LANES);
        vf run = v_splat(0);
        for (; i < end; i += LANES) {
            size_t count = ken_size_min(n - i, LANES);
            run += v_load_some(x + i, count) * v_load_some(y + i, count);
        }
        sum += v_sum(run);
    }
    return sum;
}
