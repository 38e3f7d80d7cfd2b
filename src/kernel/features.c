/* features.c - computes the feature maps of linear attention row by row; random features begin with
 * one matrix product per head. */
#include "kernel/features.h"

#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"

#include <math.h>

enum { TASK_ROWS = 32 };

struct shared {
    const struct ken_features *job;
    float *dx, *work;
    const float *dy, *dscale;
    size_t h;
};

/* Returns |x|^2 / 2 for x scaled by E^-1/4; the argument is the unscaled x. */
static float half_norm(const struct ken_features *job, const float *x)
{
    return (float)(ken_kernels()->array_dot(x, x, job->E) / (2 * sqrt((double)job->E)));
}

/* ---- elu + 1 --------------------------------------------------------------------------------- */

static void elu_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_features *job = shared->job;
    size_t end = ken_size_min(job->N, (task + 1) * TASK_ROWS), width = job->H * job->M;
    (void)scratch;
    for (size_t i = task * TASK_ROWS; i < end; i++) {
        const float *x = job->x + i * job->x_stride;
        if (shared->dx)
            ken_kernels()->feature_elu_backward(shared->dx + i * job->x_stride,
                                                shared->dy + i * width, x, width);
        else ken_kernels()->feature_elu(job->y + i * width, x, width);
    }
}

/* ---- random features (Performer) ------------------------------------------------------------- */

static void exp_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_features *job = shared->job;
    size_t end = ken_size_min(job->N, (task + 1) * TASK_ROWS), h = shared->h, M = job->M;
    (void)scratch;
    for (size_t i = task * TASK_ROWS; i < end; i++) {
        float *y = job->y + (i * job->H + h) * M, most = ken_kernels()->softmax_most(y, M);
        struct ken_softmax_sums sums;
        ken_kernels()->softmax_exp(&sums, y, y, most, M);
        ken_kernels()->array_affine(y, y, 1, KEN_FEATURE_FLOOR, M);
        if (job->scale)
            job->scale[i * job->H + h] = most -
                                         half_norm(job, job->x + i * job->x_stride + h * job->E) -
                                         0.5f * logf((float)M);
    }
}

static void random_forward(const struct ken_features *job)
{
    struct shared shared = { .job = job };
    for (size_t h = 0; h < job->H; h++) {
        ken_matmul(&(struct ken_matmul){ .c = job->y + h * job->M,
                                         .a = job->x + h * job->E,
                                         .b = job->random,
                                         .m = job->N,
                                         .n = job->M,
                                         .k = job->E,
                                         .a_stride = job->x_stride,
                                         .c_stride = job->H * job->M,
                                         .layout = KEN_NT });
        shared.h = h;
        ken_parallel(ken_size_groups(job->N, TASK_ROWS), exp_task, &shared);
    }
}

/* Runs the first of two parts of backward, for some rows of one head of random features. It adds
 * -dscale x / sqrt(E) to dx, and computes du_m, the gradient of u_m = w_m . x. First,
 * du_m = dy_m y_m for every m; then the du of the largest u also gets dscale minus the sum of all
 * dy_m y_m. The second part, a matrix product, adds the sum of du_m w_m to dx. */
static void slope_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_features *job = shared->job;
    size_t end = ken_size_min(job->N, (task + 1) * TASK_ROWS), h = shared->h, M = job->M;
    float unscale = 1 / sqrtf((float)job->E);
    (void)scratch;
    for (size_t i = task * TASK_ROWS; i < end; i++) {
        const float *y = job->y + (i * job->H + h) * M;
        const float *dy = shared->dy + (i * job->H + h) * M;
        float *du = shared->work + i * M;
        float dscale = shared->dscale ? shared->dscale[i * job->H + h] : 0;
        size_t most = 0, at = i * job->x_stride + h * job->E;
        double sum = 0;
        for (size_t m = 0; m < M; m++) {
            du[m] = dy[m] * y[m];
            sum += (double)du[m];
            if (y[m] > y[most]) most = m;
        }
        du[most] += (float)((double)dscale - sum);
        ken_kernels()->array_combine(shared->dx + at, shared->dx + at, job->x + at,
                                     -dscale * unscale, job->E);
    }
}

static void random_backward(struct shared *shared)
{
    const struct ken_features *job = shared->job;
    for (shared->h = 0; shared->h < job->H; shared->h++) {
        ken_parallel(ken_size_groups(job->N, TASK_ROWS), slope_task, shared);
        ken_matmul(&(struct ken_matmul){ .c = shared->dx + shared->h * job->E,
                                         .a = shared->work,
                                         .b = job->random,
                                         .m = job->N,
                                         .n = job->E,
                                         .k = job->M,
                                         .c_stride = job->x_stride,
                                         .layout = KEN_NN,
                                         .add = true });
    }
}

void ken_features_forward(const struct ken_features *job)
{
    struct shared shared = { .job = job };
    if (job->random) random_forward(job);
    else ken_parallel(ken_size_groups(job->N, TASK_ROWS), elu_task, &shared);
}

void ken_features_backward(float *dx, const struct ken_features *job, const float *dy,
                           const float *dscale, float *work)
{
    struct shared shared = { .job = job, .dx = dx, .dy = dy, .dscale = dscale, .work = work };
    if (job->random) random_backward(&shared);
    else ken_parallel(ken_size_groups(job->N, TASK_ROWS), elu_task, &shared);
}

/* ---- the random directions ------------------------------------------------------------------- */

/* Makes `row` orthogonal to the `rows` rows before it (Gram-Schmidt) and gives it length 1. The
 * orthogonalisation runs twice, because one run leaves rounding errors that grow with the number of
 * rows. */
static void straighten(float *row, const float *before, size_t rows, size_t E)
{
    for (int again = 0; again < 2; again++) {
        double norm = 0;
        for (size_t r = 0; r < rows; r++) {
            double dot = 0;
            for (size_t e = 0; e < E; e++) dot += (double)row[e] * before[r * E + e];
            for (size_t e = 0; e < E; e++) row[e] = (float)(row[e] - dot * before[r * E + e]);
        }
        for (size_t e = 0; e < E; e++) norm += (double)row[e] * row[e];
        for (size_t e = 0; e < E; e++) row[e] = (float)(row[e] / sqrt(norm));
    }
}

void ken_features_draw(float *random, size_t M, size_t E, uint64_t key)
{
    uint64_t directions = ken_random_key(key, 0), lengths = ken_random_key(key, 1);
    for (size_t m = 0; m < M; m++) {
        float *row = random + m * E;
        for (size_t e = 0; e < E; e++) row[e] = ken_random_normal(directions, m * E + e);
        straighten(row, random + m / E * E * E, m % E, E);
    }
    /* set the lengths last: straighten() needs rows of length 1 */
    for (size_t m = 0; m < M; m++) {
        double norm = 0;
        for (size_t e = 0; e < E; e++) {
            double x = (double)ken_random_normal(lengths, m * E + e);
            norm += x * x;
        }
        float length = (float)(sqrt(norm) / sqrt(sqrt((double)E)));
        for (size_t e = 0; e < E; e++) random[m * E + e] *= length;
    }
}
