/* kernels.h - the functions that exist once per instruction set, and the choice between them.
 * They work on a part of an array in one thread; the files beside this one cut the whole into
 * parts and share them out. */
#ifndef KERNEL_KERNELS_H
#define KERNEL_KERNELS_H

#include "base/status.h"
#include "kernel/activation.h"

#include <stdbool.h>
#include <stddef.h>

/* panel[k * width + i] = line i at k, for `lines` <= width lines; missing ones are 0.
 * A line is a row of `depth` floats (transposed) or a column (straight). */
typedef void ken_pack_fn(float *panel, const float *source, size_t stride, size_t lines,
                         size_t depth, size_t width);

struct ken_matmul_block {
    float *c;
    float *pre; /* or NULL */
    size_t c_stride;
    const float *a;         /* panels of tile_rows lines, a_panel floats apart */
    const float *b;         /* panels of tile_cols lines, b_panel floats apart */
    size_t a_panel, b_panel;
    size_t rows, cols, depth;
    bool add;               /* go on with the sums in c     */
    bool last;              /* bias and activation are due  */
    const float *bias;
    enum ken_activation activation;
};
typedef void ken_matmul_block_fn(const struct ken_matmul_block *block);

/* y = a + factor * b;  y = factor * x;  sums += rows of x (`stride` apart);  sum of x * y */
typedef void ken_array_combine_fn(float *y, const float *a, const float *b, float factor,
                                  size_t n);
typedef void ken_array_scale_fn(float *y, const float *x, float factor, size_t n);
typedef void ken_array_column_sums_fn(float *sums, const float *x, size_t stride, size_t rows,
                                      size_t n);
typedef double ken_array_dot_fn(const float *x, const float *y, size_t n);

struct ken_kernels {
    const char *name;
    size_t lanes, tile_rows, tile_cols;
    ken_pack_fn *pack_transposed, *pack_straight;
    ken_matmul_block_fn *matmul_block;
    ken_array_combine_fn *array_combine;
    ken_array_scale_fn *array_scale;
    ken_array_column_sums_fn *array_column_sums;
    ken_array_dot_fn *array_dot;
};

/* The best table this machine runs, or the one KEN_ISA names; chosen at the first call. */
const struct ken_kernels *ken_kernels(void);

/* Makes the choice anew: NULL for the best, else "generic", "avx2" or "avx512". An unknown name or
 * one that this machine cannot run is an error and changes nothing. For tests and benchmarks. */
ken_status ken_kernels_choose(const char *name);

/* Chooses the kernels, starts the threads: call before any kernel. */
ken_status ken_kernels_start(void);

#endif
