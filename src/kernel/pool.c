/* pool.c - pooling: a task owns some columns of one sequence and walks the sequence's rows in
 * ascending order. Every kind of pooling but max is a weighted sum; the kinds differ in their
 * weights. */
#include "kernel/pool.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/loss.h"

#include <math.h>
#include <string.h>

enum { STRIP = 256 /* columns per task */ };

struct pool {
    enum ken_pooling kind;
    const size_t *start; /* first row of each sequence, B + 1 entries */
    size_t B, D;
    float *y, *weights;     /* result (B, D); attentive weight of each row  */
    const float *x, *score; /* input (rows, D); attentive score of each row */
    float *dx, *dscore;
    const float *dy; /* gradient of y, (B, D) */
};

/* Returns the weight of row i in the sum of sequence b, for every kind of pooling but max. The row
 * exists, so mean pooling never divides by 0. */
static float weight_of(const struct pool *job, size_t b, size_t i)
{
    switch (job->kind) {
    case KEN_POOL_MEAN: return 1 / (float)(job->start[b + 1] - job->start[b]);
    case KEN_POOL_ATTENTIVE: return job->weights[i];
    default: return 1; /* first, last or sum: rows_of() selects the rows */
    }
}

/* Selects the rows of sequence b that this kind of pooling uses: from *first up to, but not
 * including, the returned row. */
static size_t rows_of(const struct pool *job, size_t *first, size_t b)
{
    size_t end = job->start[b + 1];
    *first = job->start[b];
    if (job->kind == KEN_POOL_FIRST) return ken_size_min(end, *first + 1);
    if (job->kind == KEN_POOL_LAST && end > *first) *first = end - 1;
    return end;
}

/* Computes the weights of attentive pooling: the softmax of the scores of sequence b. */
static void weights_task(void *context, size_t b, float *scratch)
{
    const struct pool *job = context;
    size_t first = job->start[b];
    (void)scratch;
    ken_softmax_row(job->weights + first, job->score + first, job->start[b + 1] - first);
}

static void forward_task(void *context, size_t task, float *scratch)
{
    const struct pool *job = context;
    size_t strips = ken_size_groups(job->D, STRIP);
    size_t b = task / strips, at = task % strips * STRIP;
    size_t cols = ken_size_min(job->D - at, STRIP), D = job->D;
    size_t first, end = rows_of(job, &first, b);
    float *y = job->y + b * D + at;
    (void)scratch;
    memset(y, 0, cols * sizeof *y);
    for (size_t i = first; i < end; i++) {
        const float *x = job->x + i * D + at;
        if (job->kind != KEN_POOL_MAX)
            ken_kernels()->array_combine(y, y, x, weight_of(job, b, i), cols);
        else /* NaN counts as the largest number, so that max does not hide it */
            for (size_t j = 0; j < cols; j++)
                if (i == first || x[j] > y[j] || isnan(x[j])) y[j] = x[j];
    }
}

void ken_pool_forward(float *y, float *weights, const float *x, const float *score,
                      const size_t *start, size_t B, size_t D, enum ken_pooling kind)
{
    struct pool job = { .kind = kind,
                        .start = start,
                        .B = B,
                        .D = D,
                        .y = y,
                        .weights = weights,
                        .x = x,
                        .score = score };
    if (kind == KEN_POOL_ATTENTIVE) ken_parallel(B, weights_task, &job);
    ken_parallel(B * ken_size_groups(D, STRIP), forward_task, &job);
}

/* Adds the gradient of each maximum to the row that gave the maximum. That row is searched again:
 * this costs one read of x, and saves keeping B x D row numbers from forward to backward. A NaN
 * equals nothing, so a maximum of NaN gives no gradient to any row. */
static void max_backward(const struct pool *job, size_t b, size_t at, size_t cols)
{
    for (size_t j = at; j < at + cols; j++)
        for (size_t i = job->start[b]; i < job->start[b + 1]; i++)
            if (job->x[i * job->D + j] == job->y[b * job->D + j]) {
                job->dx[i * job->D + j] += job->dy[b * job->D + j];
                break;
            }
}

