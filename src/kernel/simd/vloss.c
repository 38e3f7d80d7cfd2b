/* vloss.c - softmax of one row, in three steps: finding the largest number, exponentials,
 * scaling. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vmath.h"

float KEN_SIMD(softmax_most)(const float *x, size_t n)
{
    vf most = v_splat(-__builtin_inff());
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) most = v_max(v_load(x + i), most);
    if (i < n) most = v_max(v_load_part(x + i, n - i, -__builtin_inff()), most);
    return v_max_lane(most);
}

/* Computes y = e^(x - most), the sum of these exponentials and the sum of x. y may be the same
 * array as x, or NULL if only the sums are wanted. */
void KEN_SIMD(softmax_exp)(struct ken_softmax_sums *sums, float *y, const float *x, float most,
                           size_t n)
{
    *sums = (struct ken_softmax_sums){ 0 };
    size_t i = 0;
    while (i < n) { /* adds up 32 vectors at a time in float, and these sums in double */
        size_t end = ken_size_min(n, i + 32 * LANES);
        vf exponentials = v_splat(0), plain = v_splat(0);
        for (; i + LANES <= end; i += LANES) {
            vf v = v_load(x + i), e = v_exp_negative(v - most);
            plain += v;
            exponentials += e;
            if (y) v_store(y + i, e);
        }
        if (i < end) {
            plain += v_load_part(x + i, end - i, 0);
            vf e = v_exp_negative(v_load_part(x + i, end - i, -__builtin_inff()) - most);
            exponentials += e;
            if (y) v_store_part(y + i, e, end - i);
            i = end;
        }
        sums->exponentials += v_sum(exponentials);
        sums->plain += v_sum(plain);
    }
}

void KEN_SIMD(array_affine)(float *y, const float *x, float factor, float shift, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        v_store_some(y + i, v_load_some(x + i, count) * factor + shift, count);
    }
}
