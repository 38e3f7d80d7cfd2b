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

/* a + b, of the same shape. */
ken_tensor *ken_add(struct ken_tape *tape, ken_tensor *a, ken_tensor *b);

/* x + row for each of its rows: row (1, n) */
ken_tensor *ken_add_row(struct ken_tape *tape, ken_tensor *x, const ken_tensor *row);

/* factor * x */
ken_tensor *ken_scale(struct ken_tape *tape, ken_tensor *x, float factor);

/* The sum of x[i][j] * weights[i][j] -> (1, 1); weights is a constant of the shape of x. */
ken_tensor *ken_dot(struct ken_tape *tape, ken_tensor *x, const float *weights);

/* ---- op_linear.c ----------------------------------------------------------------------------- */

/* act(x W^T + b): x (N, in), W (out, in), b (1, out) or NULL -> (N, out) */
ken_tensor *ken_linear(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                       const ken_tensor *bias, enum ken_activation activation);

/* ---- op_activation.c, op_norm.c, op_dropout.c ------------------------------------------------ */

/* act(x) */
ken_tensor *ken_activate(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* x (N, 2n) with rows [a b] -> (N, n): a . act(b) */
ken_tensor *ken_glu(struct ken_tape *tape, ken_tensor *x, enum ken_activation kind);

/* Each row of x (N, D) to mean 0 and variance 1 (or, RMS, to mean square 1), times gain, plus bias;
 * gain and bias (1, D) or NULL -> (N, D) */
ken_tensor *ken_norm(struct ken_tape *tape, ken_tensor *x, const ken_tensor *gain,
                     const ken_tensor *bias, enum ken_norm_kind kind, float eps);

/* *sum = x + dropout(branch); returns the norm of *sum. All are (N, D). */
ken_tensor *ken_residual_norm(struct ken_tape *tape, ken_tensor **sum, ken_tensor *x,
                              ken_tensor *branch, const ken_tensor *gain, const ken_tensor *bias,
                              enum ken_norm_kind kind, float eps, float dropout);

/* While training, sets each number to 0 with probability p and multiplies the others by
 * 1 / (1 - p). Otherwise returns x itself. */
ken_tensor *ken_dropout(struct ken_tape *tape, ken_tensor *x, float p);

/* ---- op_attend.c ----------------------------------------------------------------------------- */

/* Where q, k and v lie, and which attention of kernel/attend.h to compute. 0 means a default:
 * kv_heads = heads, value_width = width, scale = 1 / sqrt(width), keys = queries. */
struct ken_attend_options {
    ken_ragged queries, keys;
    const size_t *k_count; /* (sequences) or NULL: sequence b has the k_count[b] keys from row
                            * keys.start[b] of k on, anywhere: a cache with unused rows */
    size_t heads, kv_heads;
    size_t width, value_width;  /* per head                                              */
    size_t q_col, k_col, v_col; /* first column of each within its tensor                */
    enum ken_score score;
    enum ken_weigh weigh;
    size_t left, right;                /* KEN_UNLIMITED = no limit; right 0 = causal   */
    const struct ken_pattern *pattern; /* used instead of left and right; or NULL      */
    const struct ken_edges *edges;
    float scale, leak;
    const float *slope;                /* (heads), ALiBi, or NULL                               */
    size_t span;                       /* of the relative bias, and of Shaw's vectors:          */
    const ken_tensor *shaw_k, *shaw_v; /* (2 span + 1, width), (2 span + 1, value_width) or NULL */
    /* Numbers on edges: (edges, edge_width), the caller's, in the order of edges->key. With an
     * edge_query (N, heads * edge_width) their products with it are added to the scores, and
     * *edge_out receives the second result (N, heads * edge_width): each head's weighted sum of the
     * numbers. NULL: no numbers. */
    const float *edge_numbers;
    size_t edge_width;
    ken_tensor *edge_query, **edge_out;
    float dropout;
};

/* q (N, ...), k and v (M, ...), which may be one tensor; vector (heads, width) for the scores
 * additive and gatv2, bias (heads, 2 span + 1) or NULL -> (N, heads * value_width) */
ken_tensor *ken_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *v,
                       const ken_tensor *vector, const ken_tensor *bias,
                       const struct ken_attend_options *options);

/* The weights (T, S) of head h in sequence b of the recorded attention that gave `out`. */
ken_status ken_attend_look(float *weights, const struct ken_tape *tape, const ken_tensor *out,
                           size_t b, size_t h);

/* ---- op_heads.c ------------------------------------------------------------------------------ */

/* x (N, H * E), a (H, E) -> (N, H): the dot product of each head of a row with that head's a */
ken_tensor *ken_head_dot(struct ken_tape *tape, ken_tensor *x, const ken_tensor *a);

/* x (N, H * E) -> (N, E): the mean of a row's heads */
ken_tensor *ken_head_mean(struct ken_tape *tape, ken_tensor *x, size_t heads);

/* ---- op_bag.c -------------------------------------------------------------------------------- */

/* The mean of the rows of table (V, D) for the ids of each bag -> (bags, D). A bag is a sequence of
 * `bags`; an empty bag gives 0. While training, an id is left out with probability `dropout`, and
 * the sum of the others is divided by 1 - dropout: the expected mean is that of all ids. */
ken_tensor *ken_bag(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                    ken_ragged bags, float dropout);

#endif
