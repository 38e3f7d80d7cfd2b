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
    size_t col, heads, width; /* x has its heads side by side from column `col` on       */
    const float *random;      /* (features, width) by ken_features_draw(); NULL = elu + 1 */
    size_t features;          /* per head; 0 = the width of a head                       */
};

/* x (N, ...) -> (N, heads * features), see kernel/features.h. `scale` may be NULL; *scale receives
 * the scale of each row and head (N, heads), or NULL for elu + 1. */
ken_tensor *ken_features(struct ken_tape *tape, ken_tensor **scale, ken_tensor *x,
                         const struct ken_feature_options *options);

/* ---- op_linear_attend.c ---------------------------------------------------------------------- */

struct ken_linear_attend_options {
    ken_ragged queries, keys; /* equal if causal                                        */
    size_t heads, kv_heads;
    size_t features, value_width; /* per head                                           */
    size_t v_col;                 /* first column of v within its tensor                */
    bool causal;
};

/* Features q (N, heads * features) and k (M, kv_heads * features) with the scale (M, kv_heads) of k
 * or NULL, and values v (M, ...) -> (N, heads * value_width), see kernel/linear.h. */
ken_tensor *ken_linear_attend(struct ken_tape *tape, ken_tensor *q, ken_tensor *k,
                              ken_tensor *scale, ken_tensor *v,
                              const struct ken_linear_attend_options *options);

/* The weights (T, S) of head h in sequence b of the recorded attention that gave `out`. */
ken_status ken_linear_attend_look(float *weights, const struct ken_tape *tape,
                                  const ken_tensor *out, size_t b, size_t h);

/* ---- op_landmarks.c -------------------------------------------------------------------------- */

struct ken_landmark_options {
    ken_ragged landmarks; /* at most KEN_LANDMARKS_MOST per sequence            */
    size_t heads, width;  /* of q and k; y has as many heads, of any width      */
    size_t q_col, k_col;
    float scale; /* factor of the scores; 0 = 1 / sqrt(width)                   */
};

/* pinv(softmax(scale q k^T)) y within each sequence and head, the middle of Nystrom attention, see
 * kernel/landmarks.h: q and k (L, ...), y (L, heads * value width) -> the shape of y. */
ken_tensor *ken_landmarks(struct ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *y,
                          const struct ken_landmark_options *options);

/* The matrix (m, m) of head h in sequence b of the recorded operation that gave `out`. */
ken_status ken_landmarks_look(float *matrix, const struct ken_tape *tape, const ken_tensor *out,
                              size_t b, size_t h);

#endif
