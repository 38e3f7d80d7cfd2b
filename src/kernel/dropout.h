/* dropout.h - sets each number to 0 with probability p and scales the others up by 1 / (1 - p), so
 * that the mean stays the same. The key, the row and the column decide alone whether a number is
 * dropped, so backward computes the same mask again instead of keeping it. */
#ifndef KERNEL_DROPOUT_H
#define KERNEL_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_dropout {
    float p; /* probability of dropping a number, 0 <= p < 1; 0 drops nothing */
    uint64_t key;
};

/* Computes y = mask . x, or y += mask . x with `add`; all arrays are (rows, n). Backward is the
 * same call with dy as x and dx as y. y may be the same array as x. */
void ken_dropout_apply(float *y, const float *x, struct ken_dropout dropout, size_t rows, size_t n,
                       bool add);

/* The mask at one row and column: 0 or 1 / (1 - p). */
double ken_dropout_mask_ref(struct ken_dropout dropout, size_t row, size_t column);

#endif
