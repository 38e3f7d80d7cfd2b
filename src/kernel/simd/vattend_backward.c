/* vattend_backward.c - gradients of attention, tile by tile, from q, k, v, out and the log-sums:
 *   w = e^(s - log_sum)          dw = keep . (dout v^T)        D_i = dout_i . out_i
 *   ds = w . (dw - D)  (softmax; the other weighs have a slope of their own)
 *   dv += (keep . w)^T dout      dk += ds^T (scale q)          dq += scale ds k
 * A call covers a range of queries and a range of keys and adds up in the order of queries and
 * keys, so it does not matter for the bits how the ranges are cut or who computes them. */
#include "kernel/simd/vattend.h"

#include <math.h>

struct state {
    struct block block;
    const struct ken_attend_grad *grad;
    size_t pad, pad_v;         /* E and Ev rounded up to whole tiles                         */
    float *q_rows, *dout_rows; /* [query][pad], scaled; [query][pad_v]                       */
    float *dout;               /* [panel][Ev][TILE_COLS], transposed                         */
    float *keys, *values;      /* [KEY_TILE][pad], [KEY_TILE][pad_v]                         */
    float *weights, *slopes;   /* [KEY_TILE][QUERY_BLOCK]: w (then keep . w), and ds         */
    float *dq;                 /* [query][pad] for dot, else [E][QUERY_BLOCK]                */
    float log_sum[QUERY_BLOCK], delta[QUERY_BLOCK]; /* delta is D                             */
};

