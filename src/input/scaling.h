/* scaling.h - numbers brought to mean 0 and deviation 1, column by column, as the training data has
 * them (standardisation). Inputs that are numbers and targets that are numbers both use it. */
#ifndef INPUT_SCALING_H
#define INPUT_SCALING_H

#include "base/buffer.h"

struct ken_scaling {
    float *mean, *deviation; /* (width) */
    size_t width;
};

/* From `count` rows of `width` numbers; NaN is unknown and does not count. */
ken_status ken_scaling_learn(struct ken_scaling *scaling, const float *rows, size_t count,
                             size_t width);
ken_status ken_scaling_copy(struct ken_scaling *scaling, const struct ken_scaling *other);
void ken_scaling_release(struct ken_scaling *scaling);

/* Appends `count` scaled rows to a buffer of floats; NaN stays NaN. */
void ken_scaling_apply(const struct ken_scaling *scaling, ken_buffer *out, const float *rows,
                       size_t count);

#endif
