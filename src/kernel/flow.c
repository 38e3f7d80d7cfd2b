/* flow.c - integrates a neural differential equation (flow.h), forward and backward. All states
 * advance together: a step is eight products of R rows with weights that are packed once.
 *
 * Invariant: the last column of every row of states or of hidden numbers is the time, so that the
 * products include it without special code. Rows of gradients have that column too, but its value
 * is not used.
 *
 * Backward has the states of every step and recomputes the four stages of each step. It collects
 * several steps before it computes the gradients of the weights, so that those products have many
 * rows. */
#include "kernel/flow.h"

#include "base/size.h"
#include "kernel/array.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"

#include <string.h>

enum { STAGES = 4, SLOTS = 16 }; /* Runge-Kutta stages per step; steps that backward collects */

/* Time of each Runge-Kutta stage within its step, as a fraction of the step. */
static const float later[STAGES] = { 0, 0.5f, 0.5f, 1 };
static const float weight[STAGES] = { 1, 2, 2, 1 }; /* weights of the stages, in units of h / 6 */

size_t ken_flow_states(const struct ken_flow *job)
{
    return (job->places - 1) * job->steps + 1;
}

struct work {
    const struct ken_flow *job;
    size_t in, hidden; /* floats in R rows of states and in R rows of hidden numbers */
    float h;
    float *into, *out;           /* packed weights of both layers, for forward                   */
    float *into_back, *out_back; /* packed weights of both layers, for backward                  */
    float *k;                    /* (4, R, D + 1): slopes of the four stages                     */
    float *sum, *g, *dx;         /* running sum; gradients of the states and of a stage's states */
    float *sums;                 /* column sums of gradients, for the biases                     */
    float *x, *a;                /* states and hidden numbers of all stages of collected steps   */
    float *dk, *dz;              /* gradients of slopes and of hidden numbers before activation  */
    size_t size;
};

static float *piece(struct work *work, float *base, size_t count)
{
    size_t at = work->size;
    work->size += ken_size_round_up(count, 16); /* keeps every piece aligned */
    return base ? base + at : NULL;
}

static struct work divide(const struct ken_flow *job, float *base, bool backward)
{
    size_t R = job->R, D = job->D, F = job->F, slots = backward ? SLOTS : 1;
    struct work w = { .job = job, .in = R * (D + 1), .hidden = R * (F + 1) };
    w.h = job->pace / (float)job->steps;
    w.into = piece(&w, base, ken_matmul_packed_size(F, D + 1));
    w.out = piece(&w, base, ken_matmul_packed_size(D, F + 1));
    w.k = piece(&w, base, STAGES * w.in);
    w.sum = piece(&w, base, w.in);
    w.x = piece(&w, base, slots * STAGES * w.in);
    w.a = piece(&w, base, slots * STAGES * w.hidden);
    if (!backward) return w;
    w.into_back = piece(&w, base, ken_matmul_packed_size(D + 1, F));
    w.out_back = piece(&w, base, ken_matmul_packed_size(F + 1, D));
    w.g = piece(&w, base, w.in);
    w.dx = piece(&w, base, w.in);
    w.sums = piece(&w, base, ken_size_max(D, F) + 1);
    w.dk = piece(&w, base, slots * STAGES * w.in);
    w.dz = piece(&w, base, slots * STAGES * w.hidden);
    return w;
}

size_t ken_flow_space(const struct ken_flow *job, bool backward)
{
    return divide(job, NULL, backward).size;
}

static struct work begin(const struct ken_flow *job, bool backward)
{
    struct work w = divide(job, job->space, backward);
    ken_matmul_pack(w.into, job->w_in, job->F, job->D + 1, KEN_NT);
    ken_matmul_pack(w.out, job->w_out, job->D, job->F + 1, KEN_NT);
    memset(w.k, 0, STAGES * w.in * sizeof *w.k);
    if (!backward) return w;
    ken_matmul_pack(w.into_back, job->w_in, job->D + 1, job->F, KEN_NN);
    ken_matmul_pack(w.out_back, job->w_out, job->F + 1, job->D, KEN_NN);
    memset(w.g, 0, w.in * sizeof *w.g);
    return w;
}

