/* lanes.h - loads and stores of fewer than LANES floats, sums across lanes, small transposes and
 * random numbers in lanes; a part of simd.h. */
#ifndef KERNEL_SIMD_LANES_H
#define KERNEL_SIMD_LANES_H

#include "kernel/simd/simd.h"

/* Returns the vector 0, 1, 2 ... */
INLINE vi v_iota(void)
{
    vi lanes;
    for (int i = 0; i < LANES; i++) lanes[i] = i;
    return lanes;
}

/* Loads `count` < LANES floats; the other lanes become `fill`, and their memory is not touched. */
INLINE vf v_load_part(const float *p, size_t count, float fill)
{
#if defined(KEN_ISA_avx2)
    vi there = v_iota() < (int32_t)count;
    return v_select(there, (vf)_mm256_maskload_ps(p, (__m256i)there), v_splat(fill));
#elif defined(KEN_ISA_avx512)
    return (vf)_mm512_mask_loadu_ps((__m512)v_splat(fill), (__mmask16)((1u << count) - 1), p);
#else
    float lanes[LANES];
    for (size_t i = 0; i < LANES; i++) lanes[i] = i < count ? p[i] : fill;
    return v_load(lanes);
#endif
}

/* Stores the first `count` < LANES lanes. On avx2 the store is split into 4, 2 and 1 floats,
 * because a masked store is slow on many machines. */
INLINE void v_store_part(float *p, vf v, size_t count)
{
#if defined(KEN_ISA_avx2)
    __m128 part = _mm256_castps256_ps128((__m256)v);
    if (count & 4) {
        _mm_storeu_ps(p, part);
        part = _mm256_extractf128_ps((__m256)v, 1);
        p += 4;
    }
    if (count & 2) {
        _mm_storel_pi((__m64 *)(void *)p, part);
        part = _mm_movehl_ps(part, part);
        p += 2;
    }
    if (count & 1) _mm_store_ss(p, part);
#elif defined(KEN_ISA_avx512)
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1), (__m512)v);
#else
    float lanes[LANES];
    v_store(lanes, v);
    for (size_t i = 0; i < count; i++) p[i] = lanes[i];
#endif
}

/* v_load_some() and v_store_some() handle `count` <= LANES floats; lanes after `count` are loaded
 * as 0. */
INLINE vf v_load_some(const float *p, size_t count)
{
    return count == LANES ? v_load(p) : v_load_part(p, count, 0);
}

INLINE void v_store_some(float *p, vf v, size_t count)
{
    if (count == LANES) v_store(p, v);
    else v_store_part(p, v, count);
}

/* Returns the sum of the lanes. The upper half is added to the lower half until one lane is left,
 * always in this order, so the sum always has the same bits. */
INLINE float v_sum(vf x)
{
    float lanes[LANES];
    v_store(lanes, x);
    for (size_t width = LANES / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

/* Returns whether any lane of a mask is set. */
INLINE bool v_any(vi mask)
{
#if defined(KEN_ISA_avx2)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int32_t any = 0;
    for (int i = 0; i < LANES; i++) any |= mask[i];
    return any != 0;
#endif
}

INLINE float v_max_lane(vf x)
{
    float most = x[0];
    for (int i = 1; i < LANES; i++) most = x[i] > most ? x[i] : most;
    return most;
}

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));

/* Transposes four lines of four floats; lines are `stride` floats apart. If `lines` < 4, the
 * missing lines count as 0. */
INLINE void transpose_4x4(v4 out[4], const float *source, size_t stride, size_t lines)
{
    v4 in[4];
    for (size_t i = 0; i < 4; i++)
        in[i] = i < lines ? *(const v4 *)(source + i * stride) : (v4){ 0 };
    v4 a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    v4 b = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    v4 c = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    v4 d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Computes ken_random_cell() for LANES cells at once; key_low and key_high are the two halves of
 * each cell's key. */
INLINE vu v_random(vu key_low, vu key_high, vu cell)
{
    vu x = cell + key_low;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x += key_high;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

#endif
