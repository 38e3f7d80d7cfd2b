/* linear_backward.c - gradients of linear attention, in memory proportional to the length. S_i and
 * z_i are the sums of linear.h over the keys that row i sees, and D_i = f(q_i) . z_i is the divisor
 * of row i:
 *
 *     G_i = dout_i / D_i          gD_i = -(dout_i . out_i) / D_i
 *     df(q_i)  = S_i G_i + gD_i z_i
 *     R_j = sum over i that see j of f(q_i) G_i^T         r_j = sum of gD_i f(q_i)
 *     df(k_j)  = R_j v_j + r_j            dv_j = R_j^T f(k_j)
 *
 * S before a chunk and R after a chunk are sums over whole chunks, as in forward; within a chunk,
 * each pair of rows is handled by itself. R is stored relative to the base at the end of its chunk;
 * the base of no later row is lower, so all factors are at most 1. The gradient of scale_j is
 * f(k_j) . df(k_j). A base has no gradient, because no result depends on it. */
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/linear_cut.h"

#include <math.h>
#include <string.h>

enum { CHUNK = KEN_LINEAR_CHUNK };

/* One chunk, the gradients of its rows, and intermediate results that several functions use. */
struct work {
    struct ken_chunk chunk;
    const float *dout;            /* gradient of the results, beginning with the first query */
    float *dq, *dk, *dv, *dscale; /* gradients of the chunk's queries and keys; or NULL      */
    float *G;                     /* one row per query: dout / divisor                       */
    float gD[CHUNK], base[CHUNK];
    float *weights, *dweights; /* weights of all pairs of the chunk's rows; their gradients */
    float *rows, *panel;       /* work space for scaled values, and for products            */
};

static struct work open_work(const struct ken_linear_cut *cut, size_t b, size_t kv, size_t j0,
                             float *scratch)
{
    const struct ken_linear_attend *job = cut->job;
    const struct ken_linear_grad *grad = cut->grad;
    struct work w = { .chunk = ken_chunk_keys(job, b, kv, j0) };
    size_t row = job->k_start[b] + j0, Ep = w.chunk.Ep;
    if (grad->dk) w.dk = grad->dk + row * job->k_stride + kv * job->M;
    if (grad->dv) w.dv = grad->dv + row * job->v_stride + kv * job->Ev;
    if (grad->dscale) w.dscale = grad->dscale + row * job->KV + kv;
    w.weights = scratch;
    w.dweights = w.weights + CHUNK * CHUNK;
    w.G = w.dweights + CHUNK * CHUNK;
    w.rows = w.G + CHUNK * Ep;
    w.panel = w.rows + CHUNK * Ep;
    return w;
}

/* Sets up the queries of head h from query i0 on. Computes for each of them G = dout / divisor and
 * gD = -(dout . out) / divisor. */
static void open_queries(struct work *w, const struct ken_linear_cut *cut, size_t b, size_t h,
                         size_t i0)
{
    const struct ken_linear_attend *job = cut->job;
    struct ken_chunk *chunk = &w->chunk;
    size_t row = job->q_start[b] + i0;
    float inverse[CHUNK];
    ken_chunk_queries(chunk, job, b, h, i0);
    w->dout = cut->grad->dout + row * job->out_stride + h * job->Ev;
    w->dq = cut->grad->dq ? cut->grad->dq + row * job->q_stride + h * job->M : NULL;
    for (size_t r = 0; r < chunk->count; r++) {
        const float *dout = w->dout + r * chunk->out_stride;
        inverse[r] = 1 / chunk->sums[r * chunk->sums_stride];
        w->gD[r] = -inverse[r] * (float)ken_kernels()->array_dot(dout,
                                                                 chunk->out + r * chunk->out_stride,
                                                                 chunk->Ev);
    }
    ken_chunk_copy(w->G, chunk->Ep, w->dout, chunk->out_stride, inverse, chunk->count, chunk->Ev);
}

/* Multiplies row r of G and of gD by e^(base of the state `before` - base of row r), because the
 * sums in that state are relative to its base. */
static void shrink_queries(struct work *w, const float *before)
{
    float from = *ken_state_base((float *)before, &w->chunk);
    for (size_t r = 0; r < w->chunk.count; r++) {
        float shrink = expf(from - w->base[r]);
        if (shrink == 1) continue;
        float *G = w->G + r * w->chunk.Ep;
        ken_kernels()->array_scale(G, G, shrink, w->chunk.Ep);
        w->gD[r] *= shrink;
    }
}

