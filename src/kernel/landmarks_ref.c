/* landmarks_ref.c - the reference that defines the results of landmarks.h: plain loops, in double
 * precision. */
#include "kernel/landmarks.h"

#include <math.h>
#include <string.h>

/* Computes c = shift I - factor a b for (m, m) matrices, where I is the identity matrix. */
static void combine(double *c, double shift, double factor, const double *a, const double *b,
                    size_t m)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++) sum += a[i * m + l] * b[l * m + j];
            c[i * m + j] = (i == j ? shift : 0) - factor * sum;
        }
}

static void softmax_scores(double *A, const struct ken_landmarks *job, size_t first, size_t m,
                           size_t h)
{
    for (size_t i = 0; i < m; i++) {
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < m; j++) {
            double s = 0;
            for (size_t e = 0; e < job->E; e++)
                s += (double)job->q[(first + i) * job->q_stride + h * job->E + e] *
                     job->k[(first + j) * job->k_stride + h * job->E + e];
            A[i * m + j] = s * (double)job->scale;
            most = fmax(most, A[i * m + j]);
        }
        for (size_t j = 0; j < m; j++) sum += exp(A[i * m + j] - most);
        for (size_t j = 0; j < m; j++) A[i * m + j] = exp(A[i * m + j] - most) / sum;
    }
}

static void forward_one(const struct ken_landmarks *job, double *work, size_t b, size_t h)
{
    size_t first = job->start[b], m = job->start[b + 1] - first, width = job->H * job->Ev;
    double *A = work, *Z = A + m * m, *B = Z + m * m, *C = B + m * m, *D = C + m * m, most = 0;
    softmax_scores(A, job, first, m, h);
    for (size_t j = 0; j < m; j++) {
        double sum = 0;
        for (size_t i = 0; i < m; i++) sum += A[i * m + j];
        most = fmax(most, sum);
    }
    for (size_t i = 0; i < m * m; i++) Z[i] = A[i % m * m + i / m] / most;
    for (int t = 0; t < KEN_PINV_STEPS; t++) {
        combine(B, 0, -1, A, Z, m);
        memcpy(D, B, m * m * sizeof *D);
        for (size_t i = 0; i < m * m; i++) D[i] = (i / m == i % m ? 7 : 0) - D[i];
        combine(C, 15, 1, B, D, m);
        combine(D, 13, 1, B, C, m);
        combine(C, 0, -0.25, Z, D, m);
        memcpy(Z, C, m * m * sizeof *Z);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t e = 0; e < job->Ev; e++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++)
                sum += Z[i * m + l] * job->y[(first + l) * width + h * job->Ev + e];
            job->out[(first + i) * width + h * job->Ev + e] = (float)sum;
        }
}

void ken_landmarks_forward_ref(const struct ken_landmarks *job, double *work)
{
    for (size_t b = 0; b < job->B; b++)
        for (size_t h = 0; h < job->H; h++) forward_one(job, work, b, h);
}
