/* map.c - applies the functions of vmath.h to arrays. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vmath.h"

INLINE vf v_map(enum ken_map function, vf x)
{
    vf density;
    switch (function) {
    case KEN_MAP_EXP: return v_exp(x);
    case KEN_MAP_EXP_NEGATIVE: return v_exp_negative(x);
    case KEN_MAP_EXP_WEIGHT: return v_exp_weight(x);
    case KEN_MAP_EXPM1_NEGATIVE: return v_expm1_negative(x);
    case KEN_MAP_LOG: return v_log(x);
    case KEN_MAP_SIGMOID: return v_sigmoid(x);
    case KEN_MAP_TANH: return v_tanh(x);
    case KEN_MAP_ERF: return v_erf(x);
    case KEN_MAP_NORMAL_TAIL: return v_normal_tail(x, &density);
    default: return x;
    }
}

/* Applies one function of vmath.h to an array. The switch within the loop makes it slow; loops
 * whose speed matters call vmath.h directly. */
void KEN_SIMD(map)(float *y, const float *x, size_t n, enum ken_map function)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        v_store_some(y + i, v_map(function, v_load_some(x + i, count)), count);
    }
}
