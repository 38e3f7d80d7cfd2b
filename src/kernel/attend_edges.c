/* attend_edges.c - divides the work of edge attention among threads: one pass over the queries and,
 * in backward, a second pass over the keys. */
#include "base/size.h"
#include "base/threads.h"
#include "kernel/attend.h"
#include "kernel/kernels.h"

#include <string.h>

enum { ROWS_AT_LEAST = 64, TASKS_AT_MOST = 4096 };

struct shared {
    const struct ken_attend *job;
    const struct ken_attend_grad *grad;
    size_t rows, group;
    float *partial; /* (tasks, H * E): partial sum of dvector of each task */
};

static struct shared cut(const struct ken_attend *job, const struct ken_attend_grad *grad,
                         size_t rows)
{
    size_t group = ken_size_max(ROWS_AT_LEAST, ken_size_groups(rows, TASKS_AT_MOST));
    return (struct shared){ .job = job, .grad = grad, .rows = rows, .group = group };
}

static void forward_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    size_t i = task * shared->group;
    ken_kernels()->attend_edges_forward(shared->job, i,
                                        ken_size_min(i + shared->group, shared->rows), scratch);
}

void ken_attend_edges_forward(const struct ken_attend *job)
{
    struct shared shared = cut(job, NULL, job->q_start[job->B]);
    ken_parallel(ken_size_groups(shared.rows, shared.group), forward_task, &shared);
}

static void queries_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    size_t i = task * shared->group;
    float *partial = shared->partial ? shared->partial + task * shared->job->H * shared->job->E
                                     : NULL;
    ken_kernels()->attend_edges_queries(shared->job, shared->grad, partial, i,
                                        ken_size_min(i + shared->group, shared->rows), scratch);
}

static void keys_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    size_t j = task * shared->group;
    ken_kernels()->attend_edges_keys(shared->job, shared->grad, j,
                                     ken_size_min(j + shared->group, shared->rows), scratch);
}

void ken_attend_edges_backward(const struct ken_attend *job, const struct ken_attend_grad *grad)
{
    struct ken_team *team = ken_team_enter();
    struct shared queries = cut(job, grad, job->q_start[job->B]);
    size_t width = job->H * job->E;
    if (grad->dvector) { /* the partial sums of all tasks must fit shared memory */
        queries.partial = ken_team_shared(team);
        size_t most = ken_size_max(KEN_TEAM_SHARED / width, 1);
        queries.group = ken_size_max(queries.group, ken_size_groups(queries.rows, most));
    }
    size_t tasks = ken_size_groups(queries.rows, queries.group);
    if (queries.partial) memset(queries.partial, 0, tasks * width * sizeof(float));
    ken_team_run(team, tasks, queries_task, &queries);
    for (size_t t = 0; queries.partial && t < tasks; t++)
        for (size_t e = 0; e < width; e++) grad->dvector[e] += queries.partial[t * width + e];
    struct shared keys = cut(job, grad, job->k_start[job->B]);
    if (grad->dk || grad->dv)
        ken_team_run(team, ken_size_groups(keys.rows, keys.group), keys_task, &keys);
    ken_team_leave(team);
}

void ken_attend_edges_weights(float *weights, const struct ken_attend *job, size_t b, size_t h)
{
    const struct ken_edges *edges = job->edges;
    size_t i0 = job->q_start[b], T = job->q_start[b + 1] - i0;
    size_t j0 = job->k_start[b], S = job->k_start[b + 1] - j0;
    memset(weights, 0, T * S * sizeof *weights);
    for (size_t i = 0; i < T; i++)
        for (size_t x = edges->key_start[i0 + i]; x < edges->key_start[i0 + i + 1]; x++)
            if (edges->key[x] >= j0 && edges->key[x] - j0 < S)
                weights[i * S + edges->key[x] - j0] += job->log_sum[x * job->H + h];
}
