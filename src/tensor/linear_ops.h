/* linear_ops.h - operations of linear attention and Nystrom attention, which never form the n x n
 * matrix of weights; a part of ops.h. Arrays that are passed as plain pointers must stay valid
 * until backward is done. */
#ifndef TENSOR_LINEAR_OPS_H
#define TENSOR_LINEAR_OPS_H

#include "base/status.h"
#include "tensor/tensor.h"

#include <stdbool.h>

struct ken_tape;

/* ---- op_features.c --------------------------------------------------------------------------- */

struct ken_feature_options {
    size_t col, heads, width; /* first column, number and width of the heads in x */
    /* Random vectors (features, width) from ken_features_draw(); NULL selects the features
     * elu + 1. */
    const float *random;
    size_t features; /* number of features per head; 0 = the width of a head */
};

/* Computes the features of queries or keys (kernel/features.h) from the heads in x: N rows of
 * heads * features numbers. *scale receives the scale of each row and head (N, heads), or NULL for
 * elu + 1; `scale` itself may be NULL. */
ken_tensor *ken_features(struct ken_tape *tape, ken_tensor **scale, ken_tensor *x,
                         const struct ken_feature_options *options);

/* ---- op_linear_attend.c ---------------------------------------------------------------------- */

struct ken_linear_attend_options {
    ken_ragged queries, keys; /* sequences of queries and of keys; must be equal if causal */
    size_t heads, kv_heads;
    size_t features, value_width; /* width of a head's features and of its values */
    size_t v_col;                 /* first column of v within its tensor          */
    bool causal;
};

/* Computes linear attention (kernel/linear.h) with N queries and M keys. q (N, heads * features)
 * and k (M, kv_heads * features) are features; scale (M, kv_heads) is the scale of k, or NULL; v
 * has M rows of values. The result is (N, heads * value_width). */
ken_tensor *ken_linear_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k,
                              ken_tensor *scale, ken_tensor *v,
                              const struct ken_linear_attend_options *options);

/* Writes the attention weights of head h in sequence b, one row per query and one column per key.
 * `out` is the result of a ken_linear_attend() that is recorded on the tape. */
ken_status ken_linear_attend_look(float *weights, const struct ken_tape *tape,
                                  const ken_tensor *out, size_t b, size_t h);

/* ---- op_landmarks.c -------------------------------------------------------------------------- */

struct ken_landmark_options {
    ken_ragged landmarks; /* landmark rows, at most KEN_LANDMARKS_MOST per sequence */
    /* Number and width of the heads of q and k. y has the same number of heads, but of any
     * width. */
    size_t heads, width;
    size_t q_col, k_col;
    float scale; /* factor of the scores q k^T; 0 = 1 / sqrt(width) */
};

/* Computes the middle part of Nystrom attention (kernel/landmarks.h), pinv(softmax(scale q k^T)) y,
 * within each sequence and head. q, k and y have one row per landmark; the result has the shape of
 * y. */
ken_tensor *ken_landmarks(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *y,
                          const struct ken_landmark_options *options);

/* Writes the pseudo-inverse of head h in sequence b, an (m, m) matrix for m landmarks. `out` is the
 * result of a ken_landmarks() that is recorded on the tape. */
ken_status ken_landmarks_look(float *matrix, const struct ken_tape *tape, const ken_tensor *out,
                              size_t b, size_t h);

#endif
