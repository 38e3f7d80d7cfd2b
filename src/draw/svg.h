/* svg.h - writes one SVG picture into a buffer: shapes and text, in the colours that all of ken's
 * pictures share. Coordinates are in pixels; y grows downwards. Texts need not be escaped by the
 * caller. A picture refers to nothing outside (no fonts, scripts or links), so it can be used alone
 * or within a page. A failure to allocate memory stays in the buffer, see ken_buffer_status(). */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "base/buffer.h"

#include <stddef.h>

enum ken_anchor { KEN_ANCHOR_START, KEN_ANCHOR_MIDDLE, KEN_ANCHOR_END };

/* The line colours can be distinguished by colour-blind viewers too, and each has a contrast of at
 * least 2.9 : 1 against white. Series i has colour i % KEN_COLOURS; series from KEN_COLOURS on also
 * have another dash pattern. The points of each series have marks of their own shape. */
enum { KEN_COLOURS = 8 };
const char *ken_colour(size_t series);

/* Writes the shade of blue for a strength `share` from 0 (white) to 1 (dark blue), as "#rrggbb";
 * NaN is grey. */
void ken_shade(char colour[8], double share);

/* ken_svg_open() begins a picture with a white background, ken_svg_close() ends it. The title is
 * for readers who cannot see the picture. */
void ken_svg_open(ken_buffer *out, double width, double height, const char *title);
void ken_svg_close(ken_buffer *out);

/* Adds a longer description for readers who cannot see the picture. Call it directly after
 * ken_svg_open(). */
void ken_svg_describe(ken_buffer *out, const char *text);

void ken_svg_rect(ken_buffer *out, double x, double y, double width, double height,
                  const char *fill, const char *tip); /* tip: tooltip text, or NULL */
void ken_svg_line(ken_buffer *out, double x1, double y1, double x2, double y2, const char *colour,
                  double thickness);
void ken_svg_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                  const char *colour, const char *text);
void ken_svg_text_turned(ken_buffer *out, double x, double y, double size, double degrees,
                         enum ken_anchor anchor, const char *text);

/* Returns the estimated width of a text in pixels. Fonts differ, so the estimate is rather too
 * large than too small. */
double ken_svg_text_width(const char *text, double size);

/* Draws a line through `count` points, with a mark at each point. A point that is not finite leaves
 * a gap in the line. */
void ken_svg_curve(ken_buffer *out, const double *x, const double *y, size_t count, size_t series);

/* Draws the sample of a series' line and mark that stands before its name in a legend. The sample
 * is KEN_SVG_KEY pixels wide; y is its middle. */
enum { KEN_SVG_KEY = 28 };
void ken_svg_key(ken_buffer *out, double x, double y, size_t series);

#endif
