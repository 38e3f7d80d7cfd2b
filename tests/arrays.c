/* arrays.c - see arrays.h. */
#include "tests/arrays.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

float *random_array(size_t n, uint64_t key, float spread)
{
    float *x = ken_memory_new(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = spread * ken_random_normal(key, i);
    return x;
}

float *copy_of(const float *x, size_t n)
{
    float *copy = ken_memory_new(n, sizeof *copy);
    memcpy(copy, x, n * sizeof *x);
    return copy;
}

void free_arrays(float *const *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) ken_memory_free(arrays[i]);
}

void check_close(const char *what, const float *y, const float *expected, size_t n,
                 double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)y[i] - expected[i]) <= tolerance * (1 + fabs((double)expected[i]))))
            fail_msg("%s, %s, %zu of %zu: %.9g, expected %.9g", ken_kernels()->name, what, i, n,
                     (double)y[i], (double)expected[i]);
}

void on_every_machine(void (*check)(void))
{
    const char *const names[] = { "generic", "avx2", "avx512" };
    assert_int_equal(ken_kernels_start(), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(names); i++)
        if (ken_kernels_choose(names[i]) == KEN_OK) check();
    assert_int_equal(ken_kernels_choose(NULL), KEN_OK);
}
