/* heads.c - cuts work on heads into groups of rows. A sum over rows has one partial sum per group;
 * the partial sums are added up in the order of the groups. The groups follow from the sizes
 * alone. */
#include "kernel/heads.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <string.h>

enum { CHUNK = 1 << 14 }; /* approximate number of elements per task */

struct job {
    float *y, *sums; /* sums: partial sums of da, H * E floats per task */
    const float *x, *a, *dy;
    size_t N, H, E, group;
};

static size_t rows_of(const struct job *job, size_t *first, size_t task)
{
    *first = task * job->group;
    return ken_size_min(job->N - *first, job->group);
}

static void cut(struct job *job)
{
    job->group = ken_size_groups(CHUNK, ken_size_max(job->H * job->E, 1));
}

/* ---- head_dot -------------------------------------------------------------------------------- */

static void dot_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t i, rows = rows_of(job, &i, task), H = job->H, E = job->E;
    (void)scratch;
    for (size_t h = 0; h < H; h++)
        ken_kernels()->row_dots(job->y + i * H + h, H, job->a + h * E, job->x + i * H * E + h * E,
                                H * E, NULL, rows, E);
}

void ken_head_dot_forward(float *y, const float *x, const float *a, size_t N, size_t H, size_t E)
{
    struct job job = { .y = y, .x = x, .a = a, .N = N, .H = H, .E = E };
    cut(&job);
    ken_parallel(ken_size_groups(N, job.group), dot_task, &job);
}

static void dot_backward_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t i, rows = rows_of(job, &i, task), H = job->H, E = job->E;
    const float *dy = job->dy + i * H;
    (void)scratch;
    for (size_t h = 0; job->y && h < H; h++)
        ken_kernels()->row_adds(job->y + i * H * E + h * E, H * E, job->a + h * E, dy + h, H, rows,
                                E);
    for (size_t h = 0; job->sums && h < H; h++)
        ken_kernels()->row_sums(job->sums + (task * H + h) * E, job->x + i * H * E + h * E, H * E,
                                NULL, dy + h, H, rows, E);
}

void ken_head_dot_backward(float *dx, float *da, const float *dy, const float *x, const float *a,
                           size_t N, size_t H, size_t E)
{
    struct job job = { .y = dx, .x = x, .a = a, .dy = dy, .N = N, .H = H, .E = E };
    cut(&job);
    struct ken_team *team = ken_team_enter();
    if (da) { /* the partial sums of all tasks must fit shared memory */
        size_t most = ken_size_max(KEN_TEAM_SHARED / ken_size_max(H * E, 1), 1);
        job.group = ken_size_max(job.group, ken_size_groups(N, most));
        job.sums = ken_team_shared(team);
    }
    size_t tasks = ken_size_groups(N, job.group);
    if (da) memset(job.sums, 0, tasks * H * E * sizeof *job.sums);
    ken_team_run(team, tasks, dot_backward_task, &job);
    if (da) ken_kernels()->array_column_sums(da, job.sums, H * E, tasks, H * E);
    ken_team_leave(team);
}

void ken_head_dot_forward_ref(float *y, const float *x, const float *a, size_t N, size_t H,
                              size_t E)
{
    for (size_t n = 0; n < N * H; n++) {
        double sum = 0;
        for (size_t e = 0; e < E; e++) sum += (double)x[n * E + e] * a[n % H * E + e];
        y[n] = (float)sum;
    }
}

void ken_head_dot_backward_ref(float *dx, float *da, const float *dy, const float *x,
                               const float *a, size_t N, size_t H, size_t E)
{
    for (size_t n = 0; n < N * H * E; n++)
        if (dx) dx[n] = (float)(dx[n] + (double)dy[n / E] * a[n % (H * E)]);
    for (size_t n = 0; da && n < H * E; n++) {
        double sum = da[n];
        for (size_t i = 0; i < N; i++) sum += (double)dy[i * H + n / E] * x[i * H * E + n];
        da[n] = (float)sum;
    }
}

/* ---- head_mean: the heads of a row are rows of width E --------------------------------------- */

static void mean_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t first, rows = rows_of(job, &first, task), H = job->H, E = job->E;
    const float share = 1 / (float)H;
    (void)scratch;
    memset(job->y + first * E, 0, rows * E * sizeof *job->y);
    for (size_t i = first; i < first + rows; i++)
        ken_kernels()->row_sums(job->y + i * E, job->x + i * H * E, E, NULL, &share, 0, H, E);
}

void ken_head_mean_forward(float *y, const float *x, size_t N, size_t H, size_t E)
{
    struct job job = { .y = y, .x = x, .N = N, .H = H, .E = E };
    cut(&job);
    ken_parallel(ken_size_groups(N, job.group), mean_task, &job);
}

static void mean_backward_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t first, rows = rows_of(job, &first, task), H = job->H, E = job->E;
    const float share = 1 / (float)H;
    (void)scratch;
    for (size_t i = first; i < first + rows; i++)
        ken_kernels()->row_adds(job->y + i * H * E, E, job->dy + i * E, &share, 0, H, E);
}

void ken_head_mean_backward(float *dx, const float *dy, size_t N, size_t H, size_t E)
{
    struct job job = { .y = dx, .dy = dy, .N = N, .H = H, .E = E };
    cut(&job);
    ken_parallel(ken_size_groups(N, job.group), mean_backward_task, &job);
}

void ken_head_mean_forward_ref(float *y, const float *x, size_t N, size_t H, size_t E)
{
    for (size_t n = 0; n < N * E; n++) {
        double sum = 0;
        for (size_t h = 0; h < H; h++) sum += x[(n / E * H + h) * E + n % E];
        y[n] = (float)(sum / (double)H);
    }
}

void ken_head_mean_backward_ref(float *dx, const float *dy, size_t N, size_t H, size_t E)
{
    for (size_t n = 0; n < N * H * E; n++)
        dx[n] = (float)(dx[n] + (double)dy[n / (H * E) * E + n % E] / (double)H);
}
