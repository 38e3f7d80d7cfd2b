/* test_dense.c - activations, gated units and dropout against their definitions, on every
 * instruction set of this machine; and their operations on a tape, with those of norms. */
#include "base/memory.h"
#include "base/size.h"
#include "kernel/dropout.h"
#include "kernel/kernels.h"
#include "tensor/tape.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = { 1, 7, 17, 67, 1030 };

/* ---- activations ----------------------------------------------------------------------------- */

static void check_activation(enum ken_activation kind, size_t n)
{
    float *x = random_array(n, 1, 4), *dy = random_array(n, 2, 1), *y = copy_of(x, n);
    float *expected = copy_of(x, n), *dx = copy_of(dy, n), *sum = random_array(n, 3, 1);
    float *total = copy_of(sum, n);
    ken_activation_forward(y, x, n, kind);
    for (size_t i = 0; i < n; i++) expected[i] = (float)ken_activation_ref(kind, x[i]);
    check_close("activation", y, expected, n, 5e-7);
    ken_activation_backward(dx, x, n, kind);
    ken_activation_backward_to(sum, dy, x, n, kind, true);
    for (size_t i = 0; i < n; i++) {
        expected[i] = (float)(dy[i] * ken_activation_slope_ref(kind, x[i]));
        total[i] += expected[i];
    }
    check_close("slope", dx, expected, n, 1e-6);
    check_close("slope, added", sum, total, n, 1e-6);
    float *const all[] = { x, dy, y, expected, dx, sum, total };
    free_arrays(all, KEN_COUNT(all));
}

static void check_glu(enum ken_activation kind, size_t rows, size_t n)
{
    size_t size = rows * n;
    float *x = random_array(2 * size, 1, 2), *dy = random_array(size, 2, 1);
    float *y = copy_of(x, size), *expected = copy_of(x, size);
    float *dx = random_array(2 * size, 3, 1), *dx_expected = copy_of(dx, 2 * size);
    ken_glu_forward(y, x, rows, n, kind);
    ken_glu_forward_ref(expected, x, rows, n, kind);
    check_close("glu", y, expected, size, 1e-6);
    for (int add = 1; add >= 0; add--) {
        ken_glu_backward(dx, dy, x, rows, n, kind, add);
        ken_glu_backward_ref(dx_expected, dy, x, rows, n, kind, add);
        check_close("glu backward", dx, dx_expected, 2 * size, 3e-6);
    }
    float *const all[] = { x, dy, y, expected, dx, dx_expected };
    free_arrays(all, KEN_COUNT(all));
}

static void check_activations(void)
{
    for (int kind = 0; kind < KEN_ACT_COUNT; kind++)
        for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
            check_activation((enum ken_activation)kind, sizes[s]);
            check_glu((enum ken_activation)kind, 3, sizes[s]);
        }
}

static void activations(void **state)
{
    (void)state;
    on_every_machine(check_activations);
}

/* A number gives the same bits alone as among others, wherever it is in the array. */
static void check_lonely_numbers(void)
{
    enum { N = 67 };
    float *x = random_array(N, 1, 3);
    for (int k = 0; k < KEN_ACT_COUNT; k++) {
        enum ken_activation kind = (enum ken_activation)k;
        float all[N], one, slopes[N], slope;
        for (size_t i = 0; i < N; i++) slopes[i] = 0.7f;
        ken_activation_forward(all, x, N, kind);
        ken_activation_backward(slopes, x, N, kind);
        for (size_t i = 0; i < N; i++) {
            slope = 0.7f;
            ken_activation_forward(&one, x + i, 1, kind);
            ken_activation_backward(&slope, x + i, 1, kind);
            assert_memory_equal(&one, all + i, sizeof one);
            assert_memory_equal(&slope, slopes + i, sizeof slope);
        }
    }
    ken_memory_free(x);
}

static void lonely_numbers(void **state)
{
    (void)state;
    on_every_machine(check_lonely_numbers);
}

