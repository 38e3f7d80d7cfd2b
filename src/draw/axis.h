/* axis.h - axes of a chart: they convert values to pixels, and have ticks at round numbers or at
 * measured values. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum ken_scale { KEN_SCALE_LINEAR, KEN_SCALE_LOG2, KEN_SCALE_LOG10 };

enum { KEN_TICKS_MOST = 24, KEN_TICK_LABEL = 32 };

struct ken_axis {
    enum ken_scale scale;
    double low, high; /* values at the two ends                                */
    double from, to;  /* pixels of the two ends; from > to if the axis goes up */
    double ticks[KEN_TICKS_MOST];
    size_t tick_count;
    double step; /* distance between ticks; 0 if they are powers or measured values */
};

/* Returns whether a value can be shown on an axis of this scale: it is finite and, on a logarithmic
 * axis, above 0. */
bool ken_scale_takes(enum ken_scale scale, double value);

/* Makes an axis over the values from `low` to `high` with about `wanted` ticks. Ends that the scale
 * cannot show, or that are equal, are replaced by suitable ones. The caller sets the pixels `from`
 * and `to`. */
void ken_axis_fit(struct ken_axis *axis, enum ken_scale scale, double low, double high,
                  size_t wanted);

/* Adds a tick at a measured value, in ascending order, unless there is one already. The first call
 * must find the axis with tick_count = 0 and step = 0. Returns false if there is no room for
 * another tick. */
bool ken_axis_mark(struct ken_axis *axis, double value);

double ken_axis_place(const struct ken_axis *axis, double value); /* pixel; NaN if it has none */

/* Writes the label of tick i. All labels of a linear axis have the same number of decimals;
 * thousands are written as k, M or G. */
void ken_axis_label(char label[KEN_TICK_LABEL], const struct ken_axis *axis, size_t i);

/* Writes the label of a single number: four significant digits, or more for large numbers. */
void ken_number_label(char label[KEN_TICK_LABEL], double value);

#endif
