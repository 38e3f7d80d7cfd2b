/* product.h - small matrix products within one task, such as the chunks of linear attention and the
 * matrices of landmarks. Whole layers use kernel/matmul.h, which distributes its work to threads.
 * Each result is one chain of multiply-adds in the order of k, as in simd/tile.h. */
#ifndef KERNEL_PRODUCT_H
#define KERNEL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

/* The ways to store element (k, j) of the right operand b. */
enum ken_product_side {
    KEN_B_ROWS,    /* b(k, j) is b[k * b_stride + j]                                       */
    KEN_B_PADDED,  /* like KEN_B_ROWS, but rows are readable up to a multiple of tile_cols */
    KEN_B_COLUMNS, /* b(k, j) is b[j * b_stride + k]                                       */
};

/* A small product: c (rows, cols) = a b, or c += a b with `add`; `depth` is the number of columns
 * of a. */
struct ken_product {
    float *c;
    const float *a, *b;
    size_t c_stride, a_stride, b_stride;
    bool a_columns; /* a(i, k) is a[k * a_stride + i], else a[i * a_stride + k] */
    enum ken_product_side b_side;
    bool add;
    size_t rows, cols, depth;
};

/* Computes a product in the calling thread; `panel` is work space of depth * tile_cols floats. */
typedef void ken_product_fn(const struct ken_product *job, float *panel);

#endif
