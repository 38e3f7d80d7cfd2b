/* peak.c - measures the highest speeds of the machine, to compare with in the benchmark:
 * multiply-adds that wait neither for each other nor for memory, and reads that wait only for
 * memory. */
#include "kernel/simd/table.h"

float KEN_SIMD(peak_fma)(float factor, float term, size_t rounds)
{
    vf a = v_splat(factor);
    vf b = v_splat(term);
    vf chain[KEN_PEAK_CHAINS];
    UNROLL
    for (size_t i = 0; i < KEN_PEAK_CHAINS; i++) chain[i] = v_splat((float)i);
    for (size_t round = 0; round < rounds; round++) {
        UNROLL
        for (size_t i = 0; i < KEN_PEAK_CHAINS; i++) chain[i] = chain[i] * a + b;
    }
    vf sum = chain[0];
    UNROLL
    for (size_t i = 1; i < KEN_PEAK_CHAINS; i++) sum += chain[i];
    return v_sum(sum);
}

float KEN_SIMD(peak_read)(const float *x, size_t n)
{
    enum { STREAMS = 8 }; /* independent sums: enough to hide the latency of an addition */
    vf sum[STREAMS] = { { 0 } };
    for (size_t i = 0; i + STREAMS * LANES <= n; i += STREAMS * LANES) {
        UNROLL
        for (size_t j = 0; j < STREAMS; j++) sum[j] += v_load(x + i + j * LANES);
    }
    UNROLL
    for (size_t j = 1; j < STREAMS; j++) sum[0] += sum[j];
    return v_sum(sum[0]);
}
