/* linear_keep.c - linear attention over sums that are kept: the totals of the encoder's output, and
 * the slots of sequences that grow.
 *
 * A slot holds a state for each key/value head, which is the sum over all full chunks; then the
 * rows of the last chunk, which is not full: features (CHUNK, KV M), values (CHUNK, KV Ev) and
 * scales (CHUNK, KV). So a new row costs the same at any place, and its result has the same bits as
 * if the whole sequence were read at once. */
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/linear_cut.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = KEN_LINEAR_CHUNK,
    STRIP = 64 /* number of features whose sums fit the work space */
};

/* ---- the sums of a memory -------------------------------------------------------------------- */

struct totals {
    struct ken_linear_cut cut;
    float *totals;
    const size_t *from;
};

static void total_task(void *context, size_t task, float *scratch)
{
    const struct totals *t = context;
    const struct ken_linear_attend *job = t->cut.job;
    struct ken_linear_place at = { .b = task / job->KV, .kv = task % job->KV };
    const float *sum = ken_linear_before(&t->cut, &at);
    float *total = t->totals + task * t->cut.state;
    (void)scratch;
    if (sum) memcpy(total, sum, t->cut.state * sizeof *total);
    else memset(total, 0, t->cut.state * sizeof *total);
}

void ken_linear_totals(float *totals, const struct ken_linear_attend *job)
{
    struct ken_team *team = ken_team_enter();
    struct totals t = { .cut = ken_linear_cut(job, NULL, team), .totals = totals };
    ken_linear_sum_up(&t.cut, team);
    ken_team_run(team, job->B * job->KV, total_task, &t);
    ken_team_leave(team);
}

static void ask_task(void *context, size_t task, float *scratch)
{
    const struct totals *t = context;
    const struct ken_linear_attend *job = t->cut.job;
    struct ken_linear_place at = ken_linear_find(t->cut.queries, job->B, job->KV, task);
    struct ken_chunk chunk = { .M = job->M, .Ev = job->Ev, .Ep = ken_linear_padded(job->Ev) };
    const float *total = t->totals + (t->from[at.b] * job->KV + at.kv) * t->cut.state;
    ken_linear_rows(&chunk, job, at.b, at.kv, at.c * CHUNK, total, scratch);
}

void ken_linear_ask(const struct ken_linear_attend *job, const float *totals, const size_t *from)
{
    struct ken_team *team = ken_team_enter();
    struct totals t = { .cut = ken_linear_cut(job, NULL, team),
                        .totals = (float *)totals,
                        .from = from };
    ken_team_run(team, t.cut.queries[job->B] * job->KV, ask_task, &t);
    ken_team_leave(team);
}

/* ---- sequences that go on -------------------------------------------------------------------- */

size_t ken_linear_slot(size_t KV, size_t M, size_t Ev)
{
    return KV * (ken_linear_state(M, Ev) + ken_size_round_up(CHUNK * (M + Ev + 1), 16));
}

struct going {
    const struct ken_linear_attend *job;
    float *slots;
    const size_t *slot, *kept;
    size_t slot_size, state;
};

/* Points the chunk to the rows that the slot holds. */
static void open_slot(struct ken_chunk *chunk, const struct ken_linear_attend *job, float *slot,
                      size_t state, size_t kv)
{
    size_t KV = job->KV;
    const float *k = slot + KV * state, *v = k + CHUNK * KV * job->M;
    *chunk = (struct ken_chunk){ .k = k + kv * job->M,
                                 .v = v + kv * job->Ev,
                                 .scale = job->scale ? v + CHUNK * KV * job->Ev + kv : NULL,
                                 .k_stride = KV * job->M,
                                 .v_stride = KV * job->Ev,
                                 .scale_stride = KV,
                                 .M = job->M,
                                 .Ev = job->Ev,
                                 .Ep = ken_linear_padded(job->Ev) };
}

