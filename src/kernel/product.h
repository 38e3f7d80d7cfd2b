/* product.h - small matrix products within one task: chunks of linear attention, matrices of
 * landmarks. Whole layers use kernel/matmul.h, which shares its work out.
 * Sums are the chains of simd/tile.h: no result depends on its neighbours. */
#ifndef KERNEL_PRODUCT_H
#define KERNEL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

/* How b(k, j) lies in memory. */
enum ken_product_side {
    KEN_B_ROWS,    /* b[k * b_stride + j]                                                   */
    KEN_B_PADDED,  /* the same, and each row can be read up to a multiple of tile_cols      */
    KEN_B_COLUMNS, /* b[j * b_stride + k]                                                   */
};

/* c (rows, cols) = or += a b */
struct ken_product {
    float *c;
    const float *a, *b;
    size_t c_stride, a_stride, b_stride;
    bool a_columns; /* a(i, k) is a[k * a_stride + i], else a[i * a_stride + k] */
    enum ken_product_side b_side;
    bool add;
    size_t rows, cols, depth;
};

/* `panel` is work space of depth * tile_cols floats. */
typedef void ken_product_fn(const struct ken_product *job, float *panel);

#endif
