/* vattend_edges_backward.c - gradients of attention along edges. The first pass walks queries and
 * their keys, the second pass keys and their queries, so that only one task writes each row. With f
 * the features of an edge, p_i the query's factors of the features, and w and ds as in
 * vattend_backward.c:
 *   dw_ij = keep_ij (dout_i . v_j + dedge_out_i . f_ij)      dp_i += sum over j of ds_ij f_ij */
#include "kernel/simd/vattend_edges.h"

/* ---- slopes of scores ------------------------------------------------------------------------ */

/* First applies dropout to the weight gradients dw, then replaces them by the score gradients ds,
 * for edges first .. first + n - 1 and up to LANES heads. */
INLINE void slope_heads(enum ken_weigh kind, const struct desk *desk, float *ds, const float *w,
                        size_t first, size_t n, size_t h)
{
    const size_t H = desk->job->H, heads = ken_size_min(H - h, LANES);
    const bool drops = desk->job->dropout > 0;
    vf sum = v_splat(0), count = v_splat(0);
    for (size_t x = 0; x < n; x++) {
        vf dw = v_load_some(ds + x * H + h, heads), weight = v_load_some(w + x * H + h, heads);
        if (drops) {
            dw *= keep_edge(desk, first + x, h);
            v_store_some(ds + x * H + h, dw, heads);
        }
        sum += kind == KEN_WEIGH_SPARSEMAX ? (vf)((vi)dw & (weight > 0)) : weight * dw;
        count += (vf)((vi)v_splat(1) & (weight > 0));
    }
    if (kind == KEN_WEIGH_SPARSEMAX) sum /= v_max(count, v_splat(1));
    for (size_t x = 0; x < n; x++) {
        vf dw = v_load_some(ds + x * H + h, heads), weight = v_load_some(w + x * H + h, heads);
        v_store_some(ds + x * H + h, attend_slope(kind, weight, dw, sum, v_splat((float)n)), heads);
    }
}

static void slope_edges(const struct desk *desk, float *ds, const float *w, size_t first, size_t n)
{
    for (size_t h = 0; h < desk->job->H; h += LANES) {
        if (desk->job->weigh == KEN_WEIGH_SOFTMAX)
            slope_heads(KEN_WEIGH_SOFTMAX, desk, ds, w, first, n, h);
        else slope_heads(desk->job->weigh, desk, ds, w, first, n, h);
    }
}

/* ---- dq and dk: sums over the rows at the other ends of edges -------------------------------- */

/* One head of a row, the rows at the other ends of n of its edges, and the score gradients ds of
 * these edges. */
struct side {
    float *d;         /* gradient of the row, which is added to; or NULL          */
    float *dvector;   /* gradient of the score vector, which is added to; or NULL */
    const float *own; /* the row itself: a query or a key                         */
    const float *other, *vector;
    size_t stride;
    const uint32_t *rows;
    const float *ds; /* score gradients of the n edges, H floats apart */
    size_t n;
};

/* Adds the gradients of additive, GAT and GATv2 scores, a . f(own + other):
 *   d += a . sum of ds f'(own + other)      dvector += sum of ds f(own + other) */
INLINE void spread_sums(enum ken_score kind, bool flat, const struct side *side, size_t H,
                        size_t width, float leak)
{
    for (size_t e = 0; e < width; e += LANES) {
        size_t count = ken_size_min(width - e, LANES);
        vf own = v_load_some(side->own + e, count), d = v_splat(0), dvector = v_splat(0);
        for (size_t x = 0; x < side->n; x++) {
            const float *ds_of = side->ds + x * H;
            vf ds = flat ? v_load_some(ds_of + e, count) : v_splat(*ds_of);
            vf sum = own + v_load_some(side->other + side->rows[x] * side->stride + e, count);
            vf u = attend_bend(kind, sum, leak);
            d += ds * attend_bend_slope(kind, sum, u, leak);
            dvector += ds * u;
        }
        if (kind != KEN_SCORE_GAT) d *= v_load_some(side->vector + e, count);
        if (side->d) v_store_some(side->d + e, v_load_some(side->d + e, count) + d, count);
        if (side->dvector)
            v_store_some(side->dvector + e, v_load_some(side->dvector + e, count) + dvector, count);
    }
}

/* Adds the gradient of dot scores: d += scale * (sum over the edges of ds * other), where `other`
 * is the row at the other end of the edge. */
static void spread_dots(const struct ken_attend *job, const struct side *side, size_t width)
{
    float sum[KEN_ATTEND_WIDEST];
    memset(sum, 0, width * sizeof *sum);
    row_sums(sum, side->other, side->stride, side->rows, side->ds, job->H, side->n, width);
    for (size_t e = 0; e < width; e++) side->d[e] += job->scale * sum[e];
}

