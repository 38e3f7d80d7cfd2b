/* linear.c - distributes linear attention to threads, by sequence, head and chunk of rows. Three
 * passes compute: the sums over the keys of each chunk; the sums over all keys before each chunk,
 * added in a fixed order; and the results of each chunk's queries. */
#include "kernel/linear.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/attend.h"
#include "kernel/linear_cut.h"

#include <string.h>

_Static_assert((2 * KEN_ATTEND_SEQUENCES + 2) * sizeof(uint32_t) <= KEN_TEAM_SHARED * sizeof(float),
               "two tables of chunks must fit the shared memory");

size_t ken_linear_state(size_t M, size_t Ev)
{
    return ken_size_round_up(M * ken_linear_padded(Ev) + M + 1, 16);
}

/* Returns the number of chunks in all sequences. */
static size_t count_chunks(const size_t *start, size_t B)
{
    size_t chunks = 0;
    for (size_t b = 0; b < B; b++)
        chunks += ken_size_groups(start[b + 1] - start[b], KEN_LINEAR_CHUNK);
    return chunks;
}

size_t ken_linear_space(const struct ken_linear_attend *job)
{
    return count_chunks(job->k_start, job->B) * job->KV * ken_linear_state(job->M, job->Ev);
}

size_t ken_linear_space_backward(const struct ken_linear_attend *job)
{
    return count_chunks(job->q_start, job->B) * job->KV * ken_linear_state(job->M, job->Ev);
}

/* Sets before[b] to the number of chunks in the sequences before sequence b. */
static void cut(uint32_t *before, const size_t *start, size_t B)
{
    before[0] = 0;
    for (size_t b = 0; b < B; b++)
        before[b + 1] = before[b] +
                        (uint32_t)ken_size_groups(start[b + 1] - start[b], KEN_LINEAR_CHUNK);
}

struct ken_linear_cut ken_linear_cut(const struct ken_linear_attend *job,
                                     const struct ken_linear_grad *grad, struct ken_team *team)
{
    uint32_t *queries = (uint32_t *)ken_team_shared(team), *keys = queries + job->B + 1;
    cut(queries, job->q_start, job->B);
    cut(keys, job->k_start, job->B);
    return (struct ken_linear_cut){ .job = job,
                                    .grad = grad,
                                    .queries = queries,
                                    .keys = keys,
                                    .state = ken_linear_state(job->M, job->Ev) };
}

struct ken_linear_place ken_linear_find(const uint32_t *before, size_t B, size_t KV, size_t task)
{
    size_t low = 0, high = B, chunk = task / KV;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (before[middle] <= chunk) low = middle;
        else high = middle;
    }
    return (struct ken_linear_place){ .b = low,
                                      .kv = task % KV,
                                      .c = chunk - before[low],
                                      .last = before[low + 1] - before[low] - 1 };
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void own_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut_of = context;
    const struct ken_linear_attend *job = cut_of->job;
    struct ken_linear_place at = ken_linear_find(cut_of->keys, job->B, job->KV, task);
    if (job->causal && at.c == at.last) return; /* no query needs the sums of the last chunk */
    struct ken_chunk chunk = ken_chunk_keys(job, at.b, at.kv, at.c * KEN_LINEAR_CHUNK);
    float *own = job->states + task * cut_of->state, base = ken_chunk_top(&chunk);
    ken_chunk_sum(own, ken_state_z(own, &chunk), &chunk, base, 0, job->M, scratch);
    *ken_state_base(own, &chunk) = base;
}

static void fold_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut_of = context;
    const struct ken_linear_attend *job = cut_of->job;
    size_t b = task / job->KV, kv = task % job->KV, step = job->KV * cut_of->state;
    size_t first = cut_of->keys[b], end = cut_of->keys[b + 1] - first;
    float *states = job->states + first * step + kv * cut_of->state;
    struct ken_chunk shape = { .M = job->M, .Ep = ken_linear_padded(job->Ev) };
    (void)scratch;
    for (size_t c = 1; c + (job->causal ? 1 : 0) < end; c++)
        ken_chunk_fold(states + c * step, states + (c - 1) * step, &shape);
}

void ken_linear_sum_up(struct ken_linear_cut *cut_of, struct ken_team *team)
{
    const struct ken_linear_attend *job = cut_of->job;
    ken_team_run(team, cut_of->keys[job->B] * job->KV, own_task, cut_of);
    ken_team_run(team, job->B * job->KV, fold_task, cut_of);
}

const float *ken_linear_before(const struct ken_linear_cut *cut_of,
                               const struct ken_linear_place *at)
{
    const struct ken_linear_attend *job = cut_of->job;
    size_t chunks = cut_of->keys[at->b + 1] - cut_of->keys[at->b];
    size_t c = job->causal ? at->c : chunks;
    return c > 0 ? job->states + ((cut_of->keys[at->b] + c - 1) * job->KV + at->kv) * cut_of->state
                 : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Sets the results of the chunk's queries to 0. It is called if the queries see no key. */
static void clear_rows(const struct ken_chunk *chunk)
{
    for (size_t r = 0; r < chunk->count; r++) {
        memset(chunk->out + r * chunk->out_stride, 0, chunk->Ev * sizeof *chunk->out);
        if (chunk->sums) chunk->sums[r * chunk->sums_stride] = KEN_LINEAR_EPS;
    }
}

void ken_linear_rows(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                     size_t kv, size_t i0, const float *before, float *scratch)
{
    size_t heads = job->H / job->KV;
    for (size_t h = kv * heads; h < (kv + 1) * heads; h++) {
        ken_chunk_queries(chunk, job, b, h, i0);
        if (job->causal) ken_chunk_attend(chunk, before, scratch);
        else if (before) ken_chunk_ask(chunk, before, scratch);
        else clear_rows(chunk);
    }
}

static void rows_task(void *context, size_t task, float *scratch)
{
    const struct ken_linear_cut *cut_of = context;
    const struct ken_linear_attend *job = cut_of->job;
    struct ken_linear_place at = ken_linear_find(cut_of->queries, job->B, job->KV, task);
    size_t i0 = at.c * KEN_LINEAR_CHUNK;
    struct ken_chunk chunk = ken_chunk_keys(job, at.b, at.kv, job->causal ? i0 : 0);
    ken_linear_rows(&chunk, job, at.b, at.kv, i0, ken_linear_before(cut_of, &at), scratch);
}

void ken_linear_attend_forward(const struct ken_linear_attend *job)
{
    struct ken_team *team = ken_team_enter();
    struct ken_linear_cut cut_of = ken_linear_cut(job, NULL, team);
    ken_linear_sum_up(&cut_of, team);
    ken_team_run(team, cut_of.queries[job->B] * job->KV, rows_task, &cut_of);
    ken_team_leave(team);
}
