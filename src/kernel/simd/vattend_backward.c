/* vattend_backward.c - gradients of attention, tile by tile. They are computed from q, k, v, the
 * result `out`, its gradient dout and the log_sum of each row. With the scores s, the weights w,
 * their dropout factors `keep`, and . for the element-wise product:
 *   w = e^(s - log_sum)          dw = keep . (dout v^T)        D_i = sum of all dout_i . out_i
 *   ds = w . (dw - D)  for softmax; attend_slope() has the formulas for other values of `weigh`
 *   dv += (keep . w)^T dout      dk += ds^T (scale q)          dq += scale ds k
 * Shaw's vectors act as further keys and values: the weights and score gradients of all pairs with
 * the same offset are added up first. A call covers a range of queries and a range of keys. It adds
 * in the order of queries and keys, so the result has the same bits however the work is divided
 * into ranges and threads. */
#include "kernel/simd/vattend.h"

#include <math.h>

struct state {
    struct block block;
    const struct ken_attend_grad *grad;
    size_t pad, pad_v;         /* E and Ev rounded up to whole tiles                 */
    float *q_rows, *dout_rows; /* rows of q (scaled) and of dout, padded             */
    float *dout;               /* dout, transposed: [panel][Ev][TILE_COLS]           */
    float *keys, *values;      /* a tile of keys and values, padded                  */
    float *weights, *slopes;   /* weights w, later keep . w; gradients dw, later ds  */
    float *dq;                 /* [query][pad] for dot scores, else [E][QUERY_BLOCK] */
    float *table;              /* [OFFSETS][pad]: the rows of Shaw's vectors in use  */
    float log_sum[QUERY_BLOCK], delta[QUERY_BLOCK]; /* of each query; see attend_slope() */
};

/* Replaces dw in state->slopes by ds, and w in state->weights by keep . w, where keep is the
 * dropout factor. It does so for LANES queries and for the keys m.a .. m.b - 1 of the tile. */
INLINE void slope_lanes(enum ken_weigh kind, bool drops, struct state *state, size_t lane,
                        size_t j0, struct meeting m)
{
    const struct block *block = &state->block;
    vf delta = v_load(state->delta + lane);
    vf n = seen_count(block, lane);
    for (size_t j = m.a; j < m.b; j++) {
        float *weights = state->weights + j * QUERY_BLOCK + lane;
        float *slopes = state->slopes + j * QUERY_BLOCK + lane;
        vf w = v_load(weights), dw = v_load(slopes);
        if (drops) {
            vf keep = keep_factor(block, lane, j0 + j);
            v_store(weights, w * keep);
            dw *= keep;
        }
        vf ds = attend_slope(kind, w, dw, delta, n);
        if (kind == KEN_WEIGH_NONE && !m.whole) ds = (vf)((vi)ds & sees(block, lane, j0 + j));
        v_store(slopes, ds);
    }
}

static void slope_panel(struct state *state, size_t p, size_t j0, struct meeting m)
{
    bool drops = state->block.job->dropout > 0;
    enum ken_weigh kind = state->block.job->weigh;
    for (size_t lane = p * TILE_COLS; lane < (p + 1) * TILE_COLS; lane += LANES) {
        if (kind == KEN_WEIGH_SOFTMAX && !drops)
            slope_lanes(KEN_WEIGH_SOFTMAX, false, state, lane, j0, m);
        else slope_lanes(kind, drops, state, lane, j0, m);
    }
}

/* Sets the weights and slopes of keys that panel p does not see to 0, because the products of
 * visit_tile() use all keys of the tile. */
static void clear_unseen(struct state *state, size_t p, size_t keys, struct meeting m)
{
    for (size_t j = 0; j < keys; j++) {
        if (j == m.a) j = m.b;
        if (j >= keys) break;
        size_t at = j * QUERY_BLOCK + p * TILE_COLS;
        memset(state->weights + at, 0, TILE_COLS * sizeof(float));
        memset(state->slopes + at, 0, TILE_COLS * sizeof(float));
    }
}

/* Computes the weights w and their gradients dw, before dropout, for the queries of panel p and the
 * tile of keys that begins at j0. */
