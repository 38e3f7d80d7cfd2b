/* attend_ref.c - the definition of attention: every pair (i, j), one number at a time, in double
 * precision. It is slow on purpose; the fast kernels are tested against it. */
#include "base/random.h"
#include "kernel/attend.h"

#include <math.h>

enum { REMEMBERED = 512 };

/* One query of one head, and the keys that it sees. */
struct row {
    const struct ken_attend *job;
    size_t h, kv;
    size_t row;         /* row of the query in the batch                      */
    size_t k0;          /* row of the sequence's first key in the batch       */
    ptrdiff_t position; /* place of the query among the keys; may be negative */
    /* first .. end - 1 are the keys that the query sees. With edges, they are the query's entries
     * in edges->key. With a pattern, they are all keys of the sequence, and sees() decides about
     * each. */
    size_t first, end;
    double seen;                             /* number of keys that the query sees           */
    size_t drawn[KEN_PATTERN_RANDOM], draws; /* random blocks of a pattern, and their number */
    double scores[REMEMBERED]; /* scores of the first visible keys, kept only to save time */
};

/* Returns whether the query sees key j, where j is from row->first to row->end - 1. The cases
 * repeat the definitions of pattern.h. */
static bool sees(const struct row *row, size_t j)
{
    const struct ken_pattern *pattern = row->job->pattern;
    ptrdiff_t p = row->position, k = (ptrdiff_t)j;
    if (!pattern || row->job->edges) return true;
    size_t away = (size_t)(k < p ? p - k : k - p);
    bool near = away <= (k < p ? pattern->left : pattern->right);
    if (pattern->kind == KEN_REACH_WINDOW) return near;
    if (p < 0 || (pattern->causal && k > p)) return false;
    size_t i = (size_t)p;
    if (pattern->kind == KEN_REACH_GLOBAL)
        return i < pattern->global || j < pattern->global || near;
    size_t c = i / pattern->block, d = j / pattern->block;
    if (pattern->kind == KEN_REACH_BLOCKS) return c == d;
    if (pattern->kind == KEN_REACH_SEGMENTS) return c == d || c == d + 1;
    for (size_t x = 0; x < row->draws; x++)
        if (row->drawn[x] == d) return true;
    return c == 0 || d == 0 || d + 1 == c || d == c || d == c + 1;
}

/* Returns the number of keys that the query sees. */
static double seen_count(const struct row *row)
{
    size_t n = 0;
    for (size_t j = row->first; j < row->end; j++) n += sees(row, j);
    return (double)n;
}

/* Returns whether key j lies in an earlier segment than the query, and so gets no gradient. */
static bool is_stopped(const struct row *row, size_t j)
{
    const struct ken_pattern *pattern = row->job->pattern;
    return pattern && pattern->kind == KEN_REACH_SEGMENTS &&
           j / pattern->block < (size_t)row->position / pattern->block;
}

static size_t key_row(const struct row *row, size_t j)
{
    return row->job->edges ? row->job->edges->key[j] : row->k0 + j;
}

static const float *query(const struct row *row)
{
    return row->job->q + row->row * row->job->q_stride + row->h * row->job->E;
}

static const float *key(const struct row *row, size_t j)
{
    return row->job->k + key_row(row, j) * row->job->k_stride + row->kv * row->job->E;
}

static size_t bias_at(const struct row *row, size_t j)
{
    return ken_attend_bias_at(row->position - (ptrdiff_t)j, row->job->span);
}

/* Returns element e of Shaw's key vector for the offset between the query and key j; 0 if the job
 * has no such vectors. */
static double shaw(const struct row *row, size_t j, size_t e)
{
    return row->job->shaw_k ? row->job->shaw_k[bias_at(row, j) * row->job->E + e] : 0;
}

static double value(const struct row *row, size_t j, size_t e)
{
    const struct ken_attend *job = row->job;
    double v = job->v[key_row(row, j) * job->v_stride + row->kv * job->Ev + e];
    return job->shaw_v ? v + job->shaw_v[bias_at(row, j) * job->Ev + e] : v;
}

