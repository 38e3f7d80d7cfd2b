/* chart_parts.h - what both kinds of chart are made of; for draw/ only. */
#ifndef DRAW_CHART_PARTS_H
#define DRAW_CHART_PARTS_H

#include "draw/chart.h"

/* Pixels. */
enum { KEN_CHART_WIDTH = 720, KEN_CHART_TITLE = 16, KEN_CHART_TEXT = 13, KEN_CHART_PAD = 12 };

/* Below an x axis: labels of ticks, and its title. */
enum { KEN_CHART_FOOT = 30, KEN_CHART_FOOT_TITLE = 22 };

#define KEN_CHART_INK "#222222"
#define KEN_CHART_GRID "#dddddd"

/* Opens a picture and writes its title; returns where the rest may begin. */
double ken_chart_begin(ken_buffer *out, const struct ken_chart *chart, double width, double height);

/* Appends the longest beginning of a text that fits, with an ellipsis if some is gone. */
void ken_chart_fit(ken_buffer *words, const char *text, double room, double size);

/* Text at a place, cut to what fits in `room`. */
void ken_chart_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                    const char *text, double room);

/* Pixels that the widest label of an axis takes. */
double ken_chart_widest(const struct ken_axis *axis);

/* Grid lines from top to bottom, labels of ticks where they do not collide, and a title or NULL. */
void ken_chart_x_axis(ken_buffer *out, const struct ken_axis *axis, double top, double bottom,
                      const char *title);

/* From one end to the other with a cap across each; upright or lying. */
void ken_chart_error(ken_buffer *out, double x1, double y1, double x2, double y2,
                     const char *colour);

#endif
