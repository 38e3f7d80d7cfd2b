/* dropout.c - dropout over whole arrays: cuts them into groups of rows, and defines the mask. */
#include "kernel/dropout.h"

#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

enum { CHUNK = 1 << 14 }; /* approximate number of elements per task */

struct job {
    float *y;
    const float *x;
    struct ken_dropout dropout;
    size_t rows, n, rows_per_task;
    bool add;
};

/* Applies dropout to the rows of one task. The mask depends on a row's number in the whole array,
 * so the kernel gets the whole array. */
static void task_apply(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t first = task * job->rows_per_task;
    (void)scratch;
    ken_kernels()->dropout_rows(job->y, job->x, job->dropout, first,
                                ken_size_min(job->rows - first, job->rows_per_task), job->n,
                                job->add);
}

void ken_dropout_apply(float *y, const float *x, struct ken_dropout dropout, size_t rows, size_t n,
                       bool add)
{
    struct job job = { .y = y, .x = x, .dropout = dropout, .rows = rows, .n = n, .add = add };
    job.rows_per_task = ken_size_groups(CHUNK, ken_size_max(n, 1));
    ken_parallel(ken_size_groups(rows, job.rows_per_task), task_apply, &job);
}

double ken_dropout_mask_ref(struct ken_dropout dropout, size_t row, size_t column)
{
    uint32_t bits = ken_random_cell(ken_random_key(dropout.key, row), (uint32_t)column);
    return bits < ken_random_threshold(dropout.p) ? 0 : 1 / (1 - (double)dropout.p);
}
