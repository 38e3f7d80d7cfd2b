/* vattend_few.c - forward attention of a few queries, as when a sequence is generated row by row. A
 * panel of queries would be nearly empty, so lanes are keys in the scores and columns in the
 * output. Every score, sum and output is computed by the same chain of operations as in
 * vattend_forward.c, so it has the same bits. */
#include "kernel/simd/vattend.h"

#include <math.h>

/* Spare floats on both sides of the scores, because scores are written in whole panels. */
enum { SPARE = TILE_COLS };

/* One query of one head, with its work space. */
struct query {
    const struct ken_attend *job;
    const float *k, *v; /* first key and first value of the sequence, for this head */
    float *panel;       /* [E][TILE_COLS]: a panel of keys, transposed              */
    float base, sum;    /* base and sum of online softmax, as in vattend_forward.c  */
    float q[KEN_ATTEND_WIDEST];
    float out[KEN_ATTEND_WIDEST + LANES];
};

/* Computes scores[j - a] = q . k_j for keys a .. b - 1, a panel of TILE_COLS keys at a time. If
 * fewer keys are left for the last panel, it begins earlier and computes some scores again. */
static void score_keys(struct query *query, float *scores, size_t a, size_t b)
{
    const struct ken_attend *job = query->job;
    struct operand q = { query->q, 0, 1 }, keys = { query->panel, 0, TILE_COLS };
    for (size_t j = a; j < b; j += TILE_COLS) {
        size_t from = b - j >= TILE_COLS ? j : b >= TILE_COLS ? b - TILE_COLS : 0;
        pack_transposed(query->panel, query->k + from * job->k_stride, job->k_stride,
                        ken_size_min(b - from, TILE_COLS), job->E);
        tile_fixed(scores + (ptrdiff_t)(from - a), 0, q, keys, job->E, false, 1);
    }
}

/* Turns scores into weights e^(s - base) and adds the weights to the sum. If the largest score is
 * far above the base, the base is raised first. */
static void weigh(struct query *query, float *scores, size_t n)
{
    size_t whole = ken_size_round_up(n, LANES);
    vf most = v_splat(-INFINITY);
    for (size_t j = n; j < whole; j++) scores[j] = -INFINITY;
    for (size_t j = 0; j < whole; j += LANES) most = v_max(v_load(scores + j), most);
    float highest = v_max_lane(most);
    if (highest > query->base + ATTEND_SLACK) {
        float shrink = v_exp_weight(v_splat(query->base - highest))[0];
        query->base = highest;
        query->sum *= shrink;
        for (size_t e = 0; e < query->job->Ev; e++) query->out[e] *= shrink;
    }
    vf base = v_splat(query->base == -INFINITY ? 0 : query->base);
    for (size_t j = 0; j < whole; j += LANES)
        v_store(scores + j, v_exp_weight(v_load(scores + j) - base));
    for (size_t j = 0; j < n; j++) query->sum += scores[j];
}

/* Adds the weighted values of n keys: out += sum over j of w_j v_j, for `vectors` vectors of
 * columns at once. */
INLINE void add_columns(float *out, const float *v, size_t stride, const float *w, size_t n,
                        const size_t vectors)
{
    vf sum[8];
    UNROLL
    for (size_t i = 0; i < vectors; i++) sum[i] = v_load(out + i * LANES);
    for (size_t j = 0; j < n; j++, v += stride) {
        vf x = v_splat(w[j]);
        UNROLL
        for (size_t i = 0; i < vectors; i++) sum[i] += v_load(v + i * LANES) * x;
    }
    UNROLL
    for (size_t i = 0; i < vectors; i++) v_store(out + i * LANES, sum[i]);
}

