/* recur_ref.c - the reference that defines LSTM, GRU and RNN: one sequence, step and unit after
 * another, with sums in double precision. */
#include "kernel/recur.h"

#include <math.h>

/* Computes the argument of gate element g in two parts, one from the input and one from the state,
 * each with its bias. */
static void arguments(double *input, double *state, const struct ken_recur *job, size_t row,
                      const float *before, size_t g)
{
    *input = job->b_in ? job->b_in[g] : 0;
    *state = job->b_hidden ? job->b_hidden[g] : 0;
    for (size_t k = 0; k < job->in; k++)
        *input += (double)job->w_in[g * job->in + k] * job->x[row * job->in + k];
    for (size_t k = 0; k < job->H && before; k++)
        *state += (double)job->w_hidden[g * job->H + k] * before[k];
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static size_t row_at(const struct ken_recur *job, size_t b, size_t t)
{
    return job->reversed ? job->start[b + 1] - 1 - t : job->start[b] + t;
}

/* Returns the values from which step t of sequence b starts: a row of `values` or, if t is 0, of
 * `first`; NULL stands for 0. */
static const float *before_of(const struct ken_recur *job, const float *values, const float *first,
                              size_t b, size_t t)
{
    if (t > 0) return values + row_at(job, b, t - 1) * job->H;
    return first ? first + b * job->H : NULL;
}

/* Computes unit j of step t of sequence b. */
static void unit(const struct ken_recur *job, size_t b, size_t t, size_t j)
{
    size_t H = job->H, row = row_at(job, b, t);
    const float *before = before_of(job, job->y, job->h_first, b, t);
    const float *cell = before_of(job, job->extra, job->c_first, b, t);
    double in[4], state[4];
    for (size_t g = 0; g < ken_recur_gates(job->cell); g++)
        arguments(&in[g], &state[g], job, row, before, g * H + j);
    if (job->cell == KEN_LSTM) {
        double c = cell ? cell[j] : 0;
        c = sigmoid(in[1] + state[1]) * c + sigmoid(in[0] + state[0]) * tanh(in[2] + state[2]);
        job->extra[row * H + j] = (float)c;
        job->y[row * H + j] = (float)(sigmoid(in[3] + state[3]) * tanh(c));
        return;
    }
    if (job->cell == KEN_RNN) {
        job->y[row * H + j] = (float)tanh(in[0] + state[0]);
        return;
    }
    double z = sigmoid(in[1] + state[1]);
    double n = tanh(in[2] + sigmoid(in[0] + state[0]) * state[2]);
    job->extra[row * H + j] = (float)state[2];
    job->y[row * H + j] = (float)((1 - z) * n + (before ? z * before[j] : 0));
}

void ken_recur_forward_ref(const struct ken_recur *job)
{
    for (size_t b = 0; b < job->B; b++)
        for (size_t t = 0; t < job->start[b + 1] - job->start[b]; t++)
            for (size_t j = 0; j < job->H; j++) unit(job, b, t, j);
}