/* Additive, GAT and GATv2 scores are a . f(q + k). bent() returns f(x), and factor() returns
 * element e of the vector a, or 1 for GAT, which has no such vector. */
static double bent(const struct ken_attend *job, double x)
{
    if (job->score == KEN_SCORE_ADDITIVE) return tanh(x);
    return x < 0 ? job->leak * x : x;
}

static double factor(const struct row *row, size_t e)
{
    return row->job->score == KEN_SCORE_GAT ? 1 : row->job->vector[row->h * row->job->E + e];
}

/* Returns the index of edge feature n, for the row's query and head, in edge_query or edge_out. */
static size_t number_at(const struct row *row, size_t n)
{
    return (row->row * row->job->H + row->h) * row->job->K + n;
}

static double compute_score(const struct row *row, size_t j)
{
    const struct ken_attend *job = row->job;
    const float *q = query(row), *k = key(row, j);
    double s = 0;
    for (size_t e = 0; e < job->E; e++)
        s += job->score == KEN_SCORE_DOT ? (double)job->scale * q[e] * (k[e] + shaw(row, j, e))
                                         : factor(row, e) * bent(job, (double)q[e] + k[e]);
    for (size_t n = 0; job->edge_query && n < job->K; n++)
        s += (double)job->edge_query[number_at(row, n)] * job->edge_numbers[j * job->K + n];
    if (job->slope) s -= (double)job->slope[row->h] * fabs((double)(row->position - (ptrdiff_t)j));
    if (job->bias) s += job->bias[row->h * (2 * job->span + 1) + bias_at(row, j)];
    return s;
}

static double score(const struct row *row, size_t j)
{
    return j - row->first < REMEMBERED ? row->scores[j - row->first] : compute_score(row, j);
}

/* Returns tau of sparsemax, by Michelot's method: compute tau as if all remaining keys had weights
 * above 0, take out the keys whose scores lie below tau, and repeat until no key is taken out. */
static double threshold(const struct row *row)
{
    double tau = -INFINITY;
    for (size_t before = SIZE_MAX;;) {
        size_t count = 0;
        double sum = 0;
        for (size_t j = row->first; j < row->end; j++) {
            double s = sees(row, j) ? score(row, j) : -INFINITY;
            if (!(s > tau)) continue;
            count++;
            sum += s;
        }
        if (count == 0 || count == before) return tau;
        before = count;
        tau = (sum - 1) / (double)count;
    }
}

/* Returns the logarithm of the sum that softmax divides by, which is -infinity if the query sees no
 * key; for sparsemax returns tau instead. */
static double log_sum(const struct row *row)
{
    double most = -INFINITY, sum = 0;
    if (row->job->weigh == KEN_WEIGH_SPARSEMAX) return threshold(row);
    for (size_t j = row->first; j < row->end; j++)
        if (sees(row, j)) most = fmax(most, score(row, j));
    for (size_t j = row->first; j < row->end; j++)
        if (sees(row, j)) sum += exp(score(row, j) - most);
    return most + log(sum);
}

static double weight(const struct row *row, size_t j, double log_of_sum)
{
    if (!sees(row, j)) return 0;
    double n = row->seen, s = score(row, j);
    switch (row->job->weigh) {
    case KEN_WEIGH_SPARSEMAX: return fmax(s - log_of_sum, 0);
    case KEN_WEIGH_RELU: return s > 0 ? s / n : 0;
    case KEN_WEIGH_SIGMOID: return 1 / (1 + exp(-s) * n);
    case KEN_WEIGH_NONE: return s / n;
    default: return exp(s - log_of_sum);
    }
}

