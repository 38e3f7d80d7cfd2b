/* chart_parts.h - the parts that line charts and bar charts share. Used only inside src/draw. */
#ifndef DRAW_CHART_PARTS_H
#define DRAW_CHART_PARTS_H

#include "draw/chart.h"

/* Sizes of all charts in pixels: width of the picture, font size of the title and of other text,
 * margin. */
enum { KEN_CHART_WIDTH = 720, KEN_CHART_TITLE = 16, KEN_CHART_TEXT = 13, KEN_CHART_PAD = 12 };

/* Heights in pixels of the parts below an x axis: the labels of its ticks, and its title. */
enum { KEN_CHART_FOOT = 30, KEN_CHART_FOOT_TITLE = 22 };

#define KEN_CHART_INK "#222222"
#define KEN_CHART_GRID "#dddddd"

/* Opens a picture and writes its title. Returns the y coordinate below the title, where the rest of
 * the chart begins. */
double ken_chart_begin(ken_buffer *out, const struct ken_chart *chart, double width, double height);

/* Appends the longest beginning of a text that fits into `room` pixels, with an ellipsis if it was
 * cut. */
void ken_chart_fit(ken_buffer *words, const char *text, double room, double size);

/* Writes a text at (x, y), cut to fit into `room` pixels. */
void ken_chart_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                    const char *text, double room);

/* Returns the width in pixels of the widest tick label of an axis. */
double ken_chart_widest(const struct ken_axis *axis);

/* Draws the x axis: grid lines from top to bottom, the labels of ticks (except those that would
 * collide with another label), and the title, unless it is NULL. */
void ken_chart_x_axis(ken_buffer *out, const struct ken_axis *axis, double top, double bottom,
                      const char *title);

/* Draws a vertical or horizontal error bar from (x1, y1) to (x2, y2), with a short line across each
 * end. */
void ken_chart_error(ken_buffer *out, double x1, double y1, double x2, double y2,
                     const char *colour);

#endif
