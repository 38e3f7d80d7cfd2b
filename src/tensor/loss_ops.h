/* loss_ops.h - loss functions as operations; a part of ops.h. The targets must stay valid until
 * backward is done. */
#ifndef TENSOR_LOSS_OPS_H
#define TENSOR_LOSS_OPS_H

#include "kernel/loss.h"
#include "tensor/tensor.h"

struct ken_tape;

/* ---- op_loss.c, op_class_loss.c: every loss is (1, 1), and each call adds to *tally
 * ------------ */

/* Computes factor * the mean softmax cross-entropy of the logits x W^T + b against `targets`, over
 * the rows that are not ignored: x (N, D), weight W (V, D), bias b (1, V) or NULL; each of the N
 * targets is below V, or KEN_IGNORED.
 *
 * The N x V logits are never stored as a whole and never computed twice: while recording, forward
 * computes the gradients too, chunk by chunk. This gives two rules that other operations do not
 * have:
 *   - the gradients of weight and bias are added during forward, so clear them before forward;
 *   - the loss may be added to other losses, but not scaled: its own gradient must be exactly 1,
 *   or backward fails with KEN_ERR_STATE. To weigh the loss, pass `factor`. */
ken_tensor *ken_project_loss(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                             const ken_tensor *bias, const int32_t *targets, float smoothing,
                             float factor, struct ken_tally *tally);

/* Computes factor * the mean softmax cross-entropy of given logits x (N, V) against N targets, over
 * the rows that are not ignored. Unlike ken_project_loss(), its result may be scaled. */
ken_tensor *ken_class_loss(struct ken_tape *tape, ken_tensor *x, const int32_t *targets,
                           float smoothing, float factor, struct ken_tally *tally);

/* ken_mse() computes factor * the mean of (x - target)^2, and ken_bce() factor * the mean of the
 * binary cross-entropy of logits x, over all targets that are not NaN. targets has the shape of
 * x. */
ken_tensor *ken_mse(struct ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally);
ken_tensor *ken_bce(struct ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally);

#endif
