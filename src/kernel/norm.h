/* norm.h - layer norm and RMS norm of rows, alone or fused with the residual connection before it.
 *
 *     z = x            or, with a branch,   z = x + dropout(branch)
 *     y = gain . (z - mean) rstd + bias,    rstd = 1 / sqrt(variance + eps)
 *
 * for each row of n numbers. The variance is the biased one (divided by n). RMS norm uses 0 as the
 * mean and the mean square as the variance. A row's result depends on that row alone. */
#ifndef KERNEL_NORM_H
#define KERNEL_NORM_H

#include "base/threads.h"
#include "kernel/dropout.h"

#include <stdbool.h>
#include <stddef.h>

enum ken_norm_kind { KEN_NORM_LAYER, KEN_NORM_RMS };

/* The maximum width of a row: backward sums dgain and dbias of a group of rows in the team's shared
 * memory. */
enum { KEN_NORM_WIDEST = KEN_TEAM_SHARED / 2 };

struct ken_norm {
    enum ken_norm_kind kind;
    size_t rows, n;           /* n <= KEN_NORM_WIDEST             */
    float eps;                /* added to the variance; > 0       */
    const float *x;           /* (rows, n)                        */
    const float *gain, *bias; /* (n); NULL counts as all 1, all 0 */

    const float *branch;        /* (rows, n), or NULL: z = x                             */
    struct ken_dropout dropout; /* dropout of the branch                                 */
    float *sum;                 /* (rows, n): z, if there is a branch; backward reads it */

    float *y;           /* (rows, n); backward does not need it             */
    float *mean, *rstd; /* (rows): kept for backward; NULL without backward */
};

/* The arrays that backward reads and writes beside the job. Outputs are NULL if not wanted. */
struct ken_norm_grad {
    const float *dy;                /* (rows, n)                                        */
    const float *dsum;              /* (rows, n): gradient of z from elsewhere, or NULL */
    float *dx, *dbranch;            /* (rows, n)                                        */
    bool add_to_dx, add_to_dbranch; /* true: add to the array; false: overwrite it      */
    float *dgain, *dbias;           /* (n), always added to                             */
};

void ken_norm_forward(const struct ken_norm *job);

/* With h = (z - mean) rstd and t = dy . gain:
 *   dz = dsum + (t - mean(t) - h mean(t . h)) rstd        (RMS norm: without mean(t))
 *   dx += dz,  dbranch += mask . dz,  dgain += sum over rows of dy . h,  dbias += sum of dy */
void ken_norm_backward(const struct ken_norm *job, const struct ken_norm_grad *grad);

/* Slow reference implementations, which define the correct results. */
void ken_norm_forward_ref(const struct ken_norm *job);
void ken_norm_backward_ref(const struct ken_norm *job, const struct ken_norm_grad *grad);

#endif
