/* vattend_forward.c - forward attention of one block of queries.
 *
 * This is online softmax: each query has a base m near its largest score so far, and a sum l and an
 * output O relative to that base. A tile of keys whose maximum m' is well above m rescales l and O
 * by e^(m - m'). The n x n matrix of weights never exists. */
#include "kernel/simd/vattend.h"

#include <math.h>

struct state {
    struct block block;
    float *keys, *values; /* a tile of keys and of values                */
    float *weights;       /* [KEY_TILE][TILE_COLS]: scores, then weights */
    float *out;           /* [panel][Ev][TILE_COLS]: transposed output   */
    /* base and sum of softmax; for sparsemax, `base` holds tau */
    float base[QUERY_MOST], sum[QUERY_MOST];
};

static void hide_unseen(struct state *state, size_t p, size_t j0, struct meeting m)
{
    for (size_t j = m.a; j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c += LANES) {
            float *s = state->weights + j * TILE_COLS + c;
            vi seen = sees(&state->block, p * TILE_COLS + c, j0 + j);
            v_store(s, v_select(seen, v_load(s), v_splat(-INFINITY)));
        }
}

/* Returns the softmax base of LANES queries for a tile whose largest scores are `most`. Where the
 * base changes, the sum and the output are multiplied by e^(old base - new base). */
INLINE vf rebase(struct state *state, size_t p, size_t c, vf most)
{
    size_t lane = p * TILE_COLS + c, Ev = state->block.job->Ev;
    vf before = v_load(state->base + lane);
    vi rises = most > before + ATTEND_SLACK;
    if (!v_any(rises)) return before;
    vf base = v_select(rises, most, before);
    vf shrink = v_select(rises, v_exp_weight(before - base), v_splat(1));
    v_store(state->base + lane, base);
    v_store(state->sum + lane, v_load(state->sum + lane) * shrink);
    float *out = state->out + p * TILE_COLS * Ev + c;
    for (size_t e = 0; e < Ev; e++, out += TILE_COLS) v_store(out, v_load(out) * shrink);
    return base;
}

/* Turns the scores of a panel into weights e^(s - base). The two vectors of the panel are computed
 * side by side, so that the processor can overlap them. */
static void softmax_panel(struct state *state, size_t p, size_t j0, struct meeting m)
{
    float *scores = state->weights;
    float *sum = state->sum + p * TILE_COLS;
    if (!m.whole) hide_unseen(state, p, j0, m);
    vf most0 = v_splat(-INFINITY), most1 = most0;
    for (size_t j = m.a; j < m.b; j++) {
        most0 = v_max(v_load(scores + j * TILE_COLS), most0);
        most1 = v_max(v_load(scores + j * TILE_COLS + LANES), most1);
    }
    vf base0 = rebase(state, p, 0, most0), base1 = rebase(state, p, LANES, most1);
    /* a query that has seen no key yet may use any finite base: its weights e^(-inf - base) are
     * 0 */
    base0 = v_select(base0 == -INFINITY, v_splat(0), base0);
    base1 = v_select(base1 == -INFINITY, v_splat(0), base1);
    vf sum0 = v_load(sum), sum1 = v_load(sum + LANES);
    for (size_t j = m.a; j < m.b; j++) {
        float *w = scores + j * TILE_COLS;
        vf w0 = v_exp_weight(v_load(w) - base0);
        vf w1 = v_exp_weight(v_load(w + LANES) - base1);
        v_store(w, w0);
        v_store(w + LANES, w1);
        sum0 += w0;
        sum1 += w1;
    }
    v_store(sum, sum0);
    v_store(sum + LANES, sum1);
}

static void drop_panel(struct state *state, size_t p, size_t j0, struct meeting m)
{
    for (size_t j = m.a; j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c += LANES) {
            float *w = state->weights + j * TILE_COLS + c;
            v_store(w, v_load(w) * keep_factor(&state->block, p * TILE_COLS + c, j0 + j));
        }
}

/* Adds a tile's weighted values to the transposed output: for query i and column e, O^T[e][i] +=
 * sum over keys j of v[j][e] w[j][i]. */
static void add_values(struct state *state, size_t p, struct meeting m)
{
    size_t Ev = state->block.job->Ev;
    float *out = state->out + p * TILE_COLS * Ev;
    const float *values = state->values + m.a * Ev;
    struct operand w = { state->weights + m.a * TILE_COLS, 0, TILE_COLS };
    size_t e = 0;
    for (; e + TILE_ROWS <= Ev; e += TILE_ROWS)
        tile_fixed(out + e * TILE_COLS, TILE_COLS, (struct operand){ values + e, 1, Ev }, w,
                   m.b - m.a, true, TILE_ROWS);
    tile(out + e * TILE_COLS, TILE_COLS, (struct operand){ values + e, 1, Ev }, w, m.b - m.a, true,
         Ev - e);
}

/* Adds Shaw's value vectors to the transposed output: for query i and column e, O^T[e][i] += sum
 * over offsets of shaw_v[offset][e] times the weights of query i at that offset. */
