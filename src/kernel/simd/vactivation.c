/* vactivation.c - activations and gated units on a part of an array. Only two functions contain
 * code for every kind of activation: one computes values, the other slopes. All other functions
 * take their results from a buffer, one chunk at a time, which stays in the first-level cache. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vactivation.h"

enum { CHUNK = 512 };

/* Computes y = act(x), or y = act'(x) with `slope`. The kind is a compile-time constant, so that
 * the loop has no switch. */
INLINE void fill_as(float *y, const float *x, size_t n, const bool slope,
                    const enum ken_activation kind)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        vf v = v_load_some(x + i, count);
        v_store_some(y + i, slope ? v_activation_slope(kind, v) : v_activate(kind, v), count);
    }
}

/* Computes y = act(x), or y = act'(x) with `slope`: chooses the loop for `kind`, once per chunk. */
INLINE void fill(float *y, const float *x, size_t n, const bool slope, enum ken_activation kind)
{
    switch (kind) {
    case KEN_ACT_RELU: fill_as(y, x, n, slope, KEN_ACT_RELU); break;
    case KEN_ACT_GELU: fill_as(y, x, n, slope, KEN_ACT_GELU); break;
    case KEN_ACT_GELU_TANH: fill_as(y, x, n, slope, KEN_ACT_GELU_TANH); break;
    case KEN_ACT_SILU: fill_as(y, x, n, slope, KEN_ACT_SILU); break;
    case KEN_ACT_SIGMOID: fill_as(y, x, n, slope, KEN_ACT_SIGMOID); break;
    case KEN_ACT_TANH: fill_as(y, x, n, slope, KEN_ACT_TANH); break;
    case KEN_ACT_ELU: fill_as(y, x, n, slope, KEN_ACT_ELU); break;
    default: fill_as(y, x, n, slope, KEN_ACT_NONE); break;
    }
}

/* values() computes y = act(x), and slopes() computes y = act'(x). All callers share these two
 * functions, so the loops of all kinds are compiled only once. */
static void values(float *y, const float *x, size_t n, enum ken_activation kind)
{
    fill(y, x, n, false, kind);
}

static void slopes(float *y, const float *x, size_t n, enum ken_activation kind)
{
    fill(y, x, n, true, kind);
}

/* Multiplies number by number: y = a b, or y += a b with `add`. */
static void multiply(float *y, const float *a, const float *b, size_t n, bool add)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = ken_size_min(n - i, LANES);
        vf sum = add ? v_load_some(y + i, count) : v_splat(0);
        sum += v_load_some(a + i, count) * v_load_some(b + i, count);
        v_store_some(y + i, sum, count);
    }
}

void KEN_SIMD(activation_forward)(float *y, const float *x, size_t n, enum ken_activation kind)
{
    values(y, x, n, kind);
}

/* Computes dx = dy . act'(x), or dx += dy . act'(x) with `add`. It works chunk by chunk, because dx
 * and dy may be the same array. */
void KEN_SIMD(activation_backward)(float *dx, const float *dy, const float *x, size_t n,
                                   enum ken_activation kind, bool add)
{
    float slope[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t count = ken_size_min(n - i, CHUNK);
        slopes(slope, x + i, count, kind);
        multiply(dx + i, dy + i, slope, count, add);
    }
}

/* Computes the gated unit y = a . act(b), where a and b are the two halves of a row of x. */
void KEN_SIMD(glu_forward)(float *y, const float *x, size_t rows, size_t n,
                           enum ken_activation kind)
{
    float gate[CHUNK];
    for (size_t r = 0; r < rows; r++, y += n, x += 2 * n) {
        for (size_t i = 0; i < n; i += CHUNK) {
            size_t count = ken_size_min(n - i, CHUNK);
            values(gate, x + n + i, count, kind);
            multiply(y + i, x + i, gate, count, false);
        }
    }
}

/* Computes dx = [da db] of a gated unit, with da = dy . act(b) and db = dy . a . act'(b). The gate
 * act(b) is computed again, because storing and reading it would take longer than the
 * exponential. */
void KEN_SIMD(glu_backward)(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                            enum ken_activation kind, bool add)
{
    float gate[CHUNK];
    for (size_t r = 0; r < rows; r++, dx += 2 * n, dy += n, x += 2 * n) {
        for (size_t i = 0; i < n; i += CHUNK) {
            size_t count = ken_size_min(n - i, CHUNK);
            values(gate, x + n + i, count, kind);
            multiply(dx + i, dy + i, gate, count, add);
            slopes(gate, x + n + i, count, kind);
            multiply(gate, gate, x + i, count, false);
            multiply(dx + n + i, dy + i, gate, count, add);
        }
    }
}
