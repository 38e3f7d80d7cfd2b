/* norm.h - layer norm and RMS norm of rows, alone or fused with the residual connection before
 * them. For each row of n numbers:
 *
 *     z = x            or, with a branch,   z = x + dropout(branch)
 *     y = gain . (z - mean) rstd + bias,    rstd = 1 / sqrt(variance + eps)
 *
 * The variance is the biased one (divided by n). RMS norm uses 0 as the mean and the mean square as
 * the variance. A row's result depends on that row alone. */
#ifndef KERNEL_NORM_H
#define KERNEL_NORM_H

#include "base/threads.h"
#include "kernel/dropout.h"

#include <stdbool.h>
#include <stddef.h>

enum ken_norm_kind { KEN_NORM_LAYER, KEN_NORM_RMS };

/* Maximum width of a row: in backward, dgain and dbias of a group of rows must fit the team's
 * shared memory. */
enum { KEN_NORM_WIDEST = KEN_TEAM_SHARED / 2 };

struct ken_norm {
    enum ken_norm_kind kind;
    size_t rows, n;           /* rows, and numbers per row (at most KEN_NORM_WIDEST) */
    float eps;                /* added to the variance; > 0                          */
    const float *x;           /* input (rows, n)                                     */
    const float *gain, *bias; /* n numbers each; NULL: gain is all 1, bias is all 0  */

    const float *branch;        /* residual branch (rows, n) to be added to x; or NULL */
    struct ken_dropout dropout; /* dropout of the branch                               */
    float *sum;                 /* receives x plus the branch, (rows, n), for backward */

    float *y;           /* result (rows, n); backward does not read it               */
    float *mean, *rstd; /* mean and 1 / deviation of each row, for backward; or NULL */
};

/* The arrays that backward reads and writes in addition to those of the job. Outputs are NULL if
 * not wanted. */
struct ken_norm_grad {
    const float *dy;                /* gradient of y, (rows, n)                                  */
    const float *dsum;              /* gradient of `sum` from its other uses, (rows, n); or NULL */
    float *dx, *dbranch;            /* gradients of x and of the branch, (rows, n)               */
    bool add_to_dx, add_to_dbranch; /* true: add to the array; false: overwrite it               */
    float *dgain, *dbias;           /* gradients of gain and bias; backward adds to them         */
};

void ken_norm_forward(const struct ken_norm *job);

/* Computes the gradients. With h = (z - mean) rstd and t = dy . gain:
 *   dz = dsum + (t - mean(t) - h mean(t . h)) rstd        (RMS norm: without mean(t))
 *   dx += dz,  dbranch += mask . dz,  dgain += sum over rows of dy . h,  dbias += sum of dy */
void ken_norm_backward(const struct ken_norm *job, const struct ken_norm_grad *grad);

/* Slow reference implementations, which define the correct results. */
void ken_norm_forward_ref(const struct ken_norm *job);
void ken_norm_backward_ref(const struct ken_norm *job, const struct ken_norm_grad *grad);

#endif
