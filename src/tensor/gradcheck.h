/* gradcheck.h - compares the gradients of a network with finite differences of its loss. */
#ifndef TENSOR_GRADCHECK_H
#define TENSOR_GRADCHECK_H

#include "tensor/tape.h"

/* Builds the network on the tape and returns its loss (1, 1). Must compute the same function at
 * every call. */
typedef ken_tensor *ken_gradcheck_fn(ken_tape *tape, void *context);

/* For up to `most` evenly spread entries of each parameter, compares the gradient with the slope by
 * a four-point difference of step `step` and, if they disagree, of narrower steps. *worst receives
 * the largest difference, relative to the largest gradient of that parameter, or to 1e-3 if that is
 * larger. Gradients are cleared first and are filled afterwards; the data is not changed. */
ken_status ken_gradcheck(double *worst, ken_gradcheck_fn *build, void *context,
                         ken_tensor *const *parameters, size_t count, float step, size_t most);

#endif
