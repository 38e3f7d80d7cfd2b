/* test_features.c - features of linear attention and the matrix of landmarks, against their
 * definitions; and random features approximate the exponential of a dot product. */
#include "base/random.h"
#include "base/size.h"
#include "kernel/features.h"
#include "kernel/kernels.h"
#include "kernel/landmarks.h"
#include "tests/arrays.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float *zeros(size_t n)
{
    float *x = normal_array(n, 0);
    memset(x, 0, n * sizeof *x);
    return x;
}

/* ---- the definitions ------------------------------------------------------------------------- */

static void check_features(size_t N, size_t H, size_t E, size_t M, float size)
{
    size_t stride = H * E + 2;
    float *x = normal_array(N * stride, 1), *random = M ? zeros(M * E) : NULL;
    for (size_t i = 0; i < N * stride; i++) x[i] *= size;
    if (M) ken_features_draw(random, M, E, 5);
    struct ken_features fast = { .x = x + 1,
                                 .random = random,
                                 .x_stride = stride,
                                 .N = N,
                                 .H = H,
                                 .E = E,
                                 .M = M ? M : E };
    struct ken_features slow = fast;
    size_t all = N * H * fast.M;
    fast.y = zeros(all);
    slow.y = zeros(all);
    fast.scale = zeros(N * H);
    slow.scale = zeros(N * H);
    ken_features_forward(&fast);
    ken_features_forward_ref(&slow);
    check_close("features", fast.y, slow.y, all, 1e-5 * (1 + (double)size));
    check_close("scale", fast.scale, slow.scale, N * H, 1e-5);
    float *dx[2] = { zeros(N * stride), zeros(N * stride) }, *dy = normal_array(all, 2);
    float *dscale = normal_array(N * H, 3);
    ken_features_backward(dx[0] + 1, &fast, dy, dscale, zeros(N * fast.M));
    ken_features_backward_ref(dx[1] + 1, &slow, dy, dscale);
    check_close("dx", dx[0], dx[1], N * stride, 2e-4 * (1 + (double)size));
    drop_arrays();
}

static void check_sizes(void)
{
    static const size_t sizes[] = { 0, 1, 7, 17, 67 };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++)
        for (size_t j = 1; j < KEN_COUNT(sizes); j++) {
            check_features(sizes[i], 1 + i % 3, sizes[j], 0, 2);
            check_features(sizes[i], 1 + i % 3, sizes[j], sizes[KEN_COUNT(sizes) - j], 1);
            check_features(sizes[i], 2, 7, sizes[j], 20); /* far outside e^+-88 */
        }
}

static void equal_the_definition(void **state)
{
    (void)state;
    on_every_machine(check_sizes);
}

/* Small numbers keep their digits: 1 + (e^x - 1) would give 0 here. */
static void elu_keeps_small_numbers(void **state)
{
    (void)state;
    float x[] = { -30, -80, 0, 2, -1e30f }, y[5];
    ken_features_forward(
        &(struct ken_features){ .x = x, .x_stride = 5, .N = 1, .H = 1, .E = 5, .M = 5, .y = y });
    assert_true(fabs(y[0] / exp(-30) - 1) < 1e-6 && fabs(y[1] / exp(-80) - 1) < 1e-6);
    assert_true(y[2] == 1 && y[3] == 3 && y[4] == 0);
}

/* ---- random directions ----------------------------------------------------------------------- */

static void directions_are_orthogonal(void **state)
{
    (void)state;
    enum { E = 24, M = 60 };
    static float w[M * E], again[M * E], other[M * E];
    ken_features_draw(w, M, E, 3);
    ken_features_draw(again, M, E, 3);
    ken_features_draw(other, M, E, 4);
    assert_memory_equal(w, again, sizeof w);
    assert_memory_not_equal(w, other, sizeof w);
    double mean = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j <= i; j++) {
            double dot = 0;
            for (size_t e = 0; e < E; e++) dot += (double)w[i * E + e] * w[j * E + e];
            if (i == j) mean += dot * sqrt(E) / M;
            else if (i / E == j / E) assert_true(fabs(dot) < 1e-5 * E);
        }
    assert_true(fabs(mean / E - 1) < 0.15); /* E squares of normal numbers have mean E */
}

