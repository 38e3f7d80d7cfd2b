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
    double low, high; /* values at the two ends of the axis */
    double from, to;  /* pixels of the two ends of the axis; from > to if values increase upwards */
    double ticks[KEN_TICKS_MOST];
    size_t tick_count;
    double step; /* distance between ticks as a value; 0 if ticks are powers or measured values */
};

/* Returns whether a value can be shown on an axis with this scale. The value must be finite and, on
 * a logarithmic axis, above 0. */
bool ken_scale_takes(enum ken_scale scale, double value);

/* Makes an axis over the values from `low` to `high` with about `wanted` ticks. If `low` or `high`
 * cannot be shown on the scale, or if they are equal, suitable values are used instead. The caller
 * then sets the pixels axis->from and axis->to. */
void ken_axis_fit(struct ken_axis *axis, enum ken_scale scale, double low, double high,
                  size_t wanted);

/* Adds a tick at a measured value, in ascending order, unless the value already has a tick. Before
 * the first call, axis->tick_count and axis->step must be 0. Returns false if there is no room for
 * another tick. */
bool ken_axis_mark(struct ken_axis *axis, double value);

/* Returns the pixel of a value; NaN if the axis cannot show the value. */
double ken_axis_place(const struct ken_axis *axis, double value);

/* Writes the label of tick i. All labels of a linear axis have the same number of decimals;
 * thousands are written as k, M or G. */
void ken_axis_label(char label[KEN_TICK_LABEL], const struct ken_axis *axis, size_t i);

/* Writes a single number as a label: with four significant digits, or more for large numbers. */
void ken_number_label(char label[KEN_TICK_LABEL], double value);

#endif
