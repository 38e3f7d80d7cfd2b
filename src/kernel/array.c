/* array.c - cuts arrays into chunks and distributes them to threads. The chunk size is fixed, so
 * sums over chunks have the same bits for any number of threads. */
#include "kernel/array.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

enum { CHUNK = 1 << 14, STRIP = 128 };

struct map {
    float *y;
    const float *a, *b;
    float factor;
    size_t rows, n;
    double *partial;
};

static void add_task(void *context, size_t task, float *scratch)
{
    const struct map *map = context;
    size_t at = task * CHUNK;
    (void)scratch;
    ken_kernels()->array_combine(map->y + at, map->a + at, map->b + at, map->factor,
                                 ken_size_min(map->n - at, CHUNK));
}

static void scale_task(void *context, size_t task, float *scratch)
{
    const struct map *map = context;
    size_t at = task * CHUNK;
    (void)scratch;
    ken_kernels()->array_scale(map->y + at, map->a + at, map->factor,
                               ken_size_min(map->n - at, CHUNK));
}

void ken_array_add(float *y, const float *x, float factor, size_t n)
{
    struct map map = { .y = y, .a = y, .b = x, .factor = factor, .n = n };
    ken_parallel(ken_size_groups(n, CHUNK), add_task, &map);
}

void ken_array_sum(float *y, const float *a, const float *b, size_t n)
{
    struct map map = { .y = y, .a = a, .b = b, .factor = 1, .n = n };
    ken_parallel(ken_size_groups(n, CHUNK), add_task, &map);
}

static void sum_row_task(void *context, size_t task, float *scratch)
{
    const struct map *map = context;
    size_t group = ken_size_max(CHUNK / ken_size_max(map->n, 1), 1);
    size_t end = ken_size_min((task + 1) * group, map->rows);
    (void)scratch;
    for (size_t i = task * group; i < end; i++)
        ken_kernels()->array_combine(map->y + i * map->n, map->a + i * map->n, map->b, 1, map->n);
}

void ken_array_sum_row(float *y, const float *x, const float *row, size_t rows, size_t n)
{
    struct map map = { .y = y, .a = x, .b = row, .rows = rows, .n = n };
    size_t group = ken_size_max(CHUNK / ken_size_max(n, 1), 1);
    ken_parallel(ken_size_groups(rows, group), sum_row_task, &map);
}

void ken_array_scale(float *y, const float *x, float factor, size_t n)
{
    struct map map = { .y = y, .a = x, .factor = factor, .n = n };
    ken_parallel(ken_size_groups(n, CHUNK), scale_task, &map);
}

static void column_task(void *context, size_t task, float *scratch)
{
    const struct map *map = context;
    size_t at = task * STRIP;
    (void)scratch;
    ken_kernels()->array_column_sums(map->y + at, map->a + at, map->n, map->rows,
                                     ken_size_min(map->n - at, STRIP));
}

void ken_array_column_sums(float *sums, const float *x, size_t rows, size_t n)
{
    struct map map = { .y = sums, .a = x, .rows = rows, .n = n };
    ken_parallel(ken_size_groups(n, STRIP), column_task, &map);
}

static void dot_task(void *context, size_t task, float *scratch)
{
    const struct map *map = context;
    size_t at = task * CHUNK;
    (void)scratch;
    map->partial[task] = ken_kernels()->array_dot(map->a + at, map->b + at,
                                                  ken_size_min(map->n - at, CHUNK));
}

double ken_array_dot(const float *x, const float *y, size_t n)
{
    struct ken_team *team = ken_team_enter();
    /* number of elements per round: few enough that the partial sums of all their chunks fit the
     * shared memory */
    size_t most = (size_t)KEN_TEAM_SHARED / 2 * CHUNK;
    double sum = 0;
    for (size_t at = 0; at < n; at += most) {
        struct map map = { .a = x + at, .b = y + at, .n = ken_size_min(n - at, most) };
        map.partial = (double *)ken_team_shared(team);
        size_t chunks = ken_size_groups(map.n, CHUNK);
        ken_team_run(team, chunks, dot_task, &map);
        for (size_t i = 0; i < chunks; i++) sum += map.partial[i];
    }
    ken_team_leave(team);
    return sum;
}
