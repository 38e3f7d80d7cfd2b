/* op_heads.c - operations on the heads of a row: ken_head_dot() computes one of the two terms of a
 * GAT score, and ken_head_mean() averages the heads of a last layer. */
#include "kernel/heads.h"
#include "tensor/op_table.h"

enum { X, A };

ken_tensor *ken_head_dot(ken_tape *tape, ken_tensor *x, const ken_tensor *a)
{
    if (tape->status) return NULL;
    if (a->rows == 0 || ken_tensor_size(a) != x->cols || x->cols % a->rows)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "head_dot: input of width %zu, vectors %zu x %zu",
                             x->cols, a->rows, a->cols);
    struct ken_node *node = ken_tape_node(tape, KEN_OP_HEAD_DOT, NULL, 0, 2,
                                          (const ken_tensor *[]){ x, a });
    ken_tape_output(tape, node, x->rows, a->rows);
    return ken_tape_run(tape, node);
}

ken_status ken_head_dot_op_forward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *x = node->in[X], *a = node->in[A];
    (void)tape;
    ken_head_dot_forward(node->out[0]->data, x->data, a->data, x->rows, a->rows, a->cols);
    return KEN_OK;
}

ken_status ken_head_dot_op_backward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *x = node->in[X], *a = node->in[A];
    float *dx, *da;
    KEN_TRY(ken_tape_grad(tape, node->in[X], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[A], &da));
    ken_head_dot_backward(dx, da, node->out[0]->grad, x->data, a->data, x->rows, a->rows, a->cols);
    return KEN_OK;
}

ken_tensor *ken_head_mean(ken_tape *tape, ken_tensor *x, size_t heads)
{
    if (tape->status) return NULL;
    if (heads == 0 || x->cols % heads)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "head_mean: input %zu x %zu, %zu heads", x->rows,
                             x->cols, heads);
    struct ken_node *node = KEN_NODE(tape, KEN_OP_HEAD_MEAN, &heads, x);
    ken_tape_output(tape, node, x->rows, x->cols / heads);
    return ken_tape_run(tape, node);
}

ken_status ken_head_mean_op_forward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    (void)tape;
    ken_head_mean_forward(y->data, node->in[X]->data, y->rows, *(const size_t *)node->options,
                          y->cols);
    return KEN_OK;
}

ken_status ken_head_mean_op_backward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[X], &dx));
    ken_head_mean_backward(dx, y->grad, y->rows, *(const size_t *)node->options, y->cols);
    return KEN_OK;
}
