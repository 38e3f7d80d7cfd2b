/* vattend_scores.c - computes the scores of one panel of queries and the keys of a tile that these
 * queries see: dot product or a . f(q + k), then the biases that depend on the offset i - j between
 * query i and key j. The caller applies the mask. */
#include "kernel/simd/vattend.h"

static void dot_scores(float *scores, size_t row, const float *panel, const float *keys,
                       size_t width, size_t E, struct meeting m)
{
    struct operand b = { panel, 0, TILE_COLS };
    size_t j = m.a;
    for (; j + TILE_ROWS <= m.b; j += TILE_ROWS)
        tile_fixed(scores + j * row, row, (struct operand){ keys + j * width, width, 1 }, b, E,
                   false, TILE_ROWS);
    tile(scores + j * row, row, (struct operand){ keys + j * width, width, 1 }, b, E, false,
         m.b - j);
}

INLINE void sum_scores(enum ken_score kind, float *scores, size_t row, const float *panel,
                       const float *keys, size_t width, const struct ken_attend *job, size_t h,
                       struct meeting m)
{
    for (size_t j = m.a; j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c += LANES) {
            vf s = v_splat(0);
            for (size_t e = 0; e < job->E; e++) {
                vf x = v_load(panel + e * TILE_COLS + c) + keys[j * width + e];
                vf u = attend_bend(kind, x, job->leak);
                s = kind == KEN_SCORE_GAT ? u : s + job->vector[h * job->E + e] * u;
            }
            v_store(scores + j * row + c, s);
        }
}

/* Adds the biases that depend on position: s_ij -= slope |i - j| and s_ij += bias(i - j). Within a
 * row of scores, which belongs to one key, i - j grows by one from lane to lane. */
static void add_position_bias(float *scores, size_t row, const struct block *block, size_t p,
                              size_t j0, struct meeting m)
{
    const struct ken_attend *job = block->job;
    ptrdiff_t i = (ptrdiff_t)(block->i0 + p * TILE_COLS + block->S) - (ptrdiff_t)block->T;
    const float *bias = job->bias ? job->bias + block->h * (2 * job->span + 1) : NULL;
    float slope = job->slope ? job->slope[block->h] : 0;
    for (size_t j = m.a; j < m.b; j++) {
        ptrdiff_t offset = i - (ptrdiff_t)(j0 + j);
        for (size_t c = 0; c < TILE_COLS; c++) {
            ptrdiff_t o = offset + (ptrdiff_t)c;
            float s = slope * (float)(o < 0 ? o : -o);
            if (bias) s += bias[ken_attend_bias_at(o, job->span)];
            scores[j * row + c] += s;
        }
    }
}

void attend_scores(float *scores, size_t row, const struct block *block, size_t p,
                   const float *keys, size_t width, size_t j0, struct meeting m)
{
    const struct ken_attend *job = block->job;
    const float *panel = block->queries + p * TILE_COLS * job->E;
    size_t h = block->h;
    switch (job->score) {
    case KEN_SCORE_ADDITIVE:
        sum_scores(KEN_SCORE_ADDITIVE, scores, row, panel, keys, width, job, h, m);
        break;
    case KEN_SCORE_GATV2:
        sum_scores(KEN_SCORE_GATV2, scores, row, panel, keys, width, job, h, m);
        break;
    case KEN_SCORE_GAT:
        sum_scores(KEN_SCORE_GAT, scores, row, panel, keys, width, job, h, m);
        break;
    default: dot_scores(scores, row, panel, keys, width, job->E, m); break;
    }
    if (job->slope || job->bias) add_position_bias(scores, row, block, p, j0, m);
    if (job->shaw_k) attend_add_by_offset(scores, row, block, p, panel, job->shaw_k, job->E, j0, m);
}
