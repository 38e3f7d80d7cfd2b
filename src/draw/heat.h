/* heat.h - matrices as colours: what the pictures for a page and for a terminal share.
 * Values that are never negative go from white to dark by the root of their share of the largest,
 * so that small weights stay visible; values of both signs from blue over white to red, evenly.
 * ken_task.h has the calls that draw. */
#ifndef DRAW_HEAT_H
#define DRAW_HEAT_H

#include "base/buffer.h"

#include <stdbool.h>

/* All matrices of a picture have one scale. */
struct ken_heat {
    double most;   /* the largest absolute value, above 0          */
    bool negative; /* there are negative values: two colours        */
};

struct ken_heat ken_heat_of(const ken_picture *picture);

/* How strong a value is drawn: 0 to 1, or -1 to 1; NaN stays. And the value of a share. */
double ken_heat_share(const struct ken_heat *heat, double value);
double ken_heat_value(const struct ken_heat *heat, double share);

/* The name of row or column i, in a form that can be seen; valid until `names` changes. */
const char *ken_heat_name(ken_buffer *names, const char *const *list, size_t i);

#endif
