/* heat.h - the colour scale of heat maps, for pages and terminals. If no value is negative, colours
 * go from white to dark by the square root of value / largest value, so that small weights stay
 * visible. Otherwise they go evenly from blue over white to red. The calls that draw are in
 * ken_look.h. */
#ifndef DRAW_HEAT_H
#define DRAW_HEAT_H

#include "base/buffer.h"

#include <stdbool.h>

/* The colour scale, which is the same for all matrices of a picture. */
struct ken_heat {
    double most;   /* the largest absolute value, above 0 */
    bool negative; /* whether there are negative values   */
};

struct ken_heat ken_heat_of(const ken_picture *picture);

/* Returns the strength of a value's colour: from 0 to 1, or from -1 to 1 if the picture has
 * negative values; NaN for NaN. ken_heat_value() is the inverse. */
double ken_heat_share(const struct ken_heat *heat, double value);
double ken_heat_value(const struct ken_heat *heat, double share);

/* Returns the name of row or column i, with control characters made visible; valid until `names`
 * changes. */
const char *ken_heat_name(ken_buffer *names, const char *const *list, size_t i);

#endif
