/* vmath.h - elementary functions on vectors. The comment of each function states its maximum error
 * in ULP, which tests/kernel/test_vmath.c checks; one ULP is the step between neighbouring floats
 * at the exact value. Polynomials are minimax fits; their coefficients were rounded to float one by
 * one, and the remaining ones fitted again each time. NaN stays NaN, and infinities give the
 * limits, unless a comment says otherwise. */
#ifndef KERNEL_SIMD_VMATH_H
#define KERNEL_SIMD_VMATH_H

#include "kernel/simd/simd.h"

/* Returns |size| with the sign of `sign`. */
INLINE vf v_copysign(vf size, vf sign)
{
    return (vf)(((vi)size & 0x7fffffff) | ((vi)sign & INT32_MIN));
}

/* Splits x = n ln 2 + b with |b| <= ln 2 / 2. Returns e^b - 1, computed as b + b^2 q(b) with q of
 * degree 4; *n receives n << 23, which is n in the exponent bits of a float. */
INLINE vf v_exp_split(vf x, vu *n)
{
    /* adding it rounds a number to an integer, which is in the low bits of the sum */
    const float magic = 0x1.8p23f;
    vf shifted = x * 0x1.715476p+0f + magic;
    vf whole = shifted - magic;
    vf b = x - whole * 0x1.62e4p-1f - whole * 0x1.7f7d1cp-20f;
    vf q = v_splat(0x1.6a2434p-10f);
    q = q * b + 0x1.1239e2p-7f;
    q = q * b + 0x1.5558f2p-5f;
    q = q * b + 0x1.555492p-3f;
    q = q * b + 0x1.fffffcp-2f;
    *n = (vu)shifted << 23;
    return b * b * q + b;
}

/* e^x with an error of 1.01 ULP; 0 for x below -87.33, where results would be subnormal. */
INLINE vf v_exp(vf x)
{
    vu n;
    vf r = v_exp_split(x, &n);
    vf y = (vf)((vu)(r + 1) + n); /* adds n to the exponent, because a factor 2^n might overflow */
    y = v_select(x < -87.33654f, v_splat(0), y);
    y = v_select(x > 88.72283f, v_splat(__builtin_inff()), y);
    return v_select(x != x, x, y);
}

/* e^x for x <= 0 only, which is enough for softmax; as precise as v_exp(). -infinity gives 0, and
 * NaN stays NaN. */
INLINE vf v_exp_negative(vf x)
{
    vu n;
    vf r = v_exp_split(x, &n);
    vf scale = (vf)(n + 0x3f800000u);
    return (vf)(~(x < -87.33654f) & (vi)(r * scale + scale));
}

/* e^x for x <= 64, for the weights of attention, where every pair of rows needs one exponential.
 * The error is (2 + 5/4 |x|) ULP, as if x had been rounded once more. x below -87.33 gives 0, and
 * NaN stays NaN. Method: x log2(e) = n + b with |b| <= 1/2, and 2^b is a polynomial of degree 5. */
INLINE vf v_exp_weight(vf x)
{
    const float magic = 0x1.8p23f, log2_e = 0x1.715476p+0f;
    vf shifted = x * log2_e + magic;
    vf b = x * log2_e - (shifted - magic);
    vf y = v_splat(0x1.5bda7ap-10f);
    y = y * b + 0x1.3ce8b0p-7f;
    y = y * b + 0x1.c6b6d8p-5f;
    y = y * b + 0x1.ebf9c2p-3f;
    y = y * b + 0x1.62e42ap-1f;
    y = y * b + 1;
    vf scale = (vf)(((vu)shifted << 23) + 0x3f800000u);
    return (vf)(~(x < -87.33654f) & (vi)(y * scale));
}

/* e^x - 1 for x <= 0, with an error of 1 ULP. With x = n ln 2 + b it is 2^n (e^b - 1) + (2^n - 1),
 * which loses no digits near 0. */
INLINE vf v_expm1_negative(vf x)
{
    vu n;
    vf r = v_exp_split(v_max(v_splat(-20), x), &n);
    vf scale = (vf)(n + 0x3f800000u);
    return r * scale + (scale - 1);
}

/* Natural logarithm with an error of 1 ULP, for subnormal x too; x = 0 gives -infinity, x < 0 gives
 * NaN.
 *   x = 2^n (1 + f) with 1 + f from sqrt(1/2) to sqrt(2);
 *   log(1 + f) = f - f^2/2 + f^3 p(f), p of degree 7. */
INLINE vf v_log(vf x)
{
    const float infinity = __builtin_inff();
    const uint32_t root_half = 0x3f3504f3; /* the bits of sqrt(1/2) */
    vi tiny = x < 0x1p-126f;
    vu bits = (vu)v_select(tiny, x * 0x1p23f, x);
    vi exponent = (vi)(bits - root_half);
    vf f = (vf)(bits - ((vu)exponent & 0xff800000u)) - 1;
    vf n = __builtin_convertvector((exponent >> 23) - (tiny & 23), vf);
    vf p = v_splat(-0x1.38c974p-4f);
    p = p * f + 0x1.055eaep-3f;
    p = p * f - 0x1.0d8246p-3f;
    p = p * f + 0x1.22d930p-3f;
    p = p * f - 0x1.54728ap-3f;
    p = p * f + 0x1.99a01cp-3f;
    p = p * f - 0x1.000226p-2f;
    p = p * f + 0x1.555554p-2f;
    vf ff = f * f;
    vf low = ff * f * p + n * 0x1.7f7d1cp-20f - 0.5f * ff;
    vf y = (low + f) + n * 0x1.62e4p-1f;
    y = v_select(x < infinity, y, x);
    vf outside = v_select(x == 0, v_splat(-infinity), v_splat(__builtin_nanf("")));
    return v_select(x > 0, y, outside);
}

/* 1 / (1 + e^-x) with an error of 2.5 ULP; 0 for x below -88.72. */
INLINE vf v_sigmoid(vf x)
{
    return 1 / (1 + v_exp(-x));
}

/* tanh(x) with an error of 2.5 ULP: tanh |x| = -t / (t + 2) with t = e^(-2|x|) - 1. */
INLINE vf v_tanh(vf x)
{
    vf t = v_expm1_negative(-2 * v_abs(x));
    return v_copysign(t / (t + 2), x);
}

#include "kernel/simd/vnormal.h"

#endif
