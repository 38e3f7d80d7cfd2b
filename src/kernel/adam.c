/* adam.c - AdamW: computes the factors of one step, cuts the arrays into chunks and distributes the
 * chunks to threads. */
#include "kernel/adam.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <math.h>

enum { CHUNK = 1 << 14 }; /* elements per task: weights, gradients and moments fit the L2 cache */

struct job {
    float *w, *grad, *m, *v;
    size_t n;
    struct ken_adam_factors factors;
};

static void task_update(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t at = task * CHUNK;
    (void)scratch;
    ken_kernels()->adam(job->w + at, job->grad + at, job->m + at, job->v + at,
                        ken_size_min(job->n - at, CHUNK), &job->factors);
}

/* Computes the constants of the inner loop. Adam's bias corrections c1 = 1 - beta1^t and c2 = 1 -
 * beta2^t, where t is the number of the step, are taken out of the loop: 1 / c1 becomes a part of
 * the rate, and 1 / sqrt(c2) a factor of the root. */
static struct ken_adam_factors factors_of(const struct ken_adam *options)
{
    double t = (double)options->step;
    return (struct ken_adam_factors){
        .scale = (float)options->scale,
        .keep1 = (float)options->beta1,
        .new1 = (float)(1 - options->beta1),
        .keep2 = (float)options->beta2,
        .new2 = (float)(1 - options->beta2),
        .l2 = (float)options->l2,
        .shrink = (float)(1 - options->rate * options->decay),
        .rate = (float)(options->rate / (1 - pow(options->beta1, t))),
        .root = (float)(1 / sqrt(1 - pow(options->beta2, t))),
        .eps = (float)options->eps,
    };
}

void ken_adam(float *w, float *grad, float *m, float *v, size_t n, const struct ken_adam *options)
{
    struct job job = { w, grad, m, v, n, factors_of(options) };
    ken_parallel(ken_size_groups(n, CHUNK), task_update, &job);
}

/* Slow reference implementation: follows the formula in adam.h step by step, in double
 * precision. */
void ken_adam_ref(float *w, float *grad, float *m, float *v, size_t n,
                  const struct ken_adam *options)
{
    double b1 = options->beta1, b2 = options->beta2, t = (double)options->step;
    for (size_t i = 0; i < n; i++) {
        double g = options->scale * grad[i] + options->l2 * w[i];
        double first = b1 * m[i] + (1 - b1) * g, second = b2 * v[i] + (1 - b2) * g * g;
        double move = first / (1 - pow(b1, t)) / (sqrt(second / (1 - pow(b2, t))) + options->eps);
        w[i] = (float)(w[i] - options->rate * (move + options->decay * w[i]));
        m[i] = (float)first;
        v[i] = (float)second;
        grad[i] = 0;
    }
}
