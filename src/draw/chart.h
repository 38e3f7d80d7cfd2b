/* chart.h - measured numbers as pictures: lines over x, and bars for categories.
 * Everything is placed by the space that its words take: legends stand above the curves and never
 * over them, long names are cut and can be read in full by pointing at them. No text is smaller
 * than 12 pixels. Values that are not finite are left out. */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "draw/axis.h"
#include "draw/svg.h"

/* What all charts have. Titles may be NULL; sizes 0 are 720 pixels by what fits. */
struct ken_chart {
    const char *title;
    const char *about; /* a sentence for those who do not see the picture */
    const char *x_title, *y_title;
    enum ken_scale x_scale, y_scale; /* bars are always linear and begin at 0 */
    double width, height;
};

struct ken_series {
    const char *name;    /* NULL: not in the legend              */
    const double *x, *y; /* (count), drawn in this order         */
    const double *error; /* (count), up and down from y; or NULL */
    size_t count;
};

void ken_chart_lines(ken_buffer *out, const struct ken_chart *chart,
                     const struct ken_series *series, size_t count);

struct ken_bar {
    const char *name;
    double value;      /* NaN: no bar, only the label        */
    double error;      /* to both sides of the value; 0: none */
    const char *label; /* behind the bar; NULL: the value     */
};

/* Bars that lie, from top to bottom, each with its name before it: x is the value. */
void ken_chart_bars(ken_buffer *out, const struct ken_chart *chart, const struct ken_bar *bars,
                    size_t count);

#endif