/* ds from w and dw, in place of dw; w becomes keep . w. One vector of lanes down the keys. */
INLINE void slope_lanes(enum ken_weigh kind, bool drops, struct state *state, size_t lane,
                        size_t j0, struct meeting m)
{
    const struct block *block = &state->block;
    vf delta = v_load(state->delta + lane);
    vf n = seen_count(block, lane);
    for (size_t j = m.a; j < m.b; j++) {
        float *weights = state->weights + j * QUERY_BLOCK + lane;
        float *slopes = state->slopes + j * QUERY_BLOCK + lane;
        vf w = v_load(weights), dw = v_load(slopes), ds;
        if (drops) {
            vf keep = keep_factor(block, lane, j0 + j);
            v_store(weights, w * keep);
            dw *= keep;
        }
        if (kind == KEN_WEIGH_SOFTMAX) ds = w * (dw - delta);
        else if (kind == KEN_WEIGH_SIGMOID) ds = w * (1 - w) * dw;
        else if (kind == KEN_WEIGH_RELU) ds = (vf)((vi)(dw / n) & (w > 0));
        else ds = dw / n;
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

/* Unseen keys of the tile count as weight 0: the products below run over whole panels. */
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

/* w and ds of one panel with the tile of keys at j0. */
static void fill_panel(struct state *state, size_t p, size_t j0, size_t keys, struct meeting m)
{
    const struct block *block = &state->block;
    const struct ken_attend *job = block->job;
    float *weights = state->weights + p * TILE_COLS;
    clear_unseen(state, p, keys, m);
    attend_scores(weights, QUERY_BLOCK, block, p, state->keys, state->pad, j0, m);
    attend_weigh(weights, QUERY_BLOCK, block, p, j0, m, state->log_sum);
    float *slopes = state->slopes + p * TILE_COLS;
    struct operand dout = { state->dout + p * TILE_COLS * job->Ev, 0, TILE_COLS };
    for (size_t j = m.a; j < m.b; j += TILE_ROWS) {
        struct operand v = { state->values + j * state->pad_v, state->pad_v, 1 };
        tile_edge(slopes + j * QUERY_BLOCK, QUERY_BLOCK, v, dout, job->Ev, false,
                  ken_size_min(m.b - j, TILE_ROWS), TILE_COLS);
    }
    slope_panel(state, p, j0, m);
}

/* d[key][e] += sum over the lanes l0 .. l1-1 of part[key][lane] rows[lane][e]: dv and dk. */
static void add_to_keys(float *d, size_t stride, const float *part, const float *rows, size_t pad,
                        size_t width, size_t keys, size_t l0, size_t l1)
{
    for (size_t e = 0; e < width; e += TILE_COLS)
        for (size_t j = 0; j < keys; j += TILE_ROWS) {
            struct operand a = { part + j * QUERY_BLOCK + l0, QUERY_BLOCK, 1 };
            struct operand b = { rows + l0 * pad + e, 0, pad };
            tile_edge(d + j * stride + e, stride, a, b, l1 - l0, true,
                      ken_size_min(keys - j, TILE_ROWS), ken_size_min(width - e, TILE_COLS));
        }
}

/* dq[lane][e] += sum over keys of ds[key][lane] k[key][e] */
static void add_to_queries(struct state *state, size_t keys, size_t l0, size_t l1)
{
    for (size_t e = 0; e < state->pad; e += TILE_COLS)
        for (size_t i = l0; i < l1; i += TILE_ROWS) {
            struct operand a = { state->slopes + i, 1, QUERY_BLOCK };
            struct operand b = { state->keys + e, 0, state->pad };
            tile_edge(state->dq + i * state->pad + e, state->pad, a, b, keys, true,
                      ken_size_min(l1 - i, TILE_ROWS), TILE_COLS);
        }
}

/* Additive and GAT scores: s = f(q_i + k_j) entry by entry, so dq and dk have the same terms. */
static void spread_sums(struct state *state, size_t j0, size_t keys, size_t l0, size_t l1,
                        bool to_keys)
{
    const struct ken_attend *job = state->block.job;
    const struct ken_attend_grad *grad = state->grad;
    const size_t h = state->block.h, E = job->E;
    bool additive = job->score == KEN_SCORE_ADDITIVE;
    for (size_t j = 0; j < keys; j++)
        for (size_t e = 0; e < E; e++) {
            vf dk = v_splat(0), dvector = v_splat(0);
            for (size_t lane = l0; lane < l1; lane += LANES) {
                const float *panel = state->block.queries + lane / TILE_COLS * TILE_COLS * E;
                vf ds = v_load(state->slopes + j * QUERY_BLOCK + lane);
                vf x = v_load(panel + e * TILE_COLS + lane % TILE_COLS) +
                       state->keys[j * state->pad + e];
                vf u = additive ? v_tanh(x) : x;
                vf slope = additive ? job->vector[h * E + e] * (1 - u * u)
                                    : v_select(x < 0, v_splat(job->leak), v_splat(1));
                float *dq = state->dq + e * QUERY_BLOCK + lane;
                v_store(dq, v_load(dq) + ds * slope);
                dk += ds * slope;
                dvector += ds * u;
            }
            size_t at = (state->block.k_row + j0 + j) * job->k_stride + state->block.kv * E + e;
            if (to_keys && grad->dk) grad->dk[at] += v_sum(dk);
            if (to_keys && additive && grad->dvector) grad->dvector[h * E + e] += v_sum(dvector);
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
    size_t keys = j1 - j0, l0 = SIZE_MAX, l1 = 0; /* lanes of the panels that meet the tile */
    for (size_t p = 0; p < block->panels; p++) {
        struct meeting m = attend_meet(block, p, j0, j1);
        if (m.a == m.b) continue; /* those that do are neighbours: reach moves with the query */
        if (l1 == 0) load_tile(state, j0, keys);
        l0 = ken_size_min(l0, p * TILE_COLS);
        l1 = (p + 1) * TILE_COLS;
        prefetch_next(block, p, j1);
        fill_panel(state, p, j0, keys, m);
    }
    if (l1 == 0) return;
    bool to_keys = parts & KEN_ATTEND_KEYS;
    size_t row = block->k_row + j0;
    if (to_keys && grad->dv)
        add_to_keys(grad->dv + row * job->v_stride + block->kv * job->Ev, job->v_stride,
                    state->weights, state->dout_rows, state->pad_v, job->Ev, keys, l0, l1);
    if (to_keys && grad->dbias && job->bias) add_to_bias(state, j0, keys, l0, l1);
    if (job->score != KEN_SCORE_DOT) {
        spread_sums(state, j0, keys, l0, l1, to_keys);
        return;
    }
    if (to_keys && grad->dk)
        add_to_keys(grad->dk + row * job->k_stride + block->kv * job->E, job->k_stride,
                    state->slopes, state->q_rows, state->pad, job->E, keys, l0, l1);
    if (parts & KEN_ATTEND_QUERIES) add_to_queries(state, keys, l0, l1);
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
        /* lanes without a query: a sum of infinity makes all their weights 0 */
        bool softmax = job->weigh == KEN_WEIGH_SOFTMAX && i < count;
        state->log_sum[i] = softmax ? job->log_sum[(block->q_row + i) * job->H + h] : INFINITY;
        vf delta = v_splat(0);
        for (size_t e = 0; softmax && e < job->Ev; e += LANES) {
            size_t n = ken_size_min(job->Ev - e, LANES), at = i * job->out_stride + e;
            delta += v_load_some(out + at, n) * v_load_some(dout + at, n);
        }
        state->delta[i] = v_sum(delta);
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
    for (size_t i = range->i0; i < range->i1; i += QUERY_BLOCK) {
        size_t count = ken_size_min(range->i1 - i, QUERY_BLOCK);
        open_block(&state, job, range->b, range->h, i, count);
        size_t first = ken_size_max((size_t)state.block.first[0], range->j0);
        size_t end = ken_size_min((size_t)state.block.end[count - 1], range->j1);
        for (size_t j = first - first % KEY_TILE; j < end; j += KEY_TILE)
            visit_tile(&state, ken_size_max(j, range->j0),
                       ken_size_min(ken_size_min(j + KEY_TILE, range->j1), state.block.S),
                       range->parts);
        if (grad->dq && (range->parts & KEN_ATTEND_QUERIES)) write_queries(&state);
    }
}
