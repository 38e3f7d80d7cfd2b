/* attend.c - cuts attention into tasks: by sequence, head and block of queries. The blocks follow
 * from the sizes of the problem alone.
 *
 * In backward no two tasks write the same row. There are two ways to cut backward into tasks.
 * Usually a task has all queries of one key/value head in one sequence. If that makes too few
 * tasks, there are two passes: the first computes the gradients of blocks of queries, and the
 * second the gradients of ranges of keys. Each of the two passes computes the weights. Both ways
 * add in the same order and give the same bits. For tables that all heads share (Shaw's vectors),
 * each key/value head has a partial sum; the partial sums are added up at the end. */
#include "kernel/attend.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <string.h>

enum {
    KEY_RANGE = 768,    /* keys per task in backward's second pass; a multiple of a tile's keys */
    TASKS_AT_LEAST = 32 /* minimum number of tasks, so that all threads finish together         */
};
_Static_assert((KEN_ATTEND_SEQUENCES + 1) * sizeof(size_t) <= KEN_TEAM_SHARED * sizeof(float),
               "the table of blocks must fit the shared memory");

struct shared {
    const struct ken_attend *job;
    const struct ken_attend_grad *grad;
    const size_t *before; /* before[b] = number of blocks in sequences 0 .. b - 1; B + 1 entries */
    size_t group;         /* rows (queries or keys) per block                                    */
    unsigned parts;
    float *tables; /* partial sums of dshaw_k and dshaw_v, one table per key/value head; or NULL */
};

/* Sets before[b] to the number of blocks in the sequences before sequence b, and returns the number
 * of all blocks. `before` lies in the team's shared memory. */
static size_t count_blocks(size_t *before, const struct ken_attend *job, unsigned parts,
                           size_t group)
{
    before[0] = 0;
    for (size_t b = 0; b < job->B; b++) {
        size_t rows = parts == KEN_ATTEND_KEYS ? ken_attend_keys(job, b)
                                               : job->q_start[b + 1] - job->q_start[b];
        before[b + 1] = before[b] + ken_size_groups(rows, group);
    }
    return before[job->B];
}

/* Returns the sequence that block `n` belongs to, by a binary search in `before`. */
static size_t find_sequence(const size_t *before, size_t B, size_t n)
{
    size_t low = 0, high = B;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (before[middle] <= n) low = middle;
        else high = middle;
    }
    return low;
}

static void forward_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_attend *job = shared->job;
    size_t block = task / job->H, h = task % job->H;
    size_t b = find_sequence(shared->before, job->B, block);
    size_t T = job->q_start[b + 1] - job->q_start[b];
    size_t i0 = (block - shared->before[b]) * shared->group;
    ken_kernels()->attend_forward(job, b, h, i0, ken_size_min(T - i0, shared->group), scratch);
}

/* Returns the number of queries per task in forward: as many as possible while there are still
 * TASKS_AT_LEAST tasks. The bits of the result do not depend on this number. */
static size_t forward_group(const struct ken_attend *job)
{
    size_t rows = job->q_start[job->B] - job->q_start[0], group = KEN_ATTEND_MOST;
    if (job->pattern || job->weigh == KEN_WEIGH_SPARSEMAX) group = KEN_ATTEND_BLOCK;
    while (group > KEN_ATTEND_BLOCK && rows / group * job->H < TASKS_AT_LEAST) group /= 2;
    return group;
}

void ken_attend_forward(const struct ken_attend *job)
{
    if (job->edges) {
        ken_attend_edges_forward(job);
        return;
    }
    struct ken_team *team = ken_team_enter();
    size_t *before = (size_t *)ken_team_shared(team);
    struct shared shared = { .job = job, .before = before, .group = forward_group(job) };
    size_t blocks = count_blocks(before, job, KEN_ATTEND_QUERIES, shared.group);
    ken_team_run(team, blocks * job->H, forward_task, &shared);
    ken_team_leave(team);
}

/* Runs backward for the query heads that share key/value head kv. They run one after another,
 * because all of them add to the gradients of kv. */
