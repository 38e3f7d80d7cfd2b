/* test_attend_cost.c - the cost of attention: its memory does not grow with the square of the
 * length, and with a window its work is linear in the length. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/attend.h"
#include "kernel/kernels.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { H = 2, E = 64, D = H * E, ARRAYS = 8 };

struct problem {
    struct ken_attend job;
    struct ken_attend_grad grad;
    size_t start[2];
    float *arrays[ARRAYS], *log_sum;
};

static void make(struct problem *p, size_t T, size_t reach, const struct ken_pattern *pattern)
{
    *p = (struct problem){ .start = { 0, T } };
    for (size_t a = 0; a < ARRAYS; a++) {
        p->arrays[a] = ken_memory_new(T * D, sizeof(float));
        assert_non_null(p->arrays[a]);
        for (size_t i = 0; i < T * D; i++) p->arrays[a][i] = ken_random_uniform(a, i) - 0.5f;
    }
    p->log_sum = ken_memory_zeroed(T * H, sizeof(float));
    assert_non_null(p->log_sum);
    float **x = p->arrays;
    p->job = (struct ken_attend){ .q = x[0],
                                  .k = x[1],
                                  .v = x[2],
                                  .q_stride = D,
                                  .k_stride = D,
                                  .v_stride = D,
                                  .q_start = p->start,
                                  .k_start = p->start,
                                  .B = 1,
                                  .H = H,
                                  .KV = H,
                                  .E = E,
                                  .Ev = E,
                                  .left = reach,
                                  .right = reach,
                                  .pattern = pattern,
                                  .scale = 1 / sqrtf(E),
                                  .out = x[3],
                                  .out_stride = D,
                                  .log_sum = p->log_sum };
    p->grad = (struct ken_attend_grad){ .dout = x[4], .dq = x[5], .dk = x[6], .dv = x[7] };
}

static void release(struct problem *p)
{
    for (size_t a = 0; a < ARRAYS; a++) ken_memory_free(p->arrays[a]);
    ken_memory_free(p->log_sum);
}

static void run(struct problem *p)
{
    ken_attend_forward(&p->job);
    ken_attend_backward(&p->job, &p->grad);
}

/* A value of /proc/self/status in kB; 0 if there is none. */
static long status_kb(const char *key)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) value = strtol(line + strlen(key) + 1, NULL, 10);
    if (file) fclose(file);
    return value;
}

/* The scores alone would be 2 GB. */
static void memory_at_16384(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 16384, KEN_UNLIMITED, NULL);
    long before = status_kb("VmRSS");
    run(&p);
    long extra = status_kb("VmHWM") - before;
    release(&p);
    if (before == 0) {
        printf("# skip memory: no /proc/self/status\n");
        skip();
    }
    printf("# %.1f MB beside the arrays at length 16384, forward and backward\n",
           (double)extra / 1024);
    assert_true(extra < 64 * 1024);
}

/* Seconds per run, the mean of several. */
static double seconds_of(struct problem *p, int runs)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < runs; i++) run(p);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / runs;
}

/* Eight times the rows may cost at most `most` times as much. Eight short runs and one long run
 * alternate, and the best time of each counts: other processes can only slow them down, and both
 * sides alike, because both last equally long. (Processor time would not help, because waiting
 * threads use it too.) */
static void check_linear(const char *name, const struct ken_pattern *pattern, size_t T, double most)
{
    enum { LEAST = 5, MOST = 60 };
    struct problem small, large;
    make(&small, T, 64, pattern);
    make(&large, 8 * T, 64, pattern);
    double once = INFINITY, more = INFINITY;
    for (int round = 0; round < LEAST || (round < MOST && more > most * once); round++) {
        once = fmin(once, seconds_of(&small, 8));
        more = fmin(more, seconds_of(&large, 1));
    }
    release(&small);
    release(&large);
    printf("# %s: length %zu costs %.2f times length %zu\n", name, 8 * T, more / once, T);
    assert_true(more <= most * once);
}

static void window_is_linear(void **state)
{
    (void)state;
    check_linear("a window of 64", NULL, 2048, 9);
}

/* Few rows see all keys, but each of them sees more as the length grows; and random blocks are
 * farther away. */
static void patterns_are_linear(void **state)
{
    (void)state;
    check_linear("a window of 64 and a global row",
                 &(struct ken_pattern){ KEN_REACH_GLOBAL, .left = 64, .right = 64, .global = 1 },
                 1024, 11);
    check_linear("random blocks of 32",
                 &(struct ken_pattern){ KEN_REACH_RANDOM, .block = 32, .random = 2 }, 1024, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_at_16384),
        cmocka_unit_test(window_is_linear),
        cmocka_unit_test(patterns_are_linear),
    };
    if (ken_kernels_start()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
