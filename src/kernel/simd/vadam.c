/* vadam.c - one step of AdamW on a chunk. Four arrays (weights, gradients, two moments) are read
 * and written once each; the memory accesses take longer than the arithmetic. */
#include "base/size.h"
#include "kernel/simd/table.h"

/* Sets numbers below 2^-120 to 0. Without this, the moments of a weight that gets no more gradients
 * would fall towards 0 and stay subnormal, which costs a hundred cycles per operation. */
INLINE vf v_flush(vf x)
{
    return (vf)((vi)x & ~(v_abs(x) < 0x1p-120f)); /* NaN stays NaN */
}

void KEN_SIMD(adam)(float *w, float *g, float *m, float *v, size_t n,
                    const struct ken_adam_factors *factors)
{
    /* a local copy: the compiler knows that the stores below cannot change it */
    const struct ken_adam_factors f = *factors;
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        vf weight = v_load_some(w + i, count);
        vf gradient = f.scale * v_load_some(g + i, count);
        if (f.l2 > 0) gradient += f.l2 * weight;
        vf first = f.keep1 * v_load_some(m + i, count) + f.new1 * gradient;
        vf second = f.keep2 * v_load_some(v + i, count) + f.new2 * gradient * gradient;
        vf move = f.rate * first / (f.root * v_sqrt(second) + f.eps);
        v_store_some(w + i, f.shrink * weight - move, count);
        v_store_some(m + i, v_flush(first), count);
        v_store_some(v + i, v_flush(second), count);
        v_store_some(g + i, v_splat(0), count);
    }
}