/* ---- R and r, the sums over queries ---------------------------------------------------------- */

/* Computes two sums over a chunk's queries: the matrix R, the sum of f(q) G^T, and the vector r,
 * the sum of gD f(q). Stores R and r in `own` or, with `add`, adds them to `own`. */
static void sum_queries(float *own, const struct work *w, bool add)
{
    const struct ken_chunk *chunk = &w->chunk;
    float *r_sum = ken_state_z(own, chunk);
    ken_kernels()->product(&(struct ken_product){ .c = own,
                                                  .a = chunk->q,
                                                  .b = w->G,
                                                  .c_stride = chunk->Ep,
                                                  .a_stride = chunk->q_stride,
                                                  .b_stride = chunk->Ep,
                                                  .a_columns = true,
                                                  .b_side = KEN_B_PADDED,
                                                  .add = add,
                                                  .rows = chunk->M,
                                                  .cols = chunk->Ep,
                                                  .depth = chunk->count },
                           NULL);
    if (!add) memset(r_sum, 0, chunk->M * sizeof *r_sum);
    for (size_t r = 0; r < chunk->count; r++)
        ken_kernels()->array_combine(r_sum, r_sum, chunk->q + r * chunk->q_stride, w->gD[r],
                                     chunk->M);
}

/* Computes the sums R and r of sum_queries() over the queries of one chunk. If causal, the sums
 * serve the keys of earlier chunks, so they are stored with the previous chunk, relative to the
 * base at its end. */
static void own_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut = context;
    const struct ken_linear_attend *job = cut->job;
    struct ken_linear_place at = ken_linear_find(cut->queries, job->B, job->KV, task);
    const float *before = ken_linear_before(cut, &at);
    if (!before) return; /* there is no earlier key that these queries see */
    size_t i0 = at.c * CHUNK, heads = job->H / job->KV;
    struct work w = open_work(cut, at.b, at.kv, job->causal ? i0 : 0, scratch);
    float *own = cut->grad->states + (job->causal ? task - job->KV : task) * cut->state;
    if (job->causal) ken_chunk_bases(w.base, &w.chunk, before);
    for (size_t h = 0; h < heads; h++) {
        open_queries(&w, cut, at.b, at.kv * heads + h, i0);
        if (job->causal) shrink_queries(&w, before);
        sum_queries(own, &w, h > 0);
    }
}

/* Adds up R and r, the sums over queries, over the chunks of a sequence. If causal, the sum stored
 * with a chunk then covers all later chunks. Otherwise the sum stored with the last chunk covers
 * all chunks. */
static void fold_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut = context;
    const struct ken_linear_attend *job = cut->job;
    size_t b = task / job->KV, kv = task % job->KV, step = job->KV * cut->state;
    size_t first = cut->queries[b], chunks = cut->queries[b + 1] - first;
    size_t M = job->M, size = M * ken_linear_padded(job->Ev) + M;
    float *R = cut->grad->states + first * step + kv * cut->state;
    const float *S = job->states + cut->keys[b] * step + kv * cut->state;
    (void)scratch;
    if (cut->keys[b + 1] == cut->keys[b]) return;
    for (size_t c = 1; !job->causal && c < chunks; c++)
        ken_kernels()->array_combine(R + c * step, R + c * step, R + (c - 1) * step, 1, size);
    for (size_t c = chunks; job->causal && c-- > 2;) /* the last chunk has no queries after it */
        ken_kernels()->array_combine(R + (c - 2) * step, R + (c - 2) * step, R + (c - 1) * step,
                                     expf(S[(c - 2) * step + size] - S[(c - 1) * step + size]),
                                     size);
}

/* ---- gradients of rows ----------------------------------------------------------------------- */

