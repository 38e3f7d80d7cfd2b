/* op_pool.c - pooling: one row for each sequence. Only attentive pooling saves something for
 * backward, namely its weights. */
#include "tensor/op_sequence.h"

enum { X, SCORE };

struct pool {
    ken_ragged ragged;
    enum ken_pooling kind;
};

ken_tensor *ken_pool(ken_tape *tape, ken_tensor *x, ken_ragged ragged, enum ken_pooling kind,
                     ken_tensor *score)
{
    if (tape->status || !ken_op_covers(tape, "pool", x, ragged)) return NULL;
    if ((kind == KEN_POOL_ATTENTIVE) != (score != NULL))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "pool: scores are for attentive pooling only, "
                             "which needs them");
    if (score && ken_tensor_size(score) != x->rows)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "pool: input %zu x %zu, scores %zu x %zu",
                             x->rows, x->cols, score->rows, score->cols);
    struct pool options = { ragged, kind };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_POOL, &options, x, score);
    ken_tape_output(tape, node, ragged.count, x->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_pool_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct pool *options = node->options;
    const ken_tensor *x = node->in[X], *score = node->in[SCORE];
    /* takes memory for the weights of attentive pooling, which backward needs */
    if (score) KEN_TRY(ken_tape_take(tape, &node->saved, x->rows));
    ken_pool_forward(node->out[0]->data, node->saved, x->data, score ? score->data : NULL,
                     options->ragged.start, options->ragged.count, x->cols, options->kind);
    return KEN_OK;
}

ken_status ken_pool_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct pool *options = node->options;
    const ken_tensor *x = node->in[X], *y = node->out[0];
    float *dx, *dscore;
    KEN_TRY(ken_tape_grad(tape, node->in[X], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[SCORE], &dscore));
    ken_pool_backward(dx, dscore, y->grad, y->data, node->saved, x->data, options->ragged.start,
                      options->ragged.count, x->cols, options->kind);
    return KEN_OK;
}
