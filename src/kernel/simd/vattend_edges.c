/* vattend_edges.c - forward attention along lists of edges, query by query: time and memory are
 * proportional to the number of edges. Backward is in vattend_edges_backward.c. */
#include "kernel/simd/vattend_edges.h"

#include <math.h>

void add_numbers(const struct desk *desk, float *s, const float *p, size_t first, size_t n)
{
    const size_t H = desk->job->H, K = desk->job->K;
    const float *numbers = desk->job->edge_numbers + first * K;
    for (size_t h = 0; h < H; h++)
        for (size_t k = 0; k < K; k++) desk->turned[k * desk->pad + h] = p[h * K + k];
    for (size_t h = 0; h < H; h += LANES) {
        size_t heads = ken_size_min(H - h, LANES);
        for (size_t x = 0; x < n; x++) {
            vf sum = v_load_some(s + x * H + h, heads);
            for (size_t k = 0; k < K; k++)
                sum += numbers[x * K + k] * v_load(desk->turned + k * desk->pad + h);
            v_store_some(s + x * H + h, sum, heads);
        }
    }
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Computes the scores a . f(q + k) of one query and n edges: s[x * H] of edge x for one head of
 * width `width`. If `flat`, each head is one number wide, and s[x * H + h] is computed for all
 * heads h at once. */
INLINE void sum_scores(enum ken_score kind, bool flat, float *s, size_t H, const float *q,
                       const float *k, size_t stride, const uint32_t *keys, size_t n, size_t width,
                       const float *vector, float leak)
{
    for (size_t x = 0; x < n; x++) {
        const float *row = k + keys[x] * stride;
        vf sum = v_splat(0);
        for (size_t e = 0; e < width; e += LANES) {
            size_t count = ken_size_min(width - e, LANES);
            vf u = v_load_some(q + e, count) + v_load_some(row + e, count);
            u = attend_bend(kind, u, leak);
            if (kind != KEN_SCORE_GAT) u *= v_load_some(vector + e, count);
            if (flat) v_store_some(s + x * H + e, u, count);
            sum += u;
        }
        if (!flat) s[x * H] = v_sum(sum);
    }
}

INLINE void score_sums(enum ken_score kind, float *s, const struct desk *desk, size_t i,
                       const uint32_t *keys, size_t n)
{
    const struct ken_attend *job = desk->job;
    const size_t E = job->E, H = job->H;
    const float *q = job->q + i * job->q_stride;
    if (is_flat(job)) {
        prefetch_rows(desk, job->k, job->k_stride, H);
        sum_scores(kind, true, s, H, q, job->k, job->k_stride, keys, n, H, job->vector, job->leak);
        return;
    }
    for (size_t h = 0; h < H; h++) {
        const float *k = job->k + shared_head(job, h) * E;
        prefetch_rows(desk, k, job->k_stride, E);
        sum_scores(kind, false, s + h, H, q + h * E, k, job->k_stride, keys, n, E,
                   vector_of(job, h), job->leak);
    }
}

static void score_dots(float *s, const struct desk *desk, size_t i, const uint32_t *keys, size_t n)
{
    const struct ken_attend *job = desk->job;
    const size_t E = job->E, H = job->H;
    float q[KEN_ATTEND_WIDEST];
    for (size_t h = 0; h < H; h++) {
        const float *k = job->k + shared_head(job, h) * E;
        for (size_t e = 0; e < E; e++) q[e] = job->scale * job->q[i * job->q_stride + h * E + e];
        prefetch_rows(desk, k, job->k_stride, E);
        row_dots(s + h, H, q, k, job->k_stride, keys, n, E);
    }
}

static void score_edges(float *s, const struct desk *desk, size_t i, const uint32_t *keys, size_t n)
{
    switch (desk->job->score) {
    case KEN_SCORE_ADDITIVE: score_sums(KEN_SCORE_ADDITIVE, s, desk, i, keys, n); break;
    case KEN_SCORE_GATV2: score_sums(KEN_SCORE_GATV2, s, desk, i, keys, n); break;
    case KEN_SCORE_GAT: score_sums(KEN_SCORE_GAT, s, desk, i, keys, n); break;
    default: score_dots(s, desk, i, keys, n); break;
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static vf largest(const float *scores, size_t n, size_t H, size_t heads)
{
    vf most = v_splat(-INFINITY);
    for (size_t x = 0; x < n; x++) most = v_max(v_load_some(scores + x * H, heads), most);
    return most;
}

/* Finds the threshold tau of sparsemax for up to LANES heads, by the Newton steps of
 * vattend_threshold.c. */
static vf threshold(const float *scores, size_t n, size_t H, size_t heads)
{
    vf tau = largest(scores, n, H, heads) - 1, before = v_splat(INFINITY);
    vi active = v_splat_int(-1);
    while (v_any(active)) {
        vf excess = v_splat(0), count = v_splat(0);
        for (size_t x = 0; x < n; x++) {
            vf over = v_load_some(scores + x * H, heads) - tau;
            excess += v_max(v_splat(0), over); /* NaN stays NaN */
            count += (vf)((vi)v_splat(1) & (over > 0));
        }
        tau = v_select(active & (count > 0), tau + (excess - 1) / count, tau);
        active &= count < before;
        before = count;
    }
    return tau;
}

/* Turns the scores of one query's n edges into weights, for up to LANES heads. */
INLINE void weigh_heads(enum ken_weigh kind, float *w, size_t n, size_t H, size_t heads)
{
    vf number = v_splat((float)n), log_n = v_splat(logf((float)n)), base = v_splat(0), sum = base;
    if (kind == KEN_WEIGH_SOFTMAX) base = largest(w, n, H, heads);
    if (kind == KEN_WEIGH_SPARSEMAX) base = threshold(w, n, H, heads);
    for (size_t x = 0; x < n; x++) {
        vf weight = attend_weight(kind, v_load_some(w + x * H, heads), number, log_n, base);
        sum += weight;
        v_store_some(w + x * H, weight, heads);
    }
    vf factor = 1 / sum;
    for (size_t x = 0; kind == KEN_WEIGH_SOFTMAX && x < n; x++)
        v_store_some(w + x * H, v_load_some(w + x * H, heads) * factor, heads);
}

static void weigh_edges(float *w, const struct ken_attend *job, size_t n)
{
    for (size_t h = 0; h < job->H; h += LANES) {
        size_t heads = ken_size_min(job->H - h, LANES);
        if (job->weigh == KEN_WEIGH_SOFTMAX)
            weigh_heads(KEN_WEIGH_SOFTMAX, w + h, n, job->H, heads);
        else weigh_heads(job->weigh, w + h, n, job->H, heads);
    }
}

/* Returns the weights after dropout of edges first .. first + n - 1, for all heads; n must be at
 * most desk->most. */
static const float *keep_weights(const struct desk *desk, const float *w, size_t first, size_t n)
{
    const size_t H = desk->job->H;
    if (desk->job->dropout == 0) return w;
    for (size_t h = 0; h < H; h += LANES) {
        size_t heads = ken_size_min(H - h, LANES);
        for (size_t x = 0; x < n; x++)
            v_store_some(desk->kept + x * H + h,
                         v_load_some(w + x * H + h, heads) * keep_edge(desk, first + x, h), heads);
    }
    return desk->kept;
}

/* ---- one query ------------------------------------------------------------------------------- */

static void forward_row(const struct desk *desk, size_t i)
{
    const struct ken_attend *job = desk->job;
    const size_t H = job->H, Ev = job->Ev, K = job->K, first = job->edges->key_start[i];
    const size_t n = job->edges->key_start[i + 1] - first;
    const uint32_t *keys = job->edges->key + first;
    float *out = job->out + i * job->out_stride, *w = job->log_sum + first * H;
    float *edge_out = job->edge_query ? job->edge_out + i * H * K : NULL;
    memset(out, 0, H * Ev * sizeof *out);
    if (edge_out) memset(edge_out, 0, H * K * sizeof *edge_out);
    if (n == 0) return;
    score_edges(w, desk, i, keys, n);
    if (edge_out) add_numbers(desk, w, job->edge_query + i * H * K, first, n);
    weigh_edges(w, job, n);
    for (size_t x = 0; x < n; x += desk->most) {
        size_t count = ken_size_min(n - x, desk->most);
        const float *kept = keep_weights(desk, w + x * H, first + x, count);
        for (size_t h = 0; h < H; h++) {
            const float *v = job->v + shared_head(job, h) * Ev;
            if (x == 0) prefetch_rows(desk, v, job->v_stride, Ev);
            row_sums(out + h * Ev, v, job->v_stride, keys + x, kept + h, H, count, Ev);
        }
        for (size_t h = 0; edge_out && h < H; h++)
            row_sums(edge_out + h * K, job->edge_numbers + (first + x) * K, K, NULL, kept + h, H,
                     count, K);
    }
}

void KEN_SIMD(attend_edges_forward)(const struct ken_attend *job, size_t i0, size_t i1,
                                    float *scratch)
{
    struct desk desk = lay_desk(job, scratch);
    for (size_t i = i0; i < i1; i++) {
        look_ahead(&desk, job->edges->key_start, job->edges->key, i, i1);
        forward_row(&desk, i);
    }
}
