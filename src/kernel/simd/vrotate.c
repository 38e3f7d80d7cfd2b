/* vrotate.c - rotates one head: every pair of numbers by its own angle. */
#include "base/size.h"
#include "kernel/simd/table.h"

typedef uint64_t v64 __attribute__((vector_size(LANES * 4)));

/* Swaps neighbouring lanes 2i and 2i + 1. */
INLINE vf swap_neighbours(vf x)
{
    v64 pairs = (v64)x;
    return (vf)(pairs << 32 | pairs >> 32);
}

/* Rotates up to LANES numbers: y = x cosine + sign * partner * sine, or adds this to y with
 * `add`. */
INLINE void turn(float *y, vf x, vf partner, const float *cosine, const float *sine, float sign,
                 bool add, size_t count)
{
    vf turned = x * v_load_some(cosine, count) + sign * partner * v_load_some(sine, count);
    if (add) turned += v_load_some(y, count);
    v_store_some(y, turned, count);
}

void KEN_SIMD(rotate_head)(float *y, const float *x, const float *cosine, const float *sine,
                           float sign, bool interleaved, bool add, size_t E)
{
    size_t width = interleaved ? E : E / 2;
    for (size_t j = 0; j < width; j += LANES) {
        size_t count = ken_size_min(width - j, LANES);
        vf a = v_load_some(x + j, count);
        if (interleaved) {
            turn(y + j, a, swap_neighbours(a), cosine + j, sine + j, sign, add, count);
            continue;
        }
        vf b = v_load_some(x + width + j, count);
        turn(y + j, a, b, cosine + j, sine + j, sign, add, count);
        turn(y + width + j, b, a, cosine + width + j, sine + width + j, sign, add, count);
    }
}
