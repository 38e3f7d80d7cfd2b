/* vrows.c - sums, products and multiples of rows that are selected by number. Each result is one
 * chain of operations in the order of the rows, so its bits do not depend on the number of
 * columns. */
#include "base/size.h"
#include "kernel/simd/table.h"

/* Computes y[j] += sum over `count` rows of factor * row[j], for the columns j of `vectors` whole
 * vectors. */
INLINE void sum_wide(float *y, const float *from, size_t stride, const uint32_t *rows,
                     const float *factors, size_t step, size_t count, const size_t vectors)
{
    vf sum[4];
    UNROLL
    for (size_t v = 0; v < vectors; v++) sum[v] = v_load(y + v * LANES);
    for (size_t i = 0; i < count; i++) {
        const float *row = from + (rows ? rows[i] : i) * stride;
        UNROLL
        for (size_t v = 0; v < vectors; v++) sum[v] += factors[i * step] * v_load(row + v * LANES);
    }
    UNROLL
    for (size_t v = 0; v < vectors; v++) v_store(y + v * LANES, sum[v]);
}

void KEN_SIMD(row_sums)(float *y, const float *from, size_t stride, const uint32_t *rows,
                        const float *factors, size_t step, size_t count, size_t n)
{
    size_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES)
        sum_wide(y + j, from + j, stride, rows, factors, step, count, 4);
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        sum_wide(y + j, from + j, stride, rows, factors, step, count, 2);
    for (; j + LANES <= n; j += LANES)
        sum_wide(y + j, from + j, stride, rows, factors, step, count, 1);
    if (j == n) return;
    vf sum = v_load_part(y + j, n - j, 0);
    for (size_t i = 0; i < count; i++)
        sum += factors[i * step] * v_load_part(from + (rows ? rows[i] : i) * stride + j, n - j, 0);
    v_store_part(y + j, sum, n - j);
}

void KEN_SIMD(row_dots)(float *y, size_t step, const float *x, const float *from, size_t stride,
                        const uint32_t *rows, size_t count, size_t n)
{
    size_t whole = n - n % LANES;
    vf last = v_load_part(x + whole, n - whole, 0);
    for (size_t i = 0; i < count; i++) {
        const float *row = from + (rows ? rows[i] : i) * stride;
        vf sum = v_splat(0);
        for (size_t j = 0; j < whole; j += LANES) sum += v_load(x + j) * v_load(row + j);
        if (whole < n) sum += last * v_load_part(row + whole, n - whole, 0);
        y[i * step] = v_sum(sum);
    }
}

void KEN_SIMD(row_adds)(float *y, size_t stride, const float *x, const float *factors, size_t step,
                        size_t count, size_t n)
{
    for (size_t j = 0; j < n; j += LANES) {
        size_t columns = ken_size_min(n - j, LANES);
        vf more = v_load_some(x + j, columns);
        for (size_t i = 0; i < count; i++) {
            float *row = y + i * stride + j;
            v_store_some(row, v_load_some(row, columns) + factors[i * step] * more, columns);
        }
    }
}
