/* op_dropout.c - dropout. When not training, the operation returns its input itself. */
#include "kernel/dropout.h"
#include "tensor/op_table.h"

struct dropout {
    float p;
};

ken_tensor *ken_dropout(ken_tape *tape, ken_tensor *x, float p)
{
    if (tape->status) return NULL;
    if (!(p >= 0 && p < 1))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "dropout: probability %g is not in [0, 1)",
                             (double)p);
    if (!tape->training || p == 0) return x;
    struct dropout options = { p };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_DROPOUT, &options, x);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

/* Applies the dropout mask. The mask follows from the node's random key, so backward can compute
 * the same mask again. */
static struct ken_dropout mask_of(const struct ken_node *node)
{
    const struct dropout *options = node->options;
    return (struct ken_dropout){ options->p, node->random_key };
}

ken_status ken_dropout_op_forward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    (void)tape;
    ken_dropout_apply(y->data, node->in[0]->data, mask_of(node), y->rows, y->cols, false);
    return KEN_OK;
}

/* Adds the gradient of y = mask . x: dx += mask . dy */
ken_status ken_dropout_op_backward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    float *dx;
    bool add;
    KEN_TRY(ken_tape_grad_or_new(tape, node->in[0], &dx, &add));
    ken_dropout_apply(dx, y->grad, mask_of(node), y->rows, y->cols, add);
    return KEN_OK;
}
