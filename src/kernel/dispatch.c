/* dispatch.c - chooses the instruction set once; no other file asks which instructions the machine
 * can run. */
#include "kernel/kernels.h"

#include "base/size.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const struct ken_kernels ken_generic_kernels;
#if defined(__x86_64__)
extern const struct ken_kernels ken_avx2_kernels, ken_avx512_kernels;
#endif

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif

/* All tables of kernels, the fastest first, each with a function that says whether this machine can
 * run it. */
static const struct {
    const struct ken_kernels *kernels;
    bool (*runs_here)(void);
} tables[] = {
#if defined(__x86_64__)
    { &ken_avx512_kernels, has_avx512 },
    { &ken_avx2_kernels, has_avx2 },
#endif
    { &ken_generic_kernels, always },
};

static _Atomic(const struct ken_kernels *) chosen;

ken_status ken_kernels_choose(const char *name)
{
    for (size_t i = 0; i < KEN_COUNT(tables); i++) {
        if (name && strcmp(name, tables[i].kernels->name) != 0) continue;
        if (tables[i].runs_here()) {
            atomic_store(&chosen, tables[i].kernels);
            return KEN_OK;
        }
        if (name) return ken_fail(KEN_ERR_ARGUMENT, "this machine cannot run %s", name);
    }
    return ken_fail(KEN_ERR_ARGUMENT,
                    "unknown instruction set \"%s\": expected generic, avx2 or avx512", name);
}

const struct ken_kernels *ken_kernels(void)
{
    const struct ken_kernels *kernels = atomic_load(&chosen);
    return kernels ? kernels : &ken_generic_kernels;
}

ken_status ken_kernels_start(void)
{
    if (!atomic_load(&chosen)) KEN_TRY(ken_kernels_choose(getenv("KEN_ISA")));
    return ken_team_start();
}
