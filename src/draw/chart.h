/* chart.h - charts as SVG: lines over x, and bars for categories. The layout follows from the
 * widths of all texts: legends are placed above the curves and never cover them; long names are cut
 * and shown in full when the reader points at them. No text is smaller than 12 pixels. Values that
 * are not finite are left out. */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "draw/axis.h"
#include "draw/svg.h"

/* The fields that all charts have. Titles may be NULL. width = 0 means 720 pixels, and height = 0
 * as much as the chart needs. */
struct ken_chart {
    const char *title;
    const char *about; /* a description for readers who cannot see the picture */
    const char *x_title, *y_title;
    enum ken_scale x_scale, y_scale; /* bars are always linear and begin at 0 */
    double width, height;
};

struct ken_series {
    const char *name;    /* NULL = not in the legend                                     */
    const double *x, *y; /* (count), drawn in the order of the array                     */
    const double *error; /* (count), length of the error bar up and down from y; or NULL */
    size_t count;
};

void ken_chart_lines(ken_buffer *out, const struct ken_chart *chart,
                     const struct ken_series *series, size_t count);

struct ken_bar {
    const char *name;
    double value;      /* NaN = no bar, only the label                                 */
    double error;      /* length of the error bar on both sides of the value; 0 = none */
    const char *label; /* text after the bar; NULL = the value                         */
};

/* Draws horizontal bars from top to bottom, each with its name on the left; the x axis shows
 * values. */
void ken_chart_bars(ken_buffer *out, const struct ken_chart *chart, const struct ken_bar *bars,
                    size_t count);

#endif
