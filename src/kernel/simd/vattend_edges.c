/* vattend_edges.c - attention along lists of edges: cost and memory are those of the edges.
 * Lanes run along the head width. Forward and the first backward pass walk queries and their keys,
 * the second walks keys and their queries, so every row is written by one task only. */
#include "base/random.h"
#include "base/size.h"
#include "kernel/attend.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vmath.h"

#include <math.h>

/* One head of one query. */
struct seat {
    const struct ken_attend *job;
    size_t i, h, kv;
    size_t first, end; /* its edges */
    const float *q;
};

static struct seat take_seat(const struct ken_attend *job, size_t i, size_t h)
{
    return (struct seat){ job,
                          i,
                          h,
                          h / (job->H / job->KV),
                          job->edges->key_start[i],
                          job->edges->key_start[i + 1],
                          job->q + i * job->q_stride + h * job->E };
}

INLINE float dot(const float *a, const float *b, size_t n)
{
    vf sum = v_splat(0);
    for (size_t e = 0; e < n; e += LANES) {
        size_t count = ken_size_min(n - e, LANES);
        sum += v_load_some(a + e, count) * v_load_some(b + e, count);
    }
    return v_sum(sum);
}

INLINE void add_multiple(float *y, const float *x, float factor, size_t n)
{
    for (size_t e = 0; e < n; e += LANES) {
        size_t count = ken_size_min(n - e, LANES);
        v_store_some(y + e, v_load_some(y + e, count) + factor * v_load_some(x + e, count), count);
    }
}

static const float *key_of(const struct seat *seat, size_t edge)
{
    const struct ken_attend *job = seat->job;
    return job->k + job->edges->key[edge] * job->k_stride + seat->kv * job->E;
}

static size_t value_at(const struct seat *seat, size_t edge)
{
    const struct ken_attend *job = seat->job;
    return job->edges->key[edge] * job->v_stride + seat->kv * job->Ev;
}

static float score(const struct seat *seat, size_t edge)
{
    const struct ken_attend *job = seat->job;
    const float *k = key_of(seat, edge), *vector = job->vector + seat->h * job->E;
    if (job->score == KEN_SCORE_DOT) return job->scale * dot(seat->q, k, job->E);
    if (job->score == KEN_SCORE_GAT) {
        float s = seat->q[0] + k[0];
        return s < 0 ? s * job->leak : s;
    }
    vf sum = v_splat(0);
    for (size_t e = 0; e < job->E; e += LANES) {
        size_t count = ken_size_min(job->E - e, LANES);
        sum += v_load_some(vector + e, count) *
               v_tanh(v_load_some(seat->q + e, count) + v_load_some(k + e, count));
    }
    return v_sum(sum);
}

static float keep(const struct seat *seat, size_t edge)
{
    const struct ken_attend *job = seat->job;
    if (job->dropout == 0) return 1;
    uint64_t key = ken_random_key(job->dropout_key, seat->i * job->H + seat->h);
    bool kept = ken_random_cell(key, (uint32_t)(edge - seat->first)) >=
                ken_random_threshold(job->dropout);
    return kept ? 1 / (1 - job->dropout) : 0;
}

/* tau of sparsemax, by the steps of vattend_threshold.c. */
static float threshold(const float *scores, size_t n, size_t H)
{
    float tau = -INFINITY, excess, count, before = INFINITY;
    for (size_t x = 0; x < n; x++) tau = scores[x * H] > tau ? scores[x * H] : tau;
    for (tau -= 1;; before = count) {
        excess = count = 0;
        for (size_t x = 0; x < n; x++)
            if (scores[x * H] > tau) {
                excess += scores[x * H] - tau;
                count++;
            }
        if (count == 0) return tau;
        tau += (excess - 1) / count;
        if (count >= before) return tau;
    }
}

/* Scores in `w` (H apart) become weights. */
static void weigh(const struct seat *seat, float *w)
{
    size_t n = seat->end - seat->first, H = seat->job->H;
    float most = -INFINITY, sum = 0;
    switch (seat->job->weigh) {
    case KEN_WEIGH_RELU:
        for (size_t x = 0; x < n; x++) w[x * H] = w[x * H] > 0 ? w[x * H] / (float)n : 0;
        break;
    case KEN_WEIGH_SIGMOID:
        for (size_t x = 0; x < n; x++) w[x * H] = 1 / (1 + expf(-w[x * H]) * (float)n);
        break;
    case KEN_WEIGH_NONE:
        for (size_t x = 0; x < n; x++) w[x * H] /= (float)n;
        break;
    case KEN_WEIGH_SPARSEMAX: {
        float tau = threshold(w, n, H);
        for (size_t x = 0; x < n; x++) w[x * H] = w[x * H] > tau ? w[x * H] - tau : 0;
        break;
    }
    default:
        for (size_t x = 0; x < n; x++) most = w[x * H] > most ? w[x * H] : most;
        for (size_t x = 0; x < n; x++) sum += w[x * H] = expf(w[x * H] - most);
        for (size_t x = 0; x < n; x++) w[x * H] /= sum;
    }
}

