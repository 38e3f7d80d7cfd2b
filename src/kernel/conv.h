/* conv.h - convolution over ragged sequences, and over images that are stored as one row per pixel.
 *
 *     y_i = bias + sum over taps k of W_k x_source(i, k)        (W_k as stored: no flip)
 *
 * An input outside the sequence or image counts as 0; a result never reads inputs of another
 * sequence or image of the batch. */
#ifndef KERNEL_CONV_H
#define KERNEL_CONV_H

#include <stddef.h>

/* A sequence is treated as an image of height 1 whose width is the length of the sequence: output i
 * of the sequence reads inputs i - pad_across .. i - pad_across + across - 1. An image gives
 * ((height + 2 pad_down - down) / stride + 1) rows of pixels and ((width + 2 pad_across - across) /
 * stride + 1) columns. */
struct ken_conv {
    size_t in, out;              /* input and output channels: columns of x and of y            */
    size_t down, across;         /* size of the filter in taps; `down` is 1 for sequences       */
    size_t stride;               /* step between windows in both directions; 1 for sequences    */
    size_t pad_down, pad_across; /* zeros before the first row and column of pixels             */
    const size_t *start;         /* first row of each sequence, count + 1 entries; images: NULL */
    size_t count;                /* number of sequences or images                               */
    size_t height, width;        /* size of an input image in pixels; not used for sequences    */
};

size_t ken_conv_height(const struct ken_conv *conv); /* height of an output image */
size_t ken_conv_width(const struct ken_conv *conv);
size_t ken_conv_rows(const struct ken_conv *conv); /* number of rows of all outputs together */

/* Returns the floats of work space that ken_conv_forward() and ken_conv_backward() need: 4 MB, or
 * 64 windows if these need more than 4 MB. */
size_t ken_conv_space(const struct ken_conv *conv);

/* Computes y. weight is (out, down * across * in); bias has `out` numbers or is NULL. */
void ken_conv_forward(float *y, const float *x, const float *weight, const float *bias,
                      const struct ken_conv *conv, float *space);

/* Adds the gradients to dx, dweight and dbias; any of these may be NULL. */
void ken_conv_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                       const float *weight, const struct ken_conv *conv, float *space);

/* Depth-wise convolution, over sequences only: each of the `in` columns j has its own taps k,
 *   y_ij = bias_j + sum over k of weight_kj x_(i + k - pad_across),j
 * weight is (across, in); conv->out is not used. */
void ken_conv_depth_forward(float *y, const float *x, const float *weight, const float *bias,
                            const struct ken_conv *conv);
void ken_conv_depth_backward(float *dx, float *dweight, float *dbias, const float *dy,
                             const float *x, const float *weight, const struct ken_conv *conv);

/* Slow reference implementations, which define the correct results. */
void ken_conv_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                          const struct ken_conv *conv);
void ken_conv_backward_ref(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                           const float *weight, const struct ken_conv *conv);
void ken_conv_depth_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                                const struct ken_conv *conv);
void ken_conv_depth_backward_ref(float *dx, float *dweight, float *dbias, const float *dy,
                                 const float *x, const float *weight, const struct ken_conv *conv);

#endif
