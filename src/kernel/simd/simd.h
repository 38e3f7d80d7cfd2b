/* simd.h - one vector type, whatever the machine.
 * Every file beside this one is compiled once per instruction set with KEN_ISA_<name> defined;
 * KEN_SIMD(x) gives its functions a name of their own. Code uses vf (floats) and vi (integers) of
 * LANES lanes with the compiler's vector operators; the few things these cannot say are here. */
#ifndef KERNEL_SIMD_SIMD_H
#define KERNEL_SIMD_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* TILE_ROWS x 2 vectors is the block of results that the matrix product keeps in registers: as
 * tall as the register file allows beside two vectors of one operand and a broadcast. */
#if defined(KEN_ISA_avx512)
#include <immintrin.h>
#define KEN_SIMD(name) ken_avx512_##name
enum { LANES = 16, TILE_ROWS = 12 };
#elif defined(KEN_ISA_avx2)
#include <immintrin.h>
#define KEN_SIMD(name) ken_avx2_##name
enum { LANES = 8, TILE_ROWS = 6 };
#else
#define KEN_SIMD(name) ken_generic_##name
enum { LANES = 4, TILE_ROWS = 4 };
#endif
enum { TILE_COLS = 2 * LANES };

#define INLINE static inline __attribute__((always_inline, unused))
#define UNROLL _Pragma("GCC unroll 16")

typedef float vf __attribute__((vector_size(LANES * 4)));
typedef int32_t vi __attribute__((vector_size(LANES * 4)));
typedef uint32_t vu __attribute__((vector_size(LANES * 4)));
typedef float vf_loose __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

INLINE vf v_load(const float *p)
{
    return *(const vf_loose *)p;
}

INLINE void v_store(float *p, vf v)
{
    *(vf_loose *)p = v;
}

INLINE vf v_splat(float x)
{
    return x - (vf){ 0 };
}

INLINE vi v_splat_int(int32_t x)
{
    return x - (vi){ 0 };
}

/* The first `count` (< LANES) floats; the other lanes are `fill`. */
INLINE vf v_load_part(const float *p, size_t count, float fill)
{
    float lanes[LANES];
    for (size_t i = 0; i < LANES; i++) lanes[i] = i < count ? p[i] : fill;
    return v_load(lanes);
}

INLINE void v_store_part(float *p, vf v, size_t count)
{
    float lanes[LANES];
    v_store(lanes, v);
    for (size_t i = 0; i < count; i++) p[i] = lanes[i];
}

/* Up to LANES floats. */
INLINE vf v_load_some(const float *p, size_t count)
{
    return count == LANES ? v_load(p) : v_load_part(p, count, 0);
}

INLINE void v_store_some(float *p, vf v, size_t count)
{
    if (count == LANES) v_store(p, v);
    else v_store_part(p, v, count);
}

/* 0, 1, 2 ... */
INLINE vi v_iota(void)
{
    vi lanes;
    for (int i = 0; i < LANES; i++) lanes[i] = i;
    return lanes;
}

/* Lane by lane `mask ? a : b`; a mask lane is all ones or all zeros, as comparisons give it. */
INLINE vf v_select(vi mask, vf a, vf b)
{
#if defined(KEN_ISA_avx2)
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#elif defined(KEN_ISA_avx512)
    return (vf)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)b, (__m512)a);
#else
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
#endif
}

/* The larger one. If either is NaN the result is b, on every machine. */
INLINE vf v_max(vf a, vf b)
{
#if defined(KEN_ISA_avx2)
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(KEN_ISA_avx512)
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#else
    return v_select(a > b, a, b);
#endif
}

INLINE vf v_min(vf a, vf b)
{
#if defined(KEN_ISA_avx2)
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(KEN_ISA_avx512)
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#else
    return v_select(a < b, a, b);
#endif
}

INLINE vf v_sqrt(vf x)
{
#if defined(KEN_ISA_avx2)
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(KEN_ISA_avx512)
    return (vf)_mm512_sqrt_ps((__m512)x);
#else
    for (int i = 0; i < LANES; i++) x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

INLINE vf v_abs(vf x)
{
    return (vf)((vi)x & 0x7fffffff);
}

/* Sum of the lanes: halves are added, always in this order. */
INLINE float v_sum(vf x)
{
    float lanes[LANES];
    v_store(lanes, x);
    for (size_t width = LANES / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

INLINE float v_max_lane(vf x)
{
    float most = x[0];
    for (int i = 1; i < LANES; i++) most = x[i] > most ? x[i] : most;
    return most;
}

/* ken_random_cell() for LANES cells at once; key_low and key_high are the halves of each key. */
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
