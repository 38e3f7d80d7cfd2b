/* ops.h - the operations of networks. Each call checks shapes, computes its result at once and is
 * recorded on the tape. After a failure on the tape every call returns NULL and accepts NULL. */
#ifndef TENSOR_OPS_H
#define TENSOR_OPS_H

#include "base/status.h"
#include "kernel/activation.h"
#include "kernel/attend.h"
#include "kernel/norm.h"
#include "tensor/linear_ops.h"
#include "tensor/loss_ops.h"
#include "tensor/sequence_ops.h"
#include "tensor/tensor.h"

enum ken_op {
    KEN_OP_ADD,
    KEN_OP_ADD_ROW,
    KEN_OP_SCALE,
    KEN_OP_DOT,
    KEN_OP_LINEAR,
    KEN_OP_ACTIVATE,
    KEN_OP_GLU,
    KEN_OP_NORM,
    KEN_OP_RESIDUAL_NORM,
    KEN_OP_DROPOUT,
    KEN_OP_ATTEND,
    KEN_OP_HEAD_DOT,
    KEN_OP_HEAD_MEAN,
    KEN_OP_EMBED,
    KEN_OP_BAG,
    KEN_OP_ADD_POSITION,
    KEN_OP_PICK,
    KEN_OP_QUADRATIC,
    KEN_OP_FLOW,
    KEN_OP_PROJECT_LOSS,
    KEN_OP_CLASS_LOSS,
    KEN_OP_LABEL_LOSS,
    KEN_OP_CONV,
    KEN_OP_CONV_IMAGE,
    KEN_OP_CONV_DEPTH,
    KEN_OP_RECUR,
    KEN_OP_POOL,
    KEN_OP_ROTATE,
    KEN_OP_FEATURES,
    KEN_OP_LINEAR_ATTEND,
    KEN_OP_LANDMARKS,
    KEN_OP_COUNT
};

struct ken_tape;

/* ---- op_basic.c ------------------------------------------------------------------------------ */

/* Returns a + b, where a and b have the same shape. */
ken_tensor *ken_add(struct ken_tape *tape, ken_tensor *a, ken_tensor *b);

/* Returns x (N, n) with `row` (1, n) added to each of its rows. */
ken_tensor *ken_add_row(struct ken_tape *tape, ken_tensor *x, const ken_tensor *row);

/* Returns x multiplied by the number `factor`. */
ken_tensor *ken_scale(struct ken_tape *tape, ken_tensor *x, float factor);

/* Returns the sum of x[i][j] * weights[i][j], (1, 1); weights is a constant with the shape of x. */
ken_tensor *ken_dot(struct ken_tape *tape, ken_tensor *x, const float *weights);

/* ---- op_linear.c ----------------------------------------------------------------------------- */

/* Linear layer: returns act(x W^T + b) for x (N, in), W (out, in), b (1, out) or NULL. */
ken_tensor *ken_linear(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                       const ken_tensor *bias, enum ken_activation activation);

/* ---- op_activation.c, op_norm.c, op_dropout.c ------------------------------------------------ */

/* Applies the activation `kind` to each number of x. */
ken_tensor *ken_activate(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* Gated unit: returns a . act(b), where a and b are the left and right half of x (N, 2n). */
ken_tensor *ken_glu(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* Normalises each row of x (N, D) to mean 0 and variance 1 (RMS norm: to mean square 1), then
 * multiplies by gain and adds bias, each (1, D) or NULL. */
ken_tensor *ken_norm(struct ken_tape *tape, ken_tensor *x, const ken_tensor *gain,
                     const ken_tensor *bias, enum ken_norm_kind kind, float eps);

/* Sets *sum = x + dropout(branch) and returns the norm of *sum; all of these are (N, D). */
ken_tensor *ken_residual_norm(struct ken_tape *tape, ken_tensor **sum, ken_tensor *x,
                              ken_tensor *branch, const ken_tensor *gain, const ken_tensor *bias,
                              enum ken_norm_kind kind, float eps, float dropout);

/* While training, sets each number to 0 with probability p and multiplies the others by
 * 1 / (1 - p). Otherwise returns x itself. */
ken_tensor *ken_dropout(struct ken_tape *tape, ken_tensor *x, float p);

/* ---- op_attend.c ----------------------------------------------------------------------------- */

/* Options of ken_attend(): where q, k and v lie, and which attention of kernel/attend.h to compute.
 * Fields left 0: kv_heads = heads, value_width = width, scale = 1 / sqrt(width), keys = queries. */
struct ken_attend_options {
    ken_ragged queries, keys;
    /* k_count[b] is the number of keys of sequence b, which begin at row keys.start[b] of k: for a
     * cache with unused rows. NULL: all rows of `keys` are used. */
    const size_t *k_count;
    size_t heads, kv_heads;
    size_t width, value_width;  /* columns of a head in q and k, and in v      */
    size_t q_col, k_col, v_col; /* first column of q, k and v in their tensors */
    enum ken_score score;
    enum ken_weigh weigh;
    size_t left, right; /* keys seen before and after a query, or KEN_UNLIMITED; causal: right 0 */
    const struct ken_pattern *pattern; /* mask that replaces left and right; or NULL */
    const struct ken_edges *edges;
    float scale, leak;
    const float *slope;                /* ALiBi slope of each head; or NULL              */
    size_t span;                       /* largest offset of `bias` and of Shaw's vectors */
    const ken_tensor *shaw_k, *shaw_v; /* 2 span + 1 rows as wide as a key or value      */
    /* Edge features (edges, edge_width), in the order of edges->key; or NULL. Their products with
     * edge_query (N, heads * edge_width) are added to the scores. *edge_out, a second result,
     * receives each head's weighted sums of the features. */
    const float *edge_numbers;
    size_t edge_width;
    ken_tensor *edge_query, **edge_out;
    float dropout;
};

/* Attention of N queries q, keys k and values v, which may be columns of one tensor. vector (heads,
 * width) is for additive and gatv2 scores; bias is (heads, 2 span + 1) or NULL. */
ken_tensor *ken_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *v,
                       const ken_tensor *vector, const ken_tensor *bias,
                       const struct ken_attend_options *options);

/* Writes the weights of head h in sequence b, one row per query; `out` is from ken_attend(). */
ken_status ken_attend_look(float *weights, const struct ken_tape *tape, const ken_tensor *out,
                           size_t b, size_t h);

/* ---- op_heads.c ------------------------------------------------------------------------------ */

/* Returns the dot product of each row's head h with row h of a: x (N, H * E), a (H, E). */
ken_tensor *ken_head_dot(struct ken_tape *tape, ken_tensor *x, const ken_tensor *a);

/* Returns the mean of the H heads of each row: x is (N, H * E), the result (N, E). */
ken_tensor *ken_head_mean(struct ken_tape *tape, ken_tensor *x, size_t heads);

/* ---- op_bag.c -------------------------------------------------------------------------------- */

/* Embedding bag: returns, for each bag of ids, the mean of the rows of table (V, D) with these ids.
 * Each sequence of `bags` is a bag; an empty bag gives 0. While training, an id is dropped with
 * probability `dropout`, and the sum of the rest is divided by 1 - dropout to keep the mean. */
ken_tensor *ken_bag(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                    ken_ragged bags, float dropout);

#endif
