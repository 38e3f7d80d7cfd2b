/* chart_lines.c - draws several series as lines over x. From top to bottom a chart has title,
 * legend, curves and x axis; the curves get the height that the other parts leave. */
#include "draw/chart_parts.h"

#include "base/memory.h"

#include <math.h>

enum { HEIGHT = 420, ROW = 20, INSIDE = 12 }; /* pixels; INSIDE: from frame to marks */

/* The layout of the legend: all names in one row, or in columns of the same width. Sizes in
 * pixels. */
struct legend {
    size_t names;
    double room;   /* maximum width of a name        */
    double column; /* width of a column; 0 = one row */
    double width;  /* width of the picture           */
};

enum { BEFORE = KEN_SVG_KEY + 8, BETWEEN = 20 }; /* pixels before a name, and between names */

static double name_width(const struct legend *legend, const char *name)
{
    return fmin(ken_svg_text_width(name, KEN_CHART_TEXT), legend->room);
}

static struct legend plan_legend(const struct ken_series *series, size_t count, double width)
{
    struct legend legend = { .width = width, .room = width - 2 * KEN_CHART_PAD - BEFORE };
    double widest = 0, all = 0;
    for (size_t s = 0; s < count; s++) {
        if (!series[s].name) continue;
        double wide = BEFORE + name_width(&legend, series[s].name) + BETWEEN;
        widest = fmax(widest, wide);
        all += wide;
        legend.names++;
    }
    if (all - BETWEEN > width - 2 * KEN_CHART_PAD) legend.column = widest;
    return legend;
}

static size_t legend_columns(const struct legend *legend)
{
    double fit = (legend->width - 2 * KEN_CHART_PAD + BETWEEN) / legend->column;
    return fit > 1 ? (size_t)fit : 1;
}

static double legend_height(const struct legend *legend)
{
    size_t columns = legend->column > 0 ? legend_columns(legend) : legend->names;
    if (legend->names == 0) return 0;
    return ROW * (double)((legend->names + columns - 1) / columns) + 8;
}

static void draw_legend(ken_buffer *out, const struct legend *legend,
                        const struct ken_series *series, size_t count, double y)
{
    double x = KEN_CHART_PAD;
    size_t columns = legend->column > 0 ? legend_columns(legend) : legend->names, placed = 0;
    for (size_t s = 0; s < count; s++) {
        if (!series[s].name) continue;
        if (placed > 0 && placed % columns == 0) {
            x = KEN_CHART_PAD;
            y += ROW;
        }
        ken_svg_key(out, x, y + ROW / 2.0, s);
        ken_chart_text(out, x + BEFORE, y + ROW / 2.0 + 4.5, KEN_CHART_TEXT, KEN_ANCHOR_START,
                       series[s].name, legend->room);
        x += legend->column > 0 ? legend->column
                                : BEFORE + name_width(legend, series[s].name) + BETWEEN;
        placed++;
    }
}

static void widen(double range[2], enum ken_scale scale, double value)
{
    if (!ken_scale_takes(scale, value)) return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static double error_of(const struct ken_series *series, size_t i)
{
    double error = series->error ? series->error[i] : 0;
    return isfinite(error) && error > 0 ? error : 0;
}

/* Finds the smallest and largest x and y of all points that can be drawn; y includes error bars. */
static void find_ranges(double x[2], double y[2], const struct ken_chart *chart,
                        const struct ken_series *series, size_t count)
{
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = -INFINITY;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].count; i++) {
            double error = error_of(&series[s], i), value = series[s].y[i];
            if (!ken_scale_takes(chart->x_scale, series[s].x[i]) ||
                !ken_scale_takes(chart->y_scale, value))
                continue;
            widen(x, chart->x_scale, series[s].x[i]);
            widen(y, chart->y_scale, value);
            widen(y, chart->y_scale, value - error);
            widen(y, chart->y_scale, value + error);
        }
}

