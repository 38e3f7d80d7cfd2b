/* vfeatures.c - elu + 1, computed directly: adding 1 to elu(x) = e^x - 1 would lose e^x to rounding
 * below x = -17. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vmath.h"

void KEN_SIMD(feature_elu)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        vf v = v_load_some(x + i, count);
        vf low = v_exp_negative(v_min(v, v_splat(0)));
        v_store_some(y + i, v_select(v > 0, v + 1, low), count);
    }
}

/* Adds the gradient of elu(x) + 1: dx += dy where x > 0, else dx += dy e^x. */
void KEN_SIMD(feature_elu_backward)(float *dx, const float *dy, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        vf v = v_load_some(x + i, count), d = v_load_some(dy + i, count);
        vf low = v_exp_negative(v_min(v, v_splat(0)));
        v_store_some(dx + i, v_load_some(dx + i, count) + v_select(v > 0, d, d * low), count);
    }
}
