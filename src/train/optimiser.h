/* optimiser.h - AdamW over the parameters of a model, with clipping of the gradient's norm. */
#ifndef TRAIN_OPTIMISER_H
#define TRAIN_OPTIMISER_H

#include "base/status.h"
#include "tensor/tensor.h"

#include <stdint.h>

/* One parameter to train. The tensor belongs to the model and must outlive the optimiser. */
typedef struct ken_trained {
    ken_tensor *tensor;
    /* Whether weight decay applies: it does to matrices, not to biases, gains and (usually)
     * embeddings. */
    bool decays;
} ken_trained;

typedef struct ken_optimiser_options {
    double beta1, beta2; /* each in [0, 1)                                      */
    double eps;          /* 1e-20 or more                                       */
    double decay;        /* weight decay, separate from the gradient (AdamW)    */
    double l2;           /* weight decay as part of the gradient (L2)           */
    double clip;         /* maximum norm of the whole gradient; 0 = no clipping */
} ken_optimiser_options;

typedef struct ken_optimiser {
    ken_optimiser_options options;
    ken_trained *parameters; /* (count), a copy of the caller's list */
    size_t count;
    size_t size;  /* number of weights in all parameters                           */
    double norm;  /* norm of the last gradient, before clipping                    */
    size_t worst; /* after KEN_ERR_DIVERGED: index of the parameter that caused it */

    /* The state that a checkpoint has to keep: `step` and `moments`. */
    uint64_t step;  /* number of steps made so far                           */
    float *moments; /* (2, size): the m of all parameters, then the v of all */
} ken_optimiser;

/* Makes an optimiser. After a failure there is nothing to release. */
ken_status ken_optimiser_init(ken_optimiser *optimiser, const ken_trained *parameters, size_t count,
                              const ken_optimiser_options *options);
void ken_optimiser_release(ken_optimiser *optimiser);

/* Computes the norm of the gradient over all parameters, and `worst`: the first parameter whose
 * gradient is not finite or, if all are finite, the parameter with the largest gradient. */
void ken_optimiser_measure(ken_optimiser *optimiser);

/* Updates every parameter with its gradient at the learning rate `rate`, and clears the gradients.
 * If the norm of the gradient is not finite, returns KEN_ERR_DIVERGED and changes nothing, not even
 * the gradients. */
ken_status ken_optimiser_step(ken_optimiser *optimiser, double rate);

#endif
