/* array.h - sums and multiples of whole arrays. */
#ifndef KERNEL_ARRAY_H
#define KERNEL_ARRAY_H

#include <stddef.h>

/* y += factor * x */
void ken_array_add(float *y, const float *x, float factor, size_t n);

/* y = a + b */
void ken_array_sum(float *y, const float *a, const float *b, size_t n);

/* Adds one row to each row of x: y[i] = x[i] + row, for `rows` rows of n numbers. */
void ken_array_sum_row(float *y, const float *x, const float *row, size_t rows, size_t n);

/* y = factor * x; y may be the same array as x */
void ken_array_scale(float *y, const float *x, float factor, size_t n);

/* sums[j] += sum over rows of x[i][j], rows in ascending order */
void ken_array_column_sums(float *sums, const float *x, size_t rows, size_t n);

/* Returns the sum of x[i] * y[i], in double precision. The order of the additions depends on n
 * alone. */
double ken_array_dot(const float *x, const float *y, size_t n);

#endif