static double keep(const struct row *row, size_t j)
{
    const struct ken_attend *job = row->job;
    if (job->dropout == 0) return 1;
    /* the random number of an edge depends on the edge's index, because the pass over queries and
     * the pass over keys both know that index */
    size_t line = job->edges ? row->h : row->row * job->H + row->h;
    uint64_t key = ken_random_key(job->dropout_key, line);
    return ken_random_cell(key, (uint32_t)j) >= ken_random_threshold(job->dropout)
               ? 1 / (1 - (double)job->dropout)
               : 0;
}

/* Computes edge_out of the query: the weighted sums of its edge features, one feature after
 * another. */
static void add_up_numbers(const struct row *row, double log_of_sum)
{
    const struct ken_attend *job = row->job;
    for (size_t n = 0; n < job->K; n++) {
        double sum = 0;
        for (size_t j = row->first; j < row->end; j++)
            sum += weight(row, j, log_of_sum) * keep(row, j) * job->edge_numbers[j * job->K + n];
        job->edge_out[number_at(row, n)] = (float)sum;
    }
}

static void forward_row(const struct row *row)
{
    const struct ken_attend *job = row->job;
    float *out = job->out + row->row * job->out_stride + row->h * job->Ev;
    double sum = log_sum(row), o[KEN_ATTEND_WIDEST] = { 0 };
    for (size_t j = row->first; j < row->end; j++) {
        double w = weight(row, j, sum) * keep(row, j);
        for (size_t e = 0; e < job->Ev; e++) o[e] += w * value(row, j, e);
    }
    for (size_t e = 0; e < job->Ev; e++) out[e] = (float)o[e];
    if (job->edge_query) add_up_numbers(row, sum);
    if (job->log_sum && job->edges)
        for (size_t j = row->first; j < row->end; j++)
            job->log_sum[j * job->H + row->h] = (float)weight(row, j, sum);
    else if (job->log_sum)
        job->log_sum[row->row * job->H + row->h] = row->seen > 0 ? (float)sum : INFINITY;
}

/* Returns ds, the derivative of the loss with respect to the score of key j, given its weight w and
 * dw, the derivative with respect to w. `common` is the sum of w dw over the row; for sparsemax it
 * is the mean of dw over the keys whose weight is above 0. */
static double score_slope(const struct row *row, size_t j, double w, double dw, double common)
{
    double n = row->seen;
    if (!sees(row, j)) return 0;
    switch (row->job->weigh) {
    case KEN_WEIGH_SPARSEMAX: return w > 0 ? dw - common : 0;
    case KEN_WEIGH_RELU: return w > 0 ? dw / n : 0;
    case KEN_WEIGH_SIGMOID: return w * (1 - w) * dw;
    case KEN_WEIGH_NONE: return dw / n;
    default: return w * (dw - common);
    }
}

static void spread_score(const struct row *row, const struct ken_attend_grad *grad, size_t j,
                         double ds)
{
    const struct ken_attend *job = row->job;
    const float *q = query(row), *k = key(row, j);
    size_t span = 2 * job->span + 1;
    for (size_t n = 0; job->edge_query && grad->dedge_query && n < job->K; n++)
        grad->dedge_query[number_at(row, n)] += (float)(ds * job->edge_numbers[j * job->K + n]);
    if (job->bias && grad->dbias) grad->dbias[row->h * span + bias_at(row, j)] += (float)ds;
    for (size_t e = 0; e < job->E; e++) {
        double dq = ds * job->scale * (k[e] + shaw(row, j, e)), dk = ds * job->scale * q[e];
        if (grad->dshaw_k) grad->dshaw_k[bias_at(row, j) * job->E + e] += (float)dk;
        if (job->score != KEN_SCORE_DOT) {
            double x = (double)q[e] + k[e], u = bent(job, x);
            double slope = job->score == KEN_SCORE_ADDITIVE ? 1 - u * u : x < 0 ? job->leak : 1;
            dq = dk = ds * factor(row, e) * slope;
            if (grad->dvector) grad->dvector[row->h * job->E + e] += (float)(ds * u);
        }
        if (grad->dq) grad->dq[q - job->q + (ptrdiff_t)e] += (float)dq;
        if (grad->dk && !is_stopped(row, j)) grad->dk[k - job->k + (ptrdiff_t)e] += (float)dk;
    }
}

