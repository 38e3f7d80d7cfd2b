/* vattend.h - what forward and backward attention share: a block of queries of one sequence and
 * head, the tiles of keys it meets, and the scores between them.
 *
 * Lanes are queries. A panel holds TILE_COLS queries transposed, [E][TILE_COLS], so the scores of a
 * panel with a tile of keys, [key][query], come out of the matrix tile with keys as its rows;
 * maxima and sums over keys run down the columns, lane by lane, without a horizontal step. */
#ifndef KERNEL_SIMD_VATTEND_H
#define KERNEL_SIMD_VATTEND_H

#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/attend.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"
#include "kernel/simd/vmath.h"

/* A tile of keys is a multiple of every TILE_ROWS; with E = 64 it is 24 kB of keys and as much of
 * values. Tiles begin at multiples of it whatever the reach, so a window as wide as the sequence
 * gives the bits of full attention. */
enum { KEY_TILE = 96, QUERY_BLOCK = KEN_ATTEND_BLOCK, QUERY_MOST = KEN_ATTEND_MOST };

/* Short names for this instruction set's own. */
#define attend_copy KEN_SIMD(attend_copy)
#define attend_open KEN_SIMD(attend_open)
#define attend_tile KEN_SIMD(attend_tile)
#define attend_meet KEN_SIMD(attend_meet)
#define attend_scores KEN_SIMD(attend_scores)
#define attend_weigh KEN_SIMD(attend_weigh)
#define attend_few KEN_SIMD(attend_few)
#define attend_thresholds KEN_SIMD(attend_thresholds)
#define attend_add_by_offset KEN_SIMD(attend_add_by_offset)
#define attend_fold KEN_SIMD(attend_fold)
#define pack_transposed KEN_SIMD(pack_transposed)

/* How far a score may lie above the base of its softmax: weights up to e^8 do no harm, and bringing
 * sum and output down to each new maximum would cost a pass over them for nearly every tile. */
#define ATTEND_SLACK 8.0f

/* Queries of a pattern, each of which sees several ranges of keys. It is large and lies at the end
 * of the scratch memory. */
struct sight {
    struct ken_range ranges[QUERY_BLOCK][KEN_PATTERN_RANGES];
    size_t count[QUERY_BLOCK];
    /* Of the panel that was met last, within the tile: range by range for all lanes. */
    size_t parts;
    int32_t first[KEN_PATTERN_RANGES][TILE_COLS], end[KEN_PATTERN_RANGES][TILE_COLS];
};

enum { SCRATCH_LEFT = KEN_TEAM_SCRATCH - (sizeof(struct sight) / sizeof(float) + LANES) };

/* Where the sight of a job lies in the scratch memory; NULL if its reach is one range. */
INLINE struct sight *attend_sight(const struct ken_attend *job, float *scratch)
{
    return job->pattern ? (struct sight *)(void *)(scratch + SCRATCH_LEFT / LANES * LANES) : NULL;
}

struct block {
    const struct ken_attend *job;
    size_t h, kv;        /* query head, key and value head                       */
    size_t T, S;         /* of this sequence                                     */
    size_t q_row, k_row; /* first row of the block, and of the sequence's keys   */
    size_t i0, count;    /* queries i0 .. i0 + count - 1                         */
    size_t panels;
    float *queries;      /* [panel][E][TILE_COLS], scaled for dot                */
    struct sight *sight; /* set before the block is opened; or NULL              */
    /* Visible keys of each; with a sight 0 and how many they are. */
    int32_t first[QUERY_MOST], end[QUERY_MOST];
    uint32_t key_low[QUERY_MOST], key_high[QUERY_MOST]; /* of the dropout                  */
};

/* A tile of keys as one panel meets it: rows a .. b-1 of the tile are seen by some lane. */
struct meeting {
    size_t a, b;
    bool whole; /* every lane sees all of them */
};

/* Rows of `count` floats at `stride` copied to rows of `width`, times factor; the rest is 0. */
void attend_copy(float *to, const float *from, size_t stride, size_t rows, size_t count,
                 size_t width, float factor);

/* Fills the block; `queries` must have room for its panels. With a sight QUERY_BLOCK queries at the
 * most. */
void attend_open(struct block *block, float *queries, const struct ken_attend *job, size_t b,
                 size_t h, size_t i0, size_t count);

/* The keys of the next tile, at or behind `from`, that the block sees: with a sight not more than
 * from the first to the last that it shows. Empty: there are none. */
