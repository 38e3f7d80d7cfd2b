/* vactivation.h - activations on vectors: y = act(x), and the slope act'(x). If `kind` is a
 * constant, these functions compile to code without branches. */
#ifndef KERNEL_SIMD_VACTIVATION_H
#define KERNEL_SIMD_VACTIVATION_H

#include "kernel/activation.h"
#include "kernel/simd/vmath.h"

/* Constants of the tanh form of GELU, which is x sigma(z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3)
 * = x (A + B x^2). */
#define GELU_TANH_A 1.5957691216f
#define GELU_TANH_B 0.0713548163f

INLINE vf v_gelu(vf x)
{
    vf density, tail = v_normal_tail(v_abs(x), &density);
    return x * v_select(x < 0, tail, 1 - tail);
}

/* Returns the slope of GELU, Phi(x) + x phi(x), where Phi is the normal distribution and phi its
 * density. */
INLINE vf v_gelu_slope(vf x)
{
    vf density, tail = v_normal_tail(v_abs(x), &density);
    return v_select(x < 0, tail, 1 - tail) + x * density * 0.3989422804f;
}

/* Returns s = sigma(x); *slope receives s (1 - s), computed as e / (1 + e)^2 with e = e^-|x|, which
 * does not lose digits near s = 1. */
INLINE vf v_sigmoid_slope(vf x, vf *slope)
{
    vf e = v_exp(-v_abs(x)), inverse = 1 / (1 + e);
    *slope = e * inverse * inverse;
    return v_select(x < 0, e, v_splat(1)) * inverse;
}

/* Returns the slope of the tanh form of GELU, x sigma(z): with s = sigma(z) it is s + x s (1 - s)
 * dz/dx. For |x| > 100, s (1 - s) is 0; x^2 is limited there, so that it does not become
 * infinite. */
INLINE vf v_gelu_tanh_slope(vf x)
{
    vf xx = v_min(x * x, v_splat(1e4f)), slope;
    vf s = v_sigmoid_slope(x * (GELU_TANH_A + GELU_TANH_B * xx), &slope);
    return s + x * slope * (GELU_TANH_A + 3 * GELU_TANH_B * xx);
}

INLINE vf v_silu_slope(vf x)
{
    vf slope, s = v_sigmoid_slope(x, &slope);
    return s + x * slope;
}

INLINE vf v_activate(enum ken_activation kind, vf x)
{
    switch (kind) {
    case KEN_ACT_RELU: return v_max(v_splat(0), x); /* v_max() returns x if x is NaN */
    case KEN_ACT_GELU: return v_gelu(x);
    case KEN_ACT_GELU_TANH: return x * v_sigmoid(x * (GELU_TANH_A + GELU_TANH_B * (x * x)));
    case KEN_ACT_SILU: return x * v_sigmoid(x);
    case KEN_ACT_SIGMOID: return v_sigmoid(x);
    case KEN_ACT_TANH: return v_tanh(x);
    case KEN_ACT_ELU: return v_select(x > 0, x, v_expm1_negative(x));
    default: return x;
    }
}

INLINE vf v_activation_slope(enum ken_activation kind, vf x)
{
    vf slope;
    switch (kind) {
    case KEN_ACT_RELU: return v_select(x > 0, v_splat(1), v_splat(0));
    case KEN_ACT_GELU: return v_gelu_slope(x);
    case KEN_ACT_GELU_TANH: return v_gelu_tanh_slope(x);
    case KEN_ACT_SILU: return v_silu_slope(x);
    case KEN_ACT_SIGMOID: v_sigmoid_slope(x, &slope); return slope;
    case KEN_ACT_TANH: v_sigmoid_slope(2 * x, &slope); return 4 * slope; /* 1 - tanh(x)^2 */
    case KEN_ACT_ELU: return v_select(x > 0, v_splat(1), v_exp(x));
    default: return v_splat(1);
    }
}

#endif