void KEN_SIMD(attend_edges_forward)(const struct ken_attend *job, size_t i0, size_t i1)
{
    for (size_t i = i0; i < i1; i++)
        for (size_t h = 0; h < job->H; h++) {
            struct seat seat = take_seat(job, i, h);
            float *out = job->out + i * job->out_stride + h * job->Ev;
            memset(out, 0, job->Ev * sizeof *out);
            if (seat.first == seat.end) continue;
            float *w = job->log_sum + h;
            for (size_t x = seat.first; x < seat.end; x++) w[x * job->H] = score(&seat, x);
            weigh(&seat, w + seat.first * job->H);
            for (size_t x = seat.first; x < seat.end; x++)
                add_multiple(out, job->v + value_at(&seat, x), w[x * job->H] * keep(&seat, x),
                             job->Ev);
        }
}

/* ds of every edge of the seat into work[edge * H]. */
static void score_slopes(const struct seat *seat, const struct ken_attend_grad *grad, float *work)
{
    const struct ken_attend *job = seat->job;
    const float *w = job->log_sum + seat->h;
    const float *dout = grad->dout + seat->i * job->out_stride + seat->h * job->Ev;
    float n = (float)(seat->end - seat->first), sum = 0, mean = 0, support = 0;
    for (size_t x = seat->first; x < seat->end; x++) {
        work[x * job->H] = dot(dout, job->v + value_at(seat, x), job->Ev) * keep(seat, x);
        sum += w[x * job->H] * work[x * job->H];
        mean += w[x * job->H] > 0 ? work[x * job->H] : 0;
        support += w[x * job->H] > 0;
    }
    if (support > 0) mean /= support;
    for (size_t x = seat->first; x < seat->end; x++) {
        float weight = w[x * job->H], dw = work[x * job->H];
        work[x * job->H] = job->weigh == KEN_WEIGH_SOFTMAX     ? weight * (dw - sum)
                           : job->weigh == KEN_WEIGH_SIGMOID   ? weight * (1 - weight) * dw
                           : job->weigh == KEN_WEIGH_NONE      ? dw / n
                           : job->weigh == KEN_WEIGH_SPARSEMAX ? (weight > 0 ? dw - mean : 0)
                                                               : (weight > 0 ? dw / n : 0);
    }
}

/* to += ds * d score / d (one side), where `other` is the other side: q for k and k for q. */
static void add_score_slope(const struct seat *seat, float *to, const float *k, const float *other,
                            float ds, float *dvector)
{
    const struct ken_attend *job = seat->job;
    if (job->score == KEN_SCORE_DOT) {
        add_multiple(to, other, ds * job->scale, job->E);
    } else if (job->score == KEN_SCORE_GAT) {
        to[0] += seat->q[0] + k[0] < 0 ? ds * job->leak : ds;
    } else {
        const float *vector = job->vector + seat->h * job->E;
        for (size_t e = 0; e < job->E; e += LANES) {
            size_t n = ken_size_min(job->E - e, LANES);
            vf u = v_tanh(v_load_some(seat->q + e, n) + v_load_some(k + e, n));
            vf slope = ds * v_load_some(vector + e, n) * (1 - u * u);
            v_store_some(to + e, v_load_some(to + e, n) + slope, n);
            if (dvector) v_store_some(dvector + e, v_load_some(dvector + e, n) + ds * u, n);
        }
    }
}

/* Queries i0 .. i1-1: the slopes of their edges, dq, and their share of dvector (H, E). */
void KEN_SIMD(attend_edges_queries)(const struct ken_attend *job,
                                    const struct ken_attend_grad *grad, float *dvector, size_t i0,
                                    size_t i1)
{
    float unwanted[KEN_ATTEND_WIDEST];
    for (size_t i = i0; i < i1; i++)
        for (size_t h = 0; h < job->H; h++) {
            struct seat seat = take_seat(job, i, h);
            float *dq = grad->dq ? grad->dq + i * job->q_stride + h * job->E : unwanted;
            if (!grad->dq) memset(unwanted, 0, sizeof unwanted);
            score_slopes(&seat, grad, grad->edge_work + h);
            for (size_t x = seat.first; x < seat.end; x++)
                add_score_slope(&seat, dq, key_of(&seat, x), key_of(&seat, x),
                                grad->edge_work[x * job->H + h],
                                dvector ? dvector + h * job->E : NULL);
        }
}

/* Keys j0 .. j1-1: dk and dv from the queries that see them. */
void KEN_SIMD(attend_edges_keys)(const struct ken_attend *job, const struct ken_attend_grad *grad,
                                 size_t j0, size_t j1)
{
    const struct ken_edges *edges = job->edges;
    for (size_t j = j0; j < j1; j++)
        for (size_t h = 0; h < job->H; h++)
            for (size_t y = edges->query_start[j]; y < edges->query_start[j + 1]; y++) {
                size_t x = edges->edge[y], i = edges->query[y];
                struct seat seat = take_seat(job, i, h);
                const float *dout = grad->dout + i * job->out_stride + h * job->Ev;
                if (grad->dv)
                    add_multiple(grad->dv + value_at(&seat, x), dout,
                                 job->log_sum[x * job->H + h] * keep(&seat, x), job->Ev);
                if (grad->dk)
                    add_score_slope(&seat, grad->dk + j * job->k_stride + seat.kv * job->E,
                                    key_of(&seat, x), seat.q, grad->edge_work[x * job->H + h],
                                    NULL);
            }
}
