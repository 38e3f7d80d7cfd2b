/* test_chart.c - charts are well-formed, within their bounds and legible for any data, and axes
 * have ticks at round numbers. */
#include "base/fault.h"
#include "base/size.h"
#include "draw/chart.h"
#include "tests/unit.h"
#include "tests/xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xml xml;

static void parse(const ken_buffer *picture)
{
    assert_int_equal(ken_buffer_status(picture), KEN_OK);
    const char *wrong = xml_read(&xml, picture->data);
    if (wrong) fail_msg("%s:\n%s", wrong, picture->data);
}

static double number(const struct xml_element *element, const char *name)
{
    const char *text = xml_attribute(element, name);
    char *end;
    if (!text) return 0;
    double value = strtod(text, &end);
    if (*end || end == text || !isfinite(value)) fail_msg("%s=\"%s\"", name, text);
    return value;
}

/* Nothing may lie outside of the picture, including the estimated widths of texts. */
static void check_bounds(void)
{
    double width = number(&xml.elements[0], "width"), height = number(&xml.elements[0], "height");
    for (size_t i = 1; i < xml.count; i++) {
        const struct xml_element *e = &xml.elements[i];
        static const char *const across[] = { "x", "x1", "x2", "cx" };
        static const char *const down[] = { "y", "y1", "y2", "cy" };
        for (size_t a = 0; a < 4; a++) {
            assert_true(number(e, across[a]) >= 0 && number(e, across[a]) <= width);
            assert_true(number(e, down[a]) >= 0 && number(e, down[a]) <= height);
        }
        if (strcmp(e->name, "text") != 0) continue;
        const char *anchor = xml_attribute(e, "text-anchor");
        double wide = ken_svg_text_width(e->text, number(e, "font-size")), x = number(e, "x");
        double share = !anchor ? 0 : strcmp(anchor, "end") == 0 ? 1 : 0.5;
        assert_true(number(e, "font-size") >= 12);
        if (xml_attribute(e, "transform")) continue; /* turned */
        if (x - share * wide < -1 || x + (1 - share) * wide > width + 1)
            fail_msg("\"%s\" at %g is outside", e->text, x);
    }
}

/* Boxes of texts that are not turned do not overlap. */
static void check_overlaps(void)
{
    double box[512][4];
    size_t count = 0;
    for (size_t i = 0; i < xml.count && count < 512; i++) {
        const struct xml_element *e = &xml.elements[i];
        if (strcmp(e->name, "text") != 0 || xml_attribute(e, "transform")) continue;
        const char *anchor = xml_attribute(e, "text-anchor");
        double size = number(e, "font-size"), wide = ken_svg_text_width(e->text, size);
        double share = !anchor ? 0 : strcmp(anchor, "end") == 0 ? 1 : 0.5;
        box[count][0] = number(e, "x") - share * wide;
        box[count][1] = box[count][0] + wide;
        box[count][2] = number(e, "y") - 0.8 * size;
        box[count][3] = number(e, "y") + 0.2 * size;
        for (size_t j = 0; j < count; j++)
            if (box[j][0] < box[count][1] && box[count][0] < box[j][1] &&
                box[j][2] < box[count][3] && box[count][2] < box[j][3])
                fail_msg("\"%s\" overlaps another text", e->text);
        count++;
    }
}

static bool has_text(const char *text)
{
    for (size_t i = 0; i < xml.count; i++)
        if (strcmp(xml.elements[i].name, "text") == 0 && strcmp(xml.elements[i].text, text) == 0)
            return true;
    return false;
}

static void check_lines(const struct ken_chart *chart, const struct ken_series *series,
                        size_t count)
{
    ken_buffer out = { 0 };
    ken_chart_lines(&out, chart, series, count);
    parse(&out);
    check_bounds();
    check_overlaps();
    xml_release(&xml);
    ken_buffer_release(&out);
}

static const double ones[] = { 64, 128, 256, 512, 1024 };
static const double curve[] = { 0.91, 0.935, 0.951, 0.957, 0.958 };
static const double errors[] = { 0.004, 0.003, NAN, 0, 0.002 };

