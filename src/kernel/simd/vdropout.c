/* vdropout.c - dropout of some rows. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vdropout.h"

/* Computes y = mask . x, or y += mask . x with `add`. Forward and backward are the same product. */
void KEN_SIMD(dropout_rows)(float *y, const float *x, struct ken_dropout dropout, size_t first,
                            size_t rows, size_t n, bool add)
{
    for (size_t r = first; r < first + rows; r++) {
        struct mask mask = mask_of_row(dropout, r);
        for (size_t j = 0; j < n; j += LANES) {
            size_t count = ken_size_min(n - j, LANES);
            vf sum = add ? v_load_some(y + r * n + j, count) : v_splat(0);
            sum += mask_at(&mask, j) * v_load_some(x + r * n + j, count);
            v_store_some(y + r * n + j, sum, count);
        }
    }
}
