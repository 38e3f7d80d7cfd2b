/* seq_arrays.c - takes all arrays from one arena. */
#include "tests/seq_arrays.h"

#include "base/arena.h"
#include "base/random.h"
#include "tests/unit.h"

#include <string.h>

static ken_arena arena;

static void *take(size_t n, size_t size)
{
    void *memory = ken_arena_take(&arena, n, size);
    assert_non_null(memory);
    return memory;
}

float *normal_array(size_t n, uint64_t key)
{
    float *x = take(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = ken_random_normal(key, i);
    return x;
}

int32_t *id_array(size_t n, uint64_t key, size_t below)
{
    int32_t *ids = take(n, sizeof *ids);
    for (size_t i = 0; i < n; i++) ids[i] = (int32_t)ken_random_below(key, i, below);
    return ids;
}

float *same_array(const float *x, size_t n)
{
    float *copy = take(n, sizeof *copy);
    memcpy(copy, x, n * sizeof *x);
    return copy;
}

void drop_arrays(void)
{
    ken_arena_release(&arena);
}
