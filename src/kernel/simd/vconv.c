/* vconv.c - column-wise dot products, which are all the arithmetic of depth-wise convolution. */
#include "base/size.h"
#include "kernel/simd/table.h"

enum { WIDE = 4 }; /* vectors at a time: enough sums to hide the latency of an addition */

void KEN_SIMD(column_dots)(float *y, const float *y0, const float *a, ptrdiff_t a_step,
                           const float *b, ptrdiff_t b_step, size_t rows, size_t n)
{
    size_t j = 0;
    for (; j + WIDE * LANES <= n; j += WIDE * LANES) {
        vf sum[WIDE];
        UNROLL
        for (size_t v = 0; v < WIDE; v++) sum[v] = y0 ? v_load(y0 + j + v * LANES) : v_splat(0);
        const float *pa = a + j, *pb = b + j;
        for (size_t i = 0; i < rows; i++, pa += a_step, pb += b_step) UNROLL
        for (size_t v = 0; v < WIDE; v++) sum[v] += v_load(pa + v * LANES) * v_load(pb + v * LANES);
        UNROLL
        for (size_t v = 0; v < WIDE; v++) v_store(y + j + v * LANES, sum[v]);
    }
    for (; j < n; j += LANES) {
        size_t count = ken_size_min(n - j, LANES);
        vf sum = y0 ? v_load_some(y0 + j, count) : v_splat(0);
        for (size_t i = 0; i < rows; i++)
            sum += v_load_some(a + j + (ptrdiff_t)i * a_step, count) *
                   v_load_some(b + j + (ptrdiff_t)i * b_step, count);
        v_store_some(y + j, sum, count);
    }
}
