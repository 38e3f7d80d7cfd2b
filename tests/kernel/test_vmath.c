/* test_vmath.c - the errors that simd/vmath.h promises, on every instruction set of this machine:
 * two million points of each function against the C library in double precision, and special
 * values. */
#include "base/size.h"
#include "kernel/kernels.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEP = 1 << 20, BATCH = 1003 /* not a multiple of any vector width */ };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double normal_tail(double x)
{
    return 0.5 * erfc(x * M_SQRT1_2);
}

static const struct function {
    const char *name;
    enum ken_map map;
    double (*exact)(double);
    float low, high;             /* where it is defined                                 */
    float dense_low, dense_high; /* where it is not constant: swept evenly          */
    double bound;                /* ULP; plus x^2 / 2 for the tail, 5/4 |x| for a weight */
} functions[] = {
    { "exp", KEN_MAP_EXP, exp, -INFINITY, INFINITY, -90, 90, 1.01 },
    { "exp of x <= 0", KEN_MAP_EXP_NEGATIVE, exp, -INFINITY, 0, -90, 0, 1.01 },
    { "exp for weights", KEN_MAP_EXP_WEIGHT, exp, -INFINITY, 64, -90, 64, 2 },
    { "expm1 of x <= 0", KEN_MAP_EXPM1_NEGATIVE, expm1, -INFINITY, 0, -20, 0, 1 },
    { "log", KEN_MAP_LOG, log, 0, INFINITY, 0, 10, 1 },
    { "sigmoid", KEN_MAP_SIGMOID, sigmoid, -INFINITY, INFINITY, -90, 20, 2.5 },
    { "tanh", KEN_MAP_TANH, tanh, -INFINITY, INFINITY, -10, 10, 2.5 },
    { "erf", KEN_MAP_ERF, erf, -INFINITY, INFINITY, -4.5f, 4.5f, 2 },
    { "normal tail", KEN_MAP_NORMAL_TAIL, normal_tail, 0, INFINITY, 0, 13, 8 },
};

struct worst {
    double error; /* ULP */
    float x, y;
};

/* The error in ULP: steps between floats at the exact value. Subnormal results may be flushed to
 * 0. */
static double ulp_error(float y, double exact)
{
    if ((double)y == exact || (isnan(y) && isnan(exact))) return 0;
    if (fabs(exact) > FLT_MAX) return isinf(y) && (y > 0) == (exact > 0) ? 0 : INFINITY;
    if (fabs(exact) < FLT_MIN && y == 0) return 0;
    int exponent = 0;
    frexp(fmax(fabs(exact), FLT_MIN), &exponent);
    double error = ldexp(fabs(y - exact), 24 - exponent);
    return isnan(error) ? INFINITY : error;
}

static void check_batch(const struct function *f, const float *x, size_t n, struct worst *worst)
{
    float y[BATCH];
    ken_kernels()->map(y, x, n, f->map);
    for (size_t i = 0; i < n; i++) {
        double error = ulp_error(y[i], f->exact(x[i]));
        if (f->map == KEN_MAP_NORMAL_TAIL && isfinite(x[i])) error -= 0.5 * x[i] * x[i];
        if (f->map == KEN_MAP_EXP_WEIGHT && isfinite(x[i])) error -= 1.25 * fabsf(x[i]);
        if (error > worst->error) *worst = (struct worst){ error, x[i], y[i] };
    }
}

/* Point i of the sweep: first evenly over the interesting range, then over all floats. */
static float sweep_point(const struct function *f, size_t i)
{
    if (i < SWEEP) return f->dense_low + (f->dense_high - f->dense_low) * ((float)i / (float)SWEEP);
    uint32_t bits = (uint32_t)(i - SWEEP) * 4093u;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x >= f->low && x <= f->high ? x : f->low;
}

static void check_function(const struct function *f)
{
    struct worst worst = { 0 };
    float x[BATCH];
    size_t filled = 0;
    for (size_t i = 0; i < 2 * SWEEP; i++) {
        x[filled++] = sweep_point(f, i);
        if (filled < BATCH && i + 1 < 2 * SWEEP) continue;
        check_batch(f, x, filled, &worst);
        filled = 0;
    }
    if (!(worst.error <= f->bound))
        fail_msg("%s, %s: off by %.2f ULP: f(%a) = %a", ken_kernels()->name, f->name, worst.error,
                 (double)worst.x, (double)worst.y);
    print_message("# %s, %s: %.2f ULP\n", ken_kernels()->name, f->name, worst.error);
}

static void check_specials(const struct function *f)
{
    static const float values[] = {
        0,          -0.0f,      FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MIN,        -FLT_MIN,
        1,          -1,         FLT_MAX,      -FLT_MAX,      INFINITY,       -INFINITY,
        -87.33654f, -87.33655f, 88.72283f,    88.72284f,     0x1.fffffep-1f, 0x1.000002p+0f,
    };
    float x[KEN_COUNT(values)], nan = NAN, y;
    for (size_t i = 0; i < KEN_COUNT(values); i++)
        x[i] = values[i] >= f->low && values[i] <= f->high ? values[i] : f->high;
    struct worst worst = { 0 };
    check_batch(f, x, KEN_COUNT(values), &worst);
    if (!(worst.error <= f->bound))
        fail_msg("%s, %s: f(%a) = %a", ken_kernels()->name, f->name, (double)worst.x,
                 (double)worst.y);
    ken_kernels()->map(&y, &nan, 1, f->map);
    if (f->map != KEN_MAP_EXP_NEGATIVE && !isnan(y))
        fail_msg("%s, %s: not a number became %g", ken_kernels()->name, f->name, (double)y);
}

static void check_functions(void)
{
    for (size_t f = 0; f < KEN_COUNT(functions); f++) {
        check_function(&functions[f]);
        check_specials(&functions[f]);
    }
}

static void accuracy(void **state)
{
    (void)state;
    on_every_machine(check_functions);
}

/* Signs of zero survive; the logarithm has no value below 0. */
static void signs(void **state)
{
    (void)state;
    const float x[3] = { -0.0f, -1, -INFINITY };
    float y[3];
    ken_kernels()->map(y, x, 1, KEN_MAP_TANH);
    assert_true(y[0] == 0 && signbit(y[0]));
    ken_kernels()->map(y, x, 1, KEN_MAP_ERF);
    assert_true(y[0] == 0 && signbit(y[0]));
    ken_kernels()->map(y, x, 3, KEN_MAP_LOG);
    assert_true(isinf(y[0]) && y[0] < 0 && isnan(y[1]) && isnan(y[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),
        cmocka_unit_test(signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
