/* attend_problem.c - see attend_problem.h. */
#include "tests/attend_problem.h"

#include "base/arena.h"
#include "base/random.h"
#include "kernel/kernels.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static ken_arena arena; /* holds all arrays */

float *take_zeros(size_t n)
{
    float *x = ken_arena_take_zeroed(&arena, n, sizeof *x);
    assert_non_null(x);
    return x;
}

float *take_randoms(size_t n, uint64_t key)
{
    float *x = take_zeros(n);
    for (size_t i = 0; i < n; i++) x[i] = ken_random_normal(key, i);
    return x;
}

static const size_t *from_zero(size_t length)
{
    size_t *start = ken_arena_take(&arena, 2, sizeof *start);
    start[0] = 0;
    start[1] = length;
    return start;
}

struct problem make_problem(size_t T, size_t S, size_t E)
{
    struct problem p = { .T = T, .S = S, .E = E };
    struct ken_attend *job = &p.job;
    job->B = job->H = job->KV = 1;
    job->E = job->Ev = E;
    job->q_stride = job->k_stride = job->v_stride = job->out_stride = E;
    job->left = job->right = KEN_UNLIMITED;
    job->scale = 1 / sqrtf((float)E);
    job->q_start = from_zero(T);
    job->k_start = from_zero(S);
    job->q = take_randoms(T * E, 1);
    job->k = take_randoms(S * E, 2);
    job->v = take_randoms(S * E, 3);
    p.grad.dout = take_randoms(T * E, 4);
    return again(&p);
}

struct problem again(const struct problem *p)
{
    struct problem other = *p;
    other.job.out = take_zeros(p->T * p->E);
    other.job.log_sum = take_zeros(p->T);
    other.grad.dq = take_zeros(p->T * p->E);
    other.grad.dk = take_zeros(p->S * p->E);
    other.grad.dv = take_zeros(p->S * p->E);
    other.grad.row_work = take_zeros(p->T);
    return other;
}

void run_problem(struct problem *p)
{
    ken_attend_forward(&p->job);
    ken_attend_backward(&p->job, &p->grad);
}

void expect_near(const char *what, const float *y, const float *expected, size_t n,
                 double tolerance)
{
    double most = 0.1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)expected[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)y[i] - expected[i]) <= tolerance * most))
            fail_msg("%s, %s, %zu of %zu: %.9g, expected %.9g (the largest is %g)",
                     ken_kernels()->name, what, i, n, (double)y[i], (double)expected[i], most);
}

void expect_same(const char *what, const float *a, const float *b, size_t n)
{
    if (memcmp(a, b, n * sizeof *a) != 0)
        fail_msg("%s: %s has other bits", ken_kernels()->name, what);
}

void expect_same_problem(const char *what, const struct problem *p, const struct problem *expected)
{
    expect_same(what, p->job.out, expected->job.out, p->T * p->E);
    expect_same(what, p->grad.dq, expected->grad.dq, p->T * p->E);
    expect_same(what, p->grad.dk, expected->grad.dk, p->S * p->E);
    expect_same(what, p->grad.dv, expected->grad.dv, p->S * p->E);
}

void run_checks(void (*const *checks)(void), size_t count)
{
    for (size_t c = 0; c < count; c++) {
        on_every_machine(checks[c]);
        ken_arena_clear(&arena);
    }
    ken_arena_release(&arena);
}
