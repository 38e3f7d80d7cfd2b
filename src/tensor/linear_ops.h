/* linear_ops.h - operations of attention that forms no n x n pairs of rows (linear attention,
 * Nystrom attention); a part of ops.h. The caller keeps the arrays that plain pointers point to
 * until backward is done. */
#ifndef TENSOR_LINEAR_OPS_H
#define TENSOR_LINEAR_OPS_H

#include "base/status.h"
#include "tensor/tensor.h"

#include <stdbool.h>

struct ken_tape;

/* ---- op_features.c --------------------------------------------------------------------------- */

struct ken_feature_options {
    size_t col, heads, width; /* heads of the input x: side by side from column `col` on */
    /* Random directions (features, width) from ken_features_draw(); NULL = use the features
     * elu + 1. */
    const float *random;
    size_t features; /* number of features per head; 0 = the width of a head */
};

/* Computes features of queries or keys: x (N, ...) -> (N, heads * features), see kernel/features.h.
 * *scale receives the scale of each row and head (N, heads), or NULL for elu + 1; `scale` itself
 * may be NULL. */
ken_tensor *ken_features(struct ken_tape *tape, ken_tensor **scale, ken_tensor *x,
                         const struct ken_feature_options *options);

/* ---- op_linear_attend.c ---------------------------------------------------------------------- */

struct ken_linear_attend_options {
    ken_ragged queries, keys; /* sequences of queries and of keys; must be equal if causal */
    size_t heads, kv_heads;
    size_t features, value_width; /* columns of a head: of its features, of its values */
    size_t v_col;                 /* first column of v in the tensor that holds it     */
    bool causal;
};

/* Computes linear attention, see kernel/linear.h: from features q (N, heads * features) and k (M,
 * kv_heads * features), the scale (M, kv_heads) of k or NULL, and values v (M, ...) -> (N, heads *
 * value_width). */
ken_tensor *ken_linear_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k,
                              ken_tensor *scale, ken_tensor *v,
                              const struct ken_linear_attend_options *options);

/* Computes the attention weights (queries, keys) of head h in sequence b. `out` is the result of a
 * ken_linear_attend() that is recorded on the tape. */
ken_status ken_linear_attend_look(float *weights, const struct ken_tape *tape,
                                  const ken_tensor *out, size_t b, size_t h);

/* ---- op_landmarks.c -------------------------------------------------------------------------- */

struct ken_landmark_options {
    ken_ragged landmarks; /* landmark rows, at most KEN_LANDMARKS_MOST per sequence */
    /* Number and width of the heads of q and k. y has the same number of heads, of any width. */
    size_t heads, width;
    size_t q_col, k_col;
    float scale; /* factor of the scores q k^T; 0 = 1 / sqrt(width) */
};

/* Computes the middle part of Nystrom attention, pinv(softmax(scale q k^T)) y, within each sequence
 * and head, see kernel/landmarks.h: L landmark rows in all, q and k (L, ...), y (L, heads * value
 * width) -> the shape of y. */
ken_tensor *ken_landmarks(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *y,
                          const struct ken_landmark_options *options);

/* Computes the pseudo-inverse (m, m) of head h in sequence b, which has m landmarks. `out` is the
 * result of a ken_landmarks() that is recorded on the tape. */
ken_status ken_landmarks_look(float *matrix, const struct ken_tape *tape, const ken_tensor *out,
                              size_t b, size_t h);

#endif
