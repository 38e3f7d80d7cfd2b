/* vnormal.h - the tail of the normal distribution and the error function; a part of vmath.h. */
#ifndef KERNEL_SIMD_VNORMAL_H
#define KERNEL_SIMD_VNORMAL_H

#include "kernel/simd/vmath.h"

/* Returns the upper tail of the normal distribution, 1 - Phi(a) for a >= 0; *density receives
 * e^(-a^2/2). The error is 8 + a^2/2 ULP; its second part comes from rounding a^2 before the
 * exponential. The ratio of tail and density falls smoothly from 1/2, like 1/a: it is p(u) / (a +
 * k) with u = (a - k) / (a + k) in [-1, 1) and p of degree 8; k = 3.75 is best for that degree. */
INLINE vf v_normal_tail(vf a, vf *density)
{
    vf inverse = 1 / (a + 3.75f);
    vf u = 1 - 7.5f * inverse; /* avoids (a - k) / (a + k), which is NaN at infinity */
    vf p = v_splat(0x1.d8eb24p-12f);
    p = p * u + 0x1.0fd938p-11f;
    p = p * u - 0x1.11a06ep-8f;
    p = p * u + 0x1.3890dap-10f;
    p = p * u + 0x1.3327a2p-5f;
    p = p * u - 0x1.364f82p-3f;
    p = p * u + 0x1.6968eap-2f;
    p = p * u - 0x1.2d2708p-1f;
    p = p * u + 0x1.80268cp-1f;
    *density = v_exp_negative(-0.5f * a * a);
    return p * inverse * *density;
}

/* Returns the error function with an error of 2 ULP: x + x p(x^2) with p of degree 6 for |x| < 1,
 * else 1 minus twice the normal tail. */
INLINE vf v_erf(vf x)
{
    vf a = v_abs(x), xx = x * x, density;
    vf p = v_splat(0x1.4771fcp-14f);
    p = p * xx - 0x1.a3515ep-11f;
    p = p * xx + 0x1.53f224p-8f;
    p = p * xx - 0x1.b7f71ap-6f;
    p = p * xx + 0x1.ce2ce6p-4f;
    p = p * xx - 0x1.81273ep-2f;
    p = p * xx + 0x1.06eba8p-3f;
    vf large = 1 - 2 * v_normal_tail(a * 0x1.6a09e6p+0f, &density);
    return v_select(a < 1, x * p + x, v_copysign(large, x));
}

#endif