static void fill_panel(struct state *state, size_t p, size_t j0, struct meeting m)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    float *weights = state->weights + p * TILE_COLS;
    attend_scores(weights, QUERY_BLOCK, block, p, state->keys, state->pad, j0, m);
    attend_weigh(weights, QUERY_BLOCK, block, p, j0, m, state->log_sum);
    float *slopes = state->slopes + p * TILE_COLS;
    struct operand dout = { state->dout + p * TILE_COLS * job->Ev, 0, TILE_COLS };
    for (size_t j = m.a; j < m.b; j += TILE_ROWS) {
        struct operand v = { state->values + j * state->pad_v, state->pad_v, 1 };
        tile_edge(slopes + j * QUERY_BLOCK, QUERY_BLOCK, v, dout, job->Ev, false,
                  ken_size_min(m.b - j, TILE_ROWS), TILE_COLS);
    }
    if (job->shaw_v)
        attend_add_by_offset(slopes, QUERY_BLOCK, block, p, dout.data, job->shaw_v, job->Ev, j0, m);
}

/* Adds to the gradients of keys or values (dk or dv): d[key][e] += sum over `lanes` queries of
 * part[key][query] rows[query][e]. */
static void add_to_keys(float *d, size_t stride, const float *part, size_t row, const float *rows,
                        size_t pad, size_t width, size_t keys, size_t lanes)
{
    for (size_t e = 0; e < width; e += TILE_COLS)
        for (size_t j = 0; j < keys; j += TILE_ROWS) {
            struct operand a = { part + j * row, row, 1 };
            struct operand b = { rows + e, 0, pad };
            tile_edge(d + j * stride + e, stride, a, b, lanes, true,
                      ken_size_min(keys - j, TILE_ROWS), ken_size_min(width - e, TILE_COLS));
        }
}

/* Adds to the gradients of queries: dq[query][e] += sum over keys of ds[key][query] k[key][e]. */
static void add_to_queries(float *dq, const float *slopes, size_t row, const float *k, size_t pad,
                           size_t keys, size_t lanes)
{
    for (size_t e = 0; e < pad; e += TILE_COLS)
        for (size_t i = 0; i < lanes; i += TILE_ROWS) {
            struct operand a = { slopes + i, 1, row };
            struct operand b = { k + e, 0, pad };
            tile_edge(dq + i * pad + e, pad, a, b, keys, true, ken_size_min(lanes - i, TILE_ROWS),
                      TILE_COLS);
        }
}

/* Adds the gradients of Shaw's vectors, for one panel of queries and one tile of keys, and the part
 * of dq that comes through Shaw's key vectors. */
static void spread_shaw(struct state *state, size_t p, size_t j0, struct meeting m, unsigned parts)
{
    const struct ken_attend *job = state->block.job;
    const struct ken_attend_grad *grad = state->grad;
    bool to_keys = parts & KEN_ATTEND_KEYS;
    float folded[OFFSETS * TILE_COLS];
    size_t lane = p * TILE_COLS;
    struct offsets o = attend_fold(folded, state->weights + lane, QUERY_BLOCK, &state->block, p, j0,
                                   m);
    if (to_keys && grad->dshaw_v)
        add_to_keys(grad->dshaw_v + o.first * job->Ev, job->Ev, folded, TILE_COLS,
                    state->dout_rows + lane * state->pad_v, state->pad_v, job->Ev, o.count,
                    TILE_COLS);
    attend_fold(folded, state->slopes + lane, QUERY_BLOCK, &state->block, p, j0, m);
    if (to_keys && grad->dshaw_k)
        add_to_keys(grad->dshaw_k + o.first * job->E, job->E, folded, TILE_COLS,
                    state->q_rows + lane * state->pad, state->pad, job->E, o.count, TILE_COLS);
    if (!(parts & KEN_ATTEND_QUERIES)) return;
    attend_copy(state->table, job->shaw_k + o.first * job->E, job->E, o.count, job->E, state->pad,
                1);
    add_to_queries(state->dq + lane * state->pad, folded, TILE_COLS, state->table, state->pad,
                   o.count, TILE_COLS);
}

/* Returns the first query of the block that lies in a later segment than key j. This query and all
 * after it give the key no gradient. */
static size_t first_stopped(const struct block *block, size_t j)
{
    const struct ken_pattern *pattern = block->job->pattern;
    size_t next, at = block->i0 + block->S;
    if (!pattern || pattern->kind != KEN_REACH_SEGMENTS ||
        !ken_size_mul(&next, j / pattern->block + 1, pattern->block) ||
        !ken_size_add(&next, next, block->T))
        return SIZE_MAX;
    return next > at ? next - at : 0;
}