static void run_range(const struct ken_attend *job, const struct ken_attend_grad *grad, size_t kv,
                      struct ken_attend_range range, float *scratch)
{
    size_t heads = job->H / job->KV;
    for (range.h = kv * heads; range.h < (kv + 1) * heads; range.h++)
        ken_kernels()->attend_backward(job, grad, &range, scratch);
}

/* Returns whether gradients of parameters are wanted. All sequences add to these gradients, so a
 * task must then handle all sequences. */
static bool has_parameters(const struct ken_attend_grad *grad)
{
    return grad->dvector || grad->dbias || grad->dshaw_k || grad->dshaw_v;
}

/* Computes all gradients of one key/value head: of one sequence, or of all sequences if gradients
 * of parameters are wanted. */
static void backward_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_attend *job = shared->job;
    struct ken_attend_grad grad = *shared->grad;
    if (shared->tables) {
        size_t rows = 2 * job->span + 1;
        grad.dshaw_k = shared->tables + task * rows * (job->E + job->Ev);
        grad.dshaw_v = grad.dshaw_k + rows * job->E;
    }
    bool all = has_parameters(&grad);
    size_t b0 = all ? 0 : task / job->KV, b1 = all ? job->B : b0 + 1;
    for (size_t b = b0; b < b1; b++)
        run_range(job, &grad, task % job->KV,
                  (struct ken_attend_range){ .b = b,
                                             .i1 = job->q_start[b + 1] - job->q_start[b],
                                             .j1 = ken_attend_keys(job, b),
                                             .parts = KEN_ATTEND_QUERIES | KEN_ATTEND_KEYS },
                  scratch);
}

/* Runs backward_task() for one key/value head after another. run_shaw() uses it if the shared
 * memory is too small for one table of Shaw's gradients per head. */
static void serial_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    for (size_t kv = 0; kv < shared->job->KV; kv++) backward_task(context, task + kv, scratch);
}

/* Computes all gradients of a job with Shaw's vectors. Each key/value head sums the gradients of
 * Shaw's vectors into its own table. If the team's shared memory is too small for all tables, the
 * heads run one after another instead. */
static void run_shaw(struct shared *shared, struct ken_team *team)
{
    const struct ken_attend *job = shared->job;
    const struct ken_attend_grad *grad = shared->grad;
    size_t rows = 2 * job->span + 1, size = rows * (job->E + job->Ev);
    if (size > KEN_TEAM_SHARED / job->KV) {
        ken_team_run(team, 1, serial_task, shared);
        return;
    }
    shared->tables = ken_team_shared(team);
    memset(shared->tables, 0, job->KV * size * sizeof *shared->tables);
    ken_team_run(team, job->KV, backward_task, shared);
    for (size_t kv = 0; kv < job->KV; kv++) {
        const float *k = shared->tables + kv * size, *v = k + rows * job->E;
        for (size_t i = 0; grad->dshaw_k && i < rows * job->E; i++) grad->dshaw_k[i] += k[i];
        for (size_t i = 0; grad->dshaw_v && i < rows * job->Ev; i++) grad->dshaw_v[i] += v[i];
    }
}

static void split_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_attend *job = shared->job;
    size_t block = task / job->KV, b = find_sequence(shared->before, job->B, block);
    size_t at = (block - shared->before[b]) * shared->group;
    struct ken_attend_range range = { .b = b,
                                      .parts = shared->parts,
                                      .i1 = job->q_start[b + 1] - job->q_start[b],
                                      .j1 = ken_attend_keys(job, b) };
    if (shared->parts != KEN_ATTEND_KEYS) {
        range.i0 = at;
        range.i1 = ken_size_min(range.i1, at + shared->group);
    } else {
        range.j0 = at;
        range.j1 = ken_size_min(range.j1, at + shared->group);
    }
    run_range(job, shared->grad, task % job->KV, range, scratch);
}

static void run_split(struct shared *shared, struct ken_team *team, size_t *before, size_t group,
                      unsigned parts)
{
    shared->group = group;
    shared->parts = parts;
    size_t blocks = count_blocks(before, shared->job, parts, group);
    ken_team_run(team, blocks * shared->job->KV, split_task, shared);
}