static void lines_of_all_scales(void **state)
{
    (void)state;
    static const double magnitudes[] = { 1e-300, 1e-7, 1, 3e5, 1e12, 1e299 };
    for (size_t m = 0; m < KEN_COUNT(magnitudes); m++)
        for (int scales = 0; scales < 9; scales++) {
            double x[5], y[5], e[5];
            for (size_t i = 0; i < 5; i++) {
                x[i] = ones[i] * magnitudes[m] / 1024;
                y[i] = curve[i] * magnitudes[m];
                e[i] = 0.3 * y[i];
            }
            struct ken_series series = { "measured", x, y, e, 5 };
            struct ken_chart chart = { .title = "all scales",
                                       .x_title = "x",
                                       .y_title = "y",
                                       .x_scale = scales % 3,
                                       .y_scale = scales / 3 };
            check_lines(&chart, &series, 1);
        }
}

/* Labels of ticks that would overlap are left out. */
static void wide_labels_do_not_collide(void **state)
{
    (void)state;
    static const double x[] = { 1e12 + 1, 1e12 + 3, 1e12 + 9 };
    struct ken_series series = { NULL, x, curve, NULL, 3 };
    struct ken_chart chart = { .x_title = "x" };
    for (chart.width = 240; chart.width < 1000; chart.width += 40) check_lines(&chart, &series, 1);
}

static void names_are_escaped(void **state)
{
    (void)state;
    const char *hostile = "<a href=\"x\">&amp; ]]> \x01 \xff \xef\xbf\xbf \xc3\xa4";
    struct ken_series series = { hostile, ones, curve, errors, 5 };
    struct ken_chart chart = { hostile, hostile, hostile, hostile, 0, 0, 0, 0 };
    struct ken_bar bar = { hostile, 1, 0.5, hostile };
    ken_buffer out = { 0 };
    ken_chart_lines(&out, &chart, &series, 1);
    parse(&out);
    assert_true(has_text("&lt;a href=&quot;x&quot;&gt;&amp;amp; ]]&gt; \xef\xbf\xbd \xef\xbf\xbd "
                         "\xef\xbf\xbd \xc3\xa4"));
    assert_int_equal(xml_elements(&xml, "a"), 0);
    xml_release(&xml);
    ken_buffer_clear(&out);
    ken_chart_bars(&out, &chart, &bar, 1);
    parse(&out);
    assert_int_equal(xml_elements(&xml, "a"), 0);
    xml_release(&xml);
    ken_buffer_release(&out);
}

static void nothing_and_little(void **state)
{
    (void)state;
    static const double nan[] = { NAN, NAN, NAN }, zero[] = { 0, 0, 0 };
    static const double infinite[] = { INFINITY, -INFINITY, 1 };
    struct ken_chart chart = { .title = "little", .x_title = "x", .y_title = "y" };
    for (int scales = 0; scales < 9; scales++) {
        chart.x_scale = scales % 3;
        chart.y_scale = scales / 3;
        struct ken_series cases[] = { { "empty", NULL, NULL, NULL, 0 },
                                      { "one", ones, curve, NULL, 1 },
                                      { "nan", nan, nan, nan, 3 },
                                      { "zero", zero, zero, zero, 3 },
                                      { "infinite", infinite, infinite, infinite, 3 },
                                      { NULL, ones, zero, NULL, 3 } };
        check_lines(&chart, NULL, 0);
        check_lines(&chart, cases, KEN_COUNT(cases));
        for (size_t i = 0; i < KEN_COUNT(cases); i++) check_lines(&chart, &cases[i], 1);
    }
    struct ken_chart bare = { 0 };
    struct ken_series one = { NULL, ones, curve, NULL, 5 };
    check_lines(&bare, &one, 1);
}

/* A missing value leaves a gap: two pieces of line, and a mark for each value that exists. */
static void a_missing_value_is_a_gap(void **state)
{
    (void)state;
    static const double y[] = { 1, 2, NAN, 2, 1 };
    struct ken_series series = { NULL, ones, y, NULL, 5 };
    struct ken_chart chart = { 0 };
    ken_buffer out = { 0 };
    ken_chart_lines(&out, &chart, &series, 1);
    parse(&out);
    assert_int_equal(xml_elements(&xml, "polyline"), 2);
    assert_int_equal(xml_elements(&xml, "circle"), 4);
    xml_release(&xml);
    ken_buffer_release(&out);
}

/* Returns the x of the text `text`; NaN if there is none. */
static double text_at(const char *text)
{
    for (size_t i = 0; i < xml.count; i++)
        if (strcmp(xml.elements[i].name, "text") == 0 && strcmp(xml.elements[i].text, text) == 0)
            return number(&xml.elements[i], "x");
    return NAN;
}

