/* optimiser.h - AdamW over the parameters of a model, with clipping of the gradient's norm. */
#ifndef TRAIN_OPTIMISER_H
#define TRAIN_OPTIMISER_H

#include "base/status.h"
#include "tensor/tensor.h"

#include <stdint.h>

/* One parameter; the tensor belongs to the model and must outlive the optimiser. */
typedef struct ken_trained {
    ken_tensor *tensor;
    bool decays; /* matrices do; biases, gains and (usually) embeddings do not */
} ken_trained;

typedef struct ken_optimiser_options {
    double beta1, beta2; /* each in [0, 1)                                     */
    double eps;          /* 1e-20 or more                                      */
    double decay;        /* weight decay, separate from the gradient (AdamW)   */
    double l2;           /* weight decay as part of the gradient (L2)          */
    double clip;         /* maximum norm of the whole gradient; 0 = no clipping */
} ken_optimiser_options;

typedef struct ken_optimiser {
    ken_optimiser_options options;
    ken_trained *parameters; /* (count), a copy                                          */
    size_t count;
    size_t size;  /* number of weights in all parameters                                 */
    double norm;  /* of the last gradient, before clipping                               */
    size_t worst; /* after KEN_ERR_DIVERGED: index of the parameter that caused it       */

    /* The state that a checkpoint has to keep: */
    uint64_t step;  /* number of steps made                                              */
    float *moments; /* (2, size): all m, then all v, parameters in order                 */
} ken_optimiser;

/* After a failure there is nothing to release. */
ken_status ken_optimiser_init(ken_optimiser *optimiser, const ken_trained *parameters, size_t count,
                              const ken_optimiser_options *options);
void ken_optimiser_release(ken_optimiser *optimiser);

/* Computes the norm over all parameters, and `worst`: the first parameter whose gradient is not
 * finite, or the one with the largest gradient. */
void ken_optimiser_measure(ken_optimiser *optimiser);

/* Updates every parameter with its gradient at this learning rate, and clears the gradients. A norm
 * that is not finite is KEN_ERR_DIVERGED, and then nothing is changed, not even the gradients. */
ken_status ken_optimiser_step(ken_optimiser *optimiser, double rate);

#endif