static void add_shaw(struct state *state, size_t p, size_t j0, struct meeting m)
{
    const struct ken_attend *job = state->block.job;
    size_t Ev = job->Ev;
    float folded[OFFSETS * TILE_COLS];
    struct offsets o = attend_fold(folded, state->weights, TILE_COLS, &state->block, p, j0, m);
    float *out = state->out + p * TILE_COLS * Ev;
    const float *table = job->shaw_v + o.first * Ev;
    struct operand w = { folded, 0, TILE_COLS };
    for (size_t e = 0; e < Ev; e += TILE_ROWS)
        tile(out + e * TILE_COLS, TILE_COLS, (struct operand){ table + e, 1, Ev }, w, o.count, true,
             ken_size_min(Ev - e, TILE_ROWS));
}

static void visit_tile(struct state *state, size_t j0, size_t j1)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    bool loaded = false;
    for (size_t p = 0; p < block->panels; p++) {
        struct meeting m = attend_meet(block, p, j0, j1);
        if (m.a == m.b) continue;
        if (!loaded) {
            const float *k = job->k + (block->k_row + j0) * job->k_stride + block->kv * job->E;
            const float *v = job->v + (block->k_row + j0) * job->v_stride + block->kv * job->Ev;
            attend_copy(state->keys, k, job->k_stride, j1 - j0, job->E, job->E, 1);
            attend_copy(state->values, v, job->v_stride, j1 - j0, job->Ev, job->Ev, 1);
            loaded = true;
        }
        prefetch_next(block, p, j1);
        attend_scores(state->weights, TILE_COLS, block, p, state->keys, job->E, j0, m);
        if (job->weigh == KEN_WEIGH_SOFTMAX) softmax_panel(state, p, j0, m);
        else attend_weigh(state->weights, TILE_COLS, block, p, j0, m, state->base);
        if (job->dropout > 0) drop_panel(state, p, j0, m);
        add_values(state, p, m);
        if (job->shaw_v) add_shaw(state, p, j0, m);
    }
}

/* Transposes a panel of outputs: row i of `out` becomes factor_i * column i of the panel. Works in
 * squares of 4 x 4 numbers where possible. */
static void turn_panel(float *out, size_t stride, const float *panel, const float *factor,
                       size_t rows, size_t width)
{
    for (size_t i = 0; i < rows; i += 4)
        for (size_t e = 0; e < width; e += 4) {
            const float *from = panel + e * TILE_COLS + i;
            float *to = out + i * stride + e;
            if (i + 4 > rows || e + 4 > width) {
                for (size_t r = 0; r < ken_size_min(rows - i, 4); r++)
                    for (size_t c = 0; c < ken_size_min(width - e, 4); c++)
                        to[r * stride + c] = from[c * TILE_COLS + r] * factor[i + r];
                continue;
            }
            v4 block[4];
            transpose_4x4(block, from, TILE_COLS, 4);
            for (size_t r = 0; r < 4; r++) *(v4 *)(to + r * stride) = block[r] * factor[i + r];
        }
}

/* Finishes the block: divides the outputs by the softmax sums, transposes the panels back into
 * rows, and stores ln(sum) + base as log_sum, or tau for sparsemax. */
static void write_block(struct state *state)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    bool softmax = job->weigh == KEN_WEIGH_SOFTMAX;
    float factor[QUERY_MOST];
    for (size_t i = 0; i < block->count; i++) {
        float sum = state->sum[i];
        factor[i] = !softmax ? 1 : sum > 0 ? 1 / sum : 0;
        if (softmax && job->log_sum)
            job->log_sum[(block->q_row + i) * job->H + block->h] = sum > 0
                                                                       ? state->base[i] + logf(sum)
                                                                       : INFINITY;
        if (job->weigh == KEN_WEIGH_SPARSEMAX && job->log_sum)
            job->log_sum[(block->q_row + i) * job->H + block->h] = state->base[i];
    }
    float *out = job->out + block->q_row * job->out_stride + block->h * job->Ev;
    for (size_t p = 0; p < block->panels; p++)
        turn_panel(out + p * TILE_COLS * job->out_stride, job->out_stride,
                   state->out + p * TILE_COLS * job->Ev, factor + p * TILE_COLS,
                   panel_lines(block, p), job->Ev);
}

void KEN_SIMD(attend_forward)(const struct ken_attend *job, size_t b, size_t h, size_t i0,
                              size_t count, float *scratch)
{
    if (attend_is_few(job, count)) {
        attend_few(job, b, h, i0, count, scratch);
        return;
    }
    struct state state;
    float *queries = scratch;
    state.out = queries + QUERY_MOST * job->E;
    state.keys = state.out + QUERY_MOST * job->Ev;
    state.values = state.keys + KEY_TILE * job->E;
    state.weights = state.values + KEY_TILE * job->Ev;
    state.block.sight = attend_sight(job, scratch);
    attend_open(&state.block, queries, job, b, h, i0, count);
    size_t lanes = state.block.panels * TILE_COLS;
    memset(state.out, 0, lanes * job->Ev * sizeof(float));
    for (size_t i = 0; i < lanes; i++) {
        state.base[i] = -INFINITY;
        state.sum[i] = 0;
    }
    if (job->weigh == KEN_WEIGH_SPARSEMAX) {
        float *store = state.weights + KEY_TILE * TILE_COLS;
        attend_thresholds(state.base, &state.block, store,
                          SCRATCH_LEFT - (size_t)(store - scratch));
    }
    for (struct ken_range t = attend_tile(&state.block, 0); t.first < t.end;
         t = attend_tile(&state.block, tile_after(t.first)))
        visit_tile(&state, t.first, t.end);
    write_block(&state);
}
