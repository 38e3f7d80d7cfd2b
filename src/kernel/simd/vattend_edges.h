/* vattend_edges.h - the code that forward and backward attention along edges share.
 *
 * Arrays with numbers for each edge have one number per head. For weights, dropout, slopes, and the
 * scores of heads that are one number wide, lanes are the heads of an edge. Where rows are
 * multiplied or added up, lanes are the columns of a head. */
#ifndef KERNEL_SIMD_VATTEND_EDGES_H
#define KERNEL_SIMD_VATTEND_EDGES_H

#include "kernel/simd/vattend.h"

#define row_sums KEN_SIMD(row_sums)
#define row_dots KEN_SIMD(row_dots)
#define add_numbers KEN_SIMD(attend_edges_add_numbers)

/* Lists name rows in any order, which the hardware cannot predict, so rows are prefetched AHEAD
 * queries before they are needed. Only the first AHEAD_MOST rows of a list are prefetched: in a
 * longer list, the loop's own loads overlap. */
enum { AHEAD = 2, AHEAD_MOST = 32, CACHE_FLOATS = 1 << 18 };

/* A job and the work space of the thread that runs it. */
struct desk {
    const struct ken_attend *job;
    size_t pad;                   /* number of heads, rounded up to whole vectors             */
    uint32_t *key_low, *key_high; /* dropout key of each head, in halves                      */
    float *turned;                /* (K, pad): a query's factors of edge features, transposed */
    float *kept, *slopes;         /* (most, H) each: weights after dropout; score gradients   */
    size_t most;                  /* maximum edges of a row handled at a time                 */
    const uint32_t *next;         /* rows that are needed soon, for prefetch_rows()           */
    size_t next_count;
    bool far; /* true: keys and values exceed CACHE_FLOATS */
};

INLINE struct desk lay_desk(const struct ken_attend *job, float *scratch)
{
    struct desk desk = { .job = job, .pad = ken_size_round_up(job->H, LANES) };
    desk.key_low = (uint32_t *)(void *)scratch;
    desk.key_high = desk.key_low + desk.pad;
    desk.turned = scratch + 2 * desk.pad;
    desk.kept = desk.turned + (job->edge_query ? job->K * desk.pad : 0);
    desk.most = (KEN_TEAM_SCRATCH - (size_t)(desk.kept - scratch)) / 2 / job->H;
    desk.slopes = desk.kept + desk.most * job->H;
    desk.far = job->k_start[job->B] * job->KV * (job->E + job->Ev) > CACHE_FLOATS;
    for (size_t h = 0; h < desk.pad; h++) {
        uint64_t key = ken_random_key(job->dropout_key, h);
        desk.key_low[h] = (uint32_t)key;
        desk.key_high[h] = (uint32_t)(key >> 32);
    }
    return desk;
}

/* Returns the dropout factor, 0 or 1 / (1 - p), of edge x and heads h .. h + LANES - 1. */
INLINE vf keep_edge(const struct desk *desk, size_t x, size_t h)
{
    vu bits = v_random(load_unsigned(desk->key_low + h), load_unsigned(desk->key_high + h),
                       (vu)v_splat_int((int32_t)x));
    vi kept = (vi)(bits >= ken_random_threshold(desk->job->dropout));
    return (vf)(kept & (vi)v_splat(1 / (1 - desk->job->dropout)));
}

/* Prepares the prefetch for row i + AHEAD. If that row is below `end`, desk->next is set to the
 * list of the rows at the other ends of its edges. `start` and `rows` list the edges of all rows.
 * */
INLINE void look_ahead(struct desk *desk, const size_t *start, const uint32_t *rows, size_t i,
                       size_t end)
{
    bool there = desk->far && i + AHEAD < end;
    desk->next = there ? rows + start[i + AHEAD] : rows;
    desk->next_count = there ? start[i + AHEAD + 1] - start[i + AHEAD] : 0;
    desk->next_count = ken_size_min(desk->next_count, AHEAD_MOST);
}

/* Prefetches `width` floats of each row in desk->next. Callers do this for one head at a time,
 * because too many requests at once would wait for each other. */
INLINE void prefetch_rows(const struct desk *desk, const float *from, size_t stride, size_t width)
{
    for (size_t x = 0; x < desk->next_count; x++)
        for (size_t e = 0; e < width; e += 16)
            __builtin_prefetch(from + desk->next[x] * stride + e, 0, 3);
}

/* Returns the key/value head that query head h uses. */
INLINE size_t shared_head(const struct ken_attend *job, size_t h)
{
    return h / (job->H / job->KV);
}

/* Returns the score vector a of head h, or NULL if the kind of score has none. */
INLINE const float *vector_of(const struct ken_attend *job, size_t h)
{
    return job->vector ? job->vector + h * job->E : NULL;
}

/* Returns whether scores add q and k and heads are one number wide. In this case all heads are
 * computed together, as if they were the columns of one head. */
INLINE bool is_flat(const struct ken_attend *job)
{
    return job->score != KEN_SCORE_DOT && job->E == 1 && job->KV == job->H;
}

/* Adds the products with edge features to the scores of n edges, for all heads h: s[x * H + h] +=
 * p_h . features of edge first + x, where p_h are K numbers of the query. */
void add_numbers(const struct desk *desk, float *s, const float *p, size_t first, size_t n);

#endif