struct ken_range attend_tile(const struct block *block, size_t from);

/* Where the tile after that of key j begins. */
INLINE size_t tile_after(size_t j)
{
    return j - j % KEY_TILE + KEY_TILE;
}

/* Which of the keys j0 .. j1-1 panel p sees. With a sight it holds until the next meeting. */
struct meeting attend_meet(const struct block *block, size_t p, size_t j0, size_t j1);

/* Asks for part p of `panels` of the tile after j1, to be in the cache when its turn comes: heads
 * lie side by side in a row, so its lines are scattered and no hardware guesses them. */
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

/* The queries that are really there in panel p. */
INLINE size_t panel_lines(const struct block *block, size_t p)
{
    return ken_size_min(block->count - p * TILE_COLS, TILE_COLS);
}

INLINE vi load_int(const int32_t *p)
{
    vi x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE vu load_unsigned(const uint32_t *p)
{
    vu x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* All ones in the lanes that see key j. `lane` counts from the start of the block. */
INLINE vi sees(const struct block *block, size_t lane, size_t j)
{
    vi key = v_splat_int((int32_t)j);
    const struct sight *sight = block->sight;
    if (!sight) return (key >= load_int(block->first + lane)) & (key < load_int(block->end + lane));
    vi seen = v_splat_int(0);
    for (size_t r = 0; r < sight->parts; r++)
        seen |= (key >= load_int(sight->first[r] + lane % TILE_COLS)) &
                (key < load_int(sight->end[r] + lane % TILE_COLS));
    return seen;
}

/* 0 in the lanes whose weight for key j is dropped, 1 / (1 - p) in the others. */
INLINE vf keep_factor(const struct block *block, size_t lane, size_t j)
{
    vu bits = v_random(load_unsigned(block->key_low + lane), load_unsigned(block->key_high + lane),
                       (vu)v_splat_int((int32_t)j));
    vi kept = (vi)(bits >= ken_random_threshold(block->job->dropout));
    return (vf)(kept & (vi)v_splat(1 / (1 - block->job->dropout)));
}

/* Number of visible keys of each lane, as floats; 1 where there are none: it is divided by. */
INLINE vf seen_count(const struct block *block, size_t lane)
{
    vi n = load_int(block->end + lane) - load_int(block->first + lane);
    return v_max(__builtin_convertvector(n, vf), v_splat(1));
}

/* Whether so many queries of a block are better done one by one, and what does it: the same bits as
 * attend_forward. Panels cost as much for one query as for TILE_COLS. */
INLINE bool attend_is_few(const struct ken_attend *job, size_t count)
{
    return count <= TILE_COLS / 8 && job->score == KEN_SCORE_DOT &&
           job->weigh == KEN_WEIGH_SOFTMAX && !job->slope && !job->bias && !job->shaw_k &&
           job->dropout == 0;
}
void attend_few(const struct ken_attend *job, size_t b, size_t h, size_t i0, size_t count,
                float *scratch);

void attend_scores(float *scores, size_t row, const struct block *block, size_t p,
                   const float *keys, size_t width, size_t j0, struct meeting m);

/* In place; `log_sum` per lane of the block, for softmax; for sparsemax its tau. */
void attend_weigh(float *scores, size_t row, const struct block *block, size_t p, size_t j0,
                  struct meeting m, const float *log_sum);

/* ds from w and dw; delta is the row's sum of w dw for softmax, its mean dw for sparsemax. */
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

/* tau of each lane of the block, for sparsemax; infinity where nothing is seen. `store` is work
 * space of `room` floats: scores that do not fit are computed again and again. */
void attend_thresholds(float *tau, const struct block *block, float *store, size_t room);

/* ---- Shaw's vectors: rows of a table by i - j, of which a panel and a tile need a few ---------- */

enum { OFFSETS = KEY_TILE + TILE_COLS };

/* Rows first .. first + count - 1 of the table. */
struct offsets {
    size_t first, count;
};

/* scores[key][lane] += x_lane . table[i - j]; x is [width][TILE_COLS]. */
void attend_add_by_offset(float *scores, size_t row, const struct block *block, size_t p,
                          const float *x, const float *table, size_t width, size_t j0,
                          struct meeting m);

/* folded[offset][TILE_COLS] = the sum of those weights of the panel whose keys lie that far off. */
struct offsets attend_fold(float *folded, const float *weights, size_t row,
                           const struct block *block, size_t p, size_t j0, struct meeting m);

#endif
