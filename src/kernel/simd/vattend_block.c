/* vattend_block.c - loads a block of queries and tells which keys it meets. */
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
        if (i < count) ken_attend_reach(&first, &end, job, i0 + i, block->T, block->S);
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

/* Reach moves with the query, so the first and the last
 * line of the panel bound it. */
struct meeting attend_meet(const struct block *block, size_t p, size_t j0, size_t j1)
{
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
