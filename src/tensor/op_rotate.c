/* op_rotate.c - rotary positions. Forward and backward each compute the table of cosines and sines:
 * the table is small compared with x, and keeping it would cost memory in every layer. */
#include "tensor/op_sequence.h"

struct rotate {
    struct ken_rotary how;
    ken_ragged ragged;
    const int32_t *places; /* place of each row, from the caller or made by forward */
};

ken_tensor *ken_rotate_as(ken_tape *tape, ken_tensor *x, ken_ragged ragged,
                          const struct ken_rotary *how, const int32_t *places)
{
    size_t axes = how->axes ? how->axes : 1;
    if (tape->status || !ken_op_covers(tape, "rotate", x, ragged)) return NULL;
    if (how->E % 2 != 0)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "rotate: head width %zu is odd", how->E);
    if (axes > 1 && (how->E % (2 * axes) || !places))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "rotate: %zu coordinates need places and heads whose width is a "
                             "multiple of %zu, not %zu",
                             axes, 2 * axes, how->E);
    if (how->first_col > x->cols ||
        (how->E > 0 && how->heads > (x->cols - how->first_col) / how->E))
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "rotate: %zu heads of %zu from column %zu, input %zu x %zu",
                             how->heads, how->E, how->first_col, x->rows, x->cols);
    struct rotate options = { *how, ragged, places };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_ROTATE, &options, x);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

/* Rotates x. If the caller gave no places, forward computes them and leaves them on the tape for
 * backward. The table of cosines and sines is freed at the end. */
ken_status ken_rotate_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct rotate *options = node->options;
    const ken_tensor *x = node->in[0];
    float *space;
    if (!options->places) {
        int32_t *counted;
        KEN_TRY(ken_op_places(tape, &counted, options->ragged, options->how.offset));
        options->places = counted;
    }
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &space, ken_rotate_space(options->places, x->rows, &options->how)));
    ken_rotate_forward(node->out[0]->data, x->data, options->places, x->rows, x->cols,
                       &options->how, space);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_rotate_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct rotate *options = node->options;
    const ken_tensor *x = node->in[0];
    float *dx, *space;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &space, ken_rotate_space(options->places, x->rows, &options->how)));
    ken_rotate_backward(dx, node->out[0]->grad, options->places, x->rows, x->cols, &options->how,
                        space);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}
