/* svg.c - writes elements of SVG 1.1. All numbers are written by number() and all texts from
 * outside by escaped(), so a picture is well-formed XML whatever names and values it gets. */
#include "draw/svg.h"

#include "base/json.h"
#include "base/size.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The line colours. Any two are at least 0.098 apart in the colour space OKLab, also as
 * colour-blind viewers see them (without red, green or blue cones). Neighbours in the list differ
 * most. */
static const char *const colours[KEN_COLOURS] = { "#0072b2", "#c94f00", "#222222", "#2f9fd8",
                                                  "#7a7a7a", "#4b2a99", "#e07b00", "#5a3a00" };

static const char *const dashes[] = { "", "7 4", "2 3", "9 3 2 3" };

const char *ken_colour(size_t series)
{
    return colours[series % KEN_COLOURS];
}

void ken_shade(char colour[8], double share)
{
    /* Shades go from white over light blue to dark blue, and the lightness decreases evenly. */
    static const double stops[3][3] = { { 255, 255, 255 }, { 102, 160, 210 }, { 8, 38, 100 } };
    if (isnan(share)) {
        snprintf(colour, 8, "#bbbbbb");
        return;
    }
    share = 2 * fmin(fmax(share, 0), 1);
    size_t from = share < 1 ? 0 : 1;
    unsigned channel[3];
    for (size_t c = 0; c < 3; c++)
        channel[c] = (unsigned)lround(stops[from][c] + (share - (double)from) *
                                                           (stops[from + 1][c] - stops[from][c]));
    snprintf(colour, 8, "#%02x%02x%02x", channel[0] & 255, channel[1] & 255, channel[2] & 255);
}

/* ---- attributes and escaping ----------------------------------------------------------------- */

/* Writes an attribute with a number, rounded to a hundredth of a pixel. NaN and values far outside
 * the picture are replaced by harmless values, because not all programs that read SVG accept
 * them. */
static void number(ken_buffer *out, const char *name, double value)
{
    double near = isnan(value) ? 0 : fmin(fmax(value, -99999), 99999);
    ken_buffer_format(out, " %s=\"", name);
    ken_json_number(out, round(near * 100) / 100 + 0.0); /* + 0 turns -0 into 0 */
    ken_buffer_text(out, "\"");
}

/* Returns whether XML 1.0 can express the character at `at`. Control characters, U+FFFE, U+FFFF and
 * bytes that are not UTF-8 cannot be expressed; U+FFFD is written instead. */
static bool is_character(const char *at, size_t step)
{
    unsigned char c = (unsigned char)*at;
    if (step == 1) return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
    return !(step == 3 && memcmp(at, "\xef\xbf", 2) == 0 && (unsigned char)at[2] >= 0xbe);
}

static void escaped(ken_buffer *out, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0, step; i < length; i += step) {
        step = ken_text_step(text + i, length - i);
        if (!is_character(text + i, step)) ken_buffer_text(out, "\xef\xbf\xbd");
        else if (text[i] == '&') ken_buffer_text(out, "&amp;");
        else if (text[i] == '<') ken_buffer_text(out, "&lt;");
        else if (text[i] == '>') ken_buffer_text(out, "&gt;");
        else if (text[i] == '"') ken_buffer_text(out, "&quot;");
        else ken_buffer_append(out, text + i, step);
    }
}

static void element(ken_buffer *out, const char *name, const char *text)
{
    ken_buffer_format(out, "<%s>", name);
    escaped(out, text);
    ken_buffer_format(out, "</%s>", name);
}

void ken_svg_open(ken_buffer *out, double width, double height, const char *title)
{
    ken_buffer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    number(out, "width", width);
    number(out, "height", height);
    ken_buffer_format(out, " viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"sans-serif\"",
                      ceil(width), ceil(height));
    ken_buffer_text(out, " aria-label=\"");
    escaped(out, title);
    ken_buffer_text(out, "\">\n");
    element(out, "title", title);
    ken_buffer_text(out, "\n");
    ken_svg_rect(out, 0, 0, width, height, "#ffffff", NULL);
}

void ken_svg_describe(ken_buffer *out, const char *text)
{
    element(out, "desc", text);
    ken_buffer_text(out, "\n");
}

void ken_svg_close(ken_buffer *out)
{
    ken_buffer_text(out, "</svg>\n");
}

/* ---- shapes and text ------------------------------------------------------------------------- */

void ken_svg_rect(ken_buffer *out, double x, double y, double width, double height,
                  const char *fill, const char *tip)
{
    ken_buffer_text(out, "<rect");
    number(out, "x", x);
    number(out, "y", y);
    number(out, "width", fmax(width, 0));
    number(out, "height", fmax(height, 0));
    ken_buffer_format(out, " fill=\"%s\"", fill);
    if (tip) {
        ken_buffer_text(out, ">");
        element(out, "title", tip);
        ken_buffer_text(out, "</rect>\n");
    } else {
        ken_buffer_text(out, "/>\n");
    }
}

