/* svg.h - writes one SVG picture into a buffer: shapes, text, and the colours that all of ken's
 * pictures share. Coordinates are pixels; y grows downwards. Text is escaped here. A picture loads
 * nothing (no fonts, scripts or links), so it can be used alone or within a page. A failure to
 * allocate memory stays in the buffer, see ken_buffer_status(). */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "base/buffer.h"

#include <stddef.h>

enum ken_anchor { KEN_ANCHOR_START, KEN_ANCHOR_MIDDLE, KEN_ANCHOR_END };

/* The line colours: colour-blind viewers can distinguish them too, and each has a contrast of at
 * least 2.9 : 1 against white. Series i has colour i % KEN_COLOURS and, from the second round on,
 * another dash pattern. The points of a series also have marks of their own shape. */
enum { KEN_COLOURS = 8 };
const char *ken_colour(size_t series);

/* Writes the shade of blue for a strength `share` from 0 (white) to 1 (dark blue), as "#rrggbb";
 * NaN is grey. */
void ken_shade(char colour[8], double share);

/* Open a picture on a white background, and close it. The title is for readers who cannot see the
 * picture. */
void ken_svg_open(ken_buffer *out, double width, double height, const char *title);
void ken_svg_close(ken_buffer *out);

/* Adds a longer description for readers who cannot see the picture; call it right after opening. */
void ken_svg_describe(ken_buffer *out, const char *text);

void ken_svg_rect(ken_buffer *out, double x, double y, double width, double height,
                  const char *fill, const char *tip); /* tip: shown when pointed at, or NULL */
void ken_svg_line(ken_buffer *out, double x1, double y1, double x2, double y2, const char *colour,
                  double thickness);
void ken_svg_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                  const char *colour, const char *text);
void ken_svg_text_turned(ken_buffer *out, double x, double y, double size, double degrees,
                         enum ken_anchor anchor, const char *text);

/* Returns the estimated width of a text in pixels; it is rather too large than too small, because
 * fonts differ. */
double ken_svg_text_width(const char *text, double size);

/* Draws a line through `count` points with a mark at each; points that are not finite leave a
 * gap. */
void ken_svg_curve(ken_buffer *out, const double *x, const double *y, size_t count, size_t series);

/* Draws the sample of a series that stands before its name in a legend: KEN_SVG_KEY pixels wide; y
 * is its middle. */
enum { KEN_SVG_KEY = 28 };
void ken_svg_key(ken_buffer *out, double x, double y, size_t series);

#endif
