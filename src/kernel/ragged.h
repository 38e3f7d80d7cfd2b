/* ragged.h - finding one's way in a batch of sequences laid end to end. */
#ifndef KERNEL_RAGGED_H
#define KERNEL_RAGGED_H

#include <stddef.h>

/* The sequence that holds `row` < start[B]; start (B + 1) ascends, empty sequences hold no row. */
static inline size_t ken_ragged_find(const size_t *start, size_t B, size_t row)
{
    size_t low = 0, high = B; /* start[low] <= row < start[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

#endif
