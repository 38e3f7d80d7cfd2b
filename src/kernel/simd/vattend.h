/* vattend.h - the code that forward and backward attention share: scores and weights between a
 * block of queries and the tiles of keys that it sees. */
#ifndef KERNEL_SIMD_VATTEND_H
#define KERNEL_SIMD_VATTEND_H

#include "kernel/simd/vattend_block.h"

/* Short names for the functions of this instruction set. */
#define attend_scores KEN_SIMD(attend_scores)
#define attend_weigh KEN_SIMD(attend_weigh)
#define attend_few KEN_SIMD(attend_few)
#define attend_thresholds KEN_SIMD(attend_thresholds)
#define attend_add_by_offset KEN_SIMD(attend_add_by_offset)
#define attend_fold KEN_SIMD(attend_fold)

/* How far a score may exceed the base of its softmax before the base is raised. Weights up to e^8
 * do no harm; raising the base at each new maximum would cost a pass over the output for nearly
 * every tile. */
#define ATTEND_SLACK 8.0f

/* Prefetches a part of the keys and values of the tile that begins at key j1: part p of
 * block->panels equal parts. Heads lie side by side in a row, so the cache lines of one head are
 * scattered, and the hardware does not predict them. */
INLINE void prefetch_next(const struct block *block, size_t p, size_t j1)
{
    const struct ken_attend *job = block->job;
    size_t rows = ken_size_min(block->S - j1, KEY_TILE);
    size_t share = ken_size_groups(rows, block->panels);
    for (size_t r = p * share; r < ken_size_min((p + 1) * share, rows); r++) {
        const float *k = job->k + (block->k_row + j1 + r) * job->k_stride + block->kv * job->E;
        const float *v = job->v + (block->k_row + j1 + r) * job->v_stride + block->kv * job->Ev;
        for (size_t e = 0; e < job->E; e += 16) __builtin_prefetch(k + e, 0, 2);
        for (size_t e = 0; e < job->Ev; e += 16) __builtin_prefetch(v + e, 0, 2);
    }
}

/* attend_is_few() returns whether `count` queries should be computed one by one: a panel costs as
 * much for one query as for TILE_COLS. attend_few() computes queries one by one, with the same bits
 * as attend_forward(). */
INLINE bool attend_is_few(const struct ken_attend *job, size_t count)
{
    return count <= TILE_COLS / 8 && job->score == KEN_SCORE_DOT &&
           job->weigh == KEN_WEIGH_SOFTMAX && !job->slope && !job->bias && !job->shaw_k &&
           job->dropout == 0;
}
void attend_few(const struct ken_attend *job, size_t b, size_t h, size_t i0, size_t count,
                float *scratch);

/* Additive, GAT and GATv2 scores are a . f(q + k). attend_bend() returns f(x), which is tanh or
 * LeakyReLU; attend_bend_slope() returns the slope f'(x), given u = f(x). GAT has one number per
 * head and no vector a, which counts as 1. */
INLINE vf attend_bend(enum ken_score kind, vf x, float leak)
{
    return kind == KEN_SCORE_ADDITIVE ? v_tanh(x) : v_select(x < 0, x * leak, x);
}

INLINE vf attend_bend_slope(enum ken_score kind, vf x, vf u, float leak)
{
    return kind == KEN_SCORE_ADDITIVE ? 1 - u * u : v_select(x < 0, v_splat(leak), v_splat(1));
}

void attend_scores(float *scores, size_t row, const struct block *block, size_t p,
                   const float *keys, size_t width, size_t j0, struct meeting m);

/* Turns scores into weights in place. `log_sum` has one number for each query of the block: the
 * logarithm of the row's sum for softmax, the threshold tau for sparsemax. */
void attend_weigh(float *scores, size_t row, const struct block *block, size_t p, size_t j0,
                  struct meeting m, const float *log_sum);

/* Returns the weight of a score s. n is the number of keys that the query sees, and log_n = ln n;
 * log_sum is the logarithm of the row's sum for softmax, and the threshold tau for sparsemax. */
INLINE vf attend_weight(enum ken_weigh kind, vf s, vf n, vf log_n, vf log_sum)
{
    switch (kind) {
    case KEN_WEIGH_RELU: return v_max(s, v_splat(0)) / n;
    case KEN_WEIGH_SIGMOID: return v_sigmoid(s - log_n);
    case KEN_WEIGH_NONE: return s / n;
    case KEN_WEIGH_SPARSEMAX: return v_max(v_splat(0), s - log_sum); /* NaN stays NaN */
    default: return v_exp_weight(s - log_sum);
    }
}

/* Returns ds, the gradient of a score, from its weight w and the weight's gradient dw. For softmax,
 * delta is the sum of w dw over the query's keys; for sparsemax, the mean of dw over the keys with
 * w > 0. n is the number of keys that the query sees. */
INLINE vf attend_slope(enum ken_weigh kind, vf w, vf dw, vf delta, vf n)
{
    switch (kind) {
    case KEN_WEIGH_SOFTMAX: return w * (dw - delta);
    case KEN_WEIGH_SIGMOID: return w * (1 - w) * dw;
    case KEN_WEIGH_RELU: return (vf)((vi)(dw / n) & (w > 0));
    case KEN_WEIGH_SPARSEMAX: return (vf)((vi)(dw - delta) & (w > 0));
    default: return dw / n;
    }
}

/* Computes the threshold tau of sparsemax for each query of the block; infinity if the query sees
 * no key. `store` is work space of `room` floats; scores that do not fit into it are computed again
 * in each pass. */
void attend_thresholds(float *tau, const struct block *block, float *store, size_t room);

/* ---- Shaw's vectors: rows of a table by i - j; a panel and a tile need a few of them --------- */

enum { OFFSETS = KEY_TILE + TILE_COLS };

/* Rows first .. first + count - 1 of a table of Shaw's vectors. */
struct offsets {
    size_t first, count;
};

/* Adds products with a table of Shaw's vectors: scores[key][lane] += x_lane . table[i - j], where i
 * is the query of the lane and j the key; x is [width][TILE_COLS]. */
void attend_add_by_offset(float *scores, size_t row, const struct block *block, size_t p,
                          const float *x, const float *table, size_t width, size_t j0,
                          struct meeting m);

/* Adds up weights by their offset i - j: folded[offset][lane] is the sum of the weights that the
 * query of this lane gives to the keys `offset` rows before it. Returns which rows of Shaw's table
 * the offsets use. */
struct offsets attend_fold(float *folded, const float *weights, size_t row,
                           const struct block *block, size_t p, size_t j0, struct meeting m);

#endif
