/* op_features.c - the features of queries and keys in linear attention, as an operation. Backward
 * reads the features and the input x, which are on the tape, so forward saves nothing else. */
#include "kernel/features.h"

#include "kernel/linear.h"
#include "tensor/op_table.h"

static struct ken_features make_job(const struct ken_node *node)
{
    const struct ken_feature_options *o = node->options;
    const ken_tensor *x = node->in[0];
    return (struct ken_features){ .x = x->data + o->col,
                                  .random = o->random,
                                  .x_stride = x->cols,
                                  .N = x->rows,
                                  .H = o->heads,
                                  .E = o->width,
                                  .M = o->features,
                                  .y = node->out[0]->data,
                                  .scale = node->out[1] ? node->out[1]->data : NULL };
}

ken_tensor *ken_features(ken_tape *tape, ken_tensor **scale, ken_tensor *x,
                         const struct ken_feature_options *options)
{
    if (scale) *scale = NULL;
    if (tape->status) return NULL;
    struct ken_feature_options o = *options;
    if (o.features == 0 || !o.random) o.features = o.width;
    if (o.heads == 0 || o.width == 0 || o.features > KEN_FEATURES_MOST)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "features: heads and width must be 1 or more, features 1 to %d",
                             KEN_FEATURES_MOST);
    if (o.col + o.heads * o.width > x->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "features: input %zu x %zu, needs %zu columns from %zu", x->rows,
                             x->cols, o.heads * o.width, o.col);
    struct ken_node *node = KEN_NODE(tape, KEN_OP_FEATURES, &o, x);
    ken_tape_output(tape, node, x->rows, o.heads * o.features);
    if (scale && o.random) *scale = ken_tape_output(tape, node, x->rows, o.heads);
    return ken_tape_run(tape, node);
}

ken_status ken_features_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct ken_features job = make_job(node);
    (void)tape;
    ken_features_forward(&job);
    return KEN_OK;
}

ken_status ken_features_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_feature_options *o = node->options;
    struct ken_features job = make_job(node);
    float *dx, *work = NULL;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    if (!dx) return KEN_OK;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    if (o->random) KEN_TRY(ken_tape_take(tape, &work, job.N * job.M));
    ken_features_backward(dx + o->col, &job, node->out[0]->grad,
                          node->out[1] ? node->out[1]->grad : NULL, work);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}
