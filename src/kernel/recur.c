/* recur.c - recurrent layers: computes the part of all gates that comes from the input in one
 * product, then the part that comes from the state step by step. Invariant: at every step the
 * sequences that are still running are the first ones of `order`. A row of a product does not
 * depend on the other rows, so neither the order nor the other sequences change a bit. The
 * gradients of the weights are products over all rows at the end. */
#include "kernel/recur.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/array.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"

#include <string.h>

enum { TASK_FLOATS = 1 << 12 }; /* floats of gates per task: a few microseconds of work */

size_t ken_recur_gates(enum ken_cell cell)
{
    static const size_t gates[KEN_CELL_COUNT] = { [KEN_LSTM] = 4, [KEN_GRU] = 3, [KEN_RNN] = 1 };
    return gates[cell];
}

size_t ken_recur_longest(const size_t *start, size_t B)
{
    size_t longest = 0;
    for (size_t b = 0; b < B; b++) longest = ken_size_max(longest, start[b + 1] - start[b]);
    return longest;
}

void ken_recur_plan(size_t *order, size_t *at_least, const size_t *start, size_t B)
{
    size_t longest = ken_recur_longest(start, B), longer = 0;
    memset(at_least, 0, (longest + 1) * sizeof *at_least);
    for (size_t b = 0; b < B; b++) at_least[start[b + 1] - start[b]]++;
    for (size_t length = longest + 1; length-- > 0;) {
        size_t here = at_least[length];
        at_least[length] = longer; /* index in `order` of the first sequence of this length */
        longer += here;
    }
    for (size_t b = 0; b < B; b++) /* placing a sequence increments the index of its length */
        order[at_least[start[b + 1] - start[b]]++] = b;
}

/* The parts into which job->space is divided. B is the number of sequences, H the width of a
 * state. */
struct space {
    float *packed; /* w_hidden, packed for the product                              */
    float *hidden; /* the state's part of all gates of B sequences, or its gradient */
    float *state;  /* (B, H): h in forward, dh in backward                          */
    float *carry;  /* (B, H): dc, the gradient of an LSTM's cell state              */
    float *zero;   /* H zeros, the state before the first step                      */
    float *sums;   /* column sums of gradients of all gates, for the biases         */
    float *before; /* (rows, H): the state from which each row's step started       */
    size_t size;
};

static float *piece(struct space *space, float *base, size_t count)
{
    size_t at = space->size;
    space->size += ken_size_round_up(count, 16); /* keeps every piece aligned */
    return base ? base + at : NULL;
}

static struct space divide(const struct ken_recur *job)
{
    struct space space = { 0 };
    size_t GH = ken_recur_gates(job->cell) * job->H;
    size_t packed = ken_size_max(ken_matmul_packed_size(GH, job->H),
                                 ken_matmul_packed_size(job->H, GH));
    space.packed = piece(&space, job->space, packed);
    space.hidden = piece(&space, job->space, job->B * GH);
    space.state = piece(&space, job->space, job->B * job->H);
    space.carry = piece(&space, job->space, job->B * job->H);
    space.zero = piece(&space, job->space, job->H);
    space.sums = piece(&space, job->space, GH);
    space.before = piece(&space, job->space, job->start[job->B] * job->H);
    return space;
}

size_t ken_recur_space(const struct ken_recur *job)
{
    struct ken_recur sizes = *job;
    sizes.space = NULL;
    return divide(&sizes).size;
}

struct step {
    const struct ken_recur *job;
    const struct ken_recur_grad *grad;
    struct space space;
    size_t t, running, each; /* time step; number of sequences still running; sequences per task */
};

/* Returns the row of the batch that belongs to step t of sequence b. */
static size_t row_at(const struct ken_recur *job, size_t b, size_t t)
{
    return job->reversed ? job->start[b + 1] - 1 - t : job->start[b] + t;
}

/* Returns the values (h or c) from which step t of sequence b starts: the values after step t - 1
 * or, if t is 0, the given first state or zeros. */
