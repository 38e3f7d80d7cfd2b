/* op_flow.c - states that move along a learned field (floater positions), as an operation. The
 * states are divided into equal groups. The result has one table for each i below the size of a
 * group. The table has one row per place, which holds state i of every group, side by side. */
#include "kernel/flow.h"

#include "base/size.h"
#include "tensor/op_table.h"

#include <string.h>

enum { START, W_IN, B_IN, W_OUT, B_OUT };

/* Options of the node: the caller's options, and the job of the kernel, which forward fills in and
 * backward reads. */
struct flow {
    struct ken_flow_options how;
    struct ken_flow job;
};

/* Returns the number of columns of the result, the sum of how->cols; 0 if one of these is larger
 * than D, the width of a state. */
static size_t columns_of(const struct ken_flow_options *how, size_t D)
{
    size_t cols = 0;
    for (size_t g = 0; g < how->parts; g++) {
        if (how->cols[g] > D) return 0;
        cols += how->cols[g];
    }
    return cols;
}

ken_tensor *ken_flow(ken_tape *tape, const ken_tensor *start, const ken_tensor *w_in,
                     const ken_tensor *b_in, const ken_tensor *w_out, const ken_tensor *b_out,
                     const struct ken_flow_options *options)
{
    const struct ken_flow_options *o = options;
    if (tape->status) return NULL;
    size_t D = start->cols, F = w_in->rows;
    if (w_in->cols != D + 1 || w_out->rows != D || w_out->cols != F + 1)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "flow: states of width %zu, weights %zu x %zu and %zu x %zu", D,
                             w_in->rows, w_in->cols, w_out->rows, w_out->cols);
    if (ken_tensor_size(b_in) != F || ken_tensor_size(b_out) != D)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "flow: biases of %zu and %zu, widths %zu and %zu",
                             ken_tensor_size(b_in), ken_tensor_size(b_out), F, D);
    if (o->parts == 0 || o->parts > KEN_FLOW_PARTS || start->rows % o->parts ||
        columns_of(o, D) == 0)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "flow: %zu x %zu states are not %zu parts",
                             start->rows, D, o->parts);
    if (o->places == 0 || o->steps == 0)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "flow: places and steps must be 1 or more");
    if (o->activation != KEN_ACT_RELU && o->activation != KEN_ACT_NONE)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "flow: the activation must be none or relu");
    struct flow made = { .how = *o };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_FLOW, &made, start, w_in, b_in, w_out, b_out);
    ken_tape_output(tape, node, start->rows / o->parts * o->places, columns_of(o, D));
    return ken_tape_run(tape, node);
}

/* Copies the states to the rows of the result or, with `back`, the rows to the states. State number
 * r at place p begins at states[p * stride + r * row]. Only the first cols[g] numbers of each
 * state of group g are copied. */
static void arrange(const struct flow *flow, float *states, size_t stride, size_t row, float *rows,
                    bool back)
{
    const struct ken_flow_options *how = &flow->how;
    size_t groups = flow->job.R / how->parts;
    for (size_t i = 0; i < groups; i++)
        for (size_t p = 0; p < how->places; p++)
            for (size_t g = 0; g < how->parts; g++) {
                float *state = states + p * stride + (g * groups + i) * row;
                memcpy(back ? state : rows, back ? rows : state, how->cols[g] * sizeof *rows);
                rows += how->cols[g];
            }
}

ken_status ken_flow_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct flow *flow = node->options;
    struct ken_flow *job = &flow->job;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    *job = (struct ken_flow){ .R = node->in[START]->rows,
                              .D = node->in[START]->cols,
                              .F = node->in[W_IN]->rows,
                              .places = flow->how.places,
                              .steps = flow->how.steps,
                              .pace = flow->how.pace,
                              .activation = flow->how.activation,
                              .start = node->in[START]->data,
                              .w_in = node->in[W_IN]->data,
                              .b_in = node->in[B_IN]->data,
                              .w_out = node->in[W_OUT]->data,
                              .b_out = node->in[B_OUT]->data };
    size_t row = job->D + 1, size;
    if (!ken_size_mul(&size, ken_flow_states(job), job->R * row)) size = SIZE_MAX;
    KEN_TRY(ken_tape_take(tape, &job->path, size));
    /* backward needs job->path, so the rewind at the end must not free it */
    if (ken_tape_keeps(tape, node)) mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &job->space, ken_flow_space(job, false)));
    ken_flow_forward(job);
    arrange(flow, job->path, job->steps * job->R * row, row, node->out[0]->data, false);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_flow_op_backward(ken_tape *tape, struct ken_node *node)
{
    struct flow *flow = node->options;
    struct ken_flow *job = &flow->job;
    struct ken_flow_grad grad = { 0 };
    size_t D = job->D, size = job->places * job->R * D;
    float *dplaces;
    KEN_TRY(ken_tape_grad(tape, node->in[START], &grad.dstart));
    KEN_TRY(ken_tape_grad(tape, node->in[W_IN], &grad.dw_in));
    KEN_TRY(ken_tape_grad(tape, node->in[B_IN], &grad.db_in));
    KEN_TRY(ken_tape_grad(tape, node->in[W_OUT], &grad.dw_out));
    KEN_TRY(ken_tape_grad(tape, node->in[B_OUT], &grad.db_out));
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &dplaces, size));
    KEN_TRY(ken_tape_take(tape, &job->space, ken_flow_space(job, true)));
    memset(dplaces, 0, size * sizeof *dplaces);
    arrange(flow, dplaces, job->R * D, D, node->out[0]->grad, true);
    grad.dplaces = dplaces;
    ken_flow_backward(job, &grad);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}
