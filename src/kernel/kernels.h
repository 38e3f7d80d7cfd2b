/* kernels.h - the functions that exist once per instruction set, and the choice between them.
 * They work on a part of an array in one thread; the files beside this one cut the whole into
 * parts and share them out. */
#ifndef KERNEL_KERNELS_H
#define KERNEL_KERNELS_H

#include "base/status.h"
#include "kernel/activation.h"
#include "kernel/dense_kernels.h"
#include "kernel/product.h"
#include "kernel/recur.h"
#include "kernel/sequence_kernels.h"

#include <stdbool.h>
#include <stddef.h>

/* A panel: panel[k * width + i] = line i at k, where width is tile_cols, or also TILE_ROWS for
 * straight; missing lines are 0. Lines are rows of `depth` floats (transposed; one panel), or
 * columns (straight; as many panels as the lines need, `panel_size` floats apart). */
typedef void ken_pack_transposed_fn(float *panel, const float *source, size_t stride, size_t lines,
                                    size_t depth);
typedef void ken_pack_straight_fn(float *panels, const float *source, size_t stride, size_t lines,
                                  size_t depth, size_t width, size_t panel_size);

struct ken_matmul_block {
    float *c;
    float *pre; /* or NULL */
    size_t c_stride;
    const float *a; /* (rows, depth), or (depth, rows) where a_columns               */
    const float *b; /* panels of tile_cols lines                                     */
    size_t a_stride;
    bool a_columns;
    size_t b_panel;       /* floats from panel to panel                                    */
    const float *b_after; /* the panel that is likely to be read after this block, or NULL */
    size_t rows, cols, depth;
    bool add;  /* go on with the sums in c     */
    bool last; /* bias and activation are due  */
    const float *bias;
    enum ken_activation activation;
};
typedef void ken_matmul_block_fn(const struct ken_matmul_block *block, float *scratch);

/* y = a + factor * b;  y = factor * x;  sums += rows of x (`stride` apart);  sum of x * y */
typedef void ken_array_combine_fn(float *y, const float *a, const float *b, float factor, size_t n);
typedef void ken_array_scale_fn(float *y, const float *x, float factor, size_t n);
typedef void ken_array_column_sums_fn(float *sums, const float *x, size_t stride, size_t rows,
                                      size_t n);
typedef double ken_array_dot_fn(const float *x, const float *y, size_t n);

/* Yardsticks of the benchmark: KEN_PEAK_CHAINS vectors go `rounds` times through x = x * factor +
 * term, independent of each other (latency 4 or 5, two a cycle: ten are needed); the sum of x, of
 * whole groups of 8 vectors only. */
enum { KEN_PEAK_CHAINS = 12 };
typedef float ken_peak_fma_fn(float factor, float term, size_t rounds);
typedef float ken_peak_read_fn(const float *x, size_t n);

/* Queries i0 .. i0 + count - 1 of head h in sequence b; count <= KEN_ATTEND_MOST forward, where
 * many queries at once save reading the keys again, and <= KEN_ATTEND_BLOCK elsewhere. */
enum { KEN_ATTEND_BLOCK = 128, KEN_ATTEND_MOST = 512 };
struct ken_attend;
struct ken_attend_grad;
typedef void ken_attend_forward_fn(const struct ken_attend *job, size_t b, size_t h, size_t i0,
                                   size_t count, float *scratch);
typedef void ken_attend_weights_fn(float *weights, const struct ken_attend *job, size_t b, size_t h,
                                   size_t i0, size_t count, float *scratch);

/* Which gradients a call of backward adds to, and for which queries and keys (of whole tiles).
 * Means, on their own and before the others, are what sparsemax needs to know of all keys. */
enum { KEN_ATTEND_QUERIES = 1, KEN_ATTEND_KEYS = 2, KEN_ATTEND_MEANS = 4 };
struct ken_attend_range {
    size_t b, h;
    size_t i0, i1, j0, j1;
    unsigned parts;
};
typedef void ken_attend_backward_fn(const struct ken_attend *job,
                                    const struct ken_attend_grad *grad,
                                    const struct ken_attend_range *range, float *scratch);

/* Attention along edges, rows i0 .. i1-1: forward; slopes and dq of queries, with their share of
 * dvector (H, E) or NULL; dk and dv of keys. */
typedef void ken_attend_edges_forward_fn(const struct ken_attend *job, size_t i0, size_t i1,
                                         float *scratch);
typedef void ken_attend_edges_queries_fn(const struct ken_attend *job,
                                         const struct ken_attend_grad *grad, float *dvector,
                                         size_t i0, size_t i1, float *scratch);
typedef void ken_attend_edges_keys_fn(const struct ken_attend *job,
                                      const struct ken_attend_grad *grad, size_t j0, size_t j1,
                                      float *scratch);

struct ken_kernels {
    const char *name;
    size_t lanes, tile_cols;
    ken_pack_transposed_fn *pack_transposed;
    ken_pack_straight_fn *pack_straight;
    ken_matmul_block_fn *matmul_block;
    ken_product_fn *product;
    ken_attend_forward_fn *attend_forward;
    ken_attend_weights_fn *attend_weights;
    ken_attend_backward_fn *attend_backward;
    ken_attend_edges_forward_fn *attend_edges_forward;
    ken_attend_edges_queries_fn *attend_edges_queries;
    ken_attend_edges_keys_fn *attend_edges_keys;
    ken_array_combine_fn *array_combine;
    ken_array_scale_fn *array_scale;
    ken_array_column_sums_fn *array_column_sums;
    ken_array_dot_fn *array_dot;
    ken_row_sums_fn *row_sums;
    ken_row_dots_fn *row_dots;
    ken_row_adds_fn *row_adds;
    ken_array_affine_fn *array_affine;
    ken_softmax_most_fn *softmax_most;
    ken_softmax_exp_fn *softmax_exp;
    ken_column_dots_fn *column_dots;
    ken_cell_forward_fn *cell_forward[KEN_CELL_COUNT];
    ken_cell_backward_fn *cell_backward[KEN_CELL_COUNT];
    ken_rotate_head_fn *rotate_head;
    ken_feature_elu_fn *feature_elu;
    ken_feature_elu_backward_fn *feature_elu_backward;
    ken_map_fn *map;
    ken_activation_forward_fn *activation_forward;
    ken_activation_backward_fn *activation_backward;
    ken_glu_forward_fn *glu_forward;
    ken_glu_backward_fn *glu_backward;
    ken_norm_forward_fn *norm_forward;
    ken_norm_backward_fn *norm_backward;
    ken_dropout_rows_fn *dropout_rows;
    ken_adam_fn *adam;
    ken_peak_fma_fn *peak_fma;
    ken_peak_read_fn *peak_read;
};

/* The best table this machine runs, or the one KEN_ISA names; chosen at the first call. */
const struct ken_kernels *ken_kernels(void);

/* Makes the choice anew: NULL for the best, else "generic", "avx2" or "avx512". An unknown name or
 * one that this machine cannot run is an error and changes nothing. For tests and benchmarks. */
ken_status ken_kernels_choose(const char *name);

/* Chooses the kernels, starts the threads: call before any kernel. */
ken_status ken_kernels_start(void);

#endif
