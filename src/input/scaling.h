/* scaling.h - standardisation: scales each column of numbers to mean 0 and standard deviation 1, as
 * measured on the training data. Used for inputs, and for targets that are numbers. */
#ifndef INPUT_SCALING_H
#define INPUT_SCALING_H

#include "base/buffer.h"

struct ken_scaling {
    float *mean, *deviation; /* mean and standard deviation of each column */
    size_t width;
};

/* Computes mean and deviation of each column from `count` rows of `width` numbers. A NaN is an
 * unknown number and is left out. */
ken_status ken_scaling_learn(struct ken_scaling *scaling, const float *rows, size_t count,
                             size_t width);
ken_status ken_scaling_copy(struct ken_scaling *scaling, const struct ken_scaling *other);
void ken_scaling_release(struct ken_scaling *scaling);

/* Appends `count` scaled rows to `out`, a buffer of floats. NaN stays NaN. */
void ken_scaling_apply(const struct ken_scaling *scaling, ken_buffer *out, const float *rows,
                       size_t count);

#endif
