/* linear_ref.c - the reference that defines linear attention: computes the weight of every pair of
 * query and key in double precision. It is slow on purpose; kernel/linear.c is tested against
 * it. */
#include "kernel/attend.h"
#include "kernel/linear.h"

#include <math.h>

/* One query of one head, and the keys that it sees. */
struct row {
    const struct ken_linear_attend *job;
    size_t h, kv, i;   /* query head, key/value head, row of the query */
    size_t first, end; /* rows first .. end - 1 are the visible keys   */
    double base;       /* largest scale of the visible keys            */
};

static struct row open_row(const struct ken_linear_attend *job, size_t b, size_t h, size_t i)
{
    struct row row = { job, h, h / (job->H / job->KV), job->q_start[b] + i, job->k_start[b] };
    row.end = job->causal ? row.first + i + 1 : job->k_start[b + 1];
    row.base = job->scale ? -INFINITY : 0;
    for (size_t j = row.first; job->scale && j < row.end; j++)
        row.base = fmax(row.base, (double)job->scale[j * job->KV + row.kv]);
    return row;
}

/* Returns f(q_i) . f(k_j) e^-base for key j, where i is the query of `row`. */
static double pair(const struct row *row, size_t j)
{
    const struct ken_linear_attend *job = row->job;
    double sum = 0;
    for (size_t m = 0; m < job->M; m++)
        sum += (double)job->q[row->i * job->q_stride + row->h * job->M + m] *
               job->k[j * job->k_stride + row->kv * job->M + m];
    return job->scale ? sum * exp((double)job->scale[j * job->KV + row->kv] - row->base) : sum;
}

static double divisor(const struct row *row)
{
    double sum = (double)KEN_LINEAR_EPS;
    for (size_t j = row->first; j < row->end; j++) sum += pair(row, j);
    return sum;
}

void ken_linear_weights(float *weights, const struct ken_linear_attend *job, size_t b, size_t h)
{
    size_t T = job->q_start[b + 1] - job->q_start[b], S = job->k_start[b + 1] - job->k_start[b];
    for (size_t i = 0; i < T; i++) {
        struct row row = open_row(job, b, h, i);
        double sum = divisor(&row);
        for (size_t j = 0; j < S; j++) {
            size_t key = row.first + j;
            weights[i * S + j] = key < row.end ? (float)(pair(&row, key) / sum) : 0;
        }
    }
}

static void forward_row(const struct row *row)
{
    const struct ken_linear_attend *job = row->job;
    double divide = (double)KEN_LINEAR_EPS, sum[KEN_ATTEND_WIDEST] = { 0 };
    for (size_t j = row->first; j < row->end; j++) {
        double p = pair(row, j);
        divide += p;
        for (size_t e = 0; e < job->Ev; e++)
            sum[e] += p * job->v[j * job->v_stride + row->kv * job->Ev + e];
    }
    for (size_t e = 0; e < job->Ev; e++)
        job->out[row->i * job->out_stride + row->h * job->Ev + e] = (float)(sum[e] / divide);
    if (job->sums) job->sums[row->i * job->H + row->h] = (float)divide;
}

/* Adds the gradients of one query. With p_j = pair(row, j), out = sum of p_j v_j / sum of p_j;
 * therefore dp_j = dout . (v_j - out) / sum of p_j. */
static void backward_row(const struct row *row, const struct ken_linear_grad *grad)
{
    const struct ken_linear_attend *job = row->job;
    const float *dout = grad->dout + row->i * job->out_stride + row->h * job->Ev;
    const float *out = job->out + row->i * job->out_stride + row->h * job->Ev;
    double divide = divisor(row);
    for (size_t j = row->first; j < row->end; j++) {
        size_t q_at = row->i * job->q_stride + row->h * job->M;
        size_t k_at = j * job->k_stride + row->kv * job->M;
        size_t v_at = j * job->v_stride + row->kv * job->Ev, s_at = j * job->KV + row->kv;
        double p = pair(row, j), dp = 0;
        double factor = job->scale ? exp((double)job->scale[s_at] - row->base) : 1;
        for (size_t e = 0; e < job->Ev; e++) {
            dp += dout[e] * ((double)job->v[v_at + e] - out[e]) / divide;
            if (grad->dv) grad->dv[v_at + e] += (float)(p / divide * dout[e]);
        }
        for (size_t m = 0; m < job->M; m++) {
            if (grad->dq) grad->dq[q_at + m] += (float)(dp * factor * job->k[k_at + m]);
            if (grad->dk) grad->dk[k_at + m] += (float)(dp * factor * job->q[q_at + m]);
        }
        if (grad->dscale) grad->dscale[s_at] += (float)(dp * p);
    }
}

void ken_linear_attend_forward_ref(const struct ken_linear_attend *job)
{
    for (size_t b = 0; b < job->B; b++)
        for (size_t h = 0; h < job->H; h++)
            for (size_t i = 0; i < job->q_start[b + 1] - job->q_start[b]; i++) {
                struct row row = open_row(job, b, h, i);
                forward_row(&row);
            }
}

void ken_linear_attend_backward_ref(const struct ken_linear_attend *job,
                                    const struct ken_linear_grad *grad)
{
    for (size_t b = 0; b < job->B; b++)
        for (size_t h = 0; h < job->H; h++)
            for (size_t i = 0; i < job->q_start[b + 1] - job->q_start[b]; i++) {
                struct row row = open_row(job, b, h, i);
                backward_row(&row, grad);
            }
}
