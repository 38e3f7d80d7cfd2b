/* vmath.h - elementary functions on vectors, with the error that tests/test_vmath.c holds them to.
 * The unit is the ULP: one step between neighbouring floats at the exact value. */
#ifndef KERNEL_SIMD_VMATH_H
#define KERNEL_SIMD_VMATH_H

#include "kernel/simd/simd.h"

/* e^x, 1 ULP; 0 below -87.33 (where results would be subnormal), infinite above 88.72; NaN stays.
 * x = n ln 2 + b with |b| <= ln 2 / 2; e^b = 1 + b + b^2 q(b), q minimax of degree 4. */
INLINE vf v_exp(vf x)
{
    const float magic = 0x1.8p23f; /* adding it rounds to an integer, kept in the low bits */
    vf shifted = x * 0x1.715476p+0f + magic;
    vf n = shifted - magic;
    vf b = x - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f;
    vf q = v_splat(0x1.6a2434p-10f);
    q = q * b + 0x1.1239e2p-7f;
    q = q * b + 0x1.5558f2p-5f;
    q = q * b + 0x1.555492p-3f;
    q = q * b + 0x1.fffffcp-2f;
    vf r = b * b * q + b;
    /* 2^n in two factors: n = 128 would leave the exponent field */
    vi whole = (vi)shifted << 23;
    vf scale = (vf)(whole - (1 << 23) + 0x3f800000);
    vf y = (r * scale + scale) * 2;
    y = v_select(x < -87.33654f, v_splat(0), y);
    y = v_select(x > 88.72284f, v_splat(__builtin_inff()), y);
    return v_select(x != x, x, y);
}

/* The same for x <= 0 only (or -infinity, which gives 0): what softmax needs. */
INLINE vf v_exp_negative(vf x)
{
    const float magic = 0x1.8p23f;
    vf shifted = x * 0x1.715476p+0f + magic;
    vf n = shifted - magic;
    vf b = x - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f;
    vf q = v_splat(0x1.6a2434p-10f);
    q = q * b + 0x1.1239e2p-7f;
    q = q * b + 0x1.5558f2p-5f;
    q = q * b + 0x1.555492p-3f;
    q = q * b + 0x1.fffffcp-2f;
    vf r = b * b * q + b;
    vf scale = (vf)(((vi)shifted << 23) + 0x3f800000);
    vf y = r * scale + scale;
    return (vf)((vi)y & (x >= -87.33654f));
}

#endif