/* The x axis has ticks at the values that were measured, and no others. */
static void ticks_at_measured_values(void **state)
{
    (void)state;
    static const double x[] = { 1, 8, 64 }, more[] = { 8, 20.5, 1000 };
    struct ken_series series[] = { { "a", x, curve, NULL, 3 }, { "b", more, curve, NULL, 3 } };
    struct ken_chart chart = { .x_scale = KEN_SCALE_LOG10 };
    ken_buffer out = { 0 };
    for (size_t count = 1; count <= 2; count++) {
        ken_buffer_clear(&out);
        ken_chart_lines(&out, &chart, series, count);
        parse(&out);
        assert_true(has_text("1") && has_text("8") && has_text("64") && !has_text("10"));
        assert_int_equal(has_text("20.5") && has_text("1k"), count == 2);
        xml_release(&xml);
    }
    check_lines(&chart, series, 2);
    ken_buffer_release(&out);
}

/* With many values of x the ticks are at round numbers. */
static void many_values_have_round_ticks(void **state)
{
    (void)state;
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) x[i] = y[i] = 3 * (double)i + 1;
    struct ken_series series = { NULL, x, y, NULL, 40 };
    struct ken_chart chart = { 0 };
    ken_buffer out = { 0 };
    ken_chart_lines(&out, &chart, &series, 1);
    parse(&out);
    assert_true(has_text("40") && has_text("100") && !has_text("37"));
    xml_release(&xml);
    ken_buffer_release(&out);
}

/* Collects the x of all vertical lines of a colour: the error bars of a series. Returns their
 * number. */
static size_t error_bars(double *x, size_t most, size_t series)
{
    size_t count = 0;
    for (size_t i = 0; i < xml.count; i++) {
        const struct xml_element *e = &xml.elements[i];
        if (strcmp(e->name, "line") != 0 || number(e, "x1") != number(e, "x2") ||
            strcmp(xml_attribute(e, "stroke"), ken_colour(series)) != 0 || count == most ||
            number(e, "stroke-width") != 1.5)
            continue;
        x[count++] = number(e, "x1");
    }
    return count;
}

/* Error bars of several series stand side by side, around the tick of their value and within the
 * picture; those of one series stand at the tick. Series without error bars are not moved. */
static void error_bars_stand_side_by_side(void **state)
{
    (void)state;
    enum { N = 5, POINTS = 3 };
    static const double x[] = { 1, 8, 64 }, error[] = { 0.01, 0.01, 0.01 };
    static const char *const ticks[] = { "1", "8", "64" };
    struct ken_series series[N];
    struct ken_chart chart = { .x_scale = KEN_SCALE_LOG10 };
    ken_buffer out = { 0 };
    for (size_t s = 0; s < N; s++) series[s] = (struct ken_series){ NULL, x, curve, error, POINTS };
    for (size_t n = 1; n <= N; n += 2) {
        double bars[N][POINTS];
        ken_buffer_clear(&out);
        ken_chart_lines(&out, &chart, series, n);
        parse(&out);
        check_bounds();
        for (size_t s = 0; s < n; s++) assert_int_equal(error_bars(bars[s], POINTS, s), POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            double middle = text_at(ticks[i]);
            assert_true(fabs(bars[n / 2][i] - middle) < 0.02);
            for (size_t s = 1; s < n; s++) assert_true(bars[s][i] - bars[s - 1][i] >= 9);
            assert_true(bars[n - 1][i] - middle < 60);
        }
        xml_release(&xml);
    }
    for (size_t s = 1; s < N; s++) series[s].error = NULL;
    ken_buffer_clear(&out);
    ken_chart_lines(&out, &chart, series, N);
    parse(&out);
    size_t circles = 0;
    for (size_t i = 0; i < xml.count; i++) /* series 0 and 4 have circles as marks */
        if (strcmp(xml.elements[i].name, "circle") == 0)
            assert_true(fabs(number(&xml.elements[i], "cx") - text_at(ticks[circles++ % 3])) <
                        0.02);
    assert_int_equal(circles, 2 * POINTS);
    xml_release(&xml);
    ken_buffer_release(&out);
}

/* For any number of series and any length of names, the legend grows and the curves stay below
 * it. */