/* Copies rows of the batch, beginning with `row`, into the chunk's slot: to rows chunk->first and
 * following. */
static void keep_rows(const struct ken_chunk *chunk, const struct ken_linear_attend *job,
                      size_t row, size_t kv)
{
    for (size_t r = chunk->first; r < chunk->first + chunk->count; r++, row++) {
        memcpy((float *)chunk->k + r * chunk->k_stride, job->k + row * job->k_stride + kv * job->M,
               job->M * sizeof(float));
        memcpy((float *)chunk->v + r * chunk->v_stride, job->v + row * job->v_stride + kv * job->Ev,
               job->Ev * sizeof(float));
        if (job->scale)
            ((float *)chunk->scale)[r * chunk->scale_stride] = job->scale[row * job->KV + kv];
    }
}

/* Adds a full chunk to the state, STRIP features at a time. The result has the same bits as a sum
 * over all features at once. */
static void close_chunk(float *state, const struct ken_chunk *chunk, bool first, float *scratch)
{
    float top = ken_chunk_top(chunk), *z = ken_state_z(state, chunk), *base = z + chunk->M;
    float level = first ? top : fmaxf(top, *base), grow = expf(top - level);
    float keep = first ? 0 : expf(*base - level);
    float *S_own = scratch, *z_own = S_own + STRIP * chunk->Ep;
    for (size_t m = 0; m < chunk->M; m += STRIP) {
        size_t end = ken_size_min(chunk->M, m + STRIP), size = (end - m) * chunk->Ep;
        float *S = state + m * chunk->Ep;
        ken_chunk_sum(S_own, z_own, chunk, top, m, end, z_own + STRIP);
        if (first) {
            memcpy(S, S_own, size * sizeof *S);
            memcpy(z + m, z_own, (end - m) * sizeof *z);
            continue;
        }
        if (grow != 1) {
            ken_kernels()->array_scale(S_own, S_own, grow, size);
            ken_kernels()->array_scale(z_own, z_own, grow, end - m);
        }
        ken_kernels()->array_combine(S, S_own, S, keep, size);
        ken_kernels()->array_combine(z + m, z_own, z + m, keep, end - m);
    }
    *base = level;
}

static void go_on_task(void *context, size_t task, float *scratch)
{
    const struct going *going = context;
    const struct ken_linear_attend *job = going->job;
    size_t b = task / job->KV, kv = task % job->KV, heads = job->H / job->KV;
    float *slot = going->slots + going->slot[b] * going->slot_size;
    float *state = slot + kv * going->state;
    size_t place = going->kept[b], T = job->q_start[b + 1] - job->q_start[b];
    struct ken_chunk chunk;
    open_slot(&chunk, job, slot, going->state, kv);
    for (size_t i = 0, here; i < T; i += here, place += here) {
        size_t first = place % CHUNK;
        here = ken_size_min(CHUNK - first, T - i);
        for (size_t h = kv * heads; h < (kv + 1) * heads; h++) {
            ken_chunk_queries(&chunk, job, b, h, i);
            chunk.first = first;
            chunk.count = here;
            chunk.keys = first + here;
            if (h == kv * heads) keep_rows(&chunk, job, job->q_start[b] + i, kv);
            ken_chunk_attend(&chunk, place >= CHUNK ? state : NULL, scratch);
        }
        if (chunk.keys == CHUNK) close_chunk(state, &chunk, place < CHUNK, scratch);
    }
}

void ken_linear_go_on(const struct ken_linear_attend *job, float *slots, const size_t *slot,
                      const size_t *kept)
{
    struct going going = { .job = job,
                           .slots = slots,
                           .slot = slot,
                           .kept = kept,
                           .slot_size = ken_linear_slot(job->KV, job->M, job->Ev),
                           .state = ken_linear_state(job->M, job->Ev) };
    ken_parallel(job->B * job->KV, go_on_task, &going);
}
