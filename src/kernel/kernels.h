/* kernels.h - the table of functions that exist once per instruction set, and the choice of a
 * table. Each function works on a part of an array in one thread; the other files of kernel/ cut
 * the whole array into parts and distribute them to threads. */
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

/* Two functions that pack lines into panels: panel[k * width + i] = element k of line i; missing
 * lines are 0. pack_transposed: lines are rows of `depth` floats and fill one panel of width
 * tile_cols. pack_straight: lines are columns and fill as many panels as needed, `panel_size`
 * floats apart; `width` is tile_cols or TILE_ROWS. */
typedef void ken_pack_transposed_fn(float *panel, const float *source, size_t stride, size_t lines,
                                    size_t depth);
typedef void ken_pack_straight_fn(float *panels, const float *source, size_t stride, size_t lines,
                                  size_t depth, size_t width, size_t panel_size);

struct ken_matmul_block {
    float *c;
    float *pre; /* receives the sums before the activation; or NULL */
    size_t c_stride;
    const float *a; /* left operand: (rows, depth), or (depth, rows) if a_columns */
    const float *b; /* right operand: panels of tile_cols columns each            */
    size_t a_stride;
    bool a_columns;
    size_t b_panel;       /* floats from one panel of b to the next                         */
    const float *b_after; /* panel to prefetch, likely to be read after this block; or NULL */
    size_t rows, cols, depth;
    bool add;  /* true: c holds partial sums, to be continued                    */
    bool last; /* true: this block completes the sums; apply bias and activation */
    const float *bias;
    enum ken_activation activation;
};
typedef void ken_matmul_block_fn(const struct ken_matmul_block *block, float *scratch);

/* array_combine: y = a + factor * b;  array_scale: y = factor * x;  array_dot: sum of x * y;
 * array_column_sums: sums += rows of x, which lie `stride` floats apart */
typedef void ken_array_combine_fn(float *y, const float *a, const float *b, float factor, size_t n);
typedef void ken_array_scale_fn(float *y, const float *x, float factor, size_t n);
typedef void ken_array_column_sums_fn(float *sums, const float *x, size_t stride, size_t rows,
                                      size_t n);
typedef double ken_array_dot_fn(const float *x, const float *y, size_t n);

/* Two kernels that measure the machine, for the benchmark. peak_fma: KEN_PEAK_CHAINS independent
 * vectors repeat x = x * factor + term `rounds` times. A multiply-add takes 4 or 5 cycles and two
 * start per cycle, so ten or more vectors are needed. peak_read: returns the sum of x, ignoring
 * numbers after the last whole group of 8 vectors. */
enum { KEN_PEAK_CHAINS = 12 };
typedef float ken_peak_fma_fn(float factor, float term, size_t rounds);
typedef float ken_peak_read_fn(const float *x, size_t n);

/* Attention of queries i0 .. i0 + count - 1 of head h in sequence b. attend_forward takes up to
 * KEN_ATTEND_MOST queries, because one read of the keys then serves many queries; attend_weights
 * takes up to KEN_ATTEND_BLOCK. */
enum { KEN_ATTEND_BLOCK = 128, KEN_ATTEND_MOST = 512 };
struct ken_attend;
struct ken_attend_grad;
typedef void ken_attend_forward_fn(const struct ken_attend *job, size_t b, size_t h, size_t i0,
                                   size_t count, float *scratch);
typedef void ken_attend_weights_fn(float *weights, const struct ken_attend *job, size_t b, size_t h,
                                   size_t i0, size_t count, float *scratch);

/* One call of attend_backward adds to the gradients that `parts` names, for queries i0 .. i1-1 and
 * keys j0 .. j1-1 (whole tiles). KEN_ATTEND_MEANS is for sparsemax only and comes first, in a call
 * by itself: it computes a mean over the keys of each query, which the other parts need. */
enum { KEN_ATTEND_QUERIES = 1, KEN_ATTEND_KEYS = 2, KEN_ATTEND_MEANS = 4 };
struct ken_attend_range {
    size_t b, h;
    size_t i0, i1, j0, j1;
    unsigned parts;
};
typedef void ken_attend_backward_fn(const struct ken_attend *job,
                                    const struct ken_attend_grad *grad,
                                    const struct ken_attend_range *range, float *scratch);

/* Attention along edges, for queries i0 .. i1-1 or keys j0 .. j1-1. attend_edges_forward: results.
 * attend_edges_queries: the score gradients, dq, and the part of these queries in dvector (H, E),
 * unless dvector is NULL. attend_edges_keys: dk and dv. */
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

/* Returns the kernels in use. These are the generic ones until ken_kernels_start() chooses: the
 * fastest that this machine can run, or those that the environment variable KEN_ISA names. */
const struct ken_kernels *ken_kernels(void);

/* Chooses another table, for tests and benchmarks: "generic", "avx2" or "avx512"; NULL chooses the
 * fastest. A name that is unknown, or that the machine cannot run, is an error. */
ken_status ken_kernels_choose(const char *name);

/* Chooses the kernels, unless they have been chosen before, and starts the threads. Must be called
 * before any kernel. */
ken_status ken_kernels_start(void);

#endif
