/* op_activation.c - activations that do not follow a linear layer, and gated units (GLU). Forward
 * saves nothing for backward, because the slope is computed from the input x, which is on the
 * tape. */
#include "tensor/op_table.h"

/* Options of ken_activate() and of ken_glu(). */
struct activation {
    enum ken_activation kind;
};

ken_tensor *ken_activate(ken_tape *tape, ken_tensor *x, enum ken_activation kind)
{
    if (tape->status) return NULL;
    struct activation options = { kind };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_ACTIVATE, &options, x);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

/* Applies the activation: y = act(x) */
ken_status ken_activate_forward(ken_tape *tape, struct ken_node *node)
{
    const struct activation *options = node->options;
    (void)tape;
    ken_activation_forward(node->out[0]->data, node->in[0]->data, ken_tensor_size(node->in[0]),
                           options->kind);
    return KEN_OK;
}

/* Adds the gradient of y = act(x): dx += dy . act'(x), where . multiplies number by number. */
ken_status ken_activate_backward(ken_tape *tape, struct ken_node *node)
{
    const struct activation *options = node->options;
    ken_tensor *x = node->in[0];
    float *dx;
    bool add;
    KEN_TRY(ken_tape_grad_or_new(tape, x, &dx, &add));
    ken_activation_backward_to(dx, node->out[0]->grad, x->data, ken_tensor_size(x), options->kind,
                               add);
    return KEN_OK;
}

ken_tensor *ken_glu(ken_tape *tape, ken_tensor *x, enum ken_activation kind)
{
    if (tape->status) return NULL;
    if (x->cols % 2 != 0)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "glu: %zu x %zu: the number of columns must be even", x->rows,
                             x->cols);
    struct activation options = { kind };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_GLU, &options, x);
    ken_tape_output(tape, node, x->rows, x->cols / 2);
    return ken_tape_run(tape, node);
}

/* Computes the gated unit y = a . act(b), where a and b are the two halves of a row of x. */
ken_status ken_glu_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct activation *options = node->options;
    const ken_tensor *y = node->out[0];
    (void)tape;
    ken_glu_forward(y->data, node->in[0]->data, y->rows, y->cols, options->kind);
    return KEN_OK;
}

/* Adds the gradients of a gated unit y = a . act(b): da += dy . act(b), db += dy . a . act'(b). */
ken_status ken_glu_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct activation *options = node->options;
    const ken_tensor *y = node->out[0];
    float *dx;
    bool add;
    KEN_TRY(ken_tape_grad_or_new(tape, node->in[0], &dx, &add));
    ken_glu_backward(dx, y->grad, node->in[0]->data, y->rows, y->cols, options->kind, add);
    return KEN_OK;
}
