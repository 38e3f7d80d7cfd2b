/* features_ref.c - the reference that defines the features: one number at a time, in double
 * precision. */
#include "kernel/features.h"

#include <math.h>

static double project(const struct ken_features *job, const float *x, size_t m)
{
    double u = 0;
    for (size_t e = 0; e < job->E; e++) u += (double)job->random[m * job->E + e] * x[e];
    return u;
}

/* Returns the largest dot product of a random vector with x; *which receives the index of that
 * vector. */
static double largest(const struct ken_features *job, const float *x, size_t *which)
{
    *which = 0;
    for (size_t m = 1; m < job->M; m++)
        if (project(job, x, m) > project(job, x, *which)) *which = m;
    return project(job, x, *which);
}

void ken_features_forward_ref(const struct ken_features *job)
{
    for (size_t i = 0; i < job->N * job->H; i++) {
        const float *x = job->x + i / job->H * job->x_stride + i % job->H * job->E;
        size_t which;
        double most = job->random ? largest(job, x, &which) : 0, norm = 0;
        for (size_t m = 0; m < job->M; m++)
            job->y[i * job->M + m] = (float)(job->random ? exp(project(job, x, m) - most) +
                                                               (double)KEN_FEATURE_FLOOR
                                             : x[m] > 0 ? (double)x[m] + 1
                                                        : exp((double)x[m]));
        for (size_t e = 0; e < job->E; e++) norm += (double)x[e] * x[e];
        if (job->random && job->scale)
            job->scale[i] = (float)(most - norm / (2 * sqrt((double)job->E)) -
                                    0.5 * log((double)job->M));
    }
}

void ken_features_backward_ref(float *dx, const struct ken_features *job, const float *dy,
                               const float *dscale)
{
    for (size_t i = 0; i < job->N * job->H; i++) {
        size_t at = i / job->H * job->x_stride + i % job->H * job->E, which = 0;
        const float *x = job->x + at;
        double most = job->random ? largest(job, x, &which) : 0, all = 0;
        double slope = dscale && job->random ? (double)dscale[i] : 0;
        for (size_t m = 0; m < job->M && job->random; m++)
            all += dy[i * job->M + m] * exp(project(job, x, m) - most);
        for (size_t e = 0; e < job->E; e++) {
            double sum = dx[at + e];
            if (!job->random) sum += dy[i * job->M + e] * (x[e] > 0 ? 1 : exp((double)x[e]));
            for (size_t m = 0; m < job->M && job->random; m++)
                sum += dy[i * job->M + m] * exp(project(job, x, m) - most) *
                       job->random[m * job->E + e];
            if (job->random)
                sum += (slope - all) * job->random[which * job->E + e] -
                       slope * x[e] / sqrt((double)job->E);
            dx[at + e] = (float)sum;
        }
    }
}