/* Computes y = a + factor b for R rows of states in the calling thread, because there are too few
 * numbers to distribute to threads. */
static void combine(float *y, const float *a, const float *b, float factor, const struct work *w)
{
    ken_kernels()->array_combine(y, a, b, factor, w->in);
}

/* Sets the last column (the time) of R rows of `cols` numbers to `value`. */
static void set_last(float *rows, size_t cols, size_t R, float value)
{
    for (size_t r = 0; r < R; r++) rows[r * cols + cols - 1] = value;
}

/* Computes the slopes k = f(x) of the states x, whose rows end with the time; `a` receives the
 * hidden numbers. */
static void field(const struct work *w, float *k, float *a, const float *x, float t)
{
    const struct ken_flow *job = w->job;
    size_t D = job->D, F = job->F;
    ken_matmul(&(struct ken_matmul){ .c = a,
                                     .a = x,
                                     .packed = w->into,
                                     .bias = job->b_in,
                                     .activation = job->activation,
                                     .layout = KEN_NT,
                                     .m = job->R,
                                     .n = F,
                                     .k = D + 1,
                                     .c_stride = F + 1 });
    set_last(a, F + 1, job->R, t);
    ken_matmul(&(struct ken_matmul){ .c = k,
                                     .a = a,
                                     .packed = w->out,
                                     .bias = job->b_out,
                                     .layout = KEN_NT,
                                     .m = job->R,
                                     .n = D,
                                     .k = F + 1,
                                     .c_stride = D + 1 });
}

/* Computes the four stages of step n; their states and hidden numbers go to x and a. */
static void run_stages(const struct work *w, size_t n, float *x, float *a)
{
    const float *p = w->job->path + n * w->in;
    for (size_t i = 0; i < STAGES; i++, x += w->in, a += w->hidden) {
        float t = ((float)n + later[i]) * w->h;
        if (i == 0) memcpy(x, p, w->in * sizeof *x);
        else combine(x, p, w->k + (i - 1) * w->in, later[i] * w->h, w);
        set_last(x, w->job->D + 1, w->job->R, t);
        field(w, w->k + i * w->in, a, x, t);
    }
}

void ken_flow_forward(const struct ken_flow *job)
{
    struct work w = begin(job, false);
    size_t D = job->D;
    for (size_t r = 0; r < job->R; r++)
        memcpy(job->path + r * (D + 1), job->start + r * D, D * sizeof *job->path);
    set_last(job->path, D + 1, job->R, 0);
    for (size_t n = 0; n + 1 < ken_flow_states(job); n++) {
        const float *p = job->path + n * w.in;
        float *next = job->path + (n + 1) * w.in;
        run_stages(&w, n, w.x, w.a);
        memcpy(w.sum, w.k, w.in * sizeof *w.sum);
        for (size_t i = 1; i < STAGES; i++) combine(w.sum, w.sum, w.k + i * w.in, weight[i], &w);
        combine(next, p, w.sum, w.h / 6, &w);
        set_last(next, D + 1, job->R, (float)(n + 1) * w.h);
    }
}

/* ---- backward -------------------------------------------------------------------------------- */

/* Computes dx, the gradient of one stage's states, from dk, the gradient of its slopes. On the way
 * it computes dz = (dk w_out) act', the gradient of the hidden numbers before the activation. */
