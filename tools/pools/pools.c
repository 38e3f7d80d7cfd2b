/* pools.c - compares ken's team of threads (a thread pool) with OpenMP and pthreadpool, on the jobs
 * that matter to ken:
 *   empty   two tasks that do nothing, over and over: the minimum cost of a kernel call     (us)
 *   turn    two tasks of 5 us, over and over; 5 is ideal                                    (us)
 *   pause   the same after 200 us of other work: the workers may have gone to sleep         (us)
 *   split   1000 us of work in 16 tasks; 500 is ideal                                       (us)
 *   taken   processor time used when nearly idle: one turn of empty tasks per millisecond
 *                                                                               (% of one core)
 *   loss    how much busy processes, one on each core, lose to that                          (%)
 * Prints one line. The first argument names the pool, the second is the number of other busy
 * processes. tools/pools/run builds the program and runs it for all pools. */
#define _GNU_SOURCE
#include "base/threads.h"

#include <pthreadpool.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 41, TURNS = 200, MOST_RIVALS = 8 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* ---- Work: a chain of products that cannot be shortened ------------------------------------- */

static double steps_per_us;

static void work(double us)
{
    volatile double start = 2; /* volatile, so that the compiler cannot compute the result */
    double x = start;
    for (long i = (long)(us * steps_per_us); i > 0; i--) x = x * 0.999999 + 1e-6;
    start = x;
}

static void calibrate(void)
{
    steps_per_us = 1;
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
        double start = now();
        work(200000);
        double took = now() - start;
        best = took < best ? took : best;
    }
    steps_per_us = 200000 / best;
}

/* ---- The pools ------------------------------------------------------------------------------ */

static double task_us;

static void ken_task(void *context, size_t task, float *scratch)
{
    (void)context, (void)task, (void)scratch;
    if (task_us > 0) work(task_us);
}

static void ken_run(size_t tasks)
{
    ken_parallel(tasks, ken_task, NULL);
}

static void openmp_run(size_t tasks)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(THREADS)
    for (size_t task = 0; task < tasks; task++)
        if (task_us > 0) work(task_us);
}

static pthreadpool_t pool;
static uint32_t pool_flags;

static void pool_task(void *context, size_t task)
{
    (void)context, (void)task;
    if (task_us > 0) work(task_us);
}

static void pool_run(size_t tasks)
{
    pthreadpool_parallelize_1d(pool, pool_task, NULL, tasks, pool_flags);
}

static void serial_run(size_t tasks)
{
    for (size_t task = 0; task < tasks; task++) ken_task(NULL, task, NULL);
}

static const struct {
    const char *name;
    void (*run)(size_t tasks);
} pools[] = {
    { "serial", serial_run },
    { "ken", ken_run },
    { "openmp", openmp_run },
    { "openmp-passive", openmp_run }, /* with OMP_WAIT_POLICY=passive */
    { "pthreadpool", pool_run },
    { "pthreadpool-yield", pool_run },
};

/* ---- Rivals: processes that count as fast as they can --------------------------------------- */

static atomic_ullong *counters; /* one per rival, each on a cache line of its own */
static pid_t rivals[MOST_RIVALS];

static void start_rivals(int count)
{
    for (int i = 0; i < count; i++) {
        rivals[i] = fork();
        if (rivals[i] != 0) continue;
        for (unsigned long long n = 0;;) {
            work(1);
            atomic_store_explicit(&counters[16 * i], ++n, memory_order_relaxed);
        }
    }
}

static void stop_rivals(int count)
{
    for (int i = 0; i < count; i++) kill(rivals[i], SIGKILL);
    for (int i = 0; i < count; i++) waitpid(rivals[i], NULL, 0);
}

static double rivals_progress(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)atomic_load_explicit(&counters[16 * i], memory_order_relaxed);
    return sum;
}

/* ---- Measurements --------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median and the best of ROUNDS measurements. */
static void print_times(const char *name, double *times)
{
    qsort(times, ROUNDS, sizeof *times, by_size);
    printf(" %s %.1f (%.1f)", name, times[ROUNDS / 2], times[0]);
}

static void measure_turns(void (*run)(size_t), const char *name, double us)
{
    double times[ROUNDS];
    task_us = us;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int i = 0; i < TURNS; i++) run(THREADS);
        times[r] = (now() - start) / TURNS;
    }
    print_times(name, times);
}

static void measure_pauses(void (*run)(size_t))
{
    double times[ROUNDS];
    task_us = 5;
    for (int r = 0; r < ROUNDS; r++) {
        times[r] = 0;
        for (int i = 0; i < TURNS / 10; i++) {
            work(200);
            double start = now();
            run(THREADS);
            times[r] += (now() - start) / (TURNS / 10);
        }
    }
    print_times("pause", times);
}

static void measure_split(void (*run)(size_t))
{
    double times[ROUNDS];
    task_us = 1000.0 / 16;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        run(16);
        times[r] = now() - start;
    }
    print_times("split", times);
}

/* Runs one empty turn per millisecond for `seconds`; measures the processor time it took and the
 * work that the rivals did. */
static double nearly_idle(void (*run)(size_t), double seconds, int count, double *progress)
{
    double start = now(), used = processor_time(), before = rivals_progress(count);
    task_us = 0;
    while (now() - start < seconds * 1e6) {
        run(THREADS);
        usleep(1000);
    }
    *progress = (rivals_progress(count) - before) / (now() - start);
    return (processor_time() - used) / (now() - start) * 100;
}

static void measure_idle(void (*run)(size_t))
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores > MOST_RIVALS ? MOST_RIVALS : cores;
    double with, without, unused;
    printf(" taken %.1f", nearly_idle(run, 0.4, 0, &unused));
    start_rivals(cores);
    double lost[5];
    for (int i = 0; i < 5; i++) {
        nearly_idle(serial_run, 0.3, cores, &without);
        nearly_idle(run, 0.3, cores, &with);
        lost[i] = 100 * (1 - with / without);
        usleep(20000); /* let spinning workers go to sleep before the next comparison */
    }
    stop_rivals(cores);
    qsort(lost, 5, sizeof *lost, by_size);
    printf(" loss %.1f\n", lost[2]);
}

int main(int count, char **words)
{
    void (*run)(size_t) = NULL;
    for (size_t i = 0; count == 3 && i < sizeof pools / sizeof *pools; i++)
        if (strcmp(words[1], pools[i].name) == 0) run = pools[i].run;
    if (!run) return fprintf(stderr, "usage: pools NAME RIVALS\n"), 2;
    counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int rival_count = atoi(words[2]);
    if (counters == MAP_FAILED || rival_count > MOST_RIVALS) return 1;
    calibrate();
    if (ken_threads_set(run == ken_run ? THREADS : 1)) return 1;
    if (run == pool_run) pool = pthreadpool_create(THREADS);
    if (strstr(words[1], "yield")) pool_flags = PTHREADPOOL_FLAG_YIELD_WORKERS;

    printf("%s %d:", words[1], rival_count);
    start_rivals(rival_count);
    measure_turns(run, "empty", 0);
    measure_turns(run, "turn", 5);
    measure_pauses(run);
    measure_split(run);
    stop_rivals(rival_count);
    if (rival_count == 0) measure_idle(run);
    else printf("\n");
    return 0;
}
