/* vattend_block.h - a block of queries of one sequence and head, and the tiles of keys that these
 * queries see; a part of vattend.h.
 *
 * Lanes are queries. A panel holds TILE_COLS queries transposed, [E][TILE_COLS], so tile.h computes
 * the scores of a panel and a tile of keys as [key][query], one row per key. Maxima and sums over
 * keys then run down the columns, without operations across lanes. */
#ifndef KERNEL_SIMD_VATTEND_BLOCK_H
#define KERNEL_SIMD_VATTEND_BLOCK_H

#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/attend.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"
#include "kernel/simd/vmath.h"

/* The number of keys in a tile, KEY_TILE, is a multiple of every TILE_ROWS; for heads of width 64 a
 * tile has 24 kB of keys and 24 kB of values. Tiles begin at multiples of KEY_TILE for every mask,
 * so a window as wide as the sequence gives the bits of full attention. */
enum { KEY_TILE = 96, QUERY_BLOCK = KEN_ATTEND_BLOCK, QUERY_MOST = KEN_ATTEND_MOST };

/* Short names for the functions of this instruction set. */
#define attend_copy KEN_SIMD(attend_copy)
#define attend_open KEN_SIMD(attend_open)
#define attend_tile KEN_SIMD(attend_tile)
#define attend_meet KEN_SIMD(attend_meet)
#define pack_transposed KEN_SIMD(pack_transposed)

/* A sight: the ranges of keys that each query of a block sees, for jobs with a pattern. It is large
 * and lies at the end of the scratch memory. */
struct sight {
    struct ken_range ranges[QUERY_BLOCK][KEN_PATTERN_RANGES];
    size_t count[QUERY_BLOCK];
    /* Result of the last attend_meet(): the bounds of `parts` ranges of keys for each lane. */
    size_t parts;
    int32_t first[KEN_PATTERN_RANGES][TILE_COLS], end[KEN_PATTERN_RANGES][TILE_COLS];
};

enum { SCRATCH_LEFT = KEN_TEAM_SCRATCH - (sizeof(struct sight) / sizeof(float) + LANES) };

/* Returns the place of the sight in the scratch memory; NULL if the job has no pattern. */
INLINE struct sight *attend_sight(const struct ken_attend *job, float *scratch)
{
    return job->pattern ? (struct sight *)(void *)(scratch + SCRATCH_LEFT / LANES * LANES) : NULL;
}

struct block {
    const struct ken_attend *job;
    size_t h, kv;        /* query head, key/value head                                   */
    size_t T, S;         /* number of queries and of keys in this sequence               */
    size_t q_row, k_row; /* first row of the block's queries, and of the sequence's keys */
    size_t i0, count;    /* the block's queries are i0 .. i0 + count - 1                 */
    size_t panels;
    float *queries;      /* panels of queries; scaled for dot scores                   */
    struct sight *sight; /* set before attend_open() is called; NULL without a pattern */
    /* Query i sees keys first[i] .. end[i] - 1. With a pattern, only the difference
     * end[i] - first[i] has a meaning: it is the number of keys that the query sees. */
    int32_t first[QUERY_MOST], end[QUERY_MOST];
    uint32_t key_low[QUERY_MOST], key_high[QUERY_MOST]; /* dropout key of each query, in halves */
};

/* The range of a tile's keys, a .. b-1, that contains all keys of the tile that a panel's queries
 * see. */
struct meeting {
    size_t a, b;
    bool whole; /* true: every query sees all keys a .. b-1 */
};

/* Copies rows of `count` floats, `stride` floats apart, to rows of `width` floats, and multiplies
 * by factor; the rest of each row becomes 0. */
void attend_copy(float *to, const float *from, size_t stride, size_t rows, size_t count,
                 size_t width, float factor);

/* Fills the block with queries i0 .. i0 + count - 1; `queries` must have room for the panels. With
 * a pattern, `count` is at most QUERY_BLOCK. */
void attend_open(struct block *block, float *queries, const struct ken_attend *job, size_t b,
                 size_t h, size_t i0, size_t count);

/* Finds the next tile in which a query of the block sees a key, at or after key `from`. Returns all
 * keys of the tile; with a pattern, those from the first to the last visible key. Returns an empty
 * range if there is no such tile. */
struct ken_range attend_tile(const struct block *block, size_t from);

/* Returns the first key of the tile that follows the tile of key j. */
INLINE size_t tile_after(size_t j)
{
    return j - j % KEY_TILE + KEY_TILE;
}

/* Finds which of the keys j0 .. j1-1 the queries of panel p see. With a pattern, the result also
 * lies in block->sight until the next call. */
struct meeting attend_meet(const struct block *block, size_t p, size_t j0, size_t j1);

/* Returns the number of queries in panel p; the last panel may have fewer than TILE_COLS. */
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

/* Returns a mask: all ones in the lanes whose query sees key j. `lane` counts from the start of the
 * block. */
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

/* Returns the dropout factor of key j for LANES queries: 0 if the weight is dropped, else
 * 1 / (1 - p). */
INLINE vf keep_factor(const struct block *block, size_t lane, size_t j)
{
    vu bits = v_random(load_unsigned(block->key_low + lane), load_unsigned(block->key_high + lane),
                       (vu)v_splat_int((int32_t)j));
    vi kept = (vi)(bits >= ken_random_threshold(block->job->dropout));
    return (vf)(kept & (vi)v_splat(1 / (1 - block->job->dropout)));
}

/* Returns the number of keys that each of LANES queries sees, as floats. Returns 1 instead of 0,
 * because callers divide by the number. */
INLINE vf seen_count(const struct block *block, size_t lane)
{
    vi n = load_int(block->end + lane) - load_int(block->first + lane);
    return v_max(__builtin_convertvector(n, vf), v_splat(1));
}

#endif
