/* ops.h - the operations, as calls. Each checks its shapes, computes at once and is recorded;
 * after a failure on the tape each returns NULL and accepts NULL. */
#ifndef TENSOR_OPS_H
#define TENSOR_OPS_H

#include "kernel/activation.h"
#include "tensor/tensor.h"

enum ken_op {
    KEN_OP_ADD,
    KEN_OP_SCALE,
    KEN_OP_DOT,
    KEN_OP_LINEAR,
    KEN_OP_COUNT
};

struct ken_tape;

/* ---- op_basic.c ------------------------------------------------------------------------------ */

/* a + b, same shape. */
ken_tensor *ken_add(struct ken_tape *tape, ken_tensor *a, ken_tensor *b);

/* factor * x */
ken_tensor *ken_scale(struct ken_tape *tape, ken_tensor *x, float factor);

/* Sum of x[i][j] * weights[i][j] -> (1, 1); weights is a constant of the shape of x. */
ken_tensor *ken_dot(struct ken_tape *tape, ken_tensor *x, const float *weights);

/* ---- op_linear.c ----------------------------------------------------------------------------- */

/* act(x W^T + b): x (N, in), W (out, in), b (1, out) or NULL -> (N, out) */
ken_tensor *ken_linear(struct ken_tape *tape, ken_tensor *x, ken_tensor *weight, ken_tensor *bias,
                       enum ken_activation activation);

#endif
