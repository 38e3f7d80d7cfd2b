/* simd.h - one vector type for all instruction sets. Every .c file of this folder is compiled once
 * per instruction set with KEN_ISA_<name> defined, and KEN_SIMD(x) gives its functions a different
 * name each time. Code uses vf (floats) and vi (integers) of LANES lanes with the compiler's vector
 * operators; this header adds the few operations that these operators cannot express. */
#ifndef KERNEL_SIMD_SIMD_H
#define KERNEL_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The matrix product keeps a tile of results in registers: TILE_ROWS rows of 2 vectors. The number
 * of rows is the largest for which the registers also hold two vectors of one operand and one
 * number of the other operand, repeated in all lanes. */
#if defined(KEN_ISA_avx512)
#include <immintrin.h>
#define KEN_SIMD(name) ken_avx512_##name
#define TILE_HEIGHT 12
enum { LANES = 16 };
#elif defined(KEN_ISA_avx2)
#include <immintrin.h>
#define KEN_SIMD(name) ken_avx2_##name
#define TILE_HEIGHT 6
enum { LANES = 8 };
#elif defined(KEN_GENERIC_WIDE) /* like avx512 but without its instructions: for tests */
#define KEN_SIMD(name) ken_generic_##name
#define TILE_HEIGHT 12
enum { LANES = 16 };
#else
#define KEN_SIMD(name) ken_generic_##name
#define TILE_HEIGHT 4
enum { LANES = 4 };
#endif
enum { TILE_ROWS = TILE_HEIGHT, TILE_COLS = 2 * LANES };

#define INLINE static inline __attribute__((always_inline, unused))
#define NOINLINE __attribute__((noinline))
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

/* Returns a where the mask is set, else b, lane by lane. Each lane of the mask must be all ones or
 * all zeros, like the result of a vector comparison. */
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

/* Returns the larger of a and b, lane by lane. If either is NaN, the result is b, on every
 * machine. */
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

#include "kernel/simd/lanes.h"

#endif
