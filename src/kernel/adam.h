/* adam.h - one step of AdamW on an array of weights, in one pass over memory. */
#ifndef KERNEL_ADAM_H
#define KERNEL_ADAM_H

#include <stddef.h>
#include <stdint.h>

struct ken_adam {
    double rate;         /* learning rate; lr in the formula of ken_adam()                      */
    double beta1, beta2; /* decay rates of the two moments, in [0, 1); b1 and b2 in the formula */
    double eps;          /* added to the root of the second moment; > 0                         */
    double decay;        /* decoupled weight decay (AdamW), wd in the formula                   */
    double l2;           /* L2 penalty, which becomes a part of the gradient; c in the formula  */
    double scale;        /* factor applied to the gradient first, for clipping                  */
    uint64_t step;       /* number of this step, counted from 1; t in the formula               */
};

/* Makes one step of AdamW. With lr = rate, b1 = beta1, b2 = beta2, wd = decay, c = l2, t = step and
 * g = scale grad + c w:
 *   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
 *   w -= lr ((m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) + wd w)
 * The gradient is set to 0 afterwards, ready for the next step. */
void ken_adam(float *w, float *grad, float *m, float *v, size_t n, const struct ken_adam *options);
void ken_adam_ref(float *w, float *grad, float *m, float *v, size_t n,
                  const struct ken_adam *options);

#endif
