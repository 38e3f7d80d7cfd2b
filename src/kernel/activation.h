/* activation.h - the nonlinear functions between two linear layers, and gated units (GLU). */
#ifndef KERNEL_ACTIVATION_H
#define KERNEL_ACTIVATION_H

#include "ken.h"

#include <stdbool.h>
#include <stddef.h>

/* In the functions of this header, x and y are arrays of n numbers, of any shape. The kinds of
 * activation are in ken.h. */

/* Applies an activation: y = act(x). y may be the same array as x. */
void ken_activation_forward(float *y, const float *x, size_t n, enum ken_activation kind);

/* Multiplies a gradient by the activation's slope: dy *= act'(x). For KEN_ACT_RELU, x may also be
 * the output act(x), because the slope of ReLU depends on the sign of x alone. */
void ken_activation_backward(float *dy, const float *x, size_t n, enum ken_activation kind);

/* Computes dx = dy . act'(x), or dx += dy . act'(x) with `add`. */
void ken_activation_backward_to(float *dx, const float *dy, const float *x, size_t n,
                                enum ken_activation kind, bool add);

/* Slow reference implementations in double precision: an activation, and its derivative. */
double ken_activation_ref(enum ken_activation kind, double x);
double ken_activation_slope_ref(enum ken_activation kind, double x);

/* Gated units: each row of x (rows, 2n) has two halves, [a b], and the row of y (rows, n) is
 * a . act(b). Their usual names are GLU for sigmoid, ReGLU for relu, GEGLU for gelu, SwiGLU for
 * silu, bilinear for none. Backward computes dx = [da db], or adds [da db] to dx if `add` is true:
 *   da = dy . act(b),  db = dy . a . act'(b) */
void ken_glu_forward(float *y, const float *x, size_t rows, size_t n, enum ken_activation kind);
void ken_glu_backward(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                      enum ken_activation kind, bool add);
void ken_glu_forward_ref(float *y, const float *x, size_t rows, size_t n, enum ken_activation kind);
void ken_glu_backward_ref(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                          enum ken_activation kind, bool add);

#endif