static void spread(const struct desk *desk, const struct side *side, size_t width)
{
    const struct ken_attend *job = desk->job;
    const bool flat = is_flat(job);
    prefetch_rows(desk, side->other, side->stride, width);
    switch (job->score) {
    case KEN_SCORE_ADDITIVE:
        spread_sums(KEN_SCORE_ADDITIVE, flat, side, job->H, width, job->leak);
        break;
    case KEN_SCORE_GATV2: spread_sums(KEN_SCORE_GATV2, flat, side, job->H, width, job->leak); break;
    case KEN_SCORE_GAT: spread_sums(KEN_SCORE_GAT, flat, side, job->H, width, job->leak); break;
    default: spread_dots(job, side, width); break;
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Adds to dq of query i, and adds the query's part of the gradient to dvector. */
static void spread_to_query(const struct desk *desk, const struct ken_attend_grad *grad,
                            float *dvector, size_t i)
{
    const struct ken_attend *job = desk->job;
    const size_t H = job->H, E = job->E, first = job->edges->key_start[i];
    const bool flat = is_flat(job);
    for (size_t h = 0; h < (flat ? 1 : H); h++) {
        struct side side = { .d = grad->dq ? grad->dq + i * job->q_stride + h * E : NULL,
                             .dvector = dvector ? dvector + h * E : NULL,
                             .own = job->q + i * job->q_stride + h * E,
                             .other = job->k + shared_head(job, h) * E,
                             .vector = vector_of(job, h),
                             .stride = job->k_stride,
                             .rows = job->edges->key + first,
                             .ds = grad->edge_work + first * H + h,
                             .n = job->edges->key_start[i + 1] - first };
        spread(desk, &side, flat ? H : E);
    }
}

static void query_row(const struct desk *desk, const struct ken_attend_grad *grad, float *dvector,
                      size_t i)
{
    const struct ken_attend *job = desk->job;
    const size_t H = job->H, Ev = job->Ev, K = job->K, first = job->edges->key_start[i];
    const size_t n = job->edges->key_start[i + 1] - first;
    float *ds = grad->edge_work + first * H;
    for (size_t h = 0; h < H; h++) {
        const float *v = job->v + shared_head(job, h) * Ev;
        prefetch_rows(desk, v, job->v_stride, Ev);
        row_dots(ds + h, H, grad->dout + i * job->out_stride + h * Ev, v, job->v_stride,
                 job->edges->key + first, n, Ev);
    }
    if (job->edge_query && grad->dedge_out)
        add_numbers(desk, ds, grad->dedge_out + i * H * K, first, n);
    slope_edges(desk, ds, job->log_sum + first * H, first, n);
    if (grad->dq || dvector) spread_to_query(desk, grad, dvector, i);
    for (size_t h = 0; job->edge_query && grad->dedge_query && h < H; h++)
        row_sums(grad->dedge_query + (i * H + h) * K, job->edge_numbers + first * K, K, NULL,
                 ds + h, H, n, K);
}

void KEN_SIMD(attend_edges_queries)(const struct ken_attend *job,
                                    const struct ken_attend_grad *grad, float *dvector, size_t i0,
                                    size_t i1, float *scratch)
{
    struct desk desk = lay_desk(job, scratch);
    for (size_t i = i0; i < i1; i++) {
        look_ahead(&desk, job->edges->key_start, job->edges->key, i, i1);
        if (job->edges->key_start[i] < job->edges->key_start[i + 1])
            query_row(&desk, grad, dvector, i);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Copies the weights after dropout and the score gradients of n listed edges to desk->kept and
 * desk->slopes, so that they lie one after another; n must be at most desk->most. */
static void gather(const struct desk *desk, const struct ken_attend_grad *grad,
                   const uint32_t *edges, size_t n)
{
    const struct ken_attend *job = desk->job;
    const size_t H = job->H;
    for (size_t h = 0; h < H; h += LANES) {
        size_t heads = ken_size_min(H - h, LANES);
        for (size_t y = 0; y < n; y++) {
            size_t at = edges[y] * H + h;
            vf w = v_load_some(job->log_sum + at, heads);
            if (job->dropout > 0) w *= keep_edge(desk, edges[y], h);
            v_store_some(desk->kept + y * H + h, w, heads);
            v_store_some(desk->slopes + y * H + h, v_load_some(grad->edge_work + at, heads), heads);
        }
    }
}

/* Adds to dk and dv of key j the gradients that come from n of the key's edges. These edges begin
 * at entry y of edges->query. */
static void key_part(const struct desk *desk, const struct ken_attend_grad *grad, size_t j,
                     size_t y, size_t n)
{
    const struct ken_attend *job = desk->job;
    const size_t H = job->H, E = job->E, Ev = job->Ev;
    const uint32_t *queries = job->edges->query + y;
    const bool flat = is_flat(job);
    gather(desk, grad, job->edges->edge + y, n);
    for (size_t h = 0; grad->dv && h < H; h++) {
        prefetch_rows(desk, grad->dout + h * Ev, job->out_stride, Ev);
        row_sums(grad->dv + j * job->v_stride + shared_head(job, h) * Ev, grad->dout + h * Ev,
                 job->out_stride, queries, desk->kept + h, H, n, Ev);
    }
    for (size_t h = 0; grad->dk && h < (flat ? 1 : H); h++) {
        size_t at = j * job->k_stride + shared_head(job, h) * E;
        struct side side = { .d = grad->dk + at,
                             .own = job->k + at,
                             .other = job->q + h * E,
                             .vector = vector_of(job, h),
                             .stride = job->q_stride,
                             .rows = queries,
                             .ds = desk->slopes + h,
                             .n = n };
        spread(desk, &side, flat ? H : E);
    }
}

void KEN_SIMD(attend_edges_keys)(const struct ken_attend *job, const struct ken_attend_grad *grad,
                                 size_t j0, size_t j1, float *scratch)
{
    struct desk desk = lay_desk(job, scratch);
    for (size_t j = j0; j < j1; j++) {
        size_t end = job->edges->query_start[j + 1];
        look_ahead(&desk, job->edges->query_start, job->edges->edge, j, j1);
        prefetch_rows(&desk, job->log_sum, job->H, job->H);
        prefetch_rows(&desk, grad->edge_work, job->H, job->H);
        look_ahead(&desk, job->edges->query_start, job->edges->query, j, j1);
        for (size_t y = job->edges->query_start[j]; y < end; y += desk.most)
            key_part(&desk, grad, j, y, ken_size_min(end - y, desk.most));
    }
}