static void draw_y_axis(ken_buffer *out, const struct ken_axis *axis, double left, double right,
                        const char *title)
{
    for (size_t i = 0; i < axis->tick_count; i++) {
        char label[KEN_TICK_LABEL];
        double y = ken_axis_place(axis, axis->ticks[i]);
        ken_axis_label(label, axis, i);
        ken_svg_line(out, left, y, right, y, KEN_CHART_GRID, 1);
        ken_svg_text(out, left - 8, y + 4.5, KEN_CHART_TEXT, KEN_ANCHOR_END, KEN_CHART_INK, label);
    }
    if (!title) return;
    ken_buffer words = { 0 };
    ken_chart_fit(&words, title, axis->from - axis->to, KEN_CHART_TEXT);
    ken_svg_text_turned(out, KEN_CHART_PAD + 8, (axis->from + axis->to) / 2, KEN_CHART_TEXT, -90,
                        KEN_ANCHOR_MIDDLE, ken_buffer_string(&words));
    if (words.failed) out->failed = true;
    ken_buffer_release(&words);
}

static void draw_series(ken_buffer *out, const struct ken_series *series, size_t number,
                        const struct ken_axis *x_axis, const struct ken_axis *y_axis)
{
    size_t n = series->count;
    double *x = ken_memory_new(2 * n, sizeof *x), *y; /* coordinates in pixels */
    if (!x) {
        out->failed = true;
        return;
    }
    y = x + n;
    for (size_t i = 0; i < n; i++) {
        double value = series->y[i], error = error_of(series, i);
        x[i] = ken_axis_place(x_axis, series->x[i]);
        y[i] = ken_axis_place(y_axis, value);
        if (error == 0 || isnan(x[i]) || isnan(y[i])) continue;
        double low = ken_axis_place(y_axis, value - error); /* NaN if <= 0 on a log axis */
        ken_chart_error(out, x[i], isnan(low) ? y_axis->from : low, x[i],
                        ken_axis_place(y_axis, value + error), ken_colour(number));
    }
    ken_svg_curve(out, x, y, n, number);
    ken_memory_free(x);
}

void ken_chart_lines(ken_buffer *out, const struct ken_chart *chart,
                     const struct ken_series *series, size_t count)
{
    double width = chart->width > 0 ? chart->width : KEN_CHART_WIDTH, rx[2], ry[2];
    struct legend legend = plan_legend(series, count, width);
    double above = legend_height(&legend);
    double height = chart->height > 0 ? chart->height : HEIGHT + above;
    find_ranges(rx, ry, chart, series, count);
    double top = ken_chart_begin(out, chart, width, height);
    draw_legend(out, &legend, series, count, top);
    top += above + 4;
    double bottom = height - KEN_CHART_FOOT - (chart->x_title ? KEN_CHART_FOOT_TITLE : 0);
    struct ken_axis x_axis, y_axis;
    ken_axis_fit(&y_axis, chart->y_scale, ry[0], ry[1], (size_t)fmax(2, (bottom - top) / 55));
    double left = KEN_CHART_PAD + ken_chart_widest(&y_axis) + 8 + (chart->y_title ? 22 : 0);
    double right = width - 2 * KEN_CHART_PAD;
    ken_axis_fit(&x_axis, chart->x_scale, rx[0], rx[1], (size_t)fmax(2, (right - left) / 80));
    double half = ken_chart_widest(&x_axis) / 2 + 4 - INSIDE; /* so the labels at both ends fit */
    left = fmax(left, half);
    right = fmin(right, width - half);
    y_axis.from = bottom - INSIDE;
    y_axis.to = top + INSIDE;
    x_axis.from = left + INSIDE;
    x_axis.to = right - INSIDE;
    draw_y_axis(out, &y_axis, left, right, chart->y_title);
    ken_chart_x_axis(out, &x_axis, top, bottom, chart->x_title);
    ken_svg_line(out, left, top, left, bottom, KEN_CHART_INK, 1);
    ken_svg_line(out, left, bottom, right, bottom, KEN_CHART_INK, 1);
    for (size_t s = 0; s < count; s++) draw_series(out, &series[s], s, &x_axis, &y_axis);
    ken_svg_close(out);
}