/* For extreme numbers the slopes are 0 or 1, never NaN, and NaN stays NaN. */
static void check_extremes(void)
{
    const float x[5] = { 1e30f, -1e30f, 150, -150, NAN };
    for (int k = 0; k < KEN_ACT_COUNT; k++) {
        enum ken_activation kind = (enum ken_activation)k;
        float y[5], slope[5] = { 1, 1, 1, 1, 1 };
        ken_activation_forward(y, x, 5, kind);
        ken_activation_backward(slope, x, 5, kind);
        for (size_t i = 0; i < 4; i++) {
            double expected = ken_activation_ref(kind, x[i]);
            if (!(fabs(y[i] - expected) <= 1e-6 * fabs(expected) + 1e-30) ||
                fabs(slope[i] - ken_activation_slope_ref(kind, x[i] > 0 ? 40 : -40)) > 1e-6)
                fail_msg("%s, kind %d at %g: %g, slope %g", ken_kernels()->name, k, (double)x[i],
                         (double)y[i], (double)slope[i]);
        }
        assert_true(isnan(y[4]));
    }
}

static void extremes(void **state)
{
    (void)state;
    on_every_machine(check_extremes);
}

/* ---- dropout --------------------------------------------------------------------------------- */

static void check_dropout(void)
{
    enum { ROWS = 21, N = 67 };
    struct ken_dropout dropout = { 0.4f, 5 };
    float *x = random_array(ROWS * N, 1, 1), *y = random_array(ROWS * N, 2, 1);
    float *sum = copy_of(y, ROWS * N), *expected = copy_of(x, ROWS * N);
    float *expected_sum = copy_of(y, ROWS * N);
    ken_dropout_apply(y, x, dropout, ROWS, N, false);
    ken_dropout_apply(sum, x, dropout, ROWS, N, true);
    for (size_t i = 0; i < ROWS * N; i++) {
        expected[i] *= (float)ken_dropout_mask_ref(dropout, i / N, i % N);
        expected_sum[i] += expected[i];
    }
    check_close("dropout", y, expected, ROWS * N, 2e-7);
    check_close("dropout, added", sum, expected_sum, ROWS * N, 4e-7);
    float *const all[] = { x, y, sum, expected, expected_sum };
    free_arrays(all, KEN_COUNT(all));
}

static void dropout_masks(void **state)
{
    (void)state;
    on_every_machine(check_dropout);
}

/* The share of kept numbers, overall and per column, is right, and rows, neighbours and keys are
 * independent; each within 4.5 standard deviations. */
static void dropout_rates(void **state)
{
    (void)state;
    enum { ROWS = 4096, N = 256 };
    const float rates[] = { 0.1f, 0.5f, 0.9f };
    float *ones = random_array(ROWS * N, 1, 0), *y = copy_of(ones, ROWS * N);
    float *other = copy_of(ones, ROWS * N);
    for (size_t i = 0; i < ROWS * N; i++) ones[i] = 1;
    for (size_t k = 0; k < KEN_COUNT(rates); k++) {
        double p = rates[k], size = ROWS * N, same = p * p + (1 - p) * (1 - p);
        double kept = 0, by_row = 0, by_column = 0, by_key = 0;
        ken_dropout_apply(y, ones, (struct ken_dropout){ rates[k], 5 }, ROWS, N, false);
        ken_dropout_apply(other, ones, (struct ken_dropout){ rates[k], 6 }, ROWS, N, false);
        for (size_t i = 0; i < ROWS * N; i++) {
            kept += y[i] != 0;
            by_row += (y[i] != 0) == (y[(i + N) % (ROWS * N)] != 0);
            by_column += (y[i] != 0) == (y[(i + 1) % (ROWS * N)] != 0);
            by_key += (y[i] != 0) == (other[i] != 0);
            assert_true(y[i] == 0 || y[i] == 1 / (1 - rates[k]));
        }
        assert_true(fabs(kept - size * (1 - p)) < 4.5 * sqrt(size * p * (1 - p)));
        /* pairs overlap, so twice the variance */
        double spread = 4.5 * sqrt(2 * size * same * (1 - same));
        assert_true(fabs(by_row - size * same) < spread);
        assert_true(fabs(by_column - size * same) < spread);
        assert_true(fabs(by_key - size * same) < spread);
    }
    ken_memory_free(ones);
    ken_memory_free(y);
    ken_memory_free(other);
}

