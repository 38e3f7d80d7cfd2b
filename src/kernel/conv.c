/* conv.c - convolution as a matrix product (im2col): the inputs of one result are laid side by side
 * as one row, called a window, and a chunk of windows is multiplied by the weights at a time.
 *
 * Invariant: the cut into chunks changes the speed but not one bit of the result. A result is one
 * chain of multiply-adds (kernel/matmul.h). An input's row of dx is the sum of the gradients of the
 * windows that read the input. This sum runs in ascending order of the windows, so the border
 * between two chunks only interrupts it. */
#include "kernel/conv.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/array.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"
#include "kernel/ragged.h"

#include <string.h>

enum {
    SPACE = 1 << 20,       /* floats of windows per chunk: they stay in the last-level cache  */
    WINDOWS_AT_LEAST = 64, /* minimum windows per chunk, so that packing the weights pays off */
    TASK_FLOATS = 1 << 14  /* floats that one task copies                                     */
};

size_t ken_conv_height(const struct ken_conv *conv)
{
    return (conv->height + 2 * conv->pad_down - conv->down) / conv->stride + 1;
}

size_t ken_conv_width(const struct ken_conv *conv)
{
    return (conv->width + 2 * conv->pad_across - conv->across) / conv->stride + 1;
}

size_t ken_conv_rows(const struct ken_conv *conv)
{
    if (conv->start) return conv->start[conv->count];
    return conv->count * ken_conv_height(conv) * ken_conv_width(conv);
}

/* One sequence or image: its size, and its first row among all inputs (`in`) and all results
 * (`out`). */
struct picture {
    size_t index;
    size_t in, in_height, in_width;
    size_t out, out_height, out_width;
};

static struct picture picture_at(const struct ken_conv *conv, size_t index)
{
    if (conv->start) {
        size_t first = conv->start[index], length = conv->start[index + 1] - first;
        return (struct picture){ index, first, 1, length, first, 1, length };
    }
    size_t height = ken_conv_height(conv), width = ken_conv_width(conv);
    return (struct picture){ .index = index,
                             .in = index * conv->height * conv->width,
                             .in_height = conv->height,
                             .in_width = conv->width,
                             .out = index * height * width,
                             .out_height = height,
                             .out_width = width };
}

/* Finds the sequence or image that holds `row`, a row of all inputs or of all results. Each image
 * has `each` rows; `each` is not used for sequences. */
static struct picture find_picture(const struct ken_conv *conv, size_t row, size_t each)
{
    return picture_at(conv,
                      conv->start ? ken_ragged_find(conv->start, conv->count, row) : row / each);
}

static struct picture picture_of_result(const struct ken_conv *conv, size_t row)
{
    return find_picture(conv, row, conv->start ? 1 : ken_conv_height(conv) * ken_conv_width(conv));
}

/* A chunk of windows i0 .. i1-1. In backward, r0 .. r1-1 are the inputs that these windows read. */
struct chunk {
    const struct ken_conv *conv;
    float *windows; /* one row of down * across * in floats per window */
    const float *x;
    float *dx;
    size_t i0, i1, r0, r1;
    size_t step; /* number of rows per task */
};

static size_t window_size(const struct ken_conv *conv)
{
    return conv->down * conv->across * conv->in;
}

/* Fills the part of a window that reads one row of pixels. `line` is the first input of that row of
 * pixels, or NULL if the row lies outside the picture. The window begins at column `left` -
 * pad_across; parts outside the picture become 0. */
static void gather_line(float *window, const float *line, size_t left, size_t width,
                        const struct ken_conv *conv)
{
    size_t in = conv->in, pad = conv->pad_across;
    size_t first = left < pad ? ken_size_min(pad - left, conv->across) : 0;
    size_t end = left < width + pad ? ken_size_min(width + pad - left, conv->across) : 0;
    if (!line || end < first) end = first;
    memset(window, 0, first * in * sizeof *window);
    if (end > first)
        memcpy(window + first * in, line + (left + first - pad) * in,
               (end - first) * in * sizeof *window);
    memset(window + end * in, 0, (conv->across - end) * in * sizeof *window);
}