static double weight_slope(const struct row *row, const struct ken_attend_grad *grad, size_t j)
{
    const struct ken_attend *job = row->job;
    const float *dout = grad->dout + row->row * job->out_stride + row->h * job->Ev;
    double dw = 0;
    for (size_t n = 0; job->edge_query && grad->dedge_out && n < job->K; n++)
        dw += (double)grad->dedge_out[number_at(row, n)] * job->edge_numbers[j * job->K + n];
    for (size_t e = 0; e < job->Ev; e++) dw += dout[e] * value(row, j, e);
    return dw * keep(row, j);
}

static void backward_row(const struct row *row, const struct ken_attend_grad *grad)
{
    const struct ken_attend *job = row->job;
    const float *dout = grad->dout + row->row * job->out_stride + row->h * job->Ev;
    double sum = log_sum(row), common = 0, support = 0;
    bool sparsemax = job->weigh == KEN_WEIGH_SPARSEMAX;
    for (size_t j = row->first; j < row->end; j++) {
        double w = weight(row, j, sum), share = sparsemax ? w > 0 : w;
        common += share * weight_slope(row, grad, j);
        support += share;
    }
    if (sparsemax && support > 0) common /= support;
    for (size_t j = row->first; j < row->end; j++) {
        double w = weight(row, j, sum);
        size_t at = key_row(row, j) * job->v_stride + row->kv * job->Ev;
        for (size_t e = 0; e < job->Ev; e++) {
            double dv = w * keep(row, j) * dout[e];
            if (grad->dv && !is_stopped(row, j)) grad->dv[at + e] += (float)dv;
            if (grad->dshaw_v) grad->dshaw_v[bias_at(row, j) * job->Ev + e] += (float)dv;
        }
        spread_score(row, grad, j, score_slope(row, j, w, weight_slope(row, grad, j), common));
    }
}

/* Sets up the row for a pattern: all S keys are candidates, and sees() decides about each of
 * them. */
static void look_at_all(struct row *row, size_t S)
{
    const struct ken_pattern *pattern = row->job->pattern;
    row->first = 0;
    row->end = S;
    if (pattern->kind != KEN_REACH_RANDOM || row->position < 0) return;
    size_t c = (size_t)row->position / pattern->block;
    size_t blocks = (S + pattern->block - 1) / pattern->block;
    if (c > 0) row->draws = ken_pattern_draw(row->drawn, pattern, c, blocks);
}

static void every_row(const struct ken_attend *job, const struct ken_attend_grad *grad)
{
    for (size_t b = 0; b < job->B; b++) {
        size_t T = job->q_start[b + 1] - job->q_start[b], S = ken_attend_keys(job, b);
        for (size_t n = 0; n < T * job->H; n++) {
            size_t i = n / job->H, h = n % job->H;
            struct row row = { .job = job,
                               .h = h,
                               .kv = h / (job->H / job->KV),
                               .row = job->q_start[b] + i,
                               .k0 = job->k_start[b],
                               .position = (ptrdiff_t)(i + S) - (ptrdiff_t)T };
            ken_attend_reach(&row.first, &row.end, job, i, T, S);
            if (job->pattern) look_at_all(&row, S);
            if (job->edges) {
                row.first = job->edges->key_start[row.row];
                row.end = job->edges->key_start[row.row + 1];
            }
            row.seen = seen_count(&row);
            for (size_t j = row.first; j < row.end && j - row.first < REMEMBERED; j++)
                row.scores[j - row.first] = compute_score(&row, j);
            if (grad) backward_row(&row, grad);
            else forward_row(&row);
        }
    }
}

void ken_attend_forward_ref(const struct ken_attend *job)
{
    every_row(job, NULL);
}

void ken_attend_backward_ref(const struct ken_attend *job, const struct ken_attend_grad *grad)
{
    every_row(job, grad);
}
