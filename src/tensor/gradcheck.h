/* gradcheck.h - compares the gradients of a network with finite differences of its loss. */
#ifndef TENSOR_GRADCHECK_H
#define TENSOR_GRADCHECK_H

#include "tensor/tape.h"

/* Builds a network on the tape and returns its loss, a (1, 1) tensor. Every call must compute the
 * same function. */
typedef ken_tensor *ken_gradcheck_fn(ken_tape *tape, void *context);

/* Compares gradients with finite differences, for up to `most` evenly spread entries of each
 * parameter. It uses a four-point difference of step `step` and, if gradient and difference
 * disagree, tries narrower steps. *worst receives the largest error: |gradient - difference|,
 * divided by the largest gradient of the parameter or by 1e-3, whichever is larger. The function
 * clears the gradients first and leaves them filled; it does not change the data. */
ken_status ken_gradcheck(double *worst, ken_gradcheck_fn *build, void *context,
                         ken_tensor *const *parameters, size_t count, float step, size_t most);

#endif
