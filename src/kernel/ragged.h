/* ragged.h - a ragged batch: sequences of different lengths laid end to end, without padding. */
#ifndef KERNEL_RAGGED_H
#define KERNEL_RAGGED_H

#include <stddef.h>

/* Returns the number of the sequence that holds `row`, which must be below start[B]. The B + 1
 * starts never decrease; an empty sequence holds no row. */
static inline size_t ken_ragged_find(const size_t *start, size_t B, size_t row)
{
    size_t low = 0, high = B; /* invariant: start[low] <= row < start[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

#endif