static void legends_stand_above_the_curves(void **state)
{
    (void)state;
    enum { MOST = 40 };
    static char names[MOST][200];
    struct ken_series series[MOST];
    for (size_t n = 1; n <= MOST; n += 3) {
        double lowest = 0, highest = 1e9;
        ken_buffer out = { 0 };
        for (size_t i = 0; i < n; i++) {
            snprintf(names[i], sizeof names[i], "series %zu %.*s", i, (int)(i * 4),
                     "of a name that is longer and longer, so long that it does not fit into the "
                     "picture any more, however wide it is, and must be cut somewhere");
            series[i] = (struct ken_series){ names[i], ones, curve, errors, 5 };
        }
        struct ken_chart chart = { .title = "many", .x_title = "x", .y_title = "y" };
        check_lines(&chart, series, n);
        ken_chart_lines(&out, &chart, series, n);
        parse(&out);
        for (size_t i = 0, text = 0; i < xml.count; i++) {
            const struct xml_element *e = &xml.elements[i];
            if (strcmp(e->name, "text") == 0 && text++ > 0 && text <= n + 1)
                lowest = fmax(lowest, number(e, "y"));
            if (strcmp(e->name, "line") == 0) highest = fmin(highest, number(e, "y1"));
        }
        assert_true(lowest < highest);
        xml_release(&xml);
        ken_buffer_release(&out);
    }
}

static void bars_show_what_they_are_given(void **state)
{
    (void)state;
    struct ken_bar bars[] = { { "half", 1, 0.25, NULL },
                              { "whole", 2, 0, NULL },
                              { "none", NAN, 0, "failed" },
                              { "zero", 0, NAN, NULL } };
    struct ken_chart chart = { .title = "bars", .x_title = "x" };
    ken_buffer out = { 0 };
    ken_chart_bars(&out, &chart, bars, KEN_COUNT(bars));
    parse(&out);
    check_bounds();
    check_overlaps();
    assert_true(has_text("half") && has_text("failed") && has_text("1") && has_text("2"));
    double wide[3] = { 0 };
    size_t found = 0;
    for (size_t i = 2; i < xml.count; i++) /* after the background */
        if (strcmp(xml.elements[i].name, "rect") == 0 && found < 3 &&
            strcmp(xml_attribute(&xml.elements[i], "fill"), "#ffffff") != 0)
            wide[found++] = number(&xml.elements[i], "width");
    assert_int_equal(found, 3);
    assert_true(fabs(wide[1] - 2 * wide[0]) < 0.02 && wide[0] > 50 && wide[2] == 0);
    xml_release(&xml);
    ken_buffer_release(&out);
}

static void bars_of_all_sizes(void **state)
{
    (void)state;
    static const double values[] = { 0, -1e-300, 1e-9, -0.5, 7, 12345, -3e8, 1e299 };
    struct ken_chart chart = { .title = "bars", .x_title = "x" };
    for (size_t a = 0; a < KEN_COUNT(values); a++)
        for (size_t b = 0; b < KEN_COUNT(values); b++) {
            struct ken_bar bars[] = { { "first of them", values[a], fabs(values[a]) / 3, NULL },
                                      { "second", values[b], 0, NULL } };
            ken_buffer out = { 0 };
            ken_chart_bars(&out, &chart, bars, 2);
            parse(&out);
            check_bounds();
            check_overlaps();
            xml_release(&xml);
            ken_buffer_release(&out);
        }
    ken_buffer out = { 0 };
    ken_chart_bars(&out, &chart, NULL, 0);
    parse(&out);
    xml_release(&xml);
    ken_buffer_release(&out);
}

