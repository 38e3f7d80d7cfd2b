/* chart.h - charts as SVG: lines over x, and bars for categories. The layout is computed from the
 * widths of all texts. Legends are above the curves and never cover them. Long names are cut, and
 * shown in full when the reader points at them. No text is smaller than 12 pixels. Values that are
 * not finite are left out. */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "draw/axis.h"
#include "draw/svg.h"

/* The fields that line charts and bar charts have. Titles may be NULL. width = 0 means 720 pixels;
 * height = 0 means the height that the content needs. */
struct ken_chart {
    const char *title;
    const char *about; /* description of the chart for readers who cannot see the picture */
    const char *x_title, *y_title;
    /* scales of the axes; bar charts ignore them: bars are linear and begin at 0 */
    enum ken_scale x_scale, y_scale;
    double width, height;
};

struct ken_series {
    const char *name; /* name in the legend; NULL = the series is not in the legend */
    /* coordinates of `count` points, which are joined in the order of the arrays */
    const double *x, *y;
    /* (count): length of the error bar above and below each y; NULL = no error bars */
    const double *error;
    size_t count;
};

void ken_chart_lines(ken_buffer *out, const struct ken_chart *chart,
                     const struct ken_series *series, size_t count);

struct ken_bar {
    const char *name;
    double value;      /* value that the bar shows; NaN = no bar, only the label */
    double error;      /* length of the error bar on both sides of the value; 0 = none */
    const char *label; /* text after the bar; NULL = the value is written there */
};

/* Draws horizontal bars, one below another, each with its name on the left. The x axis shows
 * values. */
void ken_chart_bars(ken_buffer *out, const struct ken_chart *chart, const struct ken_bar *bars,
                    size_t count);

#endif