static void backward_task(void *context, size_t task, float *scratch)
{
    const struct pool *job = context;
    size_t strips = ken_size_groups(job->D, STRIP);
    size_t b = task / strips, at = task % strips * STRIP;
    size_t cols = ken_size_min(job->D - at, STRIP), first, end = rows_of(job, &first, b);
    const float *dy = job->dy + b * job->D + at;
    (void)scratch;
    if (job->kind == KEN_POOL_MAX) {
        max_backward(job, b, at, cols);
        return;
    }
    for (size_t i = first; i < end; i++) {
        float *dx = job->dx + i * job->D + at;
        ken_kernels()->array_combine(dx, dx, dy, weight_of(job, b, i), cols);
    }
}

/* Adds the gradient of the scores of attentive pooling, by the derivative of softmax: dscore_i +=
 * w_i (dy . x_i - dy . y), because the sum over j of w_j dy . x_j is dy . y. */
static void score_task(void *context, size_t b, float *scratch)
{
    const struct pool *job = context;
    size_t D = job->D;
    const float *dy = job->dy + b * D;
    double mean = ken_kernels()->array_dot(dy, job->y + b * D, D);
    (void)scratch;
    for (size_t i = job->start[b]; i < job->start[b + 1]; i++)
        job->dscore[i] += (float)(job->weights[i] *
                                  (ken_kernels()->array_dot(dy, job->x + i * D, D) - mean));
}

void ken_pool_backward(float *dx, float *dscore, const float *dy, const float *y,
                       const float *weights, const float *x, const size_t *start, size_t B,
                       size_t D, enum ken_pooling kind)
{
    struct pool job = { .kind = kind,
                        .start = start,
                        .B = B,
                        .D = D,
                        .x = x,
                        .y = (float *)y,
                        .weights = (float *)weights,
                        .dx = dx,
                        .dscore = dscore,
                        .dy = dy };
    if (dx) ken_parallel(B * ken_size_groups(D, STRIP), backward_task, &job);
    if (dscore) ken_parallel(B, score_task, &job);
}

/* Returns the weight of row i of the sequence first .. end - 1 in double precision, for every kind
 * of pooling but max. */
static double weight_ref(const float *weights, size_t first, size_t end, size_t i,
                         enum ken_pooling kind)
{
    switch (kind) {
    case KEN_POOL_MEAN: return 1.0 / (double)(end - first);
    case KEN_POOL_FIRST: return i == first;
    case KEN_POOL_LAST: return i == end - 1;
    case KEN_POOL_ATTENTIVE: return weights[i];
    default: return 1;
    }
}

void ken_pool_forward_ref(float *y, float *weights, const float *x, const float *score,
                          const size_t *start, size_t B, size_t D, enum ken_pooling kind)
{
    for (size_t b = 0; b < B; b++) {
        size_t first = start[b], end = start[b + 1];
        if (kind == KEN_POOL_ATTENTIVE)
            ken_softmax_forward_ref(weights + first, score + first, 1, end - first);
        for (size_t j = 0; j < D; j++) {
            double sum = 0, most = -INFINITY;
            for (size_t i = first; i < end; i++) {
                sum += weight_ref(weights, first, end, i, kind) * x[i * D + j];
                most = fmax(most, x[i * D + j]);
            }
            y[b * D + j] = kind == KEN_POOL_MAX && end > first ? (float)most : (float)sum;
        }
    }
}

void ken_pool_backward_ref(float *dx, float *dscore, const float *dy, const float *y,
                           const float *weights, const float *x, const size_t *start, size_t B,
                           size_t D, enum ken_pooling kind)
{
    for (size_t b = 0; b < B; b++)
        for (size_t j = 0; j < D; j++) {
            size_t first = start[b], end = start[b + 1];
            double d = dy[b * D + j];
            bool given = false;
            for (size_t i = first; i < end; i++) {
                bool largest = x[i * D + j] == y[b * D + j] && !given;
                given = given || largest;
                double w = kind == KEN_POOL_MAX ? largest
                                                : weight_ref(weights, first, end, i, kind);
                if (dx) dx[i * D + j] = (float)(dx[i * D + j] + w * d);
                if (dscore)
                    dscore[i] = (float)(dscore[i] + w * d * ((double)x[i * D + j] - y[b * D + j]));
            }
        }
}
