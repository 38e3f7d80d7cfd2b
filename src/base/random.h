/* random.h - counter-based random numbers: there is no generator whose state must be kept.
 * A value depends on (seed, stream, step, position) alone, not on the thread that asks and not on
 * the values drawn before. So dropout, shuffles and initial weights are the same for any number of
 * threads and after a resume at any step. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Scrambles 64 bits one-to-one (multiply and xor-shift rounds): a change of any input bit flips
 * each output bit with a probability close to one half. */
static inline uint64_t ken_random_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xe9846af9b1a615d);
    x ^= x >> 32;
    x *= UINT64_C(0xe9846af9b1a615d);
    x ^= x >> 28;
    return x;
}

/* Makes a key, which names one family of random numbers, for example "the dropout of layer 3 at
 * step 17". Keys nest: from any key, further keys can be made in the same way. */
static inline uint64_t ken_random_key(uint64_t parent, uint64_t child)
{
    return ken_random_mix(ken_random_mix(parent + UINT64_C(0x9e3779b97f4a7c15)) ^
                          (child * UINT64_C(0xd1342543de82ef95) + 1));
}

static inline uint64_t ken_random_bits(uint64_t key, uint64_t position)
{
    return ken_random_key(key, position);
}

/* Returns a uniform random number in [0, 1) with 24 random bits, so that it is exact in float. */
static inline float ken_random_uniform(uint64_t key, uint64_t position)
{
    return (float)(ken_random_bits(key, position) >> 40) * 0x1p-24f;
}

/* Returns a random whole number below `bound` (> 0) by scaling down 64 random bits; the bias is
 * negligible. */
static inline uint64_t ken_random_below(uint64_t key, uint64_t position, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)ken_random_bits(key, position) * bound) >> 64);
}

/* Returns a normally distributed random number with mean 0 and variance 1, by the method of Box and
 * Muller. */
float ken_random_normal(uint64_t key, uint64_t position);

/* Fills `order` with a permutation of 0 .. count-1 that depends on `key` and `count` only. */
void ken_random_shuffle(uint32_t *order, size_t count, uint64_t key);

/* Returns 32 random bits for cell `cell` of the row that `key` names. It is cheap enough to be
 * called for every attention weight; the vector kernels compute the same function lane by lane. */
static inline uint32_t ken_random_cell(uint64_t key, uint32_t cell)
{
    uint32_t x = cell + (uint32_t)key;
    x ^= x >> 16;
    x *= UINT32_C(0x7feb352d);
    x ^= x >> 15;
    x += (uint32_t)(key >> 32);
    x *= UINT32_C(0x846ca68b);
    x ^= x >> 16;
    return x;
}

/* Returns the threshold for dropout with probability p: a cell is dropped if its 32 random bits are
 * below the threshold. The probability is exact to within 2^-32, even for p = 1. */
static inline uint32_t ken_random_threshold(float p)
{
    return p >= 1 ? UINT32_MAX : (uint32_t)((double)p * 0x1p32);
}

#endif
