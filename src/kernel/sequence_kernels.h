/* sequence_kernels.h - the function types of kernels.h that losses, convolution, recurrence,
 * rotation and features need. */
#ifndef KERNEL_SEQUENCE_KERNELS_H
#define KERNEL_SEQUENCE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/* The parts of softmax. softmax_most: returns the largest of n numbers. softmax_exp: computes y =
 * e^(x - most), the sum of all e^(x - most) and the sum of all x; y may be the same array as x, or
 * NULL if only the sums are wanted. array_affine: computes y = x * factor + shift. */
struct ken_softmax_sums {
    double exponentials, plain;
};
typedef float ken_softmax_most_fn(const float *x, size_t n);
typedef void ken_softmax_exp_fn(struct ken_softmax_sums *sums, float *y, const float *x, float most,
                                size_t n);
typedef void ken_array_affine_fn(float *y, const float *x, float factor, float shift, size_t n);

/* Column-wise dot products: y[j] = y0[j] + sum over i of a[i][j] * b[i][j], for i = 0 .. rows - 1
 * in ascending order. Rows are a_step and b_step floats apart (a step may be negative). y0 may be
 * the same array as y, or NULL, which counts as 0. */
typedef void ken_column_dots_fn(float *y, const float *y0, const float *a, ptrdiff_t a_step,
                                const float *b, ptrdiff_t b_step, size_t rows, size_t n);

/* One step of a recurrent cell in one sequence. kernel/recur.h says what each array holds. */
typedef void ken_cell_forward_fn(float *h, float *gates, float *extra, const float *before,
                                 const float *hidden, size_t H);
typedef void ken_cell_backward_fn(float *dhidden, float *dh, float *dcarry, float *gates,
                                  float *extra, const float *before, const float *dy, size_t H);

/* Rotates one head of width E: y[j] = x[j] * cosine[j] + sign * x[partner of j] * sine[j], or adds
 * this to y with `add`. Partners are neighbours if `interleaved`, otherwise E / 2 apart. */
typedef void ken_rotate_head_fn(float *y, const float *x, const float *cosine, const float *sine,
                                float sign, bool interleaved, bool add, size_t E);

/* feature_elu: y = elu(x) + 1, precise even where the result is small. feature_elu_backward: dx +=
 * dy times the derivative of elu at x. */
typedef void ken_feature_elu_fn(float *y, const float *x, size_t n);
typedef void ken_feature_elu_backward_fn(float *dx, const float *dy, const float *x, size_t n);

#endif
