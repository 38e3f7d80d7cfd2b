/* ops.h - the operations, as calls. Each one checks its shapes, computes its result at once and is
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

/* a + b; a and b have the same shape. */
ken_tensor *ken_add(struct ken_tape *tape, ken_tensor *a, ken_tensor *b);

/* x + row, added to each row of x: x (N, n), row (1, n) -> (N, n) */
ken_tensor *ken_add_row(struct ken_tape *tape, ken_tensor *x, const ken_tensor *row);

/* x multiplied by the number `factor` */
ken_tensor *ken_scale(struct ken_tape *tape, ken_tensor *x, float factor);

/* The sum of x[i][j] * weights[i][j] -> (1, 1); weights is a constant of the shape of x. */
ken_tensor *ken_dot(struct ken_tape *tape, ken_tensor *x, const float *weights);

/* ---- op_linear.c ----------------------------------------------------------------------------- */

/* Linear layer: act(x W^T + b) of x (N, in), W (out, in), b (1, out) or NULL -> (N, out) */
ken_tensor *ken_linear(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                       const ken_tensor *bias, enum ken_activation activation);

/* ---- op_activation.c, op_norm.c, op_dropout.c ------------------------------------------------ */

/* Applies the activation `kind` to each number of x. */
ken_tensor *ken_activate(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* Gated unit: rows [a b] of x (N, 2n) -> rows a . act(b), (N, n) */
ken_tensor *ken_glu(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* Normalises each row of x (N, D) to mean 0 and variance 1 (RMS norm: to mean square 1), then
 * multiplies by gain and adds bias, each (1, D) or NULL -> (N, D) */
ken_tensor *ken_norm(struct ken_tape *tape, ken_tensor *x, const ken_tensor *gain,
                     const ken_tensor *bias, enum ken_norm_kind kind, float eps);

/* *sum = x + dropout(branch); returns the norm of *sum. x, branch, *sum and result are (N, D). */
ken_tensor *ken_residual_norm(struct ken_tape *tape, ken_tensor **sum, ken_tensor *x,
                              ken_tensor *branch, const ken_tensor *gain, const ken_tensor *bias,
                              enum ken_norm_kind kind, float eps, float dropout);

/* While training, sets each number to 0 with probability p and multiplies the others by
 * 1 / (1 - p). Otherwise returns x itself. */
ken_tensor *ken_dropout(struct ken_tape *tape, ken_tensor *x, float p);

/* ---- op_attend.c ----------------------------------------------------------------------------- */

/* Options of ken_attend(): where q, k and v lie, and which attention of kernel/attend.h to compute.
 * If 0: kv_heads = heads, value_width = width, scale = 1 / sqrt(width), keys = queries. */
struct ken_attend_options {
    ken_ragged queries, keys;
    const size_t *k_count; /* (sequences) or NULL: sequence b has the k_count[b] keys from row
                            * keys.start[b] of k on, anywhere: a cache with unused rows */
    size_t heads, kv_heads;
    size_t width, value_width;  /* columns of a head: of q and k, of v         */
    size_t q_col, k_col, v_col; /* first column of q, k and v in their tensors */
    enum ken_score score;
    enum ken_weigh weigh;
    size_t left, right; /* window in rows; KEN_UNLIMITED = no limit; right 0 = causal */
    const struct ken_pattern *pattern; /* mask used instead of left and right, or NULL */
    const struct ken_edges *edges;
    float scale, leak;
    const float *slope; /* (heads), slopes of ALiBi, or NULL                         */
    size_t span;        /* largest offset of the relative bias and of Shaw's vectors */
    const ken_tensor *shaw_k, *shaw_v; /* (2 span + 1, width), (2 span + 1, value_width) or NULL */
    /* The caller's numbers on edges (edges, edge_width), in the order of edges->key; NULL = none.
     * With edge_query (N, heads * edge_width), its products with the numbers are added to the
     * scores, and *edge_out, a second result (N, heads * edge_width), receives each head's weighted
     * sum of the numbers. */
    const float *edge_numbers;
    size_t edge_width;
    ken_tensor *edge_query, **edge_out;
    float dropout;
};

/* Attention: q (N, ...), k and v (M, ...), which may be one tensor; vector (heads, width) for the
 * scores additive and gatv2; bias (heads, 2 span + 1) or NULL -> (N, heads * value_width) */
ken_tensor *ken_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *v,
                       const ken_tensor *vector, const ken_tensor *bias,
                       const struct ken_attend_options *options);

/* Computes the weights (queries, keys) of head h in sequence b; ken_attend() returned `out`. */
ken_status ken_attend_look(float *weights, const struct ken_tape *tape, const ken_tensor *out,
                           size_t b, size_t h);

/* ---- op_heads.c ------------------------------------------------------------------------------ */

/* x (N, H * E), a (H, E) -> (N, H): the dot product of each row's head h with row h of a */
ken_tensor *ken_head_dot(struct ken_tape *tape, ken_tensor *x, const ken_tensor *a);

/* x (N, H * E) -> (N, E): the mean of the H heads of each row */
ken_tensor *ken_head_mean(struct ken_tape *tape, ken_tensor *x, size_t heads);

/* ---- op_bag.c -------------------------------------------------------------------------------- */

/* Embedding bag: the mean of the rows of table (V, D) that the ids of a bag name -> (bags, D). Each
 * sequence of `bags` is a bag; an empty bag gives 0. While training, an id is dropped with
 * probability `dropout`, and the sum of the rest is divided by 1 - dropout to keep its mean. */
ken_tensor *ken_bag(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                    ken_ragged bags, float dropout);

#endif
