/* vattend_weigh.c - turns scores into weights (weigh) in the cases that need no running sum: relu,
 * sigmoid and none; sparsemax once its threshold is known; softmax once its sum is known, as in
 * backward and in attend_weights. Unseen keys get weight 0. */
#include "kernel/simd/vattend.h"

#include <math.h>

INLINE void weigh_panel(enum ken_weigh kind, float *scores, size_t row, const struct block *block,
                        size_t p, size_t j0, struct meeting m, const float *log_sum)
{
    for (size_t c = 0; c < TILE_COLS; c += LANES) {
        size_t lane = p * TILE_COLS + c;
        vf n = seen_count(block, lane), log_n = v_splat(0);
        if (kind == KEN_WEIGH_SIGMOID)
            for (int i = 0; i < LANES; i++) log_n[i] = logf(n[i]);
        bool summed = kind == KEN_WEIGH_SOFTMAX || kind == KEN_WEIGH_SPARSEMAX;
        vf sum = summed ? v_load(log_sum + lane) : v_splat(0);
        for (size_t j = m.a; j < m.b; j++) {
            vf w = attend_weight(kind, v_load(scores + j * row + c), n, log_n, sum);
            if (!m.whole) w = (vf)((vi)w & sees(block, lane, j0 + j));
            v_store(scores + j * row + c, w);
        }
    }
}

void attend_weigh(float *scores, size_t row, const struct block *block, size_t p, size_t j0,
                  struct meeting m, const float *log_sum)
{
    switch (block->job->weigh) {
    case KEN_WEIGH_RELU: weigh_panel(KEN_WEIGH_RELU, scores, row, block, p, j0, m, log_sum); break;
    case KEN_WEIGH_SIGMOID:
        weigh_panel(KEN_WEIGH_SIGMOID, scores, row, block, p, j0, m, log_sum);
        break;
    case KEN_WEIGH_NONE: weigh_panel(KEN_WEIGH_NONE, scores, row, block, p, j0, m, log_sum); break;
    case KEN_WEIGH_SPARSEMAX:
        weigh_panel(KEN_WEIGH_SPARSEMAX, scores, row, block, p, j0, m, log_sum);
        break;
    default: weigh_panel(KEN_WEIGH_SOFTMAX, scores, row, block, p, j0, m, log_sum); break;
    }
}

/* Writes the weights of a block of queries as rows (count, S), where S is the number of keys:
 * computes tiles of weights as backward does, and transposes them. */
void KEN_SIMD(attend_weights)(float *weights, const struct ken_attend *job, size_t b, size_t h,
                              size_t i0, size_t count, float *scratch)
{
    struct block block;
    block.sight = attend_sight(job, scratch);
    float *keys = scratch + QUERY_BLOCK * job->E;
    float *tile_weights = keys + KEY_TILE * job->E;
    float log_sum[QUERY_BLOCK];
    attend_open(&block, scratch, job, b, h, i0, count);
    memset(weights, 0, count * block.S * sizeof *weights);
    for (size_t i = 0; i < QUERY_BLOCK; i++)
        log_sum[i] = i < count && job->log_sum ? job->log_sum[(block.q_row + i) * job->H + h]
                                               : INFINITY;
    for (struct ken_range t = attend_tile(&block, 0); t.first < t.end;
         t = attend_tile(&block, tile_after(t.first))) {
        size_t j0 = t.first, j1 = t.end;
        attend_copy(keys, job->k + (block.k_row + j0) * job->k_stride + block.kv * job->E,
                    job->k_stride, j1 - j0, job->E, job->E, 1);
        for (size_t p = 0; p < block.panels; p++) {
            struct meeting m = attend_meet(&block, p, j0, j1);
            attend_scores(tile_weights, TILE_COLS, &block, p, keys, job->E, j0, m);
            attend_weigh(tile_weights, TILE_COLS, &block, p, j0, m, log_sum);
            for (size_t i = 0; i < panel_lines(&block, p); i++)
                for (size_t j = m.a; j < m.b; j++)
                    weights[(p * TILE_COLS + i) * block.S + j0 + j] =
                        tile_weights[j * TILE_COLS + i];
        }
    }
}
