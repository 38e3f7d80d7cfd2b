/* op_offset.c - computes attention biases by offset (relative position) from a few parameters. */
#include "kernel/offset.h"

#include "tensor/op_table.h"

/* ---- pick: columns by number ----------------------------------------------------------------- */

struct pick {
    const int32_t *which;
};

ken_tensor *ken_pick(ken_tape *tape, const ken_tensor *x, const int32_t *which, size_t count)
{
    if (tape->status) return NULL;
    for (size_t j = 0; j < count; j++)
        if (which[j] < 0 || (size_t)which[j] >= x->cols)
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "pick: column %d of an input %zu x %zu",
                                 (int)which[j], x->rows, x->cols);
    struct pick options = { which };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_PICK, &options, x);
    ken_tape_output(tape, node, x->rows, count);
    return ken_tape_run(tape, node);
}

ken_status ken_pick_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct pick *options = node->options;
    const ken_tensor *x = node->in[0];
    ken_tensor *y = node->out[0];
    (void)tape;
    ken_pick_forward(y->data, x->data, options->which, x->rows, x->cols, y->cols);
    return KEN_OK;
}

ken_status ken_pick_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct pick *options = node->options;
    const ken_tensor *x = node->in[0], *y = node->out[0];
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    ken_pick_backward(dx, y->grad, options->which, x->rows, x->cols, y->cols);
    return KEN_OK;
}

/* ---- quadratic: a parabola over offsets for each head ---------------------------------------- */

enum { SHARP, CENTRE };

ken_tensor *ken_quadratic(ken_tape *tape, const ken_tensor *sharp, const ken_tensor *centre,
                          size_t span)
{
    if (tape->status) return NULL;
    if (ken_tensor_size(sharp) != ken_tensor_size(centre))
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "quadratic: sharp %zu x %zu, centre %zu x %zu",
                             sharp->rows, sharp->cols, centre->rows, centre->cols);
    struct ken_node *node = KEN_NODE(tape, KEN_OP_QUADRATIC, &span, sharp, centre);
    ken_tape_output(tape, node, ken_tensor_size(sharp), 2 * span + 1);
    return ken_tape_run(tape, node);
}

ken_status ken_quadratic_op_forward(ken_tape *tape, struct ken_node *node)
{
    ken_tensor *y = node->out[0];
    (void)tape;
    ken_quadratic_forward(y->data, node->in[SHARP]->data, node->in[CENTRE]->data, y->rows,
                          *(const size_t *)node->options);
    return KEN_OK;
}

ken_status ken_quadratic_op_backward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *y = node->out[0];
    float *dsharp, *dcentre;
    KEN_TRY(ken_tape_grad(tape, node->in[SHARP], &dsharp));
    KEN_TRY(ken_tape_grad(tape, node->in[CENTRE], &dcentre));
    ken_quadratic_backward(dsharp, dcentre, y->grad, node->in[SHARP]->data, node->in[CENTRE]->data,
                           y->rows, *(const size_t *)node->options);
    return KEN_OK;
}
