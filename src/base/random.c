/* random.c - the random values that need more than a line of code. */
#include "base/random.h"

#include <math.h>

/* sqrt(-2 ln u) cos(2 pi v). The sine would give a second value from the same u and v; it is not
 * used, because each position has a value of its own. */
float ken_random_normal(uint64_t key, uint64_t position)
{
    uint64_t bits = ken_random_bits(key, position);
    double radius = ((double)(bits >> 32) + 1) * 0x1p-32; /* (0, 1]: the logarithm is finite */
    double angle = (double)(uint32_t)bits * 0x1p-32;
    return (float)(sqrt(-2 * log(radius)) * cos(6.283185307179586 * angle));
}

/* The inside-out form of the Fisher-Yates shuffle: i is placed at a random index up to i, and the
 * number that was there moves to index i. */
void ken_random_shuffle(uint32_t *order, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)ken_random_below(key, i, i + 1);
        if (j != i) order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}
