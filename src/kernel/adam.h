/* adam.h - one step of AdamW on an array of weights, in one pass over memory. */
#ifndef KERNEL_ADAM_H
#define KERNEL_ADAM_H

#include <stddef.h>
#include <stdint.h>

struct ken_adam {
    double rate;         /* lr                                              */
    double beta1, beta2; /* of the moments, each in [0, 1)                  */
    double eps;          /* > 0                                             */
    double decay;        /* wd, outside of the moments                      */
    double l2;           /* c, which the moments see                        */
    double scale;        /* of the gradient, on the way in: clipping        */
    uint64_t step;       /* t, from 1                                       */
};

/* With g the scaled gradient + c w:
 *   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
 *   w -= lr ((m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) + wd w)
 * and the gradient is 0 afterwards, ready for the next step. */
void ken_adam(float *w, float *grad, float *m, float *v, size_t n, const struct ken_adam *options);
void ken_adam_ref(float *w, float *grad, float *m, float *v, size_t n,
                  const struct ken_adam *options);

#endif
