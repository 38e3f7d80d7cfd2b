/* chart_parts.h - the parts that line charts and bar charts share; private to draw/. */
#ifndef DRAW_CHART_PARTS_H
#define DRAW_CHART_PARTS_H

#include "draw/chart.h"

/* Sizes of all charts in pixels: width of the picture, fonts of the title and other text,
 * margin. */
enum { KEN_CHART_WIDTH = 720, KEN_CHART_TITLE = 16, KEN_CHART_TEXT = 13, KEN_CHART_PAD = 12 };

/* Heights below an x axis, in pixels: the labels of ticks, and the title of the axis. */
enum { KEN_CHART_FOOT = 30, KEN_CHART_FOOT_TITLE = 22 };

#define KEN_CHART_INK "#222222"
#define KEN_CHART_GRID "#dddddd"

/* Opens a picture and writes its title; returns the y below the title, where the rest may begin. */
double ken_chart_begin(ken_buffer *out, const struct ken_chart *chart, double width, double height);

/* Appends the longest beginning of a text that fits into `room` pixels, with an ellipsis if it was
 * cut. */
void ken_chart_fit(ken_buffer *words, const char *text, double room, double size);

/* Writes a text at (x, y), cut to fit into `room` pixels. */
void ken_chart_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                    const char *text, double room);

/* Returns the width in pixels of the widest tick label of an axis. */
double ken_chart_widest(const struct ken_axis *axis);

/* Draws the x axis: grid lines from top to bottom, the labels of ticks that do not collide, and the
 * title, unless it is NULL. */
void ken_chart_x_axis(ken_buffer *out, const struct ken_axis *axis, double top, double bottom,
                      const char *title);

/* Draws an error bar from one end to the other, with a cap across each end; vertical or
 * horizontal. */
void ken_chart_error(ken_buffer *out, double x1, double y1, double x2, double y2,
                     const char *colour);

#endif
