/* test_attend_online.c - online softmax is right around the borders of tiles, for extreme scores
 * and for single keys; results over disjoint keys can be merged; and bits depend neither on the
 * batch nor on threads. On every instruction set of this machine. */
#include "base/threads.h"
#include "tests/attend_problem.h"
#include "tests/unit.h"

#include <math.h>

/* Lengths around those of tiles and blocks, against plain loops in double precision. */
static void check_accuracy(void)
{
    static const size_t lengths[] = { 1, 2, 95, 96, 97, 127, 128, 129, 193, 400 };
    for (size_t l = 0; l < KEN_COUNT(lengths); l++) {
        size_t T = lengths[l];
        struct problem p = make_problem(T, T + l, 64), exact = again(&p);
        run_problem(&p);
        ken_attend_forward_ref(&exact.job);
        ken_attend_backward_ref(&exact.job, &exact.grad);
        expect_near("against double", p.job.out, exact.job.out, T * 64, 2e-6);
        expect_near("dq", p.grad.dq, exact.grad.dq, T * 64, 1e-5);
        expect_near("dk", p.grad.dk, exact.grad.dk, p.S * 64, 1e-5);
        expect_near("dv", p.grad.dv, exact.grad.dv, p.S * 64, 1e-5);
        expect_near("log sums", p.job.log_sum, exact.job.log_sum, T, 1e-6);
    }
}

/* Scores of 10000, 9999 and -10000 give the weights 1 / (1 + 1/e), 1 / (1 + e) and 0, even if the
 * largest comes last, in a later tile. */
static void check_huge_scores(void)
{
    static const size_t places[][3] = { { 0, 1, 2 }, { 199, 100, 0 }, { 3, 150, 199 } };
    for (size_t c = 0; c < KEN_COUNT(places); c++) {
        struct problem p = make_problem(1, 200, 1);
        float *k = take_zeros(200), *weights = take_zeros(200);
        for (size_t j = 0; j < 200; j++) k[j] = -1e4f;
        k[places[c][0]] = 1e4f;
        k[places[c][1]] = 9999;
        p.job.q = (const float[]){ 1 };
        p.job.k = k;
        p.job.scale = 1;
        run_problem(&p);
        ken_attend_weights(weights, &p.job, 0, 0);
        double most = 1 / (1 + exp(-1)), v0 = p.job.v[places[c][0]], v1 = p.job.v[places[c][1]];
        double out = most * v0 + (1 - most) * v1;
        assert_true(fabs(weights[places[c][0]] - most) < 1e-3); /* ln sum is near 10000 */
        assert_true(weights[places[c][2]] == 0);
        assert_true(fabs(p.job.out[0] - out) < 1e-6 * (fabs(v0) + fabs(v1)));
        assert_true(isfinite(p.grad.dq[0]));
        for (size_t j = 0; j < 200; j++) assert_true(isfinite(p.grad.dk[j] + p.grad.dv[j]));
    }
}

/* A single key has weight 1 whatever its score. */
static void check_single_key(void)
{
    struct problem p = make_problem(30, 1, 20), one = make_problem(1, 1, 20);
    run_problem(&p);
    run_problem(&one);
    for (size_t i = 0; i < 30; i++) expect_same("the only value", p.job.out + i * 20, p.job.v, 20);
    expect_same("the only value", one.job.out, one.job.v, 20);
    expect_same("its gradient", one.grad.dv, one.grad.dout, 20);
    for (size_t i = 0; i < 30 * 20; i++) assert_true(fabsf(p.grad.dq[i]) < 1e-5f);
}

/* The results over some keys and over the other keys give the result over all:
 *   m = max(L1, L2),  w_n = e^(L_n - m),  out = (w1 out1 + w2 out2) / (w1 + w2)
 *   L = m + ln(w1 + w2) */
static void merge(struct problem *sum, const struct problem *more)
{
    for (size_t i = 0; i < sum->T; i++) {
        double a = sum->job.log_sum[i], b = more->job.log_sum[i], m = fmax(a, b);
        double wa = exp(a - m), wb = exp(b - m);
        for (size_t e = 0; e < sum->E; e++) {
            size_t at = i * sum->E + e;
            sum->job.out[at] = (float)((wa * sum->job.out[at] + wb * more->job.out[at]) /
                                       (wa + wb));
        }
        sum->job.log_sum[i] = (float)(m + log(wa + wb));
    }
}

static void check_merging(void)
{
    enum { T = 20, S = 300, E = 16, PARTS = 3 };
    static const size_t start[PARTS + 1] = { 0, 100, 101, S };
    struct problem whole = make_problem(T, S, E), left[PARTS], right[PARTS];
    run_problem(&whole);
    for (size_t n = 0; n < PARTS; n++) {
        left[n] = make_problem(T, start[n + 1] - start[n], E);
        left[n].job.q = whole.job.q;
        left[n].job.k = whole.job.k + start[n] * E;
        left[n].job.v = whole.job.v + start[n] * E;
        right[n] = again(&left[n]);
        run_problem(&left[n]);
        run_problem(&right[n]);
    }
    merge(&left[0], &left[1]);
    merge(&left[0], &left[2]);
    merge(&right[1], &right[2]);
    merge(&right[0], &right[1]);
    expect_near("merged from the left", left[0].job.out, whole.job.out, T * E, 1e-6);
    expect_near("merged from the right", right[0].job.out, whole.job.out, T * E, 1e-6);
    expect_near("merged log sums", left[0].job.log_sum, whole.job.log_sum, T, 1e-6);
}

static void running_softmax(void **state)
{
    (void)state;
    RUN_CHECKS(check_accuracy, check_huge_scores, check_single_key, check_merging);
}

/* ---- batches and threads --------------------------------------------------------------------- */

/* A sequence has the same bits alone and between others, with any number of threads. */
static void check_batches(void)
{
    enum { N = 400, E = 20 };
    static const size_t starts[] = { 0, 1, 1, 130, 140, 400 }, counts[] = { 1, 2, 3, 7 };
    for (size_t c = 0; c < KEN_COUNT(counts); c++) {
        assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
        struct problem all = make_problem(N, N, E);
        all.job.q_start = all.job.k_start = starts;
        all.job.B = KEN_COUNT(starts) - 1;
        all.job.right = c % 2 ? 0 : KEN_UNLIMITED;
        run_problem(&all);
        for (size_t b = 0; b < all.job.B; b++) {
            size_t T = starts[b + 1] - starts[b], at = starts[b] * E;
            struct problem one = make_problem(T, T, E), part = all;
            one.job.q = all.job.q + at;
            one.job.k = all.job.k + at;
            one.job.v = all.job.v + at;
            one.job.right = all.job.right;
            one.grad.dout = all.grad.dout + at;
            assert_int_equal(ken_threads_set(counts[(c + b) % 4]), KEN_OK);
            run_problem(&one);
            part.T = part.S = T;
            part.job.out += at;
            part.grad.dq += at;
            part.grad.dk += at;
            part.grad.dv += at;
            expect_same_problem("a sequence in a batch", &part, &one);
        }
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

static void batches(void **state)
{
    (void)state;
    RUN_CHECKS(check_batches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_softmax),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
