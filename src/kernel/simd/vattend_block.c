/* vattend_block.c - loads a block of queries and finds the keys that its queries see. */
#include "kernel/simd/vattend.h"

void attend_copy(float *to, const float *from, size_t stride, size_t rows, size_t count,
                 size_t width, float factor)
{
    for (size_t r = 0; r < rows; r++, to += width, from += stride) {
        size_t e = 0;
        for (; e + LANES <= count; e += LANES) v_store(to + e, factor * v_load(from + e));
        for (; e < width; e++) to[e] = e < count ? factor * from[e] : 0;
    }
}

/* Finds the ranges of keys that query i of the block sees; returns the number of keys in these
 * ranges. */
static size_t open_sight(struct block *block, size_t i)
{
    struct ken_range *ranges = block->sight->ranges[i];
    size_t seen = 0;
    ptrdiff_t at = (ptrdiff_t)(block->i0 + i + block->S) - (ptrdiff_t)block->T;
    size_t count = ken_pattern_ranges(ranges, block->job->pattern, at, block->S);
    for (size_t r = 0; r < count; r++) seen += ranges[r].end - ranges[r].first;
    block->sight->count[i] = count;
    return seen;
}

void attend_open(struct block *block, float *queries, const struct ken_attend *job, size_t b,
                 size_t h, size_t i0, size_t count)
{
    block->job = job;
    block->h = h;
    block->kv = h / (job->H / job->KV);
    block->T = job->q_start[b + 1] - job->q_start[b];
    block->S = ken_attend_keys(job, b);
    block->q_row = job->q_start[b] + i0;
    block->k_row = job->k_start[b];
    block->i0 = i0;
    block->count = count;
    block->panels = ken_size_groups(count, TILE_COLS);
    block->queries = queries;
    for (size_t i = 0; i < block->panels * TILE_COLS; i++) {
        size_t first = 0, end = 0;
        if (block->sight) end = i < count ? open_sight(block, i) : 0;
        else if (i < count) ken_attend_reach(&first, &end, job, i0 + i, block->T, block->S);
        block->first[i] = (int32_t)first;
        block->end[i] = (int32_t)end;
    }
    for (size_t i = 0; job->dropout > 0 && i < block->panels * TILE_COLS; i++) {
        uint64_t key = ken_random_key(job->dropout_key, (block->q_row + i) * job->H + h);
        block->key_low[i] = (uint32_t)key;
        block->key_high[i] = (uint32_t)(key >> 32);
    }
    for (size_t p = 0; p < block->panels; p++) {
        float *panel = queries + p * TILE_COLS * job->E;
        size_t lines = ken_size_min(count - p * TILE_COLS, TILE_COLS);
        const float *source = job->q + (block->q_row + p * TILE_COLS) * job->q_stride + h * job->E;
        pack_transposed(panel, source, job->q_stride, lines, job->E);
        if (job->score == KEN_SCORE_DOT)
            for (size_t x = 0; x < job->E * TILE_COLS; x += LANES)
                v_store(panel + x, v_load(panel + x) * job->scale);
    }
}

/* Returns the range from the first to the last key of the tile j0 .. j1-1 that any query of the
 * block sees; for jobs with a pattern. */
static struct ken_range seen_of_tile(const struct block *block, size_t j0, size_t j1)
{
    struct ken_range seen = { j1, j0 };
    for (size_t i = 0; i < block->count; i++) {
        const struct ken_range *r = block->sight->ranges[i], *end = r + block->sight->count[i];
        for (; r < end && r->first < j1; r++) {
            if (r->end <= j0) continue;
            seen.first = ken_size_min(seen.first, ken_size_max(r->first, j0));
            seen.end = ken_size_max(seen.end, ken_size_min(r->end, j1));
        }
    }
    return seen;
}

/* Finds the next tile that a query of the block sees. Without a pattern, visible keys lie between
 * the first key of the first query and the last key of the last query. With a pattern, every query
 * is searched for its next key, so that tiles that no query sees cost nothing. */
struct ken_range attend_tile(const struct block *block, size_t from)
{
    size_t next = ken_size_max(from, (size_t)block->first[0]);
    size_t limit = (size_t)block->end[block->count - 1];
    if (block->sight) {
        next = limit = block->S;
        for (size_t i = 0; i < block->count; i++) {
            const struct ken_range *r = block->sight->ranges[i], *end = r + block->sight->count[i];
            while (r < end && r->end <= from) r++;
            if (r < end) next = ken_size_min(next, ken_size_max(r->first, from));
        }
    }
    if (next >= limit) return (struct ken_range){ 0, 0 };
    size_t j0 = next - next % KEY_TILE, j1 = ken_size_min(j0 + KEY_TILE, block->S);
    return block->sight ? seen_of_tile(block, j0, j1) : (struct ken_range){ j0, j1 };
}

/* Finds the keys of a tile that the queries of panel p see, for jobs with a pattern. A query that
 * sees fewer ranges of the tile than others gets empty ranges. */
static struct meeting meet_ranges(const struct block *block, size_t p, size_t j0, size_t j1)
{
    struct sight *sight = block->sight;
    struct meeting m = { .a = j1, .b = j0 };
    size_t lines = panel_lines(block, p), whole = 0;
    sight->parts = 0;
    for (size_t c = 0; c < lines; c++) {
        const struct ken_range *r = sight->ranges[p * TILE_COLS + c];
        const struct ken_range *end = r + sight->count[p * TILE_COLS + c];
        size_t part = 0;
        for (; r < end && r->first < j1; r++) {
            if (r->end <= j0) continue;
            if (part == sight->parts) {
                memset(sight->first[part], 0, sizeof sight->first[part]);
                memset(sight->end[part], 0, sizeof sight->end[part]);
                sight->parts++;
            }
            size_t first = ken_size_max(r->first, j0), last = ken_size_min(r->end, j1);
            sight->first[part][c] = (int32_t)first;
            sight->end[part++][c] = (int32_t)last;
            m.a = ken_size_min(m.a, first);
            m.b = ken_size_max(m.b, last);
        }
    }
    if (m.a >= m.b) return (struct meeting){ 0 };
    for (size_t c = 0; c < lines; c++)
        whole += (size_t)sight->first[0][c] == m.a && (size_t)sight->end[0][c] == m.b;
    return (struct meeting){ m.a - j0, m.b - j0, whole == lines };
}

/* Finds the keys of a tile that the queries of panel p see. Without a pattern, each query sees one
 * range, whose ends never move back from a query to the next; so the panel's first and last query
 * bound the keys. */
struct meeting attend_meet(const struct block *block, size_t p, size_t j0, size_t j1)
{
    if (block->sight) return meet_ranges(block, p, j0, j1);
    const int32_t *first = block->first + p * TILE_COLS, *end = block->end + p * TILE_COLS;
    size_t last = panel_lines(block, p) - 1;
    struct meeting m;
    m.a = ken_size_max(j0, (size_t)first[0]);
    m.b = ken_size_min(j1, (size_t)end[last]);
    if (m.b < m.a) m.b = m.a;
    m.whole = (size_t)first[last] <= m.a && (size_t)end[0] >= m.b;
    m.a -= j0;
    m.b -= j0;
    return m;
}
