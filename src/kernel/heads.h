/* heads.h - operations on rows that hold H heads of width E side by side: the dot product of each
 * head with a vector of its own, and the mean of the heads. */
#ifndef KERNEL_HEADS_H
#define KERNEL_HEADS_H

#include <stddef.h>

/* Computes the dot product of head h of each row i with the vector of that head:
 * y[i][h] = x_i,h . a_h, with x (N, H * E), a (H, E), y (N, H). */
void ken_head_dot_forward(float *y, const float *x, const float *a, size_t N, size_t H, size_t E);

/* Adds the gradients of ken_head_dot_forward() to dx and da; either may be NULL:
 *   dx_i,h += dy_ih a_h           da_h += sum over i of dy_ih x_i,h */
void ken_head_dot_backward(float *dx, float *da, const float *dy, const float *x, const float *a,
                           size_t N, size_t H, size_t E);

/* Computes the mean of the H heads of each row: x is (N, H * E), y is (N, E). */
void ken_head_mean_forward(float *y, const float *x, size_t N, size_t H, size_t E);

/* Adds the gradient of ken_head_mean_forward(): dx_i,h += dy_i / H for every head h. */
void ken_head_mean_backward(float *dx, const float *dy, size_t N, size_t H, size_t E);

/* Slow reference implementations, which define the correct results. */
void ken_head_dot_forward_ref(float *y, const float *x, const float *a, size_t N, size_t H,
                              size_t E);
void ken_head_dot_backward_ref(float *dx, float *da, const float *dy, const float *x,
                               const float *a, size_t N, size_t H, size_t E);
void ken_head_mean_forward_ref(float *y, const float *x, size_t N, size_t H, size_t E);
void ken_head_mean_backward_ref(float *dx, const float *dy, size_t N, size_t H, size_t E);

#endif
