/* op_linear_attend.c - linear attention as an operation. Forward keeps the divisor of each row for
 * backward. The sums over chunks of rows are not kept: backward computes them again. */
#include "kernel/attend.h"
#include "kernel/linear.h"

#include "tensor/op_table.h"

enum { Q, K, SCALE, V };

static struct ken_linear_attend make_job(const struct ken_node *node)
{
    const struct ken_linear_attend_options *o = node->options;
    return (struct ken_linear_attend){ .q = node->in[Q]->data,
                                       .k = node->in[K]->data,
                                       .v = node->in[V]->data + o->v_col,
                                       .scale = node->in[SCALE] ? node->in[SCALE]->data : NULL,
                                       .q_stride = node->in[Q]->cols,
                                       .k_stride = node->in[K]->cols,
                                       .v_stride = node->in[V]->cols,
                                       .q_start = o->queries.start,
                                       .k_start = o->keys.start,
                                       .B = o->queries.count,
                                       .H = o->heads,
                                       .KV = o->kv_heads,
                                       .M = o->features,
                                       .Ev = o->value_width,
                                       .causal = o->causal,
                                       .out = node->out[0]->data,
                                       .out_stride = node->out[0]->cols,
                                       .sums = node->saved };
}

static const char *wrong_choice(const struct ken_linear_attend_options *o)
{
    if (o->heads == 0 || o->kv_heads == 0 || o->heads % o->kv_heads)
        return "heads must be a multiple of key and value heads";
    if (o->features == 0 || o->features > KEN_FEATURES_MOST) return "features must be 1 to 4096";
    if (o->value_width == 0 || o->value_width > KEN_ATTEND_WIDEST)
        return "the width of a head must be 1 to 256";
    if (o->queries.count != o->keys.count)
        return "queries and keys have different numbers of sequences";
    for (size_t b = 0; o->causal && b <= o->queries.count; b++)
        if (o->queries.start[b] != o->keys.start[b])
            return "causal attention needs as many keys as queries in each sequence";
    return NULL;
}

/* Checks that the tensor `part` has one row for each row of the batch, and `columns` columns from
 * column `col` on. */
static bool part_fits(ken_tape *tape, const char *name, const ken_tensor *part, size_t col,
                      size_t columns, const ken_ragged *rows)
{
    size_t wanted = rows->start[rows->count];
    if (part->rows == wanted && col + columns <= part->cols) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE,
                  "linear_attend: %s is %zu x %zu, needs %zu rows and %zu columns from %zu", name,
                  part->rows, part->cols, wanted, columns, col);
    return false;
}

ken_tensor *ken_linear_attend(ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *scale,
                              ken_tensor *v, const struct ken_linear_attend_options *options)
{
    if (tape->status) return NULL;
    struct ken_linear_attend_options o = *options;
    if (o.kv_heads == 0) o.kv_heads = o.heads;
    const char *wrong = wrong_choice(&o);
    if (wrong) return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "linear_attend: %s", wrong);
    if (!part_fits(tape, "q", q, 0, o.heads * o.features, &o.queries) ||
        !part_fits(tape, "k", k, 0, o.kv_heads * o.features, &o.keys) ||
        !part_fits(tape, "v", v, o.v_col, o.kv_heads * o.value_width, &o.keys) ||
        (scale && !part_fits(tape, "scale", scale, 0, o.kv_heads, &o.keys)))
        return NULL;
    struct ken_node *node = KEN_NODE(tape, KEN_OP_LINEAR_ATTEND, &o, q, k, scale, v);
    ken_tape_output(tape, node, q->rows, o.heads * o.value_width);
    return ken_tape_run(tape, node);
}

ken_status ken_linear_attend_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_linear_attend_options *o = node->options;
    if (ken_tape_keeps(tape, node))
        KEN_TRY(ken_tape_take(tape, &node->saved, node->in[Q]->rows * o->heads));
    struct ken_linear_attend job = make_job(node);
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &job.states, ken_linear_space(&job)));
    ken_linear_attend_forward(&job);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_linear_attend_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_linear_attend_options *o = node->options;
    struct ken_linear_attend job = make_job(node);
    struct ken_linear_grad grad = { .dout = node->out[0]->grad };
    KEN_TRY(ken_tape_grad(tape, node->in[Q], &grad.dq));
    KEN_TRY(ken_tape_grad(tape, node->in[K], &grad.dk));
    KEN_TRY(ken_tape_grad(tape, node->in[SCALE], &grad.dscale));
    KEN_TRY(ken_tape_grad(tape, node->in[V], &grad.dv));
    if (grad.dv) grad.dv += o->v_col;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &job.states, ken_linear_space(&job)));
    KEN_TRY(ken_tape_take(tape, &grad.states, ken_linear_space_backward(&job)));
    ken_linear_attend_backward(&job, &grad);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_linear_attend_look(float *weights, const ken_tape *tape, const ken_tensor *out,
                                  size_t b, size_t h)
{
    for (const struct ken_node *node = tape->last; node; node = node->before) {
        if (node->op != KEN_OP_LINEAR_ATTEND || node->out[0] != out) continue;
        const struct ken_linear_attend_options *o = node->options;
        if (b >= o->queries.count || h >= o->heads)
            return ken_fail(KEN_ERR_ARGUMENT, "look: no head %zu in a sequence %zu", h, b);
        struct ken_linear_attend job = make_job(node);
        ken_linear_weights(weights, &job, b, h);
        return KEN_OK;
    }
    return ken_fail(KEN_ERR_STATE, "look: not the output of a recorded attention");
}