/* Adds to dq the gradient that comes through a state (S, z) of earlier keys: dq += G S^T + gD z. */
static void add_to_queries(const struct work *w, const float *state)
{
    const struct ken_chunk *chunk = &w->chunk;
    if (!w->dq) return;
    const float *z = ken_state_z((float *)state, chunk);
    ken_kernels()->product(&(struct ken_product){ .c = w->dq,
                                                  .a = w->G,
                                                  .b = state,
                                                  .c_stride = chunk->q_stride,
                                                  .a_stride = chunk->Ep,
                                                  .b_stride = chunk->Ep,
                                                  .b_side = KEN_B_COLUMNS,
                                                  .add = true,
                                                  .rows = chunk->count,
                                                  .cols = chunk->M,
                                                  .depth = chunk->Ev },
                           w->panel);
    for (size_t r = 0; r < chunk->count; r++) {
        float *dq = w->dq + r * chunk->q_stride;
        ken_kernels()->array_combine(dq, dq, z, w->gD[r], chunk->M);
    }
}

/* Adds to dk, dv and dscale the gradients that come from queries outside the chunk. R and r are the
 * sums of f(q) G^T and of f(q) gD over those queries, both multiplied by e^end:
 *   dk += e^(scale - end) (v R^T + r)    dv += e^(scale - end) k R    dscale += f(k) . df(k) */
static void add_to_keys(const struct work *w, const float *R, float end)
{
    const struct ken_chunk *chunk = &w->chunk;
    const float *r_sum = ken_state_z((float *)R, chunk);
    size_t keys = chunk->keys, Ep = chunk->Ep;
    float factor[CHUNK], *values = w->rows, *turned = w->G;
    for (size_t j = 0; j < keys; j++)
        factor[j] = chunk->scale ? expf(chunk->scale[j * chunk->scale_stride] - end) : 1;
    ken_chunk_copy(values, Ep, chunk->v, chunk->v_stride, factor, keys, chunk->Ev);
    struct ken_product product = { .c = turned,
                                   .a = chunk->k,
                                   .b = R,
                                   .c_stride = Ep,
                                   .a_stride = chunk->k_stride,
                                   .b_stride = Ep,
                                   .b_side = KEN_B_PADDED,
                                   .rows = keys,
                                   .cols = Ep,
                                   .depth = chunk->M };
    ken_kernels()->product(&product, NULL);
    if (w->dk)
        ken_kernels()->product(&(struct ken_product){ .c = w->dk,
                                                      .a = values,
                                                      .b = R,
                                                      .c_stride = chunk->k_stride,
                                                      .a_stride = Ep,
                                                      .b_stride = Ep,
                                                      .b_side = KEN_B_COLUMNS,
                                                      .add = true,
                                                      .rows = keys,
                                                      .cols = chunk->M,
                                                      .depth = chunk->Ev },
                               w->panel);
    for (size_t j = 0; j < keys; j++) {
        const float *k = chunk->k + j * chunk->k_stride, *row = turned + j * Ep;
        float *dk = w->dk ? w->dk + j * chunk->k_stride : NULL;
        float *dv = w->dv ? w->dv + j * chunk->v_stride : NULL;
        if (dk) ken_kernels()->array_combine(dk, dk, r_sum, factor[j], chunk->M);
        if (dv) ken_kernels()->array_combine(dv, dv, row, factor[j], chunk->Ev);
        if (w->dscale)
            w->dscale[j * chunk->scale_stride] +=
                (float)(ken_kernels()->array_dot(row, values + j * Ep, chunk->Ev) +
                        (double)factor[j] * ken_kernels()->array_dot(k, r_sum, chunk->M));
    }
}

/* For each pair of query i and key j of the chunk, computes the weight and its gradient dweights =
 * (G v^T + gD) . e^(scale_j - base_i). Adds to dscale_j the sum over i of (G v^T + gD) .
 * weights. */
static void pair_slopes(struct work *w)
{
    const struct ken_chunk *chunk = &w->chunk;
    ken_chunk_pairs(w->weights, chunk, chunk->q, chunk->q_stride, chunk->k, chunk->k_stride,
                    chunk->M, w->panel);
    ken_chunk_weigh(w->weights, chunk, w->base);
    ken_chunk_pairs(w->dweights, chunk, w->G, chunk->Ep, chunk->v, chunk->v_stride, chunk->Ev,
                    w->panel);
    for (size_t r = 0; r < chunk->count; r++)
        for (size_t j = 0; j <= r; j++) {
            w->dweights[r * CHUNK + j] += w->gD[r];
            if (w->dscale)
                w->dscale[j * chunk->scale_stride] += w->dweights[r * CHUNK + j] *
                                                      w->weights[r * CHUNK + j];
        }
    ken_chunk_weigh(w->dweights, chunk, w->base);
}