static void add_values(struct query *query, const float *w, size_t a, size_t n)
{
    size_t Ev = query->job->Ev, stride = query->job->v_stride, e = 0;
    const float *v = query->v + a * stride;
    for (; e + 8 * LANES <= Ev; e += 8 * LANES) add_columns(query->out + e, v + e, stride, w, n, 8);
    for (; e + 4 * LANES <= Ev; e += 4 * LANES) add_columns(query->out + e, v + e, stride, w, n, 4);
    for (; e + LANES <= Ev; e += LANES) add_columns(query->out + e, v + e, stride, w, n, 1);
    /* the last columns use vectors too: a plain loop might not fuse multiply and add */
    vf rest = v_load(query->out + e);
    for (size_t j = 0; e < Ev && j < n; j++) rest += v_load_some(v + j * stride + e, Ev - e) * w[j];
    v_store(query->out + e, rest);
}

/* Computes the weights of one tile, from the first to the last visible key, and adds the weighted
 * values. Each score is stored at the index of its key, so a panel of keys that begins too early
 * only writes into a gap between two ranges. */
static void run_tile(struct query *query, const struct ken_range *ranges, size_t count, size_t j0)
{
    float all[SPARE + KEY_TILE + SPARE], *scores = all + SPARE;
    size_t j1 = j0 + KEY_TILE, first = ken_size_max(ranges[0].first, j0), end = 0;
    for (size_t r = 0; r < count; r++) {
        size_t a = ken_size_max(ranges[r].first, j0), b = ken_size_min(ranges[r].end, j1);
        score_keys(query, scores + (a - first), a, b);
    }
    /* hide the gaps after all scores are written, because a panel may also write into the next
     * gap */
    for (size_t r = 0; r < count; r++) {
        size_t a = ken_size_max(ranges[r].first, j0);
        for (size_t j = end; r > 0 && j < a; j++) scores[j - first] = -INFINITY;
        end = ken_size_min(ranges[r].end, j1);
    }
    weigh(query, scores, end - first);
    add_values(query, scores, first, end - first);
}

/* Computes the output of one query, tile by tile. Tiles begin at the same keys as in
 * vattend_forward.c. */
static void run_query(struct query *query, const struct ken_range *ranges, size_t count)
{
    query->base = -INFINITY;
    query->sum = 0;
    memset(query->out, 0, query->job->Ev * sizeof(float));
    for (size_t r = 0, from = 0; r < count;) {
        size_t j0 = ken_size_max(from, ranges[r].first), next = r;
        j0 -= j0 % KEY_TILE;
        from = j0 + KEY_TILE;
        while (next < count && ranges[next].first < from) next++;
        run_tile(query, ranges + r, next - r, j0);
        while (r < count && ranges[r].end <= from) r++;
    }
}

void attend_few(const struct ken_attend *job, size_t b, size_t h, size_t i0, size_t count,
                float *scratch)
{
    struct query query = { .job = job, .panel = scratch };
    size_t T = job->q_start[b + 1] - job->q_start[b], S = ken_attend_keys(job, b);
    size_t kv = h / (job->H / job->KV);
    query.k = job->k + job->k_start[b] * job->k_stride + kv * job->E;
    query.v = job->v + job->k_start[b] * job->v_stride + kv * job->Ev;
    for (size_t i = i0; i < i0 + count; i++) {
        size_t row = job->q_start[b] + i, count_seen = 1;
        struct ken_range seen[KEN_PATTERN_RANGES];
        const float *q = job->q + row * job->q_stride + h * job->E;
        for (size_t e = 0; e < job->E; e++) query.q[e] = q[e] * job->scale;
        if (job->pattern)
            count_seen = ken_pattern_ranges(seen, job->pattern, (ptrdiff_t)(i + S) - (ptrdiff_t)T,
                                            S);
        else ken_attend_reach(&seen[0].first, &seen[0].end, job, i, T, S);
        run_query(&query, seen, seen[0].first < seen[0].end ? count_seen : 0);
        float factor = query.sum > 0 ? 1 / query.sum : 0;
        float *out = job->out + row * job->out_stride + h * job->Ev;
        for (size_t e = 0; e < job->Ev; e++) out[e] = query.out[e] * factor;
        if (job->log_sum)
            job->log_sum[row * job->H + h] = query.sum > 0 ? query.base + logf(query.sum)
                                                           : INFINITY;
    }
}