/* Fills the windows of one task's results, picture by picture. */
static void gather_task(void *context, size_t task, float *scratch)
{
    const struct chunk *chunk = context;
    const struct ken_conv *conv = chunk->conv;
    size_t row = chunk->i0 + task * chunk->step;
    size_t end = ken_size_min(chunk->i1, row + chunk->step);
    float *window = chunk->windows + (row - chunk->i0) * window_size(conv);
    struct picture p = picture_of_result(conv, row);
    (void)scratch;
    for (; row < end; row++) {
        while (row - p.out >= p.out_height * p.out_width) p = picture_at(conv, p.index + 1);
        size_t y = (row - p.out) / p.out_width, x = (row - p.out) % p.out_width;
        for (size_t k = 0; k < conv->down; k++, window += conv->across * conv->in) {
            /* above the image, `at` wraps around to a huge number, which the test below treats as
             * outside */
            size_t at = y * conv->stride + k - conv->pad_down;
            const float *line = at < p.in_height ? chunk->x + (p.in + at * p.in_width) * conv->in
                                                 : NULL;
            gather_line(window, line, x * conv->stride, p.in_width, conv);
        }
    }
}

/* Adds to dx of each input of one task the gradients of all windows that read the input. The loop
 * goes through the taps in descending order, which is the ascending order of the windows. */
static void scatter_task(void *context, size_t task, float *scratch)
{
    const struct chunk *chunk = context;
    const struct ken_conv *conv = chunk->conv;
    const struct ken_kernels *kernels = ken_kernels();
    size_t row = chunk->r0 + task * chunk->step, taps = conv->down * conv->across;
    size_t end = ken_size_min(chunk->r1, row + chunk->step);
    struct picture p = find_picture(conv, row, conv->height * conv->width);
    (void)scratch;
    for (; row < end; row++) {
        while (row - p.in >= p.in_height * p.in_width) p = picture_at(conv, p.index + 1);
        size_t down = (row - p.in) / p.in_width + conv->pad_down;
        size_t across = (row - p.in) % p.in_width + conv->pad_across;
        for (size_t k = taps; k-- > 0;) {
            /* y and x may wrap around to huge numbers, which are skipped below */
            size_t y = down - k / conv->across, x = across - k % conv->across;
            if (y % conv->stride || x % conv->stride) continue;
            y /= conv->stride, x /= conv->stride;
            if (y >= p.out_height || x >= p.out_width) continue;
            size_t i = p.out + y * p.out_width + x;
            if (i < chunk->i0 || i >= chunk->i1) continue;
            kernels->array_combine(chunk->dx + row * conv->in, chunk->dx + row * conv->in,
                                   chunk->windows + ((i - chunk->i0) * taps + k) * conv->in, 1,
                                   conv->in);
        }
    }
}

/* Sets r0 .. r1-1, the inputs that the chunk's windows read: from the first input of the first
 * window to the last input of the last window; for images, whole rows of pixels. */
static void find_inputs(struct chunk *chunk)
{
    const struct ken_conv *conv = chunk->conv;
    struct picture p = picture_of_result(conv, chunk->i0);
    struct picture q = picture_of_result(conv, chunk->i1 - 1);
    size_t first = chunk->i0 - p.out, last = chunk->i1 - 1 - q.out;
    if (conv->start) {
        size_t stop = last + conv->across;
        chunk->r0 = p.in + (first < conv->pad_across ? 0 : first - conv->pad_across);
        stop = stop < conv->pad_across ? 0 : stop - conv->pad_across;
        chunk->r1 = q.in + ken_size_min(q.in_width, stop);
        return;
    }
    size_t top = first / p.out_width * conv->stride;
    size_t bottom = last / q.out_width * conv->stride + conv->down;
    top = top < conv->pad_down ? 0 : top - conv->pad_down;
    bottom = bottom < conv->pad_down ? 0 : bottom - conv->pad_down;
    chunk->r0 = p.in + ken_size_min(top, p.in_height) * p.in_width;
    chunk->r1 = q.in + ken_size_min(bottom, q.in_height) * q.in_width;
}