static void ticks_are_round(void **state)
{
    (void)state;
    static const struct {
        enum ken_scale scale;
        double low, high;
        size_t wanted;
        const char *labels;
    } cases[] = {
        { KEN_SCALE_LINEAR, 0, 1, 5, "0 0.2 0.4 0.6 0.8 1.0 " },
        { KEN_SCALE_LINEAR, 0.8712, 0.9611, 5, "0.88 0.90 0.92 0.94 0.96 " },
        { KEN_SCALE_LINEAR, -3, 4, 7, "-3 -2 -1 0 1 2 3 4 " },
        { KEN_SCALE_LINEAR, 0, 10000, 5, "0 2k 4k 6k 8k 10k " },
        { KEN_SCALE_LINEAR, 0, 5000, 5, "0 1000 2000 3000 4000 5000 " },
        { KEN_SCALE_LINEAR, 0, 3e7, 3, "0 10M 20M 30M " },
        { KEN_SCALE_LOG2, 64, 1024, 8, "64 128 256 512 1024 " },
        { KEN_SCALE_LOG2, 1, 65536, 6, "1 8 64 512 4096 32768 " },
        { KEN_SCALE_LOG10, 1e-5, 5, 8, "1e-5 0.0001 0.001 0.01 0.1 1 " },
        { KEN_SCALE_LOG10, 1000, 1e6, 9, "1k 2k 5k 10k 20k 50k 100k 200k 500k 1M " },
        { KEN_SCALE_LOG10, 30, 70, 4, "30 40 50 60 70 " },
        { KEN_SCALE_LINEAR, NAN, NAN, 2, "0 0.5 1.0 " },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        struct ken_axis axis;
        char all[256] = "", label[KEN_TICK_LABEL];
        ken_axis_fit(&axis, cases[i].scale, cases[i].low, cases[i].high, cases[i].wanted);
        for (size_t t = 0; t < axis.tick_count; t++) {
            ken_axis_label(label, &axis, t);
            strncat(strncat(all, label, 64), " ", 2);
        }
        assert_string_equal(all, cases[i].labels);
    }
}

static void places_are_linear_or_logarithmic(void **state)
{
    (void)state;
    struct ken_axis axis;
    ken_axis_fit(&axis, KEN_SCALE_LINEAR, 2, 6, 4);
    axis.from = 100;
    axis.to = 0;
    assert_true(fabs(ken_axis_place(&axis, 3) - 75) < 1e-9);
    assert_true(isnan(ken_axis_place(&axis, INFINITY)) && isnan(ken_axis_place(&axis, NAN)));
    ken_axis_fit(&axis, KEN_SCALE_LOG10, 1, 100, 4);
    axis.from = 0;
    axis.to = 10;
    assert_true(fabs(ken_axis_place(&axis, 10) - 5) < 1e-9);
    assert_true(isnan(ken_axis_place(&axis, 0)) && isnan(ken_axis_place(&axis, -1)));
}

static void shades_go_from_white_to_dark(void **state)
{
    (void)state;
    char colour[8];
    int before = 3 * 256;
    for (int i = -2; i <= 102; i++) {
        ken_shade(colour, i / 100.0);
        assert_int_equal(strspn(colour + 1, "0123456789abcdef"), 6);
        long rgb = strtol(colour + 1, NULL, 16);
        int sum = (int)(rgb >> 16) + (int)(rgb >> 8 & 255) + (int)(rgb & 255);
        assert_true(sum <= before);
        if (i <= 0) assert_string_equal(colour, "#ffffff");
        before = sum;
    }
    assert_true(before < 200);
    ken_shade(colour, NAN);
    assert_string_equal(colour, "#bbbbbb");
}

/* The buffer reports every failed allocation, and nothing leaks or breaks. */
static void memory_that_fails(void **state)
{
    (void)state;
    struct ken_series series[] = { { "a name", ones, curve, errors, 5 },
                                   { "another", ones, curve, NULL, 5 } };
    struct ken_bar bars[] = { { "a name", 1, 0.1, NULL }, { "another", 2, 0, "two" } };
    struct ken_chart chart = { .title = "title", .about = "about", .x_title = "x", .y_title = "y" };
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t k = 1;; k++) {
            ken_buffer out = { 0 };
            ken_fault_arm(KEN_FAULT_MEMORY, k, false);
            if (kind == 0) ken_chart_lines(&out, &chart, series, 2);
            else ken_chart_bars(&out, &chart, bars, 2);
            bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= k;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_int_equal(out.failed, fired);
            ken_buffer_release(&out);
            if (!fired) break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_scales),
        cmocka_unit_test(wide_labels_do_not_collide),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(nothing_and_little),
        cmocka_unit_test(a_missing_value_is_a_gap),
        cmocka_unit_test(ticks_at_measured_values),
        cmocka_unit_test(many_values_have_round_ticks),
        cmocka_unit_test(error_bars_stand_side_by_side),
        cmocka_unit_test(legends_stand_above_the_curves),
        cmocka_unit_test(bars_show_what_they_are_given),
        cmocka_unit_test(bars_of_all_sizes),
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(places_are_linear_or_logarithmic),
        cmocka_unit_test(shades_go_from_white_to_dark),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
