/* op_basic.c - sums and multiples of tensors. An operation with a single input need not check in
 * backward whether dx is NULL, because backward skips nodes that need no gradient. */
#include "kernel/array.h"
#include "tensor/op_table.h"

static bool same_shape(const ken_tensor *a, const ken_tensor *b)
{
    return a->rows == b->rows && a->cols == b->cols;
}

ken_tensor *ken_add(ken_tape *tape, ken_tensor *a, ken_tensor *b)
{
    if (tape->status) return NULL;
    if (!same_shape(a, b))
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "add: %zu x %zu and %zu x %zu", a->rows, a->cols,
                             b->rows, b->cols);
    struct ken_node *node = ken_tape_node(tape, KEN_OP_ADD, NULL, 0, 2,
                                          (const ken_tensor *[]){ a, b });
    ken_tape_output(tape, node, a->rows, a->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_add_forward(ken_tape *tape, struct ken_node *node)
{
    (void)tape;
    ken_array_sum(node->out[0]->data, node->in[0]->data, node->in[1]->data,
                  ken_tensor_size(node->out[0]));
    return KEN_OK;
}

/* Adds the gradients of y = a + b: da += dy, db += dy. If a and b are the same tensor, da and db
 * are the same array. */
ken_status ken_add_backward(ken_tape *tape, struct ken_node *node)
{
    for (size_t i = 0; i < 2; i++) {
        float *dx;
        KEN_TRY(ken_tape_grad(tape, node->in[i], &dx));
        if (dx) ken_array_add(dx, node->out[0]->grad, 1, ken_tensor_size(node->out[0]));
    }
    return KEN_OK;
}

ken_tensor *ken_add_row(ken_tape *tape, ken_tensor *x, const ken_tensor *row)
{
    if (tape->status) return NULL;
    if (ken_tensor_size(row) != x->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "add_row: input %zu x %zu, row %zu x %zu",
                             x->rows, x->cols, row->rows, row->cols);
    struct ken_node *node = ken_tape_node(tape, KEN_OP_ADD_ROW, NULL, 0, 2,
                                          (const ken_tensor *[]){ x, row });
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_add_row_forward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *x = node->in[0], *row = node->in[1];
    (void)tape;
    ken_array_sum_row(node->out[0]->data, x->data, row->data, x->rows, x->cols);
    return KEN_OK;
}

/* Adds the gradients of y = x + row: dx += dy, drow += column sums of dy */
ken_status ken_add_row_backward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    float *dx, *drow;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[1], &drow));
    if (dx) ken_array_add(dx, y->grad, 1, ken_tensor_size(y));
    if (drow) ken_array_column_sums(drow, y->grad, y->rows, y->cols);
    return KEN_OK;
}

struct scale {
    float factor;
};

ken_tensor *ken_scale(ken_tape *tape, ken_tensor *x, float factor)
{
    if (tape->status) return NULL;
    struct scale options = { factor };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_SCALE, &options, x);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_scale_forward(ken_tape *tape, struct ken_node *node)
{
    const struct scale *options = node->options;
    (void)tape;
    ken_array_scale(node->out[0]->data, node->in[0]->data, options->factor,
                    ken_tensor_size(node->out[0]));
    return KEN_OK;
}

/* Adds the gradient of y = factor x: dx += factor dy */
ken_status ken_scale_backward(ken_tape *tape, struct ken_node *node)
{
    const struct scale *options = node->options;
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    ken_array_add(dx, node->out[0]->grad, options->factor, ken_tensor_size(node->out[0]));
    return KEN_OK;
}

struct dot {
    /* The constant factors of ken_dot(). The caller owns the array and keeps it until backward is
     * done. */
    const float *weights;
};

ken_tensor *ken_dot(ken_tape *tape, ken_tensor *x, const float *weights)
{
    if (tape->status) return NULL;
    struct dot options = { weights };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_DOT, &options, x);
    ken_tape_output(tape, node, 1, 1);
    return ken_tape_run(tape, node);
}

ken_status ken_dot_forward(ken_tape *tape, struct ken_node *node)
{
    const struct dot *options = node->options;
    (void)tape;
    node->out[0]->data[0] = (float)ken_array_dot(node->in[0]->data, options->weights,
                                                 ken_tensor_size(node->in[0]));
    return KEN_OK;
}

/* Adds the gradient of ken_dot(), whose result y is one number, the sum of x[i][j] * weights[i][j]:
 * dx += dy weights. */
ken_status ken_dot_backward(ken_tape *tape, struct ken_node *node)
{
    const struct dot *options = node->options;
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    ken_array_add(dx, options->weights, node->out[0]->grad[0], ken_tensor_size(node->in[0]));
    return KEN_OK;
}
