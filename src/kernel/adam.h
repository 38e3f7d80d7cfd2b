/* adam.h - one step of AdamW on an array of weights, in one pass over memory. */
#ifndef KERNEL_ADAM_H
#define KERNEL_ADAM_H

#include <stddef.h>
#include <stdint.h>

struct ken_adam {
    double rate;         /* lr                                              */
    double beta1, beta2; /* b1 and b2, decay of the moments, each in [0, 1) */
    double eps;          /* > 0                                             */
    double decay;        /* wd, weight decay that bypasses the moments      */
    double l2;           /* c, weight decay that is part of the gradient    */
    double scale;        /* the gradient is multiplied by it first: clipping */
    uint64_t step;       /* t, counted from 1                               */
};

/* With g = scale grad + c w:
 *   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
 *   w -= lr ((m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) + wd w)
 * The gradient is set to 0 afterwards, ready for the next step. */
void ken_adam(float *w, float *grad, float *m, float *v, size_t n, const struct ken_adam *options);
void ken_adam_ref(float *w, float *grad, float *m, float *v, size_t n,
                  const struct ken_adam *options);

#endif