static void stop_gradients(struct state *state, size_t j0, size_t keys, size_t lanes)
{
    for (size_t j = 0; j < keys; j++)
        for (size_t lane = first_stopped(&state->block, j0 + j); lane < lanes; lane++)
            state->weights[j * QUERY_BLOCK + lane] = state->slopes[j * QUERY_BLOCK + lane] = 0;
}

/* Adds to dq, dk and dvector for additive, GAT and GATv2 scores, a . f(q_i + k_j), element by
 * element. */
INLINE void spread_sums(enum ken_score kind, struct state *state, size_t j0, size_t keys, size_t l0,
                        size_t l1, bool to_keys)
{
    const struct ken_attend *job = state->block.job;
    const struct ken_attend_grad *grad = state->grad;
    const size_t h = state->block.h, E = job->E;
    for (size_t j = 0; j < keys; j++) {
        size_t stopped = ken_size_min(first_stopped(&state->block, j0 + j), l1);
        for (size_t e = 0; e < E; e++) {
            vf dk = v_splat(0), dvector = v_splat(0);
            float a = kind == KEN_SCORE_GAT ? 1 : job->vector[h * E + e];
            for (size_t lane = l0; lane < l1; lane += LANES) {
                const float *panel = state->block.queries + lane / TILE_COLS * TILE_COLS * E;
                vf ds = v_load(state->slopes + j * QUERY_BLOCK + lane);
                vf x = v_load(panel + e * TILE_COLS + lane % TILE_COLS) +
                       state->keys[j * state->pad + e];
                vf u = attend_bend(kind, x, job->leak);
                vf slope = a * attend_bend_slope(kind, x, u, job->leak);
                float *dq = state->dq + e * QUERY_BLOCK + lane;
                v_store(dq, v_load(dq) + ds * slope);
                vf more = ds * slope;
                if (lane + LANES > stopped)
                    more = (vf)((vi)more & (v_iota() + (int32_t)lane < (int32_t)stopped));
                dk += more;
                dvector += ds * u;
            }
            size_t at = (state->block.k_row + j0 + j) * job->k_stride + state->block.kv * E + e;
            if (to_keys && grad->dk) grad->dk[at] += v_sum(dk);
            if (to_keys && grad->dvector) grad->dvector[h * E + e] += v_sum(dvector);
        }
    }
}

static void spread_sum_scores(struct state *state, size_t j0, size_t keys, size_t l0, size_t l1,
                              bool to_keys)
{
    switch (state->block.job->score) {
    case KEN_SCORE_ADDITIVE:
        spread_sums(KEN_SCORE_ADDITIVE, state, j0, keys, l0, l1, to_keys);
        break;
    case KEN_SCORE_GATV2: spread_sums(KEN_SCORE_GATV2, state, j0, keys, l0, l1, to_keys); break;
    default: spread_sums(KEN_SCORE_GAT, state, j0, keys, l0, l1, to_keys); break;
    }
}

static void add_to_bias(struct state *state, size_t j0, size_t keys, size_t l0, size_t l1)
{
    const struct block *block = &state->block;
    size_t span = block->job->span;
    float *dbias = state->grad->dbias + block->h * (2 * span + 1);
    ptrdiff_t i = (ptrdiff_t)(block->i0 + block->S) - (ptrdiff_t)block->T;
    for (size_t j = 0; j < keys; j++)
        for (size_t lane = l0; lane < l1; lane++) {
            ptrdiff_t o = i + (ptrdiff_t)lane - (ptrdiff_t)(j0 + j);
            dbias[ken_attend_bias_at(o, span)] += state->slopes[j * QUERY_BLOCK + lane];
        }
}

static void load_tile(struct state *state, size_t j0, size_t keys)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    size_t row = block->k_row + j0;
    attend_copy(state->keys, job->k + row * job->k_stride + block->kv * job->E, job->k_stride, keys,
                job->E, state->pad, 1);
    attend_copy(state->values, job->v + row * job->v_stride + block->kv * job->Ev, job->v_stride,
                keys, job->Ev, state->pad_v, 1);
}

