/* chart_parts.c - parts of charts: the title, text that is cut to fit, the x axis, error bars. */
#include "draw/chart_parts.h"

#include <math.h>
#include <string.h>

void ken_chart_fit(ken_buffer *words, const char *text, double room, double size)
{
    size_t kept = strlen(text);
    ken_buffer_text(words, text);
    while (kept > 0 && !words->failed &&
           ken_svg_text_width(ken_buffer_string(words), size) > room) {
        do kept--;
        /* A text is never cut inside a UTF-8 character. */
        while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80);
        ken_buffer_clear(words);
        ken_buffer_append(words, text, kept);
        ken_buffer_text(words, "\xe2\x80\xa6");
    }
}

void ken_chart_text(ken_buffer *out, double x, double y, double size, enum ken_anchor anchor,
                    const char *text, double room)
{
    ken_buffer words = { 0 };
    ken_chart_fit(&words, text, room, size);
    ken_svg_text(out, x, y, size, anchor, KEN_CHART_INK, ken_buffer_string(&words));
    if (words.failed) out->failed = true;
    ken_buffer_release(&words);
}

double ken_chart_begin(ken_buffer *out, const struct ken_chart *chart, double width, double height)
{
    const char *title = chart->title ? chart->title : "";
    ken_svg_open(out, width, height, title);
    if (chart->about) ken_svg_describe(out, chart->about);
    if (!title[0]) return KEN_CHART_PAD;
    ken_chart_text(out, KEN_CHART_PAD, KEN_CHART_PAD + KEN_CHART_TITLE, KEN_CHART_TITLE,
                   KEN_ANCHOR_START, title, width - 2 * KEN_CHART_PAD);
    return 2 * KEN_CHART_PAD + KEN_CHART_TITLE;
}

double ken_chart_widest(const struct ken_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->tick_count; i++) {
        char label[KEN_TICK_LABEL];
        ken_axis_label(label, axis, i);
        widest = fmax(widest, ken_svg_text_width(label, KEN_CHART_TEXT));
    }
    return widest;
}

void ken_chart_x_axis(ken_buffer *out, const struct ken_axis *axis, double top, double bottom,
                      const char *title)
{
    double taken = -INFINITY; /* right end, in pixels, of the last label that was drawn */
    for (size_t i = 0; i < axis->tick_count; i++) {
        char label[KEN_TICK_LABEL];
        double x = ken_axis_place(axis, axis->ticks[i]);
        ken_axis_label(label, axis, i);
        double half = ken_svg_text_width(label, KEN_CHART_TEXT) / 2;
        ken_svg_line(out, x, top, x, bottom, KEN_CHART_GRID, 1);
        if (x - half < taken + 6) continue;
        ken_svg_text(out, x, bottom + 18, KEN_CHART_TEXT, KEN_ANCHOR_MIDDLE, KEN_CHART_INK, label);
        taken = x + half;
    }
    if (title)
        ken_chart_text(out, (axis->from + axis->to) / 2, bottom + KEN_CHART_FOOT + 10,
                       KEN_CHART_TEXT, KEN_ANCHOR_MIDDLE, title, axis->to - axis->from);
}

void ken_chart_error(ken_buffer *out, double x1, double y1, double x2, double y2,
                     const char *colour)
{
    double across_x = x1 == x2 ? 4 : 0, across_y = x1 == x2 ? 0 : 4;
    ken_svg_line(out, x1, y1, x2, y2, colour, 1.5);
    ken_svg_line(out, x1 - across_x, y1 - across_y, x1 + across_x, y1 + across_y, colour, 1.5);
    ken_svg_line(out, x2 - across_x, y2 - across_y, x2 + across_x, y2 + across_y, colour, 1.5);
}
