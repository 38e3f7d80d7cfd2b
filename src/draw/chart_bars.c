/* chart_bars.c - draws one bar for each category. Bars are horizontal, so that names of any length
 * fit on their left. Bars begin at 0, so that a bar twice as long means twice as much. The labels
 * of bars show differences that are too small to see. */
#include "draw/chart_parts.h"

#include <math.h>

enum { ROW = 30, THICK = 18 };

static double error_of(const struct ken_bar *bar)
{
    return isfinite(bar->error) && bar->error > 0 ? bar->error : 0;
}

/* Returns the label after a bar. If the bar has no label of its own, its value is written to `own`
 * and returned. */
static const char *label_of(const struct ken_bar *bar, char own[KEN_TICK_LABEL])
{
    if (bar->label) return bar->label;
    if (!ken_scale_takes(KEN_SCALE_LINEAR, bar->value)) return "no value";
    ken_number_label(own, bar->value);
    return own;
}

/* Finds the widths, in pixels, of the widest name and of the widest label of all bars. */
static void measure(double *names, double *labels, const struct ken_bar *bars, size_t count)
{
    *names = *labels = 0;
    for (size_t i = 0; i < count; i++) {
        char own[KEN_TICK_LABEL];
        *names = fmax(*names, ken_svg_text_width(bars[i].name, KEN_CHART_TEXT));
        *labels = fmax(*labels, ken_svg_text_width(label_of(&bars[i], own), KEN_CHART_TEXT));
    }
}

static void fit_axis(struct ken_axis *axis, const struct ken_bar *bars, size_t count, double pixels)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        double error = error_of(&bars[i]);
        if (!ken_scale_takes(KEN_SCALE_LINEAR, bars[i].value)) continue;
        low = fmin(low, bars[i].value - error);
        high = fmax(high, bars[i].value + error);
    }
    if (low == 0 && high == 0) high = 1;
    ken_axis_fit(axis, KEN_SCALE_LINEAR, low, high, (size_t)fmax(2, pixels / 60));
}

static void draw_bar(ken_buffer *out, const struct ken_bar *bar, const struct ken_axis *axis,
                     double middle, double right)
{
    char own[KEN_TICK_LABEL];
    double zero = ken_axis_place(axis, 0), end = ken_axis_place(axis, bar->value), last = zero;
    double error = error_of(bar);
    if (!isnan(end)) {
        ken_svg_rect(out, fmin(zero, end), middle - THICK / 2.0, fabs(end - zero), THICK,
                     ken_colour(3), bar->name);
        double high = ken_axis_place(axis, bar->value + error);
        if (error > 0)
            ken_chart_error(out, ken_axis_place(axis, bar->value - error), middle, high, middle,
                            KEN_CHART_INK);
        last = fmax(zero, high);
    }
    ken_chart_text(out, last + 8, middle + 4.5, KEN_CHART_TEXT, KEN_ANCHOR_START,
                   label_of(bar, own), right - last - 7);
}

void ken_chart_bars(ken_buffer *out, const struct ken_chart *chart, const struct ken_bar *bars,
                    size_t count)
{
    double width = chart->width > 0 ? chart->width : KEN_CHART_WIDTH, names, labels;
    double foot = KEN_CHART_FOOT + (chart->x_title ? KEN_CHART_FOOT_TITLE : 0);
    double head = KEN_CHART_PAD + (chart->title ? KEN_CHART_PAD + KEN_CHART_TITLE : 0);
    double height = chart->height > 0 ? chart->height : head + ROW * (double)count + 8 + foot;
    measure(&names, &labels, bars, count);
    names = fmin(names, 0.4 * width);
    labels = fmin(labels, 0.3 * width);
    double top = ken_chart_begin(out, chart, width, height), bottom = height - foot;
    double left = KEN_CHART_PAD + names + 8, right = width - KEN_CHART_PAD;
    double row = count > 0 ? (bottom - top) / (double)count : ROW;
    struct ken_axis axis;
    fit_axis(&axis, bars, count, right - labels - 8 - left);
    /* Half of the last tick's label is to the right of the axis and must not be cut off. */
    double half = ken_chart_widest(&axis) / 2;
    axis.from = left;
    axis.to = right - fmax(labels + 8, half);
    ken_chart_x_axis(out, &axis, top, bottom, chart->x_title);
    double zero = ken_axis_place(&axis, 0);
    ken_svg_line(out, zero, top, zero, bottom, KEN_CHART_INK, 1);
    for (size_t i = 0; i < count; i++) {
        double middle = top + ((double)i + 0.5) * row;
        ken_chart_text(out, left - 8, middle + 4.5, KEN_CHART_TEXT, KEN_ANCHOR_END, bars[i].name,
                       names);
        draw_bar(out, &bars[i], &axis, middle, right);
    }
    ken_svg_close(out);
}
