/* chart_lines.c - draws several series as lines over x. From top to bottom a chart has a title, a
 * legend, the curves and the x axis; the curves get the height that the other parts leave. The x
 * axis has ticks at the measured values. If several series have error bars, each series is moved a
 * few pixels to the left or right ("dodged"), so that error bars do not cover each other. */
#include "draw/chart_parts.h"

#include "base/memory.h"

#include <math.h>

/* sizes in pixels; INSIDE: distance from the frame to the marks of points */
enum { HEIGHT = 420, ROW = 20, INSIDE = 12 };

/* Maximum number of different values of x for which ticks are put at these values. If there are
 * more, ticks are at round numbers. */
enum { MEASURED_MOST = 16 };

enum { DODGE = 10 }; /* distance in pixels between neighbouring error bars, if there is room */

/* The layout of the legend: all names in one row, or in columns of equal width. Sizes are in
 * pixels. */
struct legend {
    size_t names;
    double room;   /* maximum width of a name in the legend */
    double column; /* width of a column of the legend; 0 = all names are in one row */
    double width;  /* width of the whole picture */
};

/* pixels before a name in the legend, and between names */
enum { BEFORE = KEN_SVG_KEY + 8, BETWEEN = 20 };

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

static bool can_draw(const struct ken_chart *chart, const struct ken_series *series, size_t i)
{
    return ken_scale_takes(chart->x_scale, series->x[i]) &&
           ken_scale_takes(chart->y_scale, series->y[i]);
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
            if (!can_draw(chart, &series[s], i)) continue;
            widen(x, chart->x_scale, series[s].x[i]);
            widen(y, chart->y_scale, value);
            widen(y, chart->y_scale, value - error);
            widen(y, chart->y_scale, value + error);
        }
}

/* Replaces the ticks of the x axis by the measured values of x, unless there are too many of
 * them. */
static void mark_measured(struct ken_axis *axis, const struct ken_chart *chart,
                          const struct ken_series *series, size_t count)
{
    struct ken_axis marked = *axis;
    bool room = true;
    marked.tick_count = 0;
    marked.step = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].count && room; i++)
            if (can_draw(chart, &series[s], i)) room = ken_axis_mark(&marked, series[s].x[i]);
    if (room && marked.tick_count > 0 && marked.tick_count <= MEASURED_MOST) *axis = marked;
}

static bool has_errors(const struct ken_series *series)
{
    bool any = false;
    for (size_t i = 0; i < series->count; i++) any = any || error_of(series, i) > 0;
    return any;
}

/* Returns the distance in pixels by which neighbouring series are moved apart; 0 unless several
 * series have error bars. All series together take at most 60 % of the smallest distance between
 * ticks. */
static double dodge_of(const struct ken_axis *axis, const struct ken_series *series, size_t count)
{
    size_t with = 0;
    double nearest = fabs(axis->to - axis->from);
    for (size_t s = 0; s < count; s++) with += has_errors(&series[s]);
    if (with < 2) return 0;
    for (size_t i = 1; i < axis->tick_count; i++)
        nearest = fmin(nearest, fabs(ken_axis_place(axis, axis->ticks[i]) -
                                     ken_axis_place(axis, axis->ticks[i - 1])));
    return fmin(DODGE, 0.6 * nearest / (double)(count - 1));
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

/* Draws a series, moved to the right by `shift` pixels. */
static void draw_series(ken_buffer *out, const struct ken_series *series, size_t number,
                        double shift, const struct ken_axis *x_axis, const struct ken_axis *y_axis)
{
    size_t n = series->count;
    /* x coordinates in pixels, followed by the y coordinates */
    double *x = ken_memory_new(2 * n, sizeof *x), *y;
    if (!x) {
        out->failed = true;
        return;
    }
    y = x + n;
    for (size_t i = 0; i < n; i++) {
        double value = series->y[i], error = error_of(series, i);
        x[i] = ken_axis_place(x_axis, series->x[i]) + shift;
        y[i] = ken_axis_place(y_axis, value);
        if (error == 0 || isnan(x[i]) || isnan(y[i])) continue;
        /* `low` is NaN if the lower end of the error bar is <= 0 on a logarithmic axis */
        double low = ken_axis_place(y_axis, value - error);
        ken_chart_error(out, x[i], isnan(low) ? y_axis->from : low, x[i],
                        ken_axis_place(y_axis, value + error), ken_colour(number));
    }
    ken_svg_curve(out, x, y, n, number);
    ken_memory_free(x);
}

/* Chooses the ranges and ticks of both axes and their places in the picture. *left and *right
 * receive the ends of the frame. Returns the distance in pixels by which neighbouring series are
 * moved apart. */
static double place_axes(struct ken_axis axes[2], double *left, double *right, double top,
                         double bottom, double width, const struct ken_chart *chart,
                         const struct ken_series *series, size_t count)
{
    struct ken_axis *x = &axes[0], *y = &axes[1];
    double rx[2], ry[2];
    find_ranges(rx, ry, chart, series, count);
    ken_axis_fit(y, chart->y_scale, ry[0], ry[1], (size_t)fmax(2, (bottom - top) / 55));
    *left = KEN_CHART_PAD + ken_chart_widest(y) + 8 + (chart->y_title ? 22 : 0);
    *right = width - 2 * KEN_CHART_PAD;
    ken_axis_fit(x, chart->x_scale, rx[0], rx[1], (size_t)fmax(2, (*right - *left) / 80));
    mark_measured(x, chart, series, count);
    /* room for the labels at both ends of the axis */
    double half = ken_chart_widest(x) / 2 + 4 - INSIDE;
    *left = fmax(*left, half);
    *right = fmin(*right, width - half);
    y->from = bottom - INSIDE;
    y->to = top + INSIDE;
    x->from = *left + INSIDE;
    x->to = *right - INSIDE;
    double dodge = dodge_of(x, series, count), room = dodge * (double)(count - (count > 0)) / 2;
    x->from += room;
    x->to -= room;
    return dodge;
}

void ken_chart_lines(ken_buffer *out, const struct ken_chart *chart,
                     const struct ken_series *series, size_t count)
{
    double width = chart->width > 0 ? chart->width : KEN_CHART_WIDTH, left, right;
    struct legend legend = plan_legend(series, count, width);
    double above = legend_height(&legend);
    double height = chart->height > 0 ? chart->height : HEIGHT + above;
    double top = ken_chart_begin(out, chart, width, height);
    draw_legend(out, &legend, series, count, top);
    top += above + 4;
    double bottom = height - KEN_CHART_FOOT - (chart->x_title ? KEN_CHART_FOOT_TITLE : 0);
    struct ken_axis axes[2];
    double dodge = place_axes(axes, &left, &right, top, bottom, width, chart, series, count);
    draw_y_axis(out, &axes[1], left, right, chart->y_title);
    ken_chart_x_axis(out, &axes[0], top, bottom, chart->x_title);
    ken_svg_line(out, left, top, left, bottom, KEN_CHART_INK, 1);
    ken_svg_line(out, left, bottom, right, bottom, KEN_CHART_INK, 1);
    for (size_t s = 0; s < count; s++) {
        double shift = dodge * ((double)s - (double)(count - 1) / 2);
        draw_series(out, &series[s], s, shift, &axes[0], &axes[1]);
    }
    ken_svg_close(out);
}
