/* vdropout.h - the mask of dropout, LANES columns at a time. */
#ifndef KERNEL_SIMD_VDROPOUT_H
#define KERNEL_SIMD_VDROPOUT_H

#include "base/random.h"
#include "kernel/dropout.h"
#include "kernel/simd/simd.h"

/* The numbers from which mask_at() computes the dropout mask of one row. */
struct mask {
    vu key_low, key_high;
    vu threshold;
    vf scale;
};

INLINE struct mask mask_of_row(struct ken_dropout dropout, size_t row)
{
    uint64_t key = ken_random_key(dropout.key, row);
    return (struct mask){ .key_low = (uint32_t)key - (vu){ 0 },
                          .key_high = (uint32_t)(key >> 32) - (vu){ 0 },
                          .threshold = ken_random_threshold(dropout.p) - (vu){ 0 },
                          .scale = v_splat(1 / (1 - dropout.p)) };
}

/* Returns the mask, 0 or 1 / (1 - p), of LANES columns from `column` on. */
INLINE vf mask_at(const struct mask *mask, size_t column)
{
    vu cell = (vu)v_iota() + (uint32_t)column;
    vu bits = v_random(mask->key_low, mask->key_high, cell);
    return (vf)((vi)mask->scale & (vi)(bits >= mask->threshold));
}

#endif
