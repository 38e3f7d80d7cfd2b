/* op_class_loss.c - softmax cross-entropy of given logits x, without a projection. Forward computes
 * the gradient and keeps it for backward:
 *   dx = factor (softmax(x) - target) / number of rows that are not ignored */
#include "kernel/array.h"
#include "tensor/op_sequence.h"

#include <string.h>

struct class_loss {
    const int32_t *targets;
    float smoothing, factor;
    struct ken_tally *tally;
    size_t counted;
};

ken_tensor *ken_class_loss(ken_tape *tape, ken_tensor *x, const int32_t *targets, float smoothing,
                           float factor, struct ken_tally *tally)
{
    if (tape->status) return NULL;
    struct class_loss options = { targets, smoothing, factor, tally, 0 };
    if (!(smoothing >= 0 && smoothing < 1))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "class_loss: smoothing %g is not in [0, 1)",
                             (double)smoothing);
    for (size_t i = 0; i < x->rows; i++) {
        if (targets[i] != KEN_IGNORED && (targets[i] < 0 || (size_t)targets[i] >= x->cols))
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                                 "class_loss: target %d at position %zu, %zu classes",
                                 (int)targets[i], i, x->cols);
        options.counted += targets[i] != KEN_IGNORED;
    }
    struct ken_node *node = KEN_NODE(tape, KEN_OP_CLASS_LOSS, &options, x);
    ken_tape_output(tape, node, 1, 1);
    return ken_tape_run(tape, node);
}

ken_status ken_class_loss_forward(ken_tape *tape, struct ken_node *node)
{
    const struct class_loss *options = node->options;
    const ken_tensor *x = node->in[0];
    struct ken_tally tally = { 0 };
    node->out[0]->data[0] = 0;
    if (options->counted == 0) return KEN_OK;
    bool keeps = ken_tape_keeps(tape, node);
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &node->saved, ken_tensor_size(x)));
    memcpy(node->saved, x->data, ken_tensor_size(x) * sizeof(float));
    ken_cross_entropy(&tally, node->saved, options->targets, x->rows, x->cols, options->smoothing,
                      keeps, options->factor / (float)options->counted);
    if (!keeps) ken_arena_rewind(&tape->arena, mark);
    node->out[0]->data[0] = (float)(options->factor * (tally.loss / (double)options->counted));
    if (options->tally) ken_tally_add(options->tally, &tally);
    return KEN_OK;
}

ken_status ken_class_loss_backward(ken_tape *tape, struct ken_node *node)
{
    const struct class_loss *options = node->options;
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    if (options->counted > 0)
        ken_array_add(dx, node->saved, node->out[0]->grad[0], ken_tensor_size(node->in[0]));
    return KEN_OK;
}