static void visit_tile(struct state *state, size_t j0, size_t j1, unsigned parts)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    const struct ken_attend_grad *grad = state->grad;
    size_t keys = j1 - j0;
    size_t l0 = SIZE_MAX, l1 = 0; /* l0 .. l1 - 1: lanes of the panels that see keys */
    for (size_t p = 0; p < block->panels; p++) {
        struct meeting m = attend_meet(block, p, j0, j1);
        /* The products after this loop use all lanes l0 .. l1 - 1, so weights and slopes of unseen
         * keys must be 0. Without a pattern, the panels that see keys of this tile are adjacent.
         * With a pattern, a panel between them may see no key of the tile; all its numbers are set
         * to 0. */
        if (m.a < m.b || (block->sight && l1 > 0)) clear_unseen(state, p, keys, m);
        if (m.a == m.b) continue;
        if (l1 == 0) load_tile(state, j0, keys);
        l0 = ken_size_min(l0, p * TILE_COLS);
        l1 = (p + 1) * TILE_COLS;
        prefetch_next(block, p, j1);
        fill_panel(state, p, j0, m);
        slope_panel(state, p, j0, m);
        if (job->shaw_k) spread_shaw(state, p, j0, m, parts);
    }
    if (l1 == 0) return;
    bool to_keys = parts & KEN_ATTEND_KEYS;
    size_t row = block->k_row + j0;
    if (to_keys && grad->dbias && job->bias) add_to_bias(state, j0, keys, l0, l1);
    if (job->score != KEN_SCORE_DOT) spread_sum_scores(state, j0, keys, l0, l1, to_keys);
    else if (parts & KEN_ATTEND_QUERIES)
        add_to_queries(state->dq + l0 * state->pad, state->slopes + l0, QUERY_BLOCK, state->keys,
                       state->pad, keys, l1 - l0);
    if (!to_keys) return;
    if (job->pattern) stop_gradients(state, j0, keys, l1);
    if (grad->dv)
        add_to_keys(grad->dv + row * job->v_stride + block->kv * job->Ev, job->v_stride,
                    state->weights + l0, QUERY_BLOCK, state->dout_rows + l0 * state->pad_v,
                    state->pad_v, job->Ev, keys, l1 - l0);
    if (grad->dk && job->score == KEN_SCORE_DOT)
        add_to_keys(grad->dk + row * job->k_stride + block->kv * job->E, job->k_stride,
                    state->slopes + l0, QUERY_BLOCK, state->q_rows + l0 * state->pad, state->pad,
                    job->E, keys, l1 - l0);
}

/* For sparsemax: for each query, adds dw to `sum` and 1 to `count` for every key of the tile whose
 * weight is above 0. */
static void visit_support(struct state *state, size_t j0, size_t j1, float *sum, float *count)
{
    const struct block *block = &state->block;
    load_tile(state, j0, j1 - j0);
    for (size_t p = 0; p < block->panels; p++) {
        struct meeting m = attend_meet(block, p, j0, j1);
        if (m.a == m.b) continue;
        fill_panel(state, p, j0, m);
        for (size_t lane = p * TILE_COLS; lane < (p + 1) * TILE_COLS; lane += LANES)
            for (size_t j = m.a; j < m.b; j++) {
                vi there = v_load(state->weights + j * QUERY_BLOCK + lane) > 0;
                vf dw = v_load(state->slopes + j * QUERY_BLOCK + lane);
                if (block->job->dropout > 0) dw *= keep_factor(block, lane, j0 + j);
                v_store(sum + lane, v_load(sum + lane) + (vf)((vi)dw & there));
                v_store(count + lane, v_load(count + lane) + (vf)((vi)v_splat(1) & there));
            }
    }
}

/* For sparsemax: stores in row_work, for each query of the block, the mean of dw over the keys
 * whose weight is above 0. */
static void write_means(struct state *state)
{
    const struct block *block = &state->block;
    float sum[QUERY_BLOCK] = { 0 }, count[QUERY_BLOCK] = { 0 };
    for (struct ken_range t = attend_tile(block, 0); t.first < t.end;
         t = attend_tile(block, tile_after(t.first)))
        visit_support(state, t.first, t.end, sum, count);
    for (size_t i = 0; i < block->count; i++)
        state->grad->row_work[(block->q_row + i) * block->job->H + block->h] = count[i] > 0
                                                                                   ? sum[i] /
                                                                                         count[i]
                                                                                   : 0;
}

