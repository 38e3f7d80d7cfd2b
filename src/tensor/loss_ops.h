/* loss_ops.h - loss functions as operations; a part of ops.h. The caller keeps the targets until
 * backward is done. */
#ifndef TENSOR_LOSS_OPS_H
#define TENSOR_LOSS_OPS_H

#include "kernel/loss.h"
#include "tensor/tensor.h"

struct ken_tape;

/* ---- op_loss.c, op_class_loss.c: all results are (1, 1); each call adds to *tally ------------ */

/* factor * mean over counted rows of the softmax cross-entropy of x W^T + b against targets:
 * x (N, D), weight (V, D), bias (1, V) or NULL; targets (N) below V, or KEN_IGNORED.
 *
 * The N x V logits are never stored and never computed twice: while recording, forward goes on to
 * the gradients chunk by chunk. Hence a contract unlike that of other operations:
 *   - the gradients of weight and bias are added during forward, so clear them before it;
 *   - the loss may be added to other losses, but not scaled: its own gradient must be exactly 1,
 *     or backward fails with KEN_ERR_STATE. `factor` is there to weigh it. */
ken_tensor *ken_project_loss(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                             const ken_tensor *bias, const int32_t *targets, float smoothing,
                             float factor, struct ken_tally *tally);

/* The same for given logits x (N, V), without that contract. */
ken_tensor *ken_class_loss(struct ken_tape *tape, ken_tensor *x, const int32_t *targets,
                           float smoothing, float factor, struct ken_tally *tally);

/* factor * mean of (x - target)^2, and factor * mean of the binary cross-entropy of logits x, over
 * the targets (same shape as x) that are not NaN. */
ken_tensor *ken_mse(struct ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally);
ken_tensor *ken_bce(struct ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally);

#endif
