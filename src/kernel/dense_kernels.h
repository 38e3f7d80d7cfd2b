/* dense_kernels.h - the function types of kernels.h that work row by row or number by number:
 * elementary functions, activations, norms, dropout, Adam. */
#ifndef KERNEL_DENSE_KERNELS_H
#define KERNEL_DENSE_KERNELS_H

#include "kernel/activation.h"
#include "kernel/dropout.h"
#include "kernel/norm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of simd/vmath.h that a map kernel can apply to an array: y = f(x). */
enum ken_map {
    KEN_MAP_EXP,
    KEN_MAP_EXP_NEGATIVE,   /* e^x for x <= 0     */
    KEN_MAP_EXP_WEIGHT,     /* e^x for x <= 64    */
    KEN_MAP_EXPM1_NEGATIVE, /* e^x - 1 for x <= 0 */
    KEN_MAP_LOG,
    KEN_MAP_SIGMOID,
    KEN_MAP_TANH,
    KEN_MAP_ERF,
    KEN_MAP_NORMAL_TAIL, /* upper tail of the normal distribution, for x >= 0 */
    KEN_MAP_COUNT
};
typedef void ken_map_fn(float *y, const float *x, size_t n, enum ken_map function);

/* Three functions on `count` rows of n floats. Rows lie `stride` floats apart; the array `rows`
 * lists the numbers of the rows to use, or is NULL for the first `count` rows.
 *   row_sums   y[j] += sum over i of factors[i * step] * row_i[j], i ascending; step may be 0
 *   row_dots   y[i * step] = x . row_i
 *   row_adds   row_i += factors[i * step] * x, where y points to row 0 */
typedef void ken_row_sums_fn(float *y, const float *from, size_t stride, const uint32_t *rows,
                             const float *factors, size_t step, size_t count, size_t n);
typedef void ken_row_dots_fn(float *y, size_t step, const float *x, const float *from,
                             size_t stride, const uint32_t *rows, size_t count, size_t n);
typedef void ken_row_adds_fn(float *y, size_t stride, const float *x, const float *factors,
                             size_t step, size_t count, size_t n);

/* Activations and gated units (GLU) on a part of an array; the formulas are in kernel/activation.h.
 * dx may be the same array as dy. */
typedef void ken_activation_forward_fn(float *y, const float *x, size_t n,
                                       enum ken_activation kind);
typedef void ken_activation_backward_fn(float *dx, const float *dy, const float *x, size_t n,
                                        enum ken_activation kind, bool add);
typedef void ken_glu_forward_fn(float *y, const float *x, size_t rows, size_t n,
                                enum ken_activation kind);
typedef void ken_glu_backward_fn(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                                 enum ken_activation kind, bool add);

/* Norms and dropout of rows first .. first + rows - 1; all pointers point to the first row of the
 * whole array. `sums` (2, n) receives the sums of dgain and dbias over these rows; it may be
 * NULL. */
typedef void ken_norm_forward_fn(const struct ken_norm *job, size_t first, size_t rows);
typedef void ken_norm_backward_fn(const struct ken_norm *job, const struct ken_norm_grad *grad,
                                  float *sums, size_t first, size_t rows);
typedef void ken_dropout_rows_fn(float *y, const float *x, struct ken_dropout dropout, size_t first,
                                 size_t rows, size_t n, bool add);

/* The constants of one step of Adam. For each weight w with gradient g and moments m and v, the
 * step is:
 *   g = scale g + l2 w;  m = keep1 m + new1 g;  v = keep2 v + new2 g^2;
 *   w = shrink w - rate m / (sqrt(v) root + eps);  g = 0 */
struct ken_adam_factors {
    float scale, l2, keep1, new1, keep2, new2, shrink, rate, root, eps;
};
typedef void ken_adam_fn(float *w, float *g, float *m, float *v, size_t n,
                         const struct ken_adam_factors *factors);

#endif