void ken_svg_line(ken_buffer *out, double x1, double y1, double x2, double y2, const char *colour,
                  double thickness)
{
    ken_buffer_text(out, "<line");
    number(out, "x1", x1);
    number(out, "y1", y1);
    number(out, "x2", x2);
    number(out, "y2", y2);
    ken_buffer_format(out, " stroke=\"%s\"", colour);
    number(out, "stroke-width", thickness);
    ken_buffer_text(out, "/>\n");
}

static void text_begin(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    ken_buffer_text(out, "<text");
    number(out, "x", x);
    number(out, "y", y);
    number(out, "font-size", size);
    if (anchor != KEN_ANCHOR_START) ken_buffer_format(out, " text-anchor=\"%s\"", anchors[anchor]);
}

void ken_svg_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                  const char *colour, const char *text)
{
    text_begin(out, x, y, size, anchor);
    ken_buffer_format(out, " fill=\"%s\">", colour);
    escaped(out, text);
    ken_buffer_text(out, "</text>\n");
}

void ken_svg_text_turned(ken_buffer *out, double x, double y, double size, double degrees,
                         enum ken_anchor anchor, const char *text)
{
    text_begin(out, x, y, size, anchor);
    ken_buffer_format(out, " fill=\"#222222\" transform=\"rotate(%.0f ", degrees);
    ken_json_number(out, round(x * 100) / 100);
    ken_buffer_text(out, " ");
    ken_json_number(out, round(y * 100) / 100);
    ken_buffer_text(out, ")\">");
    escaped(out, text);
    ken_buffer_text(out, "</text>\n");
}

/* Estimates the width of a text. The table has the widths of the characters of DejaVu Sans, one of
 * the widest fonts, relative to the font size. */
double ken_svg_text_width(const char *text, double size)
{
    double width = 0;
    size_t length = strlen(text);
    for (size_t i = 0, step; i < length; i += step) {
        step = ken_text_step(text + i, length - i);
        if (step > 1) width += step == 2 ? 0.65 : 1.05;
        else if (strchr("iljtfr.,:;'!|/\\()[] -", text[i])) width += 0.42;
        else if (strchr("mwMW@%&", text[i])) width += 0.98;
        else width += text[i] >= 'A' && text[i] <= 'Z' ? 0.72 : 0.64;
    }
    return width * size;
}

/* ---- series ---------------------------------------------------------------------------------- */

/* Draws the mark of a point: circle, square, triangle or diamond, depending on the series. All
 * marks have about the same area. */
static void mark(ken_buffer *out, double x, double y, size_t series)
{
    static const double corners[][4][2] = { { { -4, -4 }, { 4, -4 }, { 4, 4 }, { -4, 4 } },
                                            { { 0, -5.5 }, { 5, 4 }, { -5, 4 }, { 0, -5.5 } },
                                            { { 0, -5.5 }, { 5.5, 0 }, { 0, 5.5 }, { -5.5, 0 } } };
    size_t shape = series % (KEN_COUNT(corners) + 1);
    if (shape == 0) {
        ken_buffer_text(out, "<circle");
        number(out, "cx", x);
        number(out, "cy", y);
        ken_buffer_format(out, " r=\"4.2\" fill=\"%s\"/>\n", ken_colour(series));
        return;
    }
    ken_buffer_text(out, "<polygon points=\"");
    for (size_t i = 0; i < 4; i++) {
        ken_json_number(out, round((x + corners[shape - 1][i][0]) * 100) / 100);
        ken_buffer_text(out, ",");
        ken_json_number(out, round((y + corners[shape - 1][i][1]) * 100) / 100);
        ken_buffer_text(out, i < 3 ? " " : "");
    }
    ken_buffer_format(out, "\" fill=\"%s\"/>\n", ken_colour(series));
}

static void line_through(ken_buffer *out, const double *x, const double *y, size_t count,
                         size_t series)
{
    const char *dash = dashes[series / KEN_COLOURS % KEN_COUNT(dashes)];
    ken_buffer_text(out, "<polyline points=\"");
    for (size_t i = 0; i < count; i++) {
        ken_json_number(out, round(x[i] * 100) / 100);
        ken_buffer_text(out, ",");
        ken_json_number(out, round(y[i] * 100) / 100);
        ken_buffer_text(out, i + 1 < count ? " " : "");
    }
    ken_buffer_format(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"", ken_colour(series));
    if (dash[0]) ken_buffer_format(out, " stroke-dasharray=\"%s\"", dash);
    ken_buffer_text(out, "/>\n");
}

void ken_svg_curve(ken_buffer *out, const double *x, const double *y, size_t count, size_t series)
{
    /* each piece of the curve, up to the next gap, is drawn by itself */
    for (size_t from = 0, to; from < count; from = to + 1) {
        for (to = from; to < count && isfinite(x[to]) && isfinite(y[to]);) to++;
        if (to - from > 1) line_through(out, x + from, y + from, to - from, series);
        for (size_t i = from; i < to; i++) mark(out, x[i], y[i], series);
    }
}

void ken_svg_key(ken_buffer *out, double x, double y, size_t series)
{
    double ends[2] = { x, x + KEN_SVG_KEY }, level[2] = { y, y };
    line_through(out, ends, level, 2, series);
    mark(out, x + KEN_SVG_KEY / 2.0, y, series);
}
