/* optimiser.h - AdamW over the parameters of a model, with clipping of the gradient's norm. */
#ifndef TRAIN_OPTIMISER_H
#define TRAIN_OPTIMISER_H

#include "base/status.h"
#include "tensor/tensor.h"

#include <stdint.h>

/* One parameter to train. The tensor belongs to the model and must outlive the optimiser. */
typedef struct ken_trained {
    ken_tensor *tensor;
    /* Whether weight decay applies to the parameter: true for matrices, false for biases, gains and
     * (usually) embeddings. */
    bool decays;
} ken_trained;

typedef struct ken_optimiser_options {
    double beta1, beta2; /* decay of Adam's first and second moment, each in [0, 1)       */
    double eps;          /* added to the denominator of Adam; at least 1e-20              */
    double decay;        /* decoupled weight decay (AdamW), not part of the gradient      */
    double l2;           /* L2 regularisation: weight decay that is added to the gradient */
    double clip;         /* maximum norm of the whole gradient; 0 = no clipping           */
} ken_optimiser_options;

typedef struct ken_optimiser {
    ken_optimiser_options options;
    ken_trained *parameters; /* copy of the caller's list; `count` entries */
    size_t count;
    size_t size; /* number of weights in all parameters        */
    double norm; /* norm of the last gradient, before clipping */
    /* Index of the first parameter whose gradient is not finite; if all gradients are finite, index
     * of the parameter with the largest gradient. */
    size_t worst;

    /* `step` and `moments` are the state of the optimiser, which a checkpoint has to keep. */
    uint64_t step; /* number of steps made so far */
    /* Adam's first moments of all weights, followed by the second moments of all weights; 2 * size
     * entries */
    float *moments;
} ken_optimiser;

/* Makes an optimiser. If this fails, there is nothing to release. */
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