/* Returns the number of windows per chunk. It depends on the sizes alone. It is at least 1, so that
 * a loop over chunks makes progress. */
static size_t windows_per_chunk(const struct ken_conv *conv)
{
    size_t windows = ken_size_max(SPACE / (window_size(conv) + 1), WINDOWS_AT_LEAST);
    return ken_size_max(ken_size_min(windows, ken_conv_rows(conv)), 1);
}

size_t ken_conv_space(const struct ken_conv *conv)
{
    return windows_per_chunk(conv) * window_size(conv);
}

/* Sets the windows of the chunk that begins at window i0. */
static void begin_chunk(struct chunk *chunk, size_t i0)
{
    const struct ken_conv *conv = chunk->conv;
    chunk->i0 = i0;
    chunk->i1 = ken_size_min(ken_conv_rows(conv), i0 + windows_per_chunk(conv));
    chunk->step = TASK_FLOATS / (window_size(conv) + 1) + 1;
}

static void gather(struct chunk *chunk)
{
    ken_parallel(ken_size_groups(chunk->i1 - chunk->i0, chunk->step), gather_task, chunk);
}

static void scatter(struct chunk *chunk)
{
    find_inputs(chunk);
    if (chunk->r1 > chunk->r0)
        ken_parallel(ken_size_groups(chunk->r1 - chunk->r0, chunk->step), scatter_task, chunk);
}

void ken_conv_forward(float *y, const float *x, const float *weight, const float *bias,
                      const struct ken_conv *conv, float *space)
{
    struct chunk chunk = { .conv = conv, .windows = space, .x = x };
    for (size_t i = 0; i < ken_conv_rows(conv); i = chunk.i1) {
        begin_chunk(&chunk, i);
        gather(&chunk);
        ken_matmul(&(struct ken_matmul){ .c = y + i * conv->out,
                                         .a = space,
                                         .b = weight,
                                         .layout = KEN_NT,
                                         .bias = bias,
                                         .m = chunk.i1 - i,
                                         .n = conv->out,
                                         .k = window_size(conv) });
    }
}

/* Computes, chunk by chunk, where dwindows is the gradient of the windows:
 *   dW += dy^T windows      dwindows = dy W      db += column sums of dy
 *   dx_r += the elements of dwindows whose taps read input r */
void ken_conv_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                       const float *weight, const struct ken_conv *conv, float *space)
{
    struct chunk chunk = { .conv = conv, .windows = space, .x = x, .dx = dx };
    if (dbias) ken_array_column_sums(dbias, dy, ken_conv_rows(conv), conv->out);
    for (size_t i = 0; i < ken_conv_rows(conv); i = chunk.i1) {
        begin_chunk(&chunk, i);
        if (dweight) {
            gather(&chunk);
            ken_matmul(&(struct ken_matmul){ .c = dweight,
                                             .a = dy + i * conv->out,
                                             .b = space,
                                             .layout = KEN_TN,
                                             .add = true,
                                             .m = conv->out,
                                             .n = window_size(conv),
                                             .k = chunk.i1 - i });
        }
        if (dx) { /* the windows are no longer needed: their gradients overwrite them */
            ken_matmul(&(struct ken_matmul){ .c = space,
                                             .a = dy + i * conv->out,
                                             .b = weight,
                                             .layout = KEN_NN,
                                             .m = chunk.i1 - i,
                                             .n = window_size(conv),
                                             .k = conv->out });
            scatter(&chunk);
        }
    }
}
