/* op_linear.c - the linear layer y = act(z), z = x W^T + b, which takes nearly all of the time. Its
 * gradients, where . multiplies number by number:
 *   dz = dy . act'(z),  dx += dz W,  dW += dz^T x,  db += column sums of dz */
#include "kernel/array.h"
#include "kernel/matmul.h"
#include "tensor/op_table.h"

struct linear {
    enum ken_activation activation;
};

enum { X, WEIGHT, BIAS };

ken_tensor *ken_linear(ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                       const ken_tensor *bias, enum ken_activation activation)
{
    if (tape->status) return NULL;
    if (x->cols != weight->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "linear: input of width %zu, weight %zu x %zu",
                             x->cols, weight->rows, weight->cols);
    if (bias && ken_tensor_size(bias) != weight->rows)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "linear: bias of %zu, weight %zu x %zu",
                             ken_tensor_size(bias), weight->rows, weight->cols);
    struct linear options = { activation };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_LINEAR, &options, x, weight, bias);
    ken_tape_output(tape, node, x->rows, weight->rows);
    return ken_tape_run(tape, node);
}

ken_status ken_linear_forward(ken_tape *tape, struct ken_node *node)
{
    const struct linear *options = node->options;
    const ken_tensor *x = node->in[X], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    ken_tensor *y = node->out[0];
    /* Backward computes the slope of ReLU from its output; other activations need the saved z = x
     * W^T + b. */
    bool save = ken_tape_keeps(tape, node) && options->activation != KEN_ACT_NONE &&
                options->activation != KEN_ACT_RELU;
    if (save) KEN_TRY(ken_tape_take(tape, &node->saved, ken_tensor_size(y)));
    ken_matmul(&(struct ken_matmul){ .c = y->data,
                                     .a = x->data,
                                     .b = weight->data,
                                     .packed = weight->packed ? *weight->packed : NULL,
                                     .layout = KEN_NT,
                                     .m = x->rows,
                                     .n = weight->rows,
                                     .k = x->cols,
                                     .bias = bias ? bias->data : NULL,
                                     .activation = options->activation,
                                     .pre = node->saved });
    return KEN_OK;
}

/* Adds the gradients of x, W and b. A packed copy of W is not used, because it is packed for the
 * product x W^T of forward. */
ken_status ken_linear_backward(ken_tape *tape, struct ken_node *node)
{
    const struct linear *options = node->options;
    ken_tensor *x = node->in[X], *weight = node->in[WEIGHT], *y = node->out[0];
    float *dx, *dw, *db;
    bool add;
    KEN_TRY(ken_tape_grad(tape, weight, &dw));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &db));
    KEN_TRY(ken_tape_grad_or_new(tape, x, &dx, &add));
    float *dz = y->grad; /* dz overwrites dy, which is not needed again */
    if (options->activation != KEN_ACT_NONE)
        ken_activation_backward(dz, node->saved ? node->saved : y->data, ken_tensor_size(y),
                                options->activation);
    if (db) ken_array_column_sums(db, dz, y->rows, y->cols);
    if (dw)
        ken_matmul(&(struct ken_matmul){ .c = dw,
                                         .a = dz,
                                         .b = x->data,
                                         .layout = KEN_TN,
                                         .add = true,
                                         .m = y->cols,
                                         .n = x->cols,
                                         .k = x->rows });
    if (dx)
        ken_matmul(&(struct ken_matmul){ .c = dx,
                                         .a = dz,
                                         .b = weight->data,
                                         .layout = KEN_NN,
                                         .add = add,
                                         .m = x->rows,
                                         .n = x->cols,
                                         .k = y->cols });
    return KEN_OK;
}
