/* random.c - the random functions that are too long to be inlined in random.h. */
#include "base/random.h"

#include <math.h>

/* Returns sqrt(-2 ln u) cos(2 pi v) for two uniform numbers u and v (Box and Muller). The sine
 * would give a second normal number, but it is not used, because each index draws a new u and v. */
float ken_random_normal(uint64_t key, uint64_t position)
{
    uint64_t bits = ken_random_bits(key, position);
    /* `radius` is in (0, 1], so that its logarithm is finite */
    double radius = ((double)(bits >> 32) + 1) * 0x1p-32;
    double angle = (double)(uint32_t)bits * 0x1p-32;
    return (float)(sqrt(-2 * log(radius)) * cos(6.283185307179586 * angle));
}

/* Makes a random permutation with the inside-out form of the Fisher-Yates shuffle: for each i, the
 * number i goes to a random index up to i, and the number that was at that index moves to index
 * i. */
void ken_random_shuffle(uint32_t *order, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)ken_random_below(key, i, i + 1);
        if (j != i) order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}
