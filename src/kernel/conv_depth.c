/* conv_depth.c - depth-wise convolution over sequences: every column is convolved by itself. Inputs
 * and weights of neighbouring taps are neighbouring rows, so results, gradients of inputs and
 * gradients of weights are all column-wise dot products of two blocks of rows. Taps that would
 * reach beyond the sequence are left out. */
#include "base/size.h"
#include "base/threads.h"
#include "kernel/array.h"
#include "kernel/conv.h"
#include "kernel/kernels.h"
#include "kernel/ragged.h"

enum { TASK_FLOATS = 1 << 14, STRIP = 64 /* columns per task */ };

struct depth {
    const struct ken_conv *conv;
    float *to;         /* the array to write: y, dx or dweight */
    const float *from; /* x in forward, dy in backward         */
    const float *x;    /* the input, needed for dweight only   */
    const float *weight, *bias;
    size_t rows, step; /* number of all rows; rows per task */
};

typedef void row_fn(const struct depth *job, size_t first, size_t place, size_t length);

/* Computes the result at `place` in its sequence: tap k reads the input at place - pad + k. */
static void result_row(const struct depth *job, size_t first, size_t place, size_t length)
{
    const struct ken_conv *conv = job->conv;
    size_t D = conv->in, pad = conv->pad_across;
    size_t k0 = place < pad ? ken_size_min(pad - place, conv->across) : 0;
    size_t k1 = ken_size_min(conv->across, length + pad - place);
    size_t taps = k1 > k0 ? k1 - k0 : 0;
    size_t source = taps ? first + place + k0 - pad : first;
    ken_kernels()->column_dots(job->to + (first + place) * D, job->bias, job->from + source * D,
                               (ptrdiff_t)D, job->weight + k0 * D, (ptrdiff_t)D, taps, D);
}

/* Adds to dx of the input at `place`. The result at place i used this input at tap place + pad - i,
 * so the taps descend while i ascends. */
static void input_row(const struct depth *job, size_t first, size_t place, size_t length)
{
    const struct ken_conv *conv = job->conv;
    /* `reach` is the tap at which result 0 would read the input */
    size_t D = conv->in, reach = place + conv->pad_across;
    size_t i0 = reach < conv->across ? 0 : reach - conv->across + 1;
    size_t i1 = ken_size_min(length, reach + 1);
    float *dx = job->to + (first + place) * D;
    if (i1 > i0)
        ken_kernels()->column_dots(dx, dx, job->from + (first + i0) * D, (ptrdiff_t)D,
                                   job->weight + (reach - i0) * D, -(ptrdiff_t)D, i1 - i0, D);
}

static void each_row(const struct depth *job, size_t task, row_fn *fn)
{
    const size_t *start = job->conv->start;
    size_t row = task * job->step, end = ken_size_min(job->rows, row + job->step);
    size_t b = ken_ragged_find(start, job->conv->count, row);
    for (; row < end; row++) {
        while (row >= start[b + 1]) b++;
        fn(job, start[b], row - start[b], start[b + 1] - start[b]);
    }
}

static void result_task(void *context, size_t task, float *scratch)
{
    (void)scratch;
    each_row(context, task, result_row);
}

static void input_task(void *context, size_t task, float *scratch)
{
    (void)scratch;
    each_row(context, task, input_row);
}

/* Computes some columns of the gradient of one tap, summed over the rows of all sequences in
 * ascending order. */
static void weight_task(void *context, size_t task, float *scratch)
{
    const struct depth *job = context;
    const struct ken_conv *conv = job->conv;
    size_t D = conv->in, pad = conv->pad_across, k = task % conv->across;
    size_t at = task / conv->across * STRIP, cols = ken_size_min(D - at, STRIP);
    float *dw = job->to + k * D + at;
    (void)scratch;
    for (size_t b = 0; b < conv->count; b++) {
        size_t first = conv->start[b], length = conv->start[b + 1] - first;
        size_t i0 = k < pad ? pad - k : 0, i1 = k > pad ? k - pad : 0;
        if (i0 + i1 >= length) continue;
        ken_kernels()->column_dots(dw, dw, job->from + (first + i0) * D + at, (ptrdiff_t)D,
                                   job->x + (first + i0 + k - pad) * D + at, (ptrdiff_t)D,
                                   length - i0 - i1, cols);
    }
}

void ken_conv_depth_forward(float *y, const float *x, const float *weight, const float *bias,
                            const struct ken_conv *conv)
{
    struct depth job = { .conv = conv, .to = y, .from = x, .weight = weight, .bias = bias };
    job.rows = conv->start[conv->count];
    job.step = TASK_FLOATS / (conv->across * conv->in + 1) + 1;
    ken_parallel(ken_size_groups(job.rows, job.step), result_task, &job);
}

void ken_conv_depth_backward(float *dx, float *dweight, float *dbias, const float *dy,
                             const float *x, const float *weight, const struct ken_conv *conv)
{
    struct depth job = { .conv = conv, .from = dy, .x = x, .weight = weight };
    job.rows = conv->start[conv->count];
    job.step = TASK_FLOATS / (conv->across * conv->in + 1) + 1;
    if (dbias) ken_array_column_sums(dbias, dy, job.rows, conv->in);
    job.to = dweight;
    if (dweight) ken_parallel(conv->across * ken_size_groups(conv->in, STRIP), weight_task, &job);
    job.to = dx;
    if (dx) ken_parallel(ken_size_groups(job.rows, job.step), input_task, &job);
}
