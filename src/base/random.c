/* random.c - the random values that need more than one line. */
#include "base/random.h"

#include <math.h>

/* sqrt(-2 ln u) cos(2 pi v). The same two would give a second value with the sine; it is let go,
 * since a value belongs to one position alone. */
float ken_random_normal(uint64_t key, uint64_t position)
{
    uint64_t bits = ken_random_bits(key, position);
    double radius = ((double)(bits >> 32) + 1) * 0x1p-32; /* (0, 1]: the logarithm is finite */
    double angle = (double)(uint32_t)bits * 0x1p-32;
    return (float)(sqrt(-2 * log(radius)) * cos(6.283185307179586 * angle));
}

/* Fisher and Yates, from the inside out: i takes the place of a random one before it, or stays. */
void ken_random_shuffle(uint32_t *order, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)ken_random_below(key, i, i + 1);
        if (j != i) order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}
