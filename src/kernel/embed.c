/* embed.c - gathers rows of a table and scatters their gradients back. Invariant: backward is cut
 * into strips of columns, and the task of a strip walks all rows in ascending order. So one task
 * adds up each number of the table's gradient in one order, however often its row is used. */
#include "kernel/embed.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

enum {
    GATHER_FLOATS = 1 << 14, /* floats that one forward task moves         */
    STRIPS = 8,              /* number of strips of columns in backward    */
    STRIP_AT_LEAST = 16      /* minimum columns of a strip: one cache line */
};

struct lookup {
    float *to;
    const float *x, *from;
    const int32_t *ids;
    float scale;
    size_t N, D, step; /* rows N, columns D; rows (forward) or columns (backward) per task */
};

/* Writes one task's rows of the result: row i is x[i] + scale * table[ids[i]]. */
static void gather_task(void *context, size_t task, float *scratch)
{
    const struct lookup *job = context;
    const struct ken_kernels *kernels = ken_kernels();
    size_t D = job->D, end = ken_size_min(job->N, (task + 1) * job->step);
    (void)scratch;
    for (size_t i = task * job->step; i < end; i++) {
        const float *row = job->from + (size_t)job->ids[i] * D;
        if (job->x) kernels->array_combine(job->to + i * D, job->x + i * D, row, job->scale, D);
        else kernels->array_scale(job->to + i * D, row, job->scale, D);
    }
}

void ken_embed_forward(float *y, const float *x, const float *table, const int32_t *ids,
                       float scale, size_t N, size_t D)
{
    struct lookup job = { y, x, table, ids, scale, N, D, .step = GATHER_FLOATS / (D + 1) + 1 };
    ken_parallel(ken_size_groups(N, job.step), gather_task, &job);
}

/* Adds the gradients of one strip of columns, at .. at + cols - 1, to the table. Two rows may share
 * an id, but no two strips write the same number, so no atomic addition is needed. Atomic additions
 * would be faster for rare ids, but would leave the order of the sum to chance. */
static void scatter_task(void *context, size_t task, float *scratch)
{
    const struct lookup *job = context;
    const struct ken_kernels *kernels = ken_kernels();
    size_t at = task * job->step, cols = ken_size_min(job->D - at, job->step);
    (void)scratch;
    for (size_t i = 0; i < job->N; i++) {
        float *row = job->to + (size_t)job->ids[i] * job->D + at;
        kernels->array_combine(row, row, job->from + i * job->D + at, job->scale, cols);
    }
}

void ken_embed_backward(float *dtable, const float *dy, const int32_t *ids, float scale, size_t N,
                        size_t D)
{
    struct lookup job = { dtable, NULL, dy, ids, scale, N, D };
    job.step = ken_size_round_up(ken_size_groups(D, STRIPS), STRIP_AT_LEAST);
    if (D > 0) ken_parallel(ken_size_groups(D, job.step), scatter_task, &job);
}

void ken_embed_forward_ref(float *y, const float *x, const float *table, const int32_t *ids,
                           float scale, size_t N, size_t D)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            y[i * D + j] = (float)((x ? (double)x[i * D + j] : 0) +
                                   (double)scale * table[(size_t)ids[i] * D + j]);
}

void ken_embed_backward_ref(float *dtable, const float *dy, const int32_t *ids, float scale,
                            size_t N, size_t D)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            float *sum = dtable + (size_t)ids[i] * D + j;
            *sum = (float)(*sum + (double)scale * dy[i * D + j]);
        }
}

void ken_embed_places(int32_t *places, const size_t *start, const size_t *offset, size_t B)
{
    for (size_t b = 0; b < B; b++)
        for (size_t i = start[b]; i < start[b + 1]; i++)
            places[i] = (int32_t)(i - start[b] + (offset ? offset[b] : 0));
}
