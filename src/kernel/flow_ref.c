/* flow_ref.c - the reference that defines a flow: one state after another, all in double
 * precision. */
#include "kernel/flow.h"

#include <string.h>

/* Computes the slope k = f(t, p) of one state p at time t; `hidden` is work space of F numbers. */
static void field(double *k, const struct ken_flow *job, const double *p, double t, double *hidden)
{
    size_t D = job->D, F = job->F;
    for (size_t i = 0; i < F; i++) {
        const float *w = job->w_in + i * (D + 1);
        double z = job->b_in[i] + w[D] * t;
        for (size_t j = 0; j < D; j++) z += w[j] * p[j];
        hidden[i] = ken_activation_ref(job->activation, z);
    }
    for (size_t i = 0; i < D; i++) {
        const float *w = job->w_out + i * (F + 1);
        k[i] = job->b_out[i] + w[F] * t;
        for (size_t j = 0; j < F; j++) k[i] += w[j] * hidden[j];
    }
}

void ken_flow_forward_ref(double *path, const struct ken_flow *job, double *space)
{
    static const double later[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
    size_t D = job->D, row = D + 1;
    double h = (double)job->pace / (double)job->steps, *k = space, *x = k + 4 * D;
    for (size_t r = 0; r < job->R; r++) {
        for (size_t j = 0; j < D; j++) path[r * row + j] = job->start[r * D + j];
        path[r * row + D] = 0;
    }
    for (size_t n = 0; n + 1 < ken_flow_states(job); n++)
        for (size_t r = 0; r < job->R; r++) {
            const double *p = path + (n * job->R + r) * row;
            double *next = path + ((n + 1) * job->R + r) * row;
            memcpy(next, p, D * sizeof *next);
            next[D] = (double)(n + 1) * h;
            for (size_t i = 0; i < 4; i++) {
                for (size_t j = 0; j < D; j++)
                    x[j] = p[j] + (i > 0 ? later[i] * h * k[(i - 1) * D + j] : 0);
                field(k + i * D, job, x, ((double)n + later[i]) * h, x + D);
                for (size_t j = 0; j < D; j++) next[j] += h / 6 * weight[i] * k[i * D + j];
            }
        }
}