/* The mean and deviation of f(q) . f(k) / e^(q . k / sqrt(E)) over many draws. */
static void estimate(double *mean, double *deviation, size_t M, size_t draws)
{
    enum { E = 8, MOST = 128 };
    static float x[2 * E], random[MOST * E], y[2 * MOST], scale[2];
    double exact = 0, sum = 0, squares = 0;
    for (size_t e = 0; e < E; e++) {
        x[e] = 0.5f * ken_random_normal(1, e);
        x[E + e] = 0.5f * ken_random_normal(2, e);
        exact += (double)x[e] * x[E + e] / sqrt(E);
    }
    struct ken_features job = { .x = x,
                                .random = random,
                                .x_stride = E,
                                .N = 2,
                                .H = 1,
                                .E = E,
                                .M = M,
                                .y = y,
                                .scale = scale };
    for (size_t d = 0; d < draws; d++) {
        ken_features_draw(random, M, E, 1000 + d);
        ken_features_forward(&job);
        double dot = 0;
        for (size_t m = 0; m < M; m++) dot += (double)y[m] * y[M + m];
        double ratio = dot * exp((double)scale[0] + scale[1] - exact);
        sum += ratio;
        squares += (ratio - 1) * (ratio - 1);
    }
    *mean = sum / (double)draws;
    *deviation = sqrt(squares / (double)draws);
}

static void random_features_stand_for_the_exponential(void **state)
{
    (void)state;
    enum { DRAWS = 1500 };
    double mean[3], deviation[3];
    static const size_t sizes[] = { 8, 32, 128 };
    for (size_t i = 0; i < 3; i++) {
        estimate(&mean[i], &deviation[i], sizes[i], DRAWS);
        printf("# %zu features: mean %.4f of what is exact, deviation %.4f\n", sizes[i], mean[i],
               deviation[i]);
        assert_true(fabs(mean[i] - 1) < 5 * deviation[i] / sqrt(DRAWS)); /* five standard errors */
    }
    for (size_t i = 0; i < 2; i++) { /* four times as many features have half the error */
        double ratio = deviation[i] / deviation[i + 1];
        assert_true(ratio > 1.6 && ratio < 2.5);
    }
}

/* ---- landmarks ------------------------------------------------------------------------------- */

static void check_landmarks(void)
{
    static const size_t start[] = { 0, 1, 1, 8, 75, 92 };
    enum { B = 5, L = 92, H = 2, E = 8, EV = 5 };
    static double work[5 * 67 * 67];
    float *q = normal_array(L * H * E, 1), *k = normal_array(L * H * E, 2);
    struct ken_landmarks fast = { .q = q,
                                  .k = k,
                                  .y = normal_array(L * H * EV, 3),
                                  .q_stride = H * E,
                                  .k_stride = H * E,
                                  .start = start,
                                  .B = B,
                                  .H = H,
                                  .E = E,
                                  .Ev = EV,
                                  .scale = 2 / sqrtf(E),
                                  .out = zeros(L * H * EV) };
    struct ken_landmarks slow = fast;
    slow.out = zeros(L * H * EV);
    ken_landmarks_forward(&fast);
    ken_landmarks_forward_ref(&slow, work);
    /* the error grows with the condition number */
    check_close("landmarks", fast.out, slow.out, L * H * EV, 2e-3);

    /* each head and sequence is independent of the number of workers */
    float *dq[2], *dout = normal_array(L * H * EV, 4);
    for (size_t i = 0; i < 2; i++) {
        struct ken_landmarks_grad grad = { .dout = dout, .dq = dq[i] = zeros(L * H * E) };
        grad.workers = i ? 3 : 1;
        grad.work = zeros(grad.workers * ken_landmarks_space(&fast));
        ken_landmarks_backward(&fast, &grad);
    }
    assert_memory_equal(dq[0], dq[1], L * H * E * sizeof(float));
    drop_arrays();
}

static void landmarks_equal_the_definition(void **state)
{
    (void)state;
    on_every_machine(check_landmarks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_the_definition),
        cmocka_unit_test(elu_keeps_small_numbers),
        cmocka_unit_test(directions_are_orthogonal),
        cmocka_unit_test(random_features_stand_for_the_exponential),
        cmocka_unit_test(landmarks_equal_the_definition),
    };
    if (ken_kernels_start()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