/* Returns the number of keys per task in backward's second pass: whole tiles. For every query, each
 * task checks which of the task's keys the query sees. With a pattern, most of these checks find no
 * key, and their time would grow with the square of the length; so tasks are larger with a
 * pattern. */
static size_t key_range(const struct ken_attend *job)
{
    size_t keys = job->k_start[job->B] - job->k_start[0];
    if (!job->pattern || job->k_count) return KEY_RANGE;
    return ken_size_max(ken_size_round_up(keys / TASKS_AT_LEAST, KEY_RANGE), KEY_RANGE);
}

void ken_attend_backward(const struct ken_attend *job, const struct ken_attend_grad *grad)
{
    if (job->edges) {
        ken_attend_edges_backward(job, grad);
        return;
    }
    size_t threads = ken_threads();
    struct ken_team *team = ken_team_enter();
    size_t *before = (size_t *)ken_team_shared(team);
    struct shared shared = { .job = job, .grad = grad, .before = before };
    if (job->weigh == KEN_WEIGH_SPARSEMAX)
        run_split(&shared, team, before, KEN_ATTEND_BLOCK, KEN_ATTEND_MEANS);
    if (grad->dshaw_k || grad->dshaw_v) {
        run_shaw(&shared, team);
    } else if (has_parameters(grad) || job->B * job->KV >= threads) {
        ken_team_run(team, has_parameters(grad) ? job->KV : job->B * job->KV, backward_task,
                     &shared);
    } else {
        if (grad->dq) run_split(&shared, team, before, KEN_ATTEND_BLOCK, KEN_ATTEND_QUERIES);
        if (grad->dk || grad->dv) run_split(&shared, team, before, key_range(job), KEN_ATTEND_KEYS);
    }
    ken_team_leave(team);
}

struct weights {
    float *weights;
    const struct ken_attend *job;
    size_t b, h, T, S;
};

static void weights_task(void *context, size_t task, float *scratch)
{
    const struct weights *w = context;
    size_t i0 = task * KEN_ATTEND_BLOCK;
    ken_kernels()->attend_weights(w->weights + i0 * w->S, w->job, w->b, w->h, i0,
                                  ken_size_min(w->T - i0, KEN_ATTEND_BLOCK), scratch);
}

void ken_attend_weights(float *weights, const struct ken_attend *job, size_t b, size_t h)
{
    if (job->edges) {
        ken_attend_edges_weights(weights, job, b, h);
        return;
    }
    struct weights w = { .weights = weights, .job = job, .b = b, .h = h };
    w.T = job->q_start[b + 1] - job->q_start[b];
    w.S = ken_attend_keys(job, b);
    ken_parallel(ken_size_groups(w.T, KEN_ATTEND_BLOCK), weights_task, &w);
}

/* Marks the keys that query i of sequence b finds in its list of edges. */
static void mask_edges(unsigned char *row, const struct ken_attend *job, size_t b, size_t i)
{
    const struct ken_edges *edges = job->edges;
    size_t query = job->q_start[b] + i, j0 = job->k_start[b], S = ken_attend_keys(job, b);
    for (size_t x = edges->key_start[query]; x < edges->key_start[query + 1]; x++)
        if (edges->key[x] >= j0 && edges->key[x] - j0 < S) row[edges->key[x] - j0] = 1;
}

void ken_attend_mask(unsigned char *mask, const struct ken_attend *job, size_t b)
{
    size_t T = job->q_start[b + 1] - job->q_start[b], S = ken_attend_keys(job, b);
    memset(mask, 0, T * S);
    for (size_t i = 0; i < T; i++, mask += S) {
        struct ken_range ranges[KEN_PATTERN_RANGES] = { 0 };
        size_t count = 1;
        if (job->edges) {
            mask_edges(mask, job, b, i);
            continue;
        }
        if (job->pattern)
            count = ken_pattern_ranges(ranges, job->pattern, (ptrdiff_t)(i + S) - (ptrdiff_t)T, S);
        else ken_attend_reach(&ranges[0].first, &ranges[0].end, job, i, T, S);
        for (size_t r = 0; r < count; r++)
            memset(mask + ranges[r].first, 1, ranges[r].end - ranges[r].first);
    }
}
