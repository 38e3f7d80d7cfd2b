/* vactivation.h - activations on vectors: y = act(x), and its derivative. */
#ifndef KERNEL_SIMD_VACTIVATION_H
#define KERNEL_SIMD_VACTIVATION_H

#include "kernel/activation.h"
#include "kernel/simd/vmath.h"

INLINE vf v_activate(enum ken_activation kind, vf x)
{
    switch (kind) {
    case KEN_ACT_RELU: return v_max(x, v_splat(0));
    default: return x;
    }
}

#endif
