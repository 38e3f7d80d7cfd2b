/* vattend_edges.h - what forward and backward attention along edges share.
 *
 * Numbers of edges are (edges, H), so the heads of an edge are lanes wherever a number is computed
 * from a number: weights, dropout, slopes, and scores where a head is one number wide. Lanes are
 * columns of a head where rows are multiplied or added up. */
#ifndef KERNEL_SIMD_VATTEND_EDGES_H
#define KERNEL_SIMD_VATTEND_EDGES_H

#include "kernel/simd/vattend.h"

#define row_sums KEN_SIMD(row_sums)
#define row_dots KEN_SIMD(row_dots)
#define add_numbers KEN_SIMD(attend_edges_add_numbers)

/* A job and its work space. */
struct desk {
    const struct ken_attend *job;
    size_t pad;                   /* H, rounded up to whole vectors                 */
    uint32_t *key_low, *key_high; /* (pad), of the dropout of each head             */
    float *turned;                /* (K, pad)                                       */
    float *kept, *slopes;         /* (most, H) each                                 */
    size_t most;                  /* edges of a row that are worked on at a time    */
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
    for (size_t h = 0; h < desk.pad; h++) {
        uint64_t key = ken_random_key(job->dropout_key, h);
        desk.key_low[h] = (uint32_t)key;
        desk.key_high[h] = (uint32_t)(key >> 32);
    }
    return desk;
}

/* 0 or 1 / (1 - p) for edge x and heads h .. h + LANES - 1. */
INLINE vf keep_edge(const struct desk *desk, size_t x, size_t h)
{
    vu bits = v_random(load_unsigned(desk->key_low + h), load_unsigned(desk->key_high + h),
                       (vu)v_splat_int((int32_t)x));
    vi kept = (vi)(bits >= ken_random_threshold(desk->job->dropout));
    return (vf)(kept & (vi)v_splat(1 / (1 - desk->job->dropout)));
}

/* Asks for `width` floats of each of n rows, to be in the cache when their turn comes: a list names
 * rows in any order and no hardware guesses them. Of long lists only the beginning: the loops that
 * walk them have many loads under way by themselves. */
INLINE void prefetch_rows(const float *from, size_t stride, const uint32_t *rows, size_t n,
                          size_t width)
{
    for (size_t x = 0; x < ken_size_min(n, 32); x++)
        for (size_t e = 0; e < width; e += 16)
            __builtin_prefetch(from + rows[x] * stride + e, 0, 3);
}

/* The key and value head of head h. */
INLINE size_t shared_head(const struct ken_attend *job, size_t h)
{
    return h / (job->H / job->KV);
}

/* Keys and values that query i sees. */
INLINE void prefetch_keys(const struct ken_attend *job, size_t i)
{
    size_t first = job->edges->key_start[i], n = job->edges->key_start[i + 1] - first;
    prefetch_rows(job->k, job->k_stride, job->edges->key + first, n, job->KV * job->E);
    prefetch_rows(job->v, job->v_stride, job->edges->key + first, n, job->KV * job->Ev);
}

/* Scores that add, one number a head: heads lie side by side like the columns of one. */
INLINE bool is_flat(const struct ken_attend *job)
{
    return job->score != KEN_SCORE_DOT && job->E == 1 && job->KV == job->H;
}

/* s[x][h] += p_h . f of edge first + x, for n edges; s (n, H), p (H, K). */
void add_numbers(const struct desk *desk, float *s, const float *p, size_t first, size_t n);

#endif