static const float *before_row(const struct step *step, const float *values, size_t b, size_t t)
{
    const struct ken_recur *job = step->job;
    if (t > 0) return values + row_at(job, b, t - 1) * job->H;
    const float *first = values == job->y ? job->h_first : job->c_first;
    return first ? first + b * job->H : step->space.zero;
}

/* Returns the values that a step passes to the next step in addition to the product with w_hidden:
 * c of an LSTM, otherwise h. */
static const float *carried(const struct ken_recur *job)
{
    return job->cell == KEN_LSTM ? job->extra : job->y;
}

/* Runs one step of some sequences. On entry, space.hidden holds the state's part of this step's
 * gates. The new h goes to job->y, and to space.state for the next step. */
static void forward_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    const struct ken_recur *job = step->job;
    size_t H = job->H, GH = ken_recur_gates(job->cell) * H;
    size_t end = ken_size_min(step->running, (task + 1) * step->each);
    (void)scratch;
    for (size_t s = task * step->each; s < end; s++) {
        size_t b = job->order[s], row = row_at(job, b, step->t);
        ken_kernels()->cell_forward[job->cell](job->y + row * H, job->gates + row * GH,
                                               job->extra + row * H,
                                               before_row(step, carried(job), b, step->t),
                                               step->space.hidden + s * GH, H);
        memcpy(step->space.state + s * H, job->y + row * H, H * sizeof *job->y);
    }
}

/* Runs one step of some sequences backward. On entry, space.state holds dh of the step after this
 * one. space.hidden receives da, the gradient of the gates' arguments. Afterwards the caller adds
 * da w_hidden to space.state, which completes dh for the step before. */
static void backward_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    const struct ken_recur *job = step->job;
    size_t H = job->H, GH = ken_recur_gates(job->cell) * H;
    size_t end = ken_size_min(step->running, (task + 1) * step->each);
    (void)scratch;
    for (size_t s = task * step->each; s < end; s++) {
        size_t b = job->order[s], row = row_at(job, b, step->t);
        ken_kernels()->cell_backward[job->cell](step->space.hidden + s * GH,
                                                step->space.state + s * H,
                                                step->space.carry + s * H, job->gates + row * GH,
                                                job->extra + row * H,
                                                before_row(step, carried(job), b, step->t),
                                                step->grad->dy + row * H, H);
    }
}

/* Sets the first states, and packs w_hidden once for all steps: with a few dozen rows per step,
 * packing it in each step would cost as much as the product. */
static struct step begin(const struct ken_recur *job, const struct ken_recur_grad *grad)
{
    struct step step = { .job = job, .grad = grad, .space = divide(job) };
    size_t H = job->H, GH = ken_recur_gates(job->cell) * H;
    step.each = TASK_FLOATS / (GH + 1) + 1;
    memset(step.space.state, 0, job->B * H * sizeof(float));
    memset(step.space.carry, 0, job->B * H * sizeof(float));
    memset(step.space.zero, 0, H * sizeof(float));
    for (size_t i = 0; !grad && job->h_first && i < job->B; i++)
        memcpy(step.space.state + i * H, job->h_first + job->order[i] * H, H * sizeof(float));
    ken_matmul_pack(step.space.packed, job->w_hidden, grad ? H : GH, grad ? GH : H,
                    grad ? KEN_NN : KEN_NT);
    return step;
}

void ken_recur_forward(const struct ken_recur *job)
{
    struct step step = begin(job, NULL);
    size_t H = job->H, GH = ken_recur_gates(job->cell) * H;
    ken_matmul(&(struct ken_matmul){ .c = job->gates,
                                     .a = job->x,
                                     .b = job->w_in,
                                     .bias = job->b_in,
                                     .layout = KEN_NT,
                                     .m = job->start[job->B],
                                     .n = GH,
                                     .k = job->in });
    for (step.t = 0; step.t < job->longest; step.t++) {
        step.running = job->at_least[step.t + 1];
        ken_matmul(&(struct ken_matmul){ .c = step.space.hidden,
                                         .a = step.space.state,
                                         .packed = step.space.packed,
                                         .bias = job->b_hidden,
                                         .layout = KEN_NT,
                                         .m = step.running,
                                         .n = GH,
                                         .k = H });
        ken_parallel(ken_size_groups(step.running, step.each), forward_task, &step);
    }
}

