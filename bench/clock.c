/* clock.c - measures time, and waits until the machine is quiet.
 * Thread pools keep idle threads spinning, some for 30 ms (OpenBLAS), because the next call usually
 * comes soon. That would slow down another library on the same cores, so before each measurement
 * the harness waits until neither this process nor the PyTorch child uses processor time. So every
 * peer can keep its own waiting policy. */
#define _GNU_SOURCE
#include "bench/bench.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static double cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) + bench_python_cpu_seconds();
}

/* Waits for three naps in a row without use of the processor, because on a busy machine a spinning
 * thread may be suspended during a single nap. Gives up after a third of a second. */
void bench_settle(void)
{
    const struct timespec nap = { .tv_nsec = 1000000 };
    for (int naps = 0, quiet = 0; naps < 300 && quiet < 3; naps++) {
        double before = cpu_seconds(), start = bench_now();
        nanosleep(&nap, NULL);
        quiet = cpu_seconds() - before < 0.1 * (bench_now() - start) ? quiet + 1 : 0;
    }
}
