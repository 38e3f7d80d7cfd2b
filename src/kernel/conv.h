/* conv.h - convolution over ragged sequences, and over images that are stored as one row per pixel.
 *
 *     y_i = bias + sum over taps k of W_k x_source(i, k)        (W_k as stored: no flip)
 *
 * A source outside the sequence or image counts as 0; nothing is ever read from its neighbours in
 * the batch. */
#ifndef KERNEL_CONV_H
#define KERNEL_CONV_H

#include <stddef.h>

/* A sequence is an image of height 1 whose width is its own: output i of the sequence reads inputs
 * i - pad_across .. i - pad_across + across - 1. An image gives
 * ((height + 2 pad_down - down) / stride + 1) rows of pixels, and columns likewise. */
struct ken_conv {
    size_t in, out;              /* channels                                                */
    size_t down, across;         /* number of taps; for sequences down is 1                 */
    size_t stride;               /* for sequences 1                                         */
    size_t pad_down, pad_across; /* zeros before the first row and column of pixels         */
    const size_t *start;         /* (count + 1): first rows of sequences; NULL for images   */
    size_t count;                /* sequences or images                                     */
    size_t height, width;        /* of an image                                             */
};

size_t ken_conv_height(const struct ken_conv *conv); /* of the resulting image */
size_t ken_conv_width(const struct ken_conv *conv);
size_t ken_conv_rows(const struct ken_conv *conv); /* of the whole result */

/* Floats of work space for the two calls below: 4 MB, or 64 windows if those take more. */
size_t ken_conv_space(const struct ken_conv *conv);

/* weight (out, down * across * in), bias (out) or NULL. */
void ken_conv_forward(float *y, const float *x, const float *weight, const float *bias,
                      const struct ken_conv *conv, float *space);

/* Adds to dx, dweight and dbias; any of them may be NULL. */
void ken_conv_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                       const float *weight, const struct ken_conv *conv, float *space);

/* Depth-wise convolution, over sequences only: each of the `in` columns has its own taps,
 * y_ij = bias_j + sum_k weight_kj x_(i + k - pad_across),j with weight (across, in). `out` is not
 * used. */
void ken_conv_depth_forward(float *y, const float *x, const float *weight, const float *bias,
                            const struct ken_conv *conv);
void ken_conv_depth_backward(float *dx, float *dweight, float *dbias, const float *dy,
                             const float *x, const float *weight, const struct ken_conv *conv);

/* The definitions. */
void ken_conv_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                          const struct ken_conv *conv);
void ken_conv_backward_ref(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                           const float *weight, const struct ken_conv *conv);
void ken_conv_depth_forward_ref(float *y, const float *x, const float *weight, const float *bias,
                                const struct ken_conv *conv);
void ken_conv_depth_backward_ref(float *dx, float *dweight, float *dbias, const float *dy,
                                 const float *x, const float *weight, const struct ken_conv *conv);

#endif