/* Adds the gradients that come from pairs of rows of the chunk, for one head:
 *   dq += dweights k      dk += dweights^T q      dv += weights^T G */
static void add_pairs(const struct work *w)
{
    const struct ken_chunk *chunk = &w->chunk;
    size_t n = chunk->count, M = chunk->M;
    struct ken_product job = { .add = true, .rows = n, .cols = M, .depth = n };
    job.a_stride = CHUNK;
    job.a = w->dweights;
    job.c = w->dq;
    job.c_stride = chunk->q_stride;
    job.b = chunk->k;
    job.b_stride = chunk->k_stride;
    if (w->dq) ken_kernels()->product(&job, w->panel);
    job.a_columns = true;
    job.c = w->dk;
    job.c_stride = chunk->k_stride;
    job.b = chunk->q;
    job.b_stride = chunk->q_stride;
    if (w->dk) ken_kernels()->product(&job, w->panel);
    job.a = w->weights;
    job.c = w->dv;
    job.c_stride = chunk->v_stride;
    job.b = w->G;
    job.b_stride = chunk->Ep;
    job.b_side = KEN_B_PADDED;
    job.cols = chunk->Ev;
    if (w->dv) ken_kernels()->product(&job, w->panel);
}

static void causal_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut = context;
    const struct ken_linear_attend *job = cut->job;
    struct ken_linear_place at = ken_linear_find(cut->queries, job->B, job->KV, task);
    const float *before = ken_linear_before(cut, &at);
    size_t i0 = at.c * CHUNK, heads = job->H / job->KV;
    struct work w = open_work(cut, at.b, at.kv, i0, scratch);
    ken_chunk_bases(w.base, &w.chunk, before);
    for (size_t h = at.kv * heads; h < (at.kv + 1) * heads; h++) {
        open_queries(&w, cut, at.b, h, i0);
        pair_slopes(&w);
        add_pairs(&w);
        if (!before) continue;
        shrink_queries(&w, before);
        add_to_queries(&w, before);
    }
    if (at.c < at.last)
        add_to_keys(&w, cut->grad->states + task * cut->state, w.base[w.chunk.keys - 1]);
}

static void queries_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut = context;
    const struct ken_linear_attend *job = cut->job;
    struct ken_linear_place at = ken_linear_find(cut->queries, job->B, job->KV, task);
    const float *total = ken_linear_before(cut, &at);
    size_t heads = job->H / job->KV;
    struct work w = open_work(cut, at.b, at.kv, 0, scratch);
    for (size_t h = at.kv * heads; total && h < (at.kv + 1) * heads; h++) {
        open_queries(&w, cut, at.b, h, at.c * CHUNK);
        add_to_queries(&w, total);
    }
}

static void keys_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut = context;
    const struct ken_linear_attend *job = cut->job;
    struct ken_linear_place at = ken_linear_find(cut->keys, job->B, job->KV, task);
    size_t last = cut->queries[at.b + 1];
    if (last == cut->queries[at.b]) return; /* the sequence has no queries */
    struct work w = open_work(cut, at.b, at.kv, at.c * CHUNK, scratch);
    const float *total = ken_linear_before(cut, &at);
    add_to_keys(&w, cut->grad->states + ((last - 1) * job->KV + at.kv) * cut->state,
                *ken_state_base((float *)total, &w.chunk));
}

void ken_linear_attend_backward(const struct ken_linear_attend *job,
                                const struct ken_linear_grad *grad)
{
    struct ken_team *team = ken_team_enter();
    struct ken_linear_cut cut = ken_linear_cut(job, grad, team);
    size_t queries = cut.queries[job->B] * job->KV, keys = cut.keys[job->B] * job->KV;
    ken_linear_sum_up(&cut, team);
    ken_team_run(team, queries, own_task, &cut);
    ken_team_run(team, job->B * job->KV, fold_task, &cut);
    if (job->causal) {
        ken_team_run(team, queries, causal_task, &cut);
    } else {
        ken_team_run(team, queries, queries_task, &cut);
        ken_team_run(team, keys, keys_task, &cut);
    }
    ken_team_leave(team);
}