/* ---- the operations on a tape ---------------------------------------------------------------- */

static void expect_failure(ken_tape *tape, ken_status status, const char *words)
{
    assert_int_equal(ken_tape_status(tape), status);
    if (!strstr(ken_last_error(), words))
        fail_msg("message \"%s\" lacks \"%s\"", ken_last_error(), words);
    ken_tape_clear(tape);
}

static void refusals(void **state)
{
    (void)state;
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    float numbers[15] = { 0 };
    ken_tensor x = { .data = numbers, .rows = 3, .cols = 5 }, *sum;
    ken_tensor narrow = { .data = numbers, .rows = 1, .cols = 4 };
    assert_null(ken_glu(&tape, &x, KEN_ACT_SILU));
    expect_failure(&tape, KEN_ERR_SHAPE, "glu: 3 x 5");
    assert_null(ken_norm(&tape, &x, &narrow, NULL, KEN_NORM_LAYER, 1e-5f));
    expect_failure(&tape, KEN_ERR_SHAPE, "norm: input 3 x 5, gain of 4");
    assert_null(ken_norm(&tape, &x, NULL, NULL, KEN_NORM_LAYER, 0));
    expect_failure(&tape, KEN_ERR_ARGUMENT, "eps 0");
    assert_null(ken_residual_norm(&tape, &sum, &x, &narrow, NULL, NULL, KEN_NORM_RMS, 1e-5f, 0));
    assert_null(sum);
    assert_null(ken_dropout(&tape, NULL, 0.5f)); /* after a failure NULL is accepted */
    expect_failure(&tape, KEN_ERR_SHAPE, "residual norm: 3 x 5 and 1 x 4");
    const float bad[] = { 1, -0.1f, NAN, INFINITY };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        assert_null(ken_dropout(&tape, &x, bad[i]));
        expect_failure(&tape, KEN_ERR_ARGUMENT, "dropout: probability");
        assert_null(ken_residual_norm(&tape, &sum, &x, &x, NULL, NULL, KEN_NORM_RMS, 1, bad[i]));
        expect_failure(&tape, KEN_ERR_ARGUMENT, "dropout");
    }
    ken_tape_release(&tape);
}

/* Dropout acts in training only; every operation accepts a batch without rows. */
static void training_and_emptiness(void **state)
{
    (void)state;
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    float numbers[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    ken_tensor x = { .data = numbers, .rows = 2, .cols = 6 }, *sum;
    assert_ptr_equal(ken_dropout(&tape, &x, 0.5f), &x);
    ken_residual_norm(&tape, &sum, &x, &x, NULL, NULL, KEN_NORM_LAYER, 1e-5f, 0.5f);
    for (size_t i = 0; i < 12; i++) assert_true(sum->data[i] == 2 * numbers[i]);
    ken_tensor empty = { .data = numbers, .rows = 0, .cols = 6 };
    tape.training = true;
    ken_tensor *y = ken_dropout(&tape, ken_glu(&tape, &empty, KEN_ACT_GELU), 0.5f);
    y = ken_activate(&tape, y, KEN_ACT_TANH);
    y = ken_residual_norm(&tape, &sum, y, y, NULL, NULL, KEN_NORM_RMS, 1e-5f, 0.5f);
    assert_int_equal(ken_tape_status(&tape), KEN_OK);
    assert_true(y->rows == 0 && y->cols == 3);
    ken_tape_release(&tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations),
        cmocka_unit_test(lonely_numbers),
        cmocka_unit_test(extremes),
        cmocka_unit_test(dropout_masks),
        cmocka_unit_test(dropout_rates),
        cmocka_unit_test(refusals),
        cmocka_unit_test(training_and_emptiness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