static void field_back(const struct work *w, float *dz, const float *dk, const float *a)
{
    const struct ken_flow *job = w->job;
    size_t D = job->D, F = job->F;
    ken_matmul(&(struct ken_matmul){ .c = dz,
                                     .a = dk,
                                     .packed = w->out_back,
                                     .layout = KEN_NN,
                                     .m = job->R,
                                     .n = F + 1,
                                     .k = D,
                                     .a_stride = D + 1 });
    ken_activation_backward(dz, a, w->hidden, job->activation);
    ken_matmul(&(struct ken_matmul){ .c = w->dx,
                                     .a = dz,
                                     .packed = w->into_back,
                                     .layout = KEN_NN,
                                     .m = job->R,
                                     .n = D + 1,
                                     .k = F,
                                     .a_stride = F + 1 });
    set_last(w->dx, D + 1, job->R, 0);
}

/* Turns g, the gradient of the states after step n, into the gradient of the states before step n.
 * dk_i and dx_i are the gradients of the slopes and states of stage i, h is the length of the step:
 *   dk_i = h/6 weight_i g + later_(i+1) h dx_(i+1)     dx_i = dk_i df/dx     g += sum of dx_i */
static void step_back(struct work *w, size_t n, size_t slot)
{
    size_t at = slot * STAGES;
    run_stages(w, n, w->x + at * w->in, w->a + at * w->hidden);
    memcpy(w->sum, w->g, w->in * sizeof *w->sum);
    for (size_t i = STAGES; i-- > 0;) {
        float *dk = w->dk + (at + i) * w->in;
        ken_kernels()->array_scale(dk, w->g, weight[i] * w->h / 6, w->in);
        if (i + 1 < STAGES) combine(dk, dk, w->dx, later[i + 1] * w->h, w);
        field_back(w, w->dz + (at + i) * w->hidden, dk, w->a + (at + i) * w->hidden);
        combine(w->sum, w->sum, w->dx, 1, w);
    }
    memcpy(w->g, w->sum, w->in * sizeof *w->g);
}

/* Adds the gradients of one layer over `rows` rows: dw (out, in + 1) += dy^T x and db (out) +=
 * column sums of dy. A row of dy has out + 1 numbers, the last of which is not used. */
static void add_weights(const struct work *w, float *dw, float *db, const float *dy, const float *x,
                        size_t out, size_t in, size_t rows)
{
    if (dw)
        ken_matmul(&(struct ken_matmul){ .c = dw,
                                         .a = dy,
                                         .b = x,
                                         .layout = KEN_TN,
                                         .add = true,
                                         .m = out,
                                         .n = in + 1,
                                         .k = rows,
                                         .a_stride = out + 1 });
    if (!db) return;
    memset(w->sums, 0, (out + 1) * sizeof *w->sums);
    ken_array_column_sums(w->sums, dy, rows, out + 1);
    ken_array_add(db, w->sums, 1, out);
}

/* Adds to g, the gradient of the states, the gradient that the caller gave for the result at
 * `place`. */
static void add_place(const struct work *w, const struct ken_flow_grad *grad, size_t place)
{
    const struct ken_flow *job = w->job;
    for (size_t r = 0; r < job->R; r++) {
        float *g = w->g + r * (job->D + 1);
        ken_kernels()->array_combine(g, g, grad->dplaces + (place * job->R + r) * job->D, 1,
                                     job->D);
    }
}

void ken_flow_backward(const struct ken_flow *job, const struct ken_flow_grad *grad)
{
    struct work w = begin(job, true);
    size_t D = job->D, F = job->F, slot = 0;
    add_place(&w, grad, job->places - 1);
    for (size_t n = ken_flow_states(job) - 1; n-- > 0;) {
        step_back(&w, n, slot++);
        if (n % job->steps == 0) add_place(&w, grad, n / job->steps);
        if (slot < SLOTS && n > 0) continue;
        size_t rows = slot * STAGES * job->R;
        add_weights(&w, grad->dw_out, grad->db_out, w.dk, w.a, D, F, rows);
        add_weights(&w, grad->dw_in, grad->db_in, w.dz, w.x, F, D, rows);
        slot = 0;
    }
    for (size_t r = 0; grad->dstart && r < job->R; r++)
        ken_array_add(grad->dstart + r * D, w.g + r * (D + 1), 1, D);
}
