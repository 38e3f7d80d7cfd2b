/* case_peak.c - the yardsticks: multiply-adds of all threads at once, and reads from memory.
 * Work is cut into tasks of a tenth of a millisecond, so that other threads take over the work of a
 * thread that is held up, and a short disturbance costs no more than it lasts. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum {
    ROUNDS = 40000,         /* rounds of all chains per task: 0.1 ms at 2.4 GHz */
    TASKS_PER_THREAD = 100, /* 10 ms                                            */
    CHUNK = 1 << 18,        /* floats that a task reads                         */
    LOOKS = 5               /* measurements, the best of which counts           */
};

static double best_flops, best_bandwidth;

/* Keeps the compiler from removing work whose result is not used. */
static volatile float sink;

static void fma_task(void *context, size_t task, float *scratch)
{
    (void)context, (void)scratch;
    /* x approaches 2 term, so it stays finite */
    sink = ken_kernels()->peak_fma(0.5f, (float)task, ROUNDS);
}

static double fma_flops(void)
{
    return 2.0 * KEN_PEAK_CHAINS * (double)ken_kernels()->lanes * ROUNDS * TASKS_PER_THREAD *
           (double)ken_threads();
}

/* Every run also counts as a measurement of the peak, because the case must not exceed the peak it
 * is compared with. */
static void run_fma(void)
{
    double start = bench_now();
    ken_parallel(TASKS_PER_THREAD * ken_threads(), fma_task, NULL);
    best_flops = fmax(best_flops, fma_flops() / (bench_now() - start));
}

/* The number of chunks to read: so many that the last-level cache holds a fraction of them. */
static size_t chunks(void)
{
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t bytes = ken_size_max(4 * (cache > 0 ? (size_t)cache : 0), (size_t)256 << 20);
    return bytes / (CHUNK * sizeof(float));
}

static void fill_task(void *memory, size_t task, float *scratch)
{
    (void)scratch;
    for (size_t i = 0; i < CHUNK; i++) ((float *)memory)[task * CHUNK + i] = 1;
}

static void read_task(void *memory, size_t task, float *scratch)
{
    (void)scratch;
    sink = ken_kernels()->peak_read((float *)memory + task * CHUNK, CHUNK);
}

/* All threads write it, so that each page lies near a thread that will read it. */
static float *new_memory(void)
{
    float *memory = ken_memory_new(chunks() * CHUNK, sizeof(float));
    if (memory) ken_parallel(chunks(), fill_task, memory);
    return memory;
}

static double read_bytes(void)
{
    return (double)chunks() * CHUNK * sizeof(float);
}

static void run_read(float *memory)
{
    double start = bench_now();
    ken_parallel(chunks(), read_task, memory);
    best_bandwidth = fmax(best_bandwidth, read_bytes() / (bench_now() - start));
}

double bench_peak_look(void)
{
    double before = best_flops;
    best_flops = 0;
    bench_settle();
    for (int look = 0; look < LOOKS; look++) run_fma();
    double now = best_flops;
    best_flops = fmax(before, now);
    return now;
}

double bench_peak_flops(void)
{
    return best_flops;
}

double bench_peak_bandwidth(void)
{
    float *memory = new_memory();
    for (int look = 0; memory && look < LOOKS; look++) run_read(memory);
    ken_memory_free(memory);
    return best_bandwidth;
}

/* ---- The same as cases: the state is the memory to read, or NULL ---------------------------- */

enum { FMA, READ, CASES };

static void describe(struct bench_case *out, size_t index)
{
    *out = (struct bench_case){ .unit = index == FMA ? "GFLOP/s" : "GB/s" };
    snprintf(out->name, sizeof out->name, "peak/%s", index == FMA ? "fma" : "read");
    out->work = 1e-9 * (index == FMA ? fma_flops() : read_bytes());
    if (index == FMA) out->flops = fma_flops();
}

static ken_status setup(void **state, size_t index, uint64_t seed)
{
    (void)seed;
    *state = NULL;
    if (index == FMA) return KEN_OK;
    *state = new_memory();
    return *state ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory for %zu chunks to read", chunks());
}

static void run(void *state)
{
    if (state) run_read(state);
    else run_fma();
}

const struct bench_group bench_peak = {
    .name = "peak",
    .about = "the yardsticks: multiply-adds of all threads, reads from memory",
    .count = CASES,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = ken_memory_free,
};
