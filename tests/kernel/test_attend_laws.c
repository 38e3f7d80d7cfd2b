/* test_attend_laws.c - laws of attention that every kernel must obey, of the formula and of reach
 * (the mask), on every instruction set of this machine. test_attend.c and test_golden.c check that
 * each choice computes its own formula. */
#include "base/random.h"
#include "tests/attend_problem.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* ---- the formula ----------------------------------------------------------------------------- */

/* A dot product of E numbers of variance 1 has variance E, so scores divided by sqrt(E) have
 * variance 1. */
static void check_variance(void)
{
    const struct {
        float scale;
        double variance;
    } known[] = { { 1, 64 }, { 0.125f, 1 } };
    struct problem p = make_problem(256, 256, 64);
    float *scores = take_zeros(256 * 256);
    p.job.weigh = KEN_WEIGH_NONE; /* then a weight is its score / 256 */
    for (size_t c = 0; c < KEN_COUNT(known); c++) {
        double square = 0;
        p.job.scale = known[c].scale;
        ken_attend_weights(scores, &p.job, 0, 0);
        for (size_t i = 0; i < 256 * 256; i++) square += 256.0 * scores[i] * 256.0 * scores[i];
        double variance = square / (256 * 256);
        if (!(fabs(variance / known[c].variance - 1) < 0.06)) fail_msg("variance %g", variance);
    }
}

/* Rows of weights add up to 1 and are 0 outside of the reach; the output is the weighted mean of
 * the values. */
static void check_weights(void)
{
    static const size_t reach[][2] = { { KEN_UNLIMITED, KEN_UNLIMITED },
                                       { KEN_UNLIMITED, 0 },
                                       { 5, 3 },
                                       { 0, 0 },
                                       { 110, KEN_UNLIMITED } };
    for (size_t r = 0; r < KEN_COUNT(reach); r++) {
        struct problem p = make_problem(150, 150, 7);
        float *weights = take_zeros(150 * 150), *out = take_zeros(150 * 7);
        p.job.left = reach[r][0];
        p.job.right = reach[r][1];
        run_problem(&p);
        ken_attend_weights(weights, &p.job, 0, 0);
        for (size_t i = 0; i < 150; i++) {
            double sum = 0;
            for (size_t j = 0; j < 150; j++) {
                float w = weights[i * 150 + j];
                bool seen = j + p.job.left >= i || p.job.left == KEN_UNLIMITED;
                seen = seen && (j <= i || j - i <= p.job.right);
                assert_true(seen ? w >= 0 && w <= 1.000001f : w == 0);
                sum += w;
                for (size_t e = 0; e < 7; e++) out[i * 7 + e] += w * p.job.v[j * 7 + e];
            }
            if (!(fabs(sum - 1) < 2e-6)) fail_msg("weights of row %zu add up to %.9g", i, sum);
        }
        expect_near("the mean by weights", out, p.job.out, 150 * 7, 3e-6);
    }
}

/* A constant added to all scores changes nothing for softmax, but does for relu. */
static void check_shift(void)
{
    float shift[3] = { 30, 30, 30 };
    struct problem p = make_problem(40, 40, 8), moved = again(&p);
    moved.job.bias = shift;
    moved.job.span = 1;
    run_problem(&p);
    run_problem(&moved);
    expect_near("shifted scores", moved.job.out, p.job.out, 40 * 8, 2e-6);
    expect_near("shifted scores, dq", moved.grad.dq, p.grad.dq, 40 * 8, 2e-5);
    p.job.weigh = moved.job.weigh = KEN_WEIGH_RELU;
    run_problem(&p);
    run_problem(&moved);
    assert_true(fabsf(moved.job.out[0] - p.job.out[0]) > 0.1f);
}

/* The slopes of the scores of a row are w (dw - out . dout) and add up to 0. With one query, each
 * key has a bias of its own, whose gradient is the slope of the score. */
static void check_score_slopes(void)
{
    enum { S = 40, E = 8 };
    for (size_t trial = 0; trial < 20; trial++) {
        struct problem p = make_problem(1, S, E);
        float *weights = take_zeros(S), *expected = take_zeros(S);
        p.job.q = take_randoms(E, 100 + trial);
        p.job.bias = take_zeros(2 * S + 1);
        p.job.span = S;
        p.grad.dbias = take_zeros(2 * S + 1);
        run_problem(&p);
        ken_attend_weights(weights, &p.job, 0, 0);
        double sum = 0, most = 0, both = 0;
        for (size_t e = 0; e < E; e++) both += (double)p.job.out[e] * p.grad.dout[e];
        for (size_t j = 0; j < S; j++) {
            double dw = 0;
            for (size_t e = 0; e < E; e++) dw += (double)p.grad.dout[e] * p.job.v[j * E + e];
            expected[S - 1 - j] = (float)(weights[j] * (dw - both));
            sum += p.grad.dbias[S + j];
            most = fmax(most, fabs(p.grad.dbias[S + j]));
        }
        expect_near("slopes of scores", p.grad.dbias + S, expected, S,
                    1e-5); /* by i - j, from 0 on */
        if (!(fabs(sum) < 1e-6 * (1 + most))) fail_msg("slopes of a row add up to %g", sum);
    }
}

/* Rows of x in the order of `order`. */
static float *reordered(const float *x, const uint32_t *order, size_t rows, size_t E)
{
    float *y = take_zeros(rows * E);
    for (size_t i = 0; i < rows; i++) memcpy(y + i * E, x + order[i] * E, E * sizeof *x);
    return y;
}

/* Queries may come in any order, and their results keep their bits; keys with their values may come
 * in any order too. */
