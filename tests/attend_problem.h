/* attend_problem.h - attention of one sequence and one head, as a problem that tests vary: random
 * rows, results, and gradients that start as 0. */
#ifndef TESTS_ATTEND_PROBLEM_H
#define TESTS_ATTEND_PROBLEM_H

#include "base/size.h"
#include "kernel/attend.h"

#include <stdint.h>

struct problem {
    struct ken_attend job;
    struct ken_attend_grad grad;
    size_t T, S, E;
};

/* Arrays are valid until the check of run_checks() that took them ends. */
float *take_zeros(size_t n);
float *take_randoms(size_t n, uint64_t key);

struct problem make_problem(size_t T, size_t S, size_t E);
struct problem again(const struct problem *p); /* the same with results of its own */
void run_problem(struct problem *p);           /* forward and backward             */

/* Fails unless |y - expected| <= tolerance * the largest expected number, or tolerance * 0.1 if
 * that is more, because results that should be 0 are differences of numbers near 1. */
void expect_near(const char *what, const float *y, const float *expected, size_t n,
                 double tolerance);
void expect_same(const char *what, const float *a, const float *b, size_t n); /* bits */
void expect_same_problem(const char *what, const struct problem *p, const struct problem *expected);

/* Runs each check on every instruction set of this machine. */
void run_checks(void (*const *checks)(void), size_t count);
#define RUN_CHECKS(...)                                                                            \
    run_checks((void (*const[])(void)){ __VA_ARGS__ },                                             \
               KEN_COUNT(((void (*const[])(void)){ __VA_ARGS__ })))

#endif