/* Copies, for each row, the h from which the row's step started. The copies are the right operand
 * of the product that gives dW_hidden. */
static void before_task(void *context, size_t b, float *scratch)
{
    const struct step *step = context;
    const struct ken_recur *job = step->job;
    (void)scratch;
    for (size_t t = 0; t < job->start[b + 1] - job->start[b]; t++)
        memcpy(step->space.before + row_at(job, b, t) * job->H, before_row(step, job->y, b, t),
               job->H * sizeof(float));
}

/* Adds a gradient of weights: c (m, n) += a^T b, a sum over N rows. Rows of a are a_stride floats
 * apart. */
static void add_weights(float *c, const float *a, size_t a_stride, size_t m, const float *b,
                        size_t n, size_t N)
{
    ken_matmul(&(struct ken_matmul){ .c = c,
                                     .a = a,
                                     .b = b,
                                     .layout = KEN_TN,
                                     .add = true,
                                     .m = m,
                                     .n = n,
                                     .k = N,
                                     .a_stride = a_stride });
}

/* Adds the gradients of weights and biases. job->gates holds da, the gradient of the gates'
 * arguments. The third gate of a GRU has two different gradients: job->gates holds the one for the
 * input's part, and job->extra the one for the state's part. */
static void backward_weights(const struct step *step)
{
    const struct ken_recur *job = step->job;
    const struct ken_recur_grad *grad = step->grad;
    size_t N = job->start[job->B], H = job->H, GH = ken_recur_gates(job->cell) * H;
    /* number of columns of da that are the same for the input's part and for the state's part */
    size_t shared = job->cell == KEN_GRU ? 2 * H : GH;
    float *sums = step->space.sums;
    memset(sums, 0, GH * sizeof *sums);
    ken_array_column_sums(sums, job->gates, N, GH);
    if (grad->db_in) ken_array_add(grad->db_in, sums, 1, GH);
    if (grad->db_hidden && shared < GH) {
        memset(sums + shared, 0, H * sizeof *sums);
        ken_array_column_sums(sums + shared, job->extra, N, H);
    }
    if (grad->db_hidden) ken_array_add(grad->db_hidden, sums, 1, GH);
    if (grad->dw_in) add_weights(grad->dw_in, job->gates, GH, GH, job->x, job->in, N);
    if (!grad->dw_hidden) return;
    ken_parallel(job->B, before_task, (void *)step);
    add_weights(grad->dw_hidden, job->gates, GH, shared, step->space.before, H, N);
    if (shared < GH)
        add_weights(grad->dw_hidden + shared * H, job->extra, H, H, step->space.before, H, N);
}

void ken_recur_backward(const struct ken_recur *job, const struct ken_recur_grad *grad)
{
    struct step step = begin(job, grad);
    size_t H = job->H, GH = ken_recur_gates(job->cell) * H;
    for (step.t = job->longest; step.t-- > 0;) {
        step.running = job->at_least[step.t + 1];
        ken_parallel(ken_size_groups(step.running, step.each), backward_task, &step);
        ken_matmul(&(struct ken_matmul){ .c = step.space.state,
                                         .a = step.space.hidden,
                                         .packed = step.space.packed,
                                         .layout = KEN_NN,
                                         .add = true,
                                         .m = step.running,
                                         .n = H,
                                         .k = GH });
    }
    backward_weights(&step);
    if (grad->dx)
        ken_matmul(&(struct ken_matmul){ .c = grad->dx,
                                         .a = job->gates,
                                         .b = job->w_in,
                                         .layout = KEN_NN,
                                         .add = true,
                                         .m = job->start[job->B],
                                         .n = job->in,
                                         .k = GH });
}
