/* scaling.h - scales numbers to mean 0 and deviation 1, column by column, as measured on the
 * training data (standardisation). Both inputs and targets that are numbers use it. */
#ifndef INPUT_SCALING_H
#define INPUT_SCALING_H

#include "base/buffer.h"

struct ken_scaling {
    float *mean, *deviation; /* (width) */
    size_t width;
};

/* Learns from `count` rows of `width` numbers; NaN is unknown and is not counted. */
ken_status ken_scaling_learn(struct ken_scaling *scaling, const float *rows, size_t count,
                             size_t width);
ken_status ken_scaling_copy(struct ken_scaling *scaling, const struct ken_scaling *other);
void ken_scaling_release(struct ken_scaling *scaling);

/* Appends `count` scaled rows to a buffer of floats; NaN stays NaN. */
void ken_scaling_apply(const struct ken_scaling *scaling, ken_buffer *out, const float *rows,
                       size_t count);

#endif
