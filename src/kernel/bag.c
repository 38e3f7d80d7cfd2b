/* bag.c - means over bags of ids. In forward, each task computes some of the bags. Backward first
 * sorts the entries by id. Each task then computes the gradients of some rows of the table, so no
 * two tasks add to the same row. The gradients of an id that is in many bags are added in the order
 * of the entries. */
#include "kernel/bag.h"

#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <string.h>

enum {
    BAGS = 32,              /* bags per forward task                        */
    IDS = 32,               /* rows of the table per backward task          */
    ROOM = KEN_TEAM_SCRATCH /* maximum entries that are looked up at a time */
};

static bool is_kept(const struct ken_bag *bag, size_t entry)
{
    return bag->dropout.p == 0 || ken_random_cell(bag->dropout.key, (uint32_t)entry) >=
                                      ken_random_threshold(bag->dropout.p);
}

/* Returns the factor of each entry of bag r that dropout keeps: 1 / (n (1 - p)), where n is the
 * number of entries of the bag and p the probability of dropout. */
static float factor_of(const struct ken_bag *bag, size_t r)
{
    return 1 / ((float)(bag->start[r + 1] - bag->start[r]) * (1 - bag->dropout.p));
}

struct job {
    float *to;
    const float *from;
    const struct ken_bag *bag;
    const struct ken_bag_work *work;
};

static void add_bag(const struct job *job, size_t r, uint32_t *kept)
{
    const struct ken_bag *bag = job->bag;
    const float factor = factor_of(bag, r);
    for (size_t e = bag->start[r]; e < bag->start[r + 1];) {
        size_t count = 0, end = ken_size_min(bag->start[r + 1], e + ROOM);
        for (; e < end; e++) {
            kept[count] = (uint32_t)bag->ids[e];
            count += is_kept(bag, e);
        }
        ken_kernels()->row_sums(job->to + r * bag->D, job->from, bag->D, kept, &factor, 0, count,
                                bag->D);
    }
}

static void forward_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t first = task * BAGS, rows = ken_size_min(job->bag->R - first, BAGS), D = job->bag->D;
    memset(job->to + first * D, 0, rows * D * sizeof *job->to);
    for (size_t r = first; r < first + rows; r++) add_bag(job, r, (uint32_t *)(void *)scratch);
}

void ken_bag_forward(float *y, const float *table, const struct ken_bag *bag)
{
    struct job job = { .to = y, .from = table, .bag = bag };
    ken_parallel(ken_size_groups(bag->R, BAGS), forward_task, &job);
}

/* Sorts the entries that dropout keeps by id. This counting sort keeps the order of entries with
 * the same id. While entries are placed, start[id] moves from the beginning of id's entries to
 * their end, which is the beginning of the entries of id + 1. The last loop therefore shifts all of
 * `start` by one. */
static void sort_entries(const struct ken_bag *bag, const struct ken_bag_work *work)
{
    size_t *next = work->start, sum = 0;
    memset(next, 0, (bag->V + 1) * sizeof *next);
    for (size_t e = bag->start[0]; e < bag->start[bag->R]; e++)
        next[bag->ids[e] + 1] += is_kept(bag, e);
    for (size_t id = 0; id <= bag->V; id++) next[id] = sum += next[id];
    for (size_t r = 0; r < bag->R; r++)
        for (size_t e = bag->start[r]; e < bag->start[r + 1]; e++) {
            if (!is_kept(bag, e)) continue;
            size_t at = next[bag->ids[e]]++;
            work->row[at] = (uint32_t)r;
            work->factor[at] = factor_of(bag, r);
        }
    for (size_t id = bag->V; id > 0; id--) next[id] = next[id - 1];
    next[0] = 0;
}

static void backward_task(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    const struct ken_bag_work *work = job->work;
    size_t D = job->bag->D, end = ken_size_min(job->bag->V, (task + 1) * IDS);
    (void)scratch;
    for (size_t id = task * IDS; id < end; id++) {
        size_t at = work->start[id];
        ken_kernels()->row_sums(job->to + id * D, job->from, D, work->row + at, work->factor + at,
                                1, work->start[id + 1] - at, D);
    }
}

void ken_bag_backward(float *dtable, const float *dy, const struct ken_bag *bag,
                      const struct ken_bag_work *work)
{
    struct job job = { .to = dtable, .from = dy, .bag = bag, .work = work };
    sort_entries(bag, work);
    ken_parallel(ken_size_groups(bag->V, IDS), backward_task, &job);
}

/* ---- the slow reference, which defines the results ------------------------------------------- */

static double factor_ref(const struct ken_bag *bag, size_t r, size_t entry)
{
    uint32_t bits = ken_random_cell(bag->dropout.key, (uint32_t)entry);
    double n = (double)(bag->start[r + 1] - bag->start[r]);
    if (bag->dropout.p == 0) return 1 / n;
    return bits < ken_random_threshold(bag->dropout.p) ? 0 : 1 / (n * (1 - (double)bag->dropout.p));
}

void ken_bag_forward_ref(float *y, const float *table, const struct ken_bag *bag)
{
    for (size_t n = 0; n < bag->R * bag->D; n++) {
        size_t r = n / bag->D, j = n % bag->D;
        double sum = 0;
        for (size_t e = bag->start[r]; e < bag->start[r + 1]; e++)
            sum += factor_ref(bag, r, e) * table[(size_t)bag->ids[e] * bag->D + j];
        y[n] = (float)sum;
    }
}

void ken_bag_backward_ref(float *dtable, const float *dy, const struct ken_bag *bag)
{
    for (size_t r = 0; r < bag->R; r++)
        for (size_t e = bag->start[r]; e < bag->start[r + 1]; e++)
            for (size_t j = 0; j < bag->D; j++) {
                float *sum = dtable + (size_t)bag->ids[e] * bag->D + j;
                *sum = (float)(*sum + factor_ref(bag, r, e) * dy[r * bag->D + j]);
            }
}
