/* axis.h - from values to pixels, and which values get a tick: numbers that people count in. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum ken_scale { KEN_SCALE_LINEAR, KEN_SCALE_LOG2, KEN_SCALE_LOG10 };

enum { KEN_TICKS_MOST = 24, KEN_TICK_LABEL = 32 };

struct ken_axis {
    enum ken_scale scale;
    double low, high; /* values at both ends                                 */
    double from, to;  /* their pixels; from > to for an axis that goes up    */
    double ticks[KEN_TICKS_MOST];
    size_t tick_count;
    double step; /* between ticks; 0: they are not evenly spaced in value */
};

/* Whether a value has a place on such an axis: finite, and on a logarithmic one above 0. */
bool ken_scale_takes(enum ken_scale scale, double value);

/* An axis over the values from low to high with about `wanted` ticks. Ends that the scale does not
 * take, or that are equal, become some that are fit to look at. Pixels are set by the caller. */
void ken_axis_fit(struct ken_axis *axis, enum ken_scale scale, double low, double high,
                  size_t wanted);

double ken_axis_place(const struct ken_axis *axis, double value); /* NaN: it has none */

/* Words for tick i: all of a linear axis with as many digits, thousands as k, M or G. */
void ken_axis_label(char label[KEN_TICK_LABEL], const struct ken_axis *axis, size_t i);

/* A number on its own, in four digits and more of large ones. */
void ken_number_label(char label[KEN_TICK_LABEL], double value);

#endif
