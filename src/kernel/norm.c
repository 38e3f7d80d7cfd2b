/* norm.c - cuts norms into groups of rows. The gradients of gain and bias are sums over all rows:
 * each group of ROWS rows puts its sums into shared memory, then the sums of the groups are added
 * in ascending order, column by column. The groups depend on the shape alone, and so does the order
 * of every sum. */
#include "kernel/norm.h"

#include "base/size.h"
#include "kernel/kernels.h"

#include <math.h>

enum {
    ROWS = 32,    /* rows per group                                                          */
    GROUPS = 128, /* groups at a time: their sums are still in the cache when they are added */
    STRIP = 64    /* columns per task of the pass that adds up the groups                    */
};

/* Returns the number of groups of rows. It is 0 if rows have no columns: the kernel always reads
 * the first number of a row, and an empty row has none. */
static size_t groups_of(const struct ken_norm *job)
{
    return job->n > 0 ? ken_size_groups(job->rows, ROWS) : 0;
}

static void task_forward(void *context, size_t task, float *scratch)
{
    const struct ken_norm *job = context;
    size_t first = task * ROWS;
    (void)scratch;
    ken_kernels()->norm_forward(job, first, ken_size_min(job->rows - first, ROWS));
}

void ken_norm_forward(const struct ken_norm *job)
{
    ken_parallel(groups_of(job), task_forward, (void *)job);
}

/* A wave: the groups of rows that are computed before their sums are added up. */
struct wave {
    const struct ken_norm *job;
    const struct ken_norm_grad *grad;
    float *sums;   /* dgain and dbias of each group, (groups, 2, n); NULL if not wanted */
    size_t first;  /* index of the wave's first group                                   */
    size_t groups; /* number of groups in the wave                                      */
};

static void task_backward(void *context, size_t task, float *scratch)
{
    const struct wave *wave = context;
    const struct ken_norm *job = wave->job;
    size_t first = (wave->first + task) * ROWS;
    float *sums = wave->sums ? wave->sums + task * 2 * job->n : NULL;
    (void)scratch;
    ken_kernels()->norm_backward(job, wave->grad, sums, first,
                                 ken_size_min(job->rows - first, ROWS));
}

/* Adds up columns at .. at + STRIP - 1 of dgain and dbias over all groups of a wave, in ascending
 * order. */
static void task_add_up(void *context, size_t task, float *scratch)
{
    const struct wave *wave = context;
    size_t n = wave->job->n, at = task * STRIP, columns = ken_size_min(n - at, STRIP);
    float *const to[2] = { wave->grad->dgain, wave->grad->dbias };
    (void)scratch;
    for (size_t i = 0; i < 2; i++)
        if (to[i])
            ken_kernels()->array_column_sums(to[i] + at, wave->sums + i * n + at, 2 * n,
                                             wave->groups, columns);
}

void ken_norm_backward(const struct ken_norm *job, const struct ken_norm_grad *grad)
{
    size_t groups = groups_of(job);
    struct ken_team *team = ken_team_enter();
    bool wants_sums = grad->dgain || grad->dbias;
    size_t fit = KEN_TEAM_SHARED / ken_size_max(2 * job->n, 1);
    size_t most = wants_sums ? ken_size_min(fit, GROUPS) : groups;
    struct wave wave = { job, grad, wants_sums ? ken_team_shared(team) : NULL, 0, 0 };
    for (; wave.first < groups; wave.first += wave.groups) {
        wave.groups = ken_size_min(groups - wave.first, most);
        ken_team_run(team, wave.groups, task_backward, &wave);
        if (wants_sums) ken_team_run(team, ken_size_groups(job->n, STRIP), task_add_up, &wave);
    }
    ken_team_leave(team);
}

static double mask_ref(const struct ken_norm *job, size_t r, size_t j)
{
    return job->dropout.p > 0 ? ken_dropout_mask_ref(job->dropout, r, j) : 1;
}

/* Slow reference of forward: plain loops in double precision, one for each formula of norm.h. */
void ken_norm_forward_ref(const struct ken_norm *job)
{
    size_t n = job->n;
    for (size_t r = 0; r < job->rows; r++) {
        const float *z = job->x + r * n;
        double mean = 0, variance = 0;
        if (job->branch) {
            for (size_t j = r * n; j < (r + 1) * n; j++)
                job->sum[j] = (float)(job->x[j] + mask_ref(job, r, j - r * n) * job->branch[j]);
            z = job->sum + r * n;
        }
        for (size_t j = 0; j < n && job->kind == KEN_NORM_LAYER; j++) mean += z[j] / (double)n;
        for (size_t j = 0; j < n; j++) variance += (z[j] - mean) * (z[j] - mean) / (double)n;
        double rstd = 1 / sqrt(variance + job->eps);
        for (size_t j = 0; j < n; j++)
            job->y[r * n + j] = (float)((job->gain ? job->gain[j] : 1) * (z[j] - mean) * rstd +
                                        (job->bias ? job->bias[j] : 0));
        if (job->rstd) {
            job->mean[r] = (float)mean;
            job->rstd[r] = (float)rstd;
        }
    }
}

/* Slow reference of backward. It reads the mean and rstd that forward stored, so that a test covers
 * backward alone. */
void ken_norm_backward_ref(const struct ken_norm *job, const struct ken_norm_grad *grad)
{
    size_t n = job->n;
    const float *z = job->branch ? job->sum : job->x;
    for (size_t r = 0; r < job->rows; r++) {
        double rstd = job->rstd[r], mean_t = 0, mean_th = 0;
        for (size_t j = 0; j < n; j++) {
            double h = (z[r * n + j] - (double)job->mean[r]) * rstd, dy = grad->dy[r * n + j];
            double t = dy * (job->gain ? job->gain[j] : 1);
            mean_t += job->kind == KEN_NORM_LAYER ? t / (double)n : 0;
            mean_th += t * h / (double)n;
            if (grad->dgain) grad->dgain[j] += (float)(dy * h);
            if (grad->dbias) grad->dbias[j] += (float)dy;
        }
        for (size_t j = 0; j < n; j++) {
            size_t at = r * n + j;
            double h = (z[at] - (double)job->mean[r]) * rstd;
            double t = grad->dy[at] * (job->gain ? (double)job->gain[j] : 1);
            double dz = (t - mean_t - h * mean_th) * rstd + (grad->dsum ? grad->dsum[at] : 0);
            if (grad->dx) grad->dx[at] = (float)((grad->add_to_dx ? grad->dx[at] : 0) + dz);
            if (grad->dbranch)
                grad->dbranch[at] = (float)((grad->add_to_dbranch ? grad->dbranch[at] : 0) +
                                            mask_ref(job, r, j) * dz);
        }
    }
}
