/* op_recur.c - LSTM and GRU over ragged sequences.
 * What backward needs besides y: the gates (N, G H) and c or m (N, H), kept on the tape while
 * recording; backward turns them into gradients in place. Everything else is work space. */
#include "kernel/recur.h"
#include "tensor/op_sequence.h"

enum { X, W_INPUT, W_HIDDEN, BIAS_INPUT, BIAS_HIDDEN };

struct recur {
    enum ken_cell cell;
    ken_ragged ragged;
    bool reversed;
    struct ken_recur job; /* filled by forward, for backward */
};

static bool bias_fits(ken_tape *tape, const char *name, const ken_tensor *bias, size_t GH)
{
    if (!bias || ken_tensor_size(bias) == GH) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: bias of %zu, gates of %zu", name, ken_tensor_size(bias),
                  GH);
    return false;
}

static ken_tensor *recur(ken_tape *tape, const struct recur *options, ken_tensor *const in[5])
{
    const char *name = options->cell == KEN_LSTM ? "lstm" : "gru";
    const ken_tensor *x = in[X], *w_in = in[W_INPUT], *w_hidden = in[W_HIDDEN];
    if (tape->status || !ken_op_covers(tape, name, x, options->ragged)) return NULL;
    size_t H = w_hidden->cols, GH = ken_recur_gates(options->cell) * H;
    if (x->cols != w_in->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: input %zu x %zu, its weight %zu x %zu", name,
                             x->rows, x->cols, w_in->rows, w_in->cols);
    if (w_hidden->rows != GH || w_in->rows != GH)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "%s: weights %zu x %zu of the input, %zu x %zu of the state", name,
                             w_in->rows, w_in->cols, w_hidden->rows, w_hidden->cols);
    if (!bias_fits(tape, name, in[BIAS_INPUT], GH) || !bias_fits(tape, name, in[BIAS_HIDDEN], GH))
        return NULL;
    struct ken_node *node = ken_tape_node(tape, KEN_OP_RECUR, options, sizeof *options, 5, in);
    ken_tape_output(tape, node, x->rows, H);
    return ken_tape_run(tape, node);
}

ken_tensor *ken_lstm(ken_tape *tape, ken_tensor *x, ken_tensor *w_input, ken_tensor *w_hidden,
                     ken_tensor *bias_input, ken_tensor *bias_hidden, ken_ragged ragged,
                     bool reversed)
{
    return recur(tape, &(struct recur){ KEN_LSTM, ragged, reversed, { 0 } },
                 (ken_tensor *[]){ x, w_input, w_hidden, bias_input, bias_hidden });
}

ken_tensor *ken_gru(ken_tape *tape, ken_tensor *x, ken_tensor *w_input, ken_tensor *w_hidden,
                    ken_tensor *bias_input, ken_tensor *bias_hidden, ken_ragged ragged,
                    bool reversed)
{
    return recur(tape, &(struct recur){ KEN_GRU, ragged, reversed, { 0 } },
                 (ken_tensor *[]){ x, w_input, w_hidden, bias_input, bias_hidden });
}

/* Order and number of the sequences still running at each step, on the tape. */
static ken_status make_plan(ken_tape *tape, struct ken_recur *job)
{
    job->longest = ken_recur_longest(job->start, job->B);
    size_t *plan = ken_arena_take(&tape->arena, job->B + job->longest + 1, sizeof *plan);
    if (!plan) {
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for the order of %zu sequences", job->B);
        return tape->status;
    }
    ken_recur_plan(plan, plan + job->B, job->start, job->B);
    job->order = plan;
    job->at_least = plan + job->B;
    return KEN_OK;
}

static const float *data_of(const ken_tensor *tensor)
{
    return tensor ? tensor->data : NULL;
}

ken_status ken_recur_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct recur *options = node->options;
    struct ken_recur *job = &options->job;
    ken_tensor *y = node->out[0];
    bool keep = ken_tape_keeps(tape, node);
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    *job = (struct ken_recur){ .cell = options->cell,
                               .reversed = options->reversed,
                               .in = node->in[X]->cols,
                               .H = y->cols,
                               .start = options->ragged.start,
                               .B = options->ragged.count,
                               .x = node->in[X]->data,
                               .w_in = node->in[W_INPUT]->data,
                               .w_hidden = node->in[W_HIDDEN]->data,
                               .b_in = data_of(node->in[BIAS_INPUT]),
                               .b_hidden = data_of(node->in[BIAS_HIDDEN]),
                               .y = y->data };
    KEN_TRY(make_plan(tape, job));
    KEN_TRY(ken_tape_take(tape, &job->gates, ken_tensor_size(y) * ken_recur_gates(job->cell)));
    KEN_TRY(ken_tape_take(tape, &job->extra, ken_tensor_size(y)));
    if (keep) mark = ken_arena_here(&tape->arena); /* what was taken so far stays for backward */
    KEN_TRY(ken_tape_take(tape, &job->space, ken_recur_space(job)));
    ken_recur_forward(job);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

/* The job is the one that forward left in the options; only its work space is new. */
ken_status ken_recur_op_backward(ken_tape *tape, struct ken_node *node)
{
    struct recur *options = node->options;
    struct ken_recur *job = &options->job;
    struct ken_recur_grad grad = { .dy = node->out[0]->grad };
    KEN_TRY(ken_tape_grad(tape, node->in[X], &grad.dx));
    KEN_TRY(ken_tape_grad(tape, node->in[W_INPUT], &grad.dw_in));
    KEN_TRY(ken_tape_grad(tape, node->in[W_HIDDEN], &grad.dw_hidden));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS_INPUT], &grad.db_in));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS_HIDDEN], &grad.db_hidden));
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &job->space, ken_recur_space(job)));
    ken_recur_backward(job, &grad);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}