static void open_block(struct state *state, const struct ken_attend *job, size_t b, size_t h,
                       size_t i0, size_t count)
{
    struct block *block = &state->block;
    attend_open(block, block->queries, job, b, h, i0, count);
    size_t lanes = block->panels * TILE_COLS;
    const float *dout = state->grad->dout + block->q_row * job->out_stride + h * job->Ev;
    const float *out = job->out + block->q_row * job->out_stride + h * job->Ev;
    attend_copy(state->dout_rows, dout, job->out_stride, count, job->Ev, state->pad_v, 1);
    memset(state->dout_rows + count * state->pad_v, 0,
           (lanes - count) * state->pad_v * sizeof(float));
    for (size_t p = 0; p < block->panels; p++)
        pack_transposed(state->dout + p * TILE_COLS * job->Ev,
                        dout + p * TILE_COLS * job->out_stride, job->out_stride,
                        panel_lines(block, p), job->Ev);
    if (job->score == KEN_SCORE_DOT) {
        const float *q = job->q + block->q_row * job->q_stride + h * job->E;
        attend_copy(state->q_rows, q, job->q_stride, count, job->E, state->pad, job->scale);
        memset(state->q_rows + count * state->pad, 0, (lanes - count) * state->pad * sizeof(float));
    }
    for (size_t i = 0; i < lanes; i++) {
        /* in lanes without a query, a log-sum of infinity makes all weights 0 */
        bool softmax = job->weigh == KEN_WEIGH_SOFTMAX && i < count;
        bool sparsemax = job->weigh == KEN_WEIGH_SPARSEMAX && i < count;
        size_t at_row = (block->q_row + i) * job->H + h;
        state->log_sum[i] = softmax || sparsemax ? job->log_sum[at_row] : INFINITY;
        vf delta = v_splat(0);
        for (size_t e = 0; softmax && e < job->Ev; e += LANES) {
            size_t n = ken_size_min(job->Ev - e, LANES), at = i * job->out_stride + e;
            delta += v_load_some(out + at, n) * v_load_some(dout + at, n);
        }
        state->delta[i] = sparsemax ? state->grad->row_work[at_row] : v_sum(delta);
    }
    size_t size = job->score == KEN_SCORE_DOT ? lanes * state->pad : QUERY_BLOCK * job->E;
    memset(state->dq, 0, size * sizeof(float));
}

static void write_queries(struct state *state)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    bool dot = job->score == KEN_SCORE_DOT;
    for (size_t i = 0; i < block->count; i++) {
        float *dq = state->grad->dq + (block->q_row + i) * job->q_stride + block->h * job->E;
        for (size_t e = 0; dot && e < job->E; e += LANES) {
            size_t n = ken_size_min(job->E - e, LANES);
            vf more = job->scale * v_load(state->dq + i * state->pad + e);
            v_store_some(dq + e, v_load_some(dq + e, n) + more, n);
        }
        for (size_t e = 0; !dot && e < job->E; e++) dq[e] += state->dq[e * QUERY_BLOCK + i];
    }
}

void KEN_SIMD(attend_backward)(const struct ken_attend *job, const struct ken_attend_grad *grad,
                               const struct ken_attend_range *range, float *scratch)
{
    struct state state = { .grad = grad };
    state.pad = ken_size_round_up(job->E, TILE_COLS);
    state.pad_v = ken_size_round_up(job->Ev, TILE_COLS);
    state.block.queries = scratch;
    state.q_rows = state.block.queries + QUERY_BLOCK * job->E;
    state.dq = state.q_rows + QUERY_BLOCK * state.pad;
    state.dout = state.dq + QUERY_BLOCK * state.pad;
    state.dout_rows = state.dout + QUERY_BLOCK * job->Ev;
    state.keys = state.dout_rows + QUERY_BLOCK * state.pad_v;
    state.values = state.keys + KEY_TILE * state.pad;
    state.weights = state.values + KEY_TILE * state.pad_v;
    state.slopes = state.weights + KEY_TILE * QUERY_BLOCK;
    state.table = state.slopes + KEY_TILE * QUERY_BLOCK;
    state.block.sight = attend_sight(job, scratch);
    for (size_t i = range->i0; i < range->i1; i += QUERY_BLOCK) {
        size_t count = ken_size_min(range->i1 - i, QUERY_BLOCK);
        open_block(&state, job, range->b, range->h, i, count);
        if (range->parts == KEN_ATTEND_MEANS) {
            write_means(&state);
            continue;
        }
        for (struct ken_range t = attend_tile(&state.block, range->j0);
             t.first < t.end && t.first < range->j1;
             t = attend_tile(&state.block, tile_after(t.first)))
            visit_tile(&state, t.first, t.end, range->parts);
        if (grad->dq && (range->parts & KEN_ATTEND_QUERIES)) write_queries(&state);
    }
}
