/* heat.h - heat maps: the colour scale that pictures for a page and for a terminal share.
 * If no value is negative, values go from white to dark by the square root of their share of the
 * largest, so that small weights stay visible. Otherwise they go evenly from blue over white to
 * red. ken_task.h has the calls that draw. */
#ifndef DRAW_HEAT_H
#define DRAW_HEAT_H

#include "base/buffer.h"

#include <stdbool.h>

/* The scale, which is the same for all matrices of a picture. */
struct ken_heat {
    double most;   /* the largest absolute value, above 0          */
    bool negative; /* whether there are negative values             */
};

struct ken_heat ken_heat_of(const ken_picture *picture);

/* The share of a value says how strong its colour is: 0 to 1, or -1 to 1; NaN stays NaN. The second
 * function is its inverse. */
double ken_heat_share(const struct ken_heat *heat, double value);
double ken_heat_value(const struct ken_heat *heat, double share);

/* The name of row or column i, with control characters made visible; valid until `names`
 * changes. */
const char *ken_heat_name(ken_buffer *names, const char *const *list, size_t i);

#endif
