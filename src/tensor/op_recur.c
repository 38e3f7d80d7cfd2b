/* op_recur.c - LSTM, GRU and RNN over ragged sequences. For each row, backward needs the result,
 * the gates, and either the cell state c of an LSTM or the intermediate value m of a GRU. These are
 * kept on the tape while recording, and backward overwrites them with gradients. All other memory
 * is work space. */
#include "kernel/recur.h"
#include "tensor/op_sequence.h"

enum { X, W_INPUT, W_HIDDEN, BIAS_INPUT, BIAS_HIDDEN };

struct recur {
    enum ken_cell cell;
    ken_ragged ragged;
    bool reversed;
    const float *h, *c;   /* first states of the sequences, (B, H); NULL = 0          */
    struct ken_recur job; /* the kernel's job: forward fills it in, backward reads it */
};

static bool bias_fits(ken_tape *tape, const char *name, const ken_tensor *bias, size_t GH)
{
    if (!bias || ken_tensor_size(bias) == GH) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: bias of %zu, gates of %zu", name, ken_tensor_size(bias),
                  GH);
    return false;
}

static bool weights_fit(ken_tape *tape, const char *name, const struct ken_recurrence *r)
{
    const ken_tensor *x = r->x, *w_in = r->w_input, *w_hidden = r->w_hidden;
    size_t GH = ken_recur_gates(r->cell) * w_hidden->cols;
    if (x->cols != w_in->cols)
        ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: input %zu x %zu, its weight %zu x %zu", name,
                      x->rows, x->cols, w_in->rows, w_in->cols);
    else if (w_hidden->rows != GH || w_in->rows != GH)
        ken_tape_fail(tape, KEN_ERR_SHAPE,
                      "%s: weights %zu x %zu of the input, %zu x %zu of the state", name,
                      w_in->rows, w_in->cols, w_hidden->rows, w_hidden->cols);
    else if (bias_fits(tape, name, r->bias_input, GH)) bias_fits(tape, name, r->bias_hidden, GH);
    return !tape->status;
}

ken_tensor *ken_recurrence(ken_tape *tape, const struct ken_recurrence *r, ken_tensor **cells)
{
    static const char
        *const names[] = { [KEN_LSTM] = "lstm", [KEN_GRU] = "gru", [KEN_RNN] = "rnn" };
    if (cells) *cells = NULL;
    if (tape->status || !ken_op_covers(tape, names[r->cell], r->x, r->ragged) ||
        !weights_fit(tape, names[r->cell], r))
        return NULL;
    struct recur options = { r->cell, r->ragged, r->reversed, r->h, r->c, { 0 } };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_RECUR, &options, r->x, r->w_input, r->w_hidden,
                                     r->bias_input, r->bias_hidden);
    ken_tape_output(tape, node, r->x->rows, r->w_hidden->cols);
    if (cells) *cells = ken_tape_output(tape, node, r->x->rows, r->w_hidden->cols);
    return ken_tape_run(tape, node);
}

ken_tensor *ken_lstm(ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                     const ken_tensor *w_hidden, const ken_tensor *bias_input,
                     const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed)
{
    struct ken_recurrence lstm = { KEN_LSTM,   x,           w_input, w_hidden,
                                   bias_input, bias_hidden, ragged,  reversed };
    return ken_recurrence(tape, &lstm, NULL);
}

ken_tensor *ken_gru(ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                    const ken_tensor *w_hidden, const ken_tensor *bias_input,
                    const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed)
{
    struct ken_recurrence gru = { KEN_GRU,    x,           w_input, w_hidden,
                                  bias_input, bias_hidden, ragged,  reversed };
    return ken_recurrence(tape, &gru, NULL);
}

ken_tensor *ken_rnn(ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                    const ken_tensor *w_hidden, const ken_tensor *bias_input,
                    const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed)
{
    struct ken_recurrence rnn = { KEN_RNN,    x,           w_input, w_hidden,
                                  bias_input, bias_hidden, ragged,  reversed };
    return ken_recurrence(tape, &rnn, NULL);
}

/* Computes the order in which sequences are processed, and how many sequences are still running at
 * each step. Both arrays lie in the tape's memory. */
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
                               .h_first = options->h,
                               .c_first = options->c,
                               .y = y->data };
    KEN_TRY(make_plan(tape, job));
    KEN_TRY(ken_tape_take(tape, &job->gates, ken_tensor_size(y) * ken_recur_gates(job->cell)));
    if (node->out[1]) job->extra = node->out[1]->data; /* the caller asked for the cell states c */
    else KEN_TRY(ken_tape_take(tape, &job->extra, ken_tensor_size(y)));
    if (keep) mark = ken_arena_here(&tape->arena); /* memory taken so far is kept for backward */
    KEN_TRY(ken_tape_take(tape, &job->space, ken_recur_space(job)));
    ken_recur_forward(job);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

/* Adds the gradients. It uses the job that forward left in the options; only the work space is
 * new. */
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
