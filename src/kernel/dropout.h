/* dropout.h - dropout: sets each number to 0 with probability p and scales the others up by
 * 1 / (1 - p), so that the mean stays the same. Key, row and column alone decide whether a number
 * is dropped, so backward recomputes the mask instead of storing it. */
#ifndef KERNEL_DROPOUT_H
#define KERNEL_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_dropout {
    float p; /* probability of dropping a number, 0 <= p < 1; 0 drops nothing */
    uint64_t key;
};

/* Computes y = mask . x, or y += mask . x with `add`; all arrays are (rows, n). For backward, call
 * it with dy as x and dx as y. y may be the same array as x. */
void ken_dropout_apply(float *y, const float *x, struct ken_dropout dropout, size_t rows, size_t n,
                       bool add);

/* Returns the mask at one row and column: 0 or 1 / (1 - p). */
double ken_dropout_mask_ref(struct ken_dropout dropout, size_t row, size_t column);

#endif
