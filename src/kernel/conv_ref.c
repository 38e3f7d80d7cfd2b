/* conv_ref.c - the reference that defines convolution: every result, tap and channel in turn, in
 * double precision. */
#include "kernel/conv.h"

#include <stdbool.h>

/* Finds the input that result `row` reads at tap (down, across); returns false if that input is
 * outside the sequence or image. */
static bool source(size_t *input, const struct ken_conv *conv, size_t row, size_t down,
                   size_t across)
{
    size_t b = 0;
    if (conv->start) {
        while (row >= conv->start[b + 1]) b++;
        ptrdiff_t at = (ptrdiff_t)(row + across) - (ptrdiff_t)conv->pad_across;
        *input = (size_t)at;
        return at >= (ptrdiff_t)conv->start[b] && at < (ptrdiff_t)conv->start[b + 1];
    }
    size_t height = ken_conv_height(conv), width = ken_conv_width(conv);
    b = row / (height * width);
    ptrdiff_t y = (ptrdiff_t)(row / width % height * conv->stride + down) -
                  (ptrdiff_t)conv->pad_down;
    ptrdiff_t x = (ptrdiff_t)(row % width * conv->stride + across) - (ptrdiff_t)conv->pad_across;
    *input = (b * conv->height + (size_t)y) * conv->width + (size_t)x;
    return y >= 0 && y < (ptrdiff_t)conv->height && x >= 0 && x < (ptrdiff_t)conv->width;
}

void ken_conv_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                          const struct ken_conv *conv)
{
    size_t taps = conv->down * conv->across, from;
    for (size_t i = 0; i < ken_conv_rows(conv); i++)
        for (size_t o = 0; o < conv->out; o++) {
            double sum = bias ? bias[o] : 0;
            for (size_t k = 0; k < taps; k++)
                if (source(&from, conv, i, k / conv->across, k % conv->across))
                    for (size_t c = 0; c < conv->in; c++)
                        sum += (double)weight[(o * taps + k) * conv->in + c] *
                               x[from * conv->in + c];
            y[i * conv->out + o] = (float)sum;
        }
}

static void add(float *sum, double term)
{
    *sum = (float)(*sum + term);
}

void ken_conv_backward_ref(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                           const float *weight, const struct ken_conv *conv)
{
    size_t taps = conv->down * conv->across, from;
    for (size_t i = 0; i < ken_conv_rows(conv); i++)
        for (size_t o = 0; o < conv->out; o++) {
            double d = dy[i * conv->out + o];
            if (dbias) add(&dbias[o], d);
            for (size_t k = 0; k < taps; k++) {
                if (!source(&from, conv, i, k / conv->across, k % conv->across)) continue;
                for (size_t c = 0; c < conv->in; c++) {
                    size_t w = (o * taps + k) * conv->in + c;
                    if (dweight) add(&dweight[w], d * x[from * conv->in + c]);
                    if (dx) add(&dx[from * conv->in + c], d * weight[w]);
                }
            }
        }
}

void ken_conv_depth_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                                const struct ken_conv *conv)
{
    size_t D = conv->in, from;
    for (size_t i = 0; i < ken_conv_rows(conv); i++)
        for (size_t j = 0; j < D; j++) {
            double sum = bias ? bias[j] : 0;
            for (size_t k = 0; k < conv->across; k++)
                if (source(&from, conv, i, 0, k))
                    sum += (double)weight[k * D + j] * x[from * D + j];
            y[i * D + j] = (float)sum;
        }
}

void ken_conv_depth_backward_ref(float *dx, float *dweight, float *dbias, const float *dy,
                                 const float *x, const float *weight, const struct ken_conv *conv)
{
    size_t D = conv->in, from;
    for (size_t i = 0; i < ken_conv_rows(conv); i++)
        for (size_t j = 0; j < D; j++) {
            double d = dy[i * D + j];
            if (dbias) add(&dbias[j], d);
            for (size_t k = 0; k < conv->across; k++) {
                if (!source(&from, conv, i, 0, k)) continue;
                if (dweight) add(&dweight[k * D + j], d * x[from * D + j]);
                if (dx) add(&dx[from * D + j], d * weight[k * D + j]);
            }
        }
}