static void check_order(void)
{
    enum { T = 150, E = 12 };
    uint32_t order[T];
    ken_random_shuffle(order, T, 5);
    struct problem p = make_problem(T, T, E), queries = again(&p), keys = again(&p);
    run_problem(&p);
    queries.job.q = reordered(p.job.q, order, T, E);
    queries.grad.dout = reordered(p.grad.dout, order, T, E);
    run_problem(&queries);
    expect_same("reordered queries", queries.job.out, reordered(p.job.out, order, T, E), T * E);
    expect_same("reordered queries, dq", queries.grad.dq, reordered(p.grad.dq, order, T, E), T * E);
    expect_near("reordered queries, dk", queries.grad.dk, p.grad.dk, T * E, 1e-5);
    expect_near("reordered queries, dv", queries.grad.dv, p.grad.dv, T * E, 1e-5);
    keys.job.k = reordered(p.job.k, order, T, E);
    keys.job.v = reordered(p.job.v, order, T, E);
    run_problem(&keys);
    expect_near("reordered keys", keys.job.out, p.job.out, T * E, 1e-6);
    expect_near("reordered keys, dq", keys.grad.dq, p.grad.dq, T * E, 1e-5);
    expect_near("reordered keys, dk", keys.grad.dk, reordered(p.grad.dk, order, T, E), T * E, 1e-5);
    expect_near("reordered keys, dv", keys.grad.dv, reordered(p.grad.dv, order, T, E), T * E, 1e-5);
}

static void laws_of_the_formula(void **state)
{
    (void)state;
    RUN_CHECKS(check_variance, check_weights, check_shift, check_score_slopes, check_order);
}

/* ---- reach ----------------------------------------------------------------------------------- */

/* Changing keys and values that query t does not see changes no bit of its result; and a loss on
 * query t alone gives them no gradient. */
static void check_blindness(void)
{
    enum { T = 250, E = 6 };
    static const size_t cases[][3] = {
        /* left, right, t */
        { KEN_UNLIMITED, 0, 0 }, { KEN_UNLIMITED, 0, 130 }, { 5, 3, 100 },
        { 0, 0, 249 },           { 100, 0, 249 },           { 0, KEN_UNLIMITED, 97 },
    };
    for (size_t c = 0; c < KEN_COUNT(cases); c++) {
        size_t left = cases[c][0], right = cases[c][1], t = cases[c][2];
        struct problem p = make_problem(T, T, E), other = again(&p);
        float *dout = take_zeros(T * E), *k = take_randoms(T * E, 70), *v = take_randoms(T * E, 71);
        memcpy(dout + t * E, p.grad.dout + t * E, E * sizeof *dout);
        p.grad.dout = dout;
        p.job.left = other.job.left = left;
        p.job.right = other.job.right = right;
        size_t first = left > t ? 0 : t - left, end = right > T - 1 - t ? T : t + right + 1;
        memcpy(k + first * E, p.job.k + first * E, (end - first) * E * sizeof *k);
        memcpy(v + first * E, p.job.v + first * E, (end - first) * E * sizeof *v);
        other.job.k = k;
        other.job.v = v;
        run_problem(&p);
        run_problem(&other);
        expect_same("what t cannot see", other.job.out + t * E, p.job.out + t * E, E);
        for (size_t j = 0; j < T; j++)
            for (size_t e = 0; e < E && (j < first || j >= end); e++)
                assert_true(p.grad.dk[j * E + e] == 0 && p.grad.dv[j * E + e] == 0);
    }
}

/* A window at least as wide as the sequence gives the bits of full attention. */
static void check_wide_window(void)
{
    static const size_t lengths[] = { 1, 17, 96, 97, 300 };
    for (size_t l = 0; l < KEN_COUNT(lengths); l++) {
        size_t T = lengths[l];
        struct problem full = make_problem(T, T, 20), window = again(&full);
        window.job.left = T - 1;
        window.job.right = 5 * T;
        run_problem(&full);
        run_problem(&window);
        expect_same_problem("a window as wide as the sequence", &window, &full);
    }
}

/* Queries that see no key have result 0 and do not affect the others. */
static void check_nothing_seen(void)
{
    enum { T = 40, S = 15, E = 6 };
    struct problem p = make_problem(T, S, E), few = make_problem(S, S, E),
                   none = make_problem(T, 0, E);
    p.job.right = few.job.right = 0; /* the last query is aligned with the last key */
    few.job.q = p.job.q + (T - S) * E;
    few.job.k = p.job.k;
    few.job.v = p.job.v;
    few.grad.dout = p.grad.dout + (T - S) * E;
    for (size_t i = 0; i < T * E; i++) p.job.out[i] = none.job.out[i] = NAN;
    run_problem(&p);
    run_problem(&few);
    run_problem(&none);
    for (size_t i = 0; i < T * E; i++) {
        assert_true(none.job.out[i] == 0 && none.grad.dq[i] == 0);
        if (i < (T - S) * E) assert_true(p.job.out[i] == 0 && p.grad.dq[i] == 0);
    }
    for (size_t i = 0; i < T - S; i++) assert_true(isinf(p.job.log_sum[i]));
    expect_same("the others", p.job.out + (T - S) * E, few.job.out, S * E);
    expect_same("dq of the others", p.grad.dq + (T - S) * E, few.grad.dq, S * E);
    expect_near("dk", p.grad.dk, few.grad.dk, S * E, 1e-6);
    expect_near("dv", p.grad.dv, few.grad.dv, S * E, 1e-6);
}

static void reach(void **state)
{
    (void)state;
    RUN_CHECKS(check_blindness, check_wide_window, check_nothing_seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_of_the_formula),
        cmocka_unit_test(reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
