/* test_heat.c - heat maps as characters and colours for a terminal, and as SVG; names are made
 * visible. Short outputs are compared byte by byte. */
#include "base/fault.h"
#include "base/json.h"
#include "base/size.h"
#include "base/text.h"
#include "draw/heat.h"
#include "tests/markup.h"
#include "tests/unit.h"
#include "tests/xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void collect(void *user, const char *text, size_t length)
{
    ken_buffer_append(user, text, length);
}

/* ---- terminal -------------------------------------------------------------------------------- */

static void text_is(const ken_picture *picture, size_t columns, ken_terminal colours,
                    const char *expected)
{
    ken_buffer out = { 0 };
    assert_int_equal(ken_picture_text(picture, columns, colours, collect, &out), KEN_OK);
    assert_string_equal(ken_buffer_string(&out), expected);
    ken_buffer_release(&out);
}

/* A weight that is the square of 0, 1/9 ... 1 has that share. */
static const char *const words[] = { "the", "cat", "sat" };
static const float weights[] = { 1,          0,          1 / 9.0f, /* shades 9 0 3 */
                                 16 / 81.0f, 25 / 81.0f, 36 / 81.0f, 0.01f, 0.0f, 0.99f };
static const ken_picture small = { .title = "title",
                                   .about = "about",
                                   .count = 1,
                                   .rows = 3,
                                   .cols = 3,
                                   .values = weights,
                                   .row_names = words,
                                   .col_names = words };

static void shades_of_characters(void **state)
{
    (void)state;
    text_is(&small, 0, KEN_TERMINAL_PLAIN,
            "title\nabout\n\n"
            "    t c s\n    h a a\n    e t t\n"
            "the @@  --\ncat ==++**\nsat ..  @@\n"
            "\n[  ..::--==++**##%%@@] square-root scale\n 0    0.1    0.5    1\n");
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    text_is(&small, 8, KEN_TERMINAL_PLAIN,
            "title\nabout\n\n"
            "    t c\n    h a\n    e t\n"
            "the @@\ncat ==++\nsat ..\n"
            "\n[  ..::--==++**##%%@@] square-root scale\n 0    0.1    0.5    1\n"
            "left out: columns 3 to 3 of 3, for want of room\n");
}

/* Wide characters fill a cell, marks take no room, long names end in an ellipsis, spaces are
 * visible. */
static void names_in_cells(void **state)
{
    (void)state;
    static const char *const rows[] = { "\xe6\x97\xa5\xe6\x9c\xac", "e\xcc\x81",
                                        "abcdefghijklmnopqrstuvwxyz" };
    static const char *const cols[] = { " ", "\xe6\x97\xa5" };
    static const float ones[6] = { 1, 1, 1, 1, 1, 1 };
    ken_picture picture = { .title = "t",
                            .count = 1,
                            .rows = 3,
                            .cols = 2,
                            .values = ones,
                            .row_names = rows,
                            .col_names = cols };
    text_is(&picture, 0, KEN_TERMINAL_PLAIN,
            "t\n\n"
            "                     \xe2\x90\xa3 \xe6\x97\xa5\n"
            "                \xe6\x97\xa5\xe6\x9c\xac @@@@\n"
            "                   e\xcc\x81 @@@@\n"
            "abcdefghijklmnopqrs\xe2\x80\xa6 @@@@\n"
            "\n[  ..::--==++**##%%@@] square-root scale\n 0    0.1    0.5    1\n");
}

/* Several matrices share one scale; rows and columns without names have numbers; values of both
 * signs are shown as digits. */
static void two_signs(void **state)
{
    (void)state;
    static const float values[] = { -2, 0, 1, 2, 0.1f, NAN };
    static const char *const titles[] = { "first", "second", "third" };
    ken_picture picture = { .title = "t",
                            .count = 3,
                            .titles = titles,
                            .rows = 1,
                            .cols = 2,
                            .values = values };
    text_is(&picture, 0, KEN_TERMINAL_PLAIN,
            "t\n\nfirst\n  0 1\n0 -9 0\n\nsecond\n  0 1\n0 +5+9\n\nthird\n  0 1\n0  0??\n"
            "\n[-9-7-5-3-1+1+3+5+7+9] linear scale\n -2  -1    0   1    2\n");
}

static void colours(void **state)
{
    (void)state;
    static const float values[] = { 0, 1 };
    static const float both[] = { -1, 1 };
    ken_picture picture = { .title = "t", .count = 1, .rows = 1, .cols = 2, .values = values };
    ken_buffer out = { 0 };
    assert_int_equal(ken_picture_text(&picture, 0, KEN_TERMINAL_256, collect, &out), KEN_OK);
    assert_non_null(strstr(out.data, "0 \x1b[48;5;232m  \x1b[48;5;255m  \x1b[0m\n"));
    ken_buffer_clear(&out);
    assert_int_equal(ken_picture_text(&picture, 0, KEN_TERMINAL_FULL, collect, &out), KEN_OK);
    assert_non_null(strstr(out.data, "\x1b[48;2;18;20;28m  \x1b[48;2;255;236;150m  \x1b[0m\n"));
    ken_buffer_clear(&out);
    picture.values = both;
    assert_int_equal(ken_picture_text(&picture, 0, KEN_TERMINAL_256, collect, &out), KEN_OK);
    assert_non_null(strstr(out.data, "0 \x1b[48;5;21m  \x1b[48;5;196m  \x1b[0m\n"));
    ken_buffer_release(&out);
}

/* ---- SVG ------------------------------------------------------------------------------------- */

static void svg_of(ken_buffer *out, const ken_picture *picture)
{
    ken_buffer_clear(out);
    if (ken_picture_svg(picture, collect, out)) fail_msg("%s", ken_last_error());
    const char *wrong = markup_wrong(ken_buffer_string(out));
    if (wrong) fail_msg("%s in %s", wrong, out->data);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text++) count++;
    return count;
}

static void the_checker_can_fail(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "<a><b></a></b>", "<a>",          "<a x=1/>",      "<a>&</a>", "<a>\x01</a>",
        "<a/><b/>",       "<a x=\"<\"/>", "<a>&nbsp;</a>", "</a>",     "<a b=\"1\" b=\"2\"/>"
    };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) assert_non_null(markup_wrong(bad[i]));
    assert_null(markup_wrong("<a b=\"&lt;1\" c=\"2\">text &amp; <d/></a>\n"));
}

static void pictures_are_svg(void **state)
{
    (void)state;
    static const char *const hostile[] = { "<script>&\"'", "\x01\x7f\xff", "]]>\n" };
    ken_buffer out = { 0 };
    ken_picture picture = small;
    svg_of(&out, &picture);
    assert_int_equal(count_of(out.data, " \xe2\x86\x92 "), 9); /* a tip for each cell */
    assert_non_null(strstr(out.data, "<title>the \xe2\x86\x92 cat: 0</title>"));
    assert_non_null(strstr(out.data, "<title>cat \xe2\x86\x92 the: 0.1975</title>"));
    assert_non_null(strstr(out.data, ">title</text>"));
    assert_non_null(strstr(out.data, ">about</text>"));
    picture.row_names = picture.col_names = picture.titles = hostile;
    picture.title = picture.about = "<&>";
    svg_of(&out, &picture);
    assert_null(strstr(out.data, "<script"));
    assert_non_null(strstr(out.data, "\\x01\\x7f\\xff"));
    ken_buffer_release(&out);
}

static void grids(void **state)
{
    (void)state;
    enum { L = 3, H = 12, T = 7 };
    static float values[L * H * T * T];
    static char names[L * H][8];
    const char *titles[L * H];
    for (size_t i = 0; i < L * H; i++) {
        snprintf(names[i], sizeof names[i], "map %zu", i);
        titles[i] = names[i];
    }
    ken_buffer out = { 0 };
    ken_picture picture = { .title = "t",
                            .count = L * H,
                            .titles = titles,
                            .rows = T,
                            .cols = T,
                            .values = values,
                            .shape = { L, H, T, T },
                            .dimensions = 4 };
    svg_of(&out, &picture);
    assert_int_equal(count_of(out.data, ">map "), L * H);
    picture.count = picture.rows = picture.cols = 0; /* an empty picture is fine too */
    svg_of(&out, &picture);
    ken_buffer_release(&out);
}

/* Large pictures have no tips, which would be most of the file, and equal neighbours become one
 * rectangle. */
static void large_pictures_stay_small(void **state)
{
    (void)state;
    enum { N = 200 };
    static float values[N * N];
    for (size_t i = 0; i < N * N; i++) values[i] = i / N % 2 ? 0 : -1.0f;
    ken_buffer out = { 0 };
    ken_picture picture = { .title = "t", .count = 1, .rows = N, .cols = N, .values = values };
    svg_of(&out, &picture);
    assert_int_equal(count_of(out.data, "\xe2\x86\x92"), 0);
    assert_true(out.size < 60000);
    ken_buffer_release(&out);
}

/* ---- names and legends of SVG ---------------------------------------------------------------- */

enum { TOKENS = 200 };
static char token_names[TOKENS][24];
static const char *tokens[TOKENS];

/* Makes `count` names, each used once; the one at `wide` is too wide for a cell. */
static void make_tokens(size_t count, size_t wide)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(token_names[i], sizeof token_names[i], i == wide ? "t%zuabcdefghijk" : "t%zu", i);
        tokens[i] = token_names[i];
    }
}

/* Counts the texts that are turned (or not) and begin with `begin`. */
static size_t texts(const struct xml *xml, const char *begin, bool turned)
{
    size_t count = 0;
    for (size_t i = 0; i < xml->count; i++) {
        const struct xml_element *e = &xml->elements[i];
        if (strcmp(e->name, "text") == 0 && strncmp(e->text, begin, strlen(begin)) == 0)
            count += (xml_attribute(e, "transform") != NULL) == turned;
    }
    return count;
}

/* Every token names its row and its column, alone and in a grid; the names of columns are all
 * turned or all level, even if only one of them is wide. */
static void every_name_is_drawn(void **state)
{
    (void)state;
    static const size_t sizes[] = { 8, 24, 40, 150, TOKENS };
    static const char *const titles[] = { "first", "second" };
    static float zeros[2 * TOKENS * TOKENS];
    static struct xml xml;
    for (size_t c = 0; c < 4 * KEN_COUNT(sizes); c++) {
        size_t n = sizes[c / 4], maps = 1 + c % 2;
        bool wide = c / 2 % 2;
        ken_buffer out = { 0 };
        if (maps > 1 && n > 48) continue;
        make_tokens(n, wide ? n / 2 : SIZE_MAX);
        ken_picture picture = { .title = "x",
                                .count = maps,
                                .titles = titles,
                                .rows = n,
                                .cols = n,
                                .values = zeros,
                                .row_names = tokens,
                                .col_names = tokens };
        svg_of(&out, &picture);
        ken_buffer texts_only = { 0 }; /* without cells, which are too many for xml_read() */
        ken_buffer_text(&texts_only, "<svg>");
        for (const char *at = out.data; (at = strstr(at, "<text"));) {
            const char *end = strstr(at, "</text>") + 7;
            ken_buffer_append(&texts_only, at, (size_t)(end - at));
            at = end;
        }
        ken_buffer_text(&texts_only, "</svg>");
        assert_null(xml_read(&xml, ken_buffer_string(&texts_only)));
        size_t turned = texts(&xml, "t", true), level = texts(&xml, "t", false);
        assert_int_equal(turned + level, (1 + maps) * n);
        assert_true(level == n || turned == 0);
        if (wide) assert_int_equal(turned, maps * n);
        xml_release(&xml);
        ken_buffer_release(&texts_only);
        ken_buffer_release(&out);
    }
}

/* Returns the x of the tick label `label`, which is the only text with these words. */
static double tick_at(const struct xml *xml, const char *label)
{
    double x = NAN;
    for (size_t i = 0; i < xml->count; i++)
        if (strcmp(xml->elements[i].name, "text") == 0 &&
            strcmp(xml->elements[i].text, label) == 0) {
            assert_true(isnan(x));
            x = atof(xml_attribute(&xml->elements[i], "x"));
        }
    if (isnan(x)) fail_msg("no tick %s", label);
    return x;
}

/* The legend says which scale it is, and its ticks are at the places of their values: on the root
 * scale of 0 to 1, 0.5 is at sqrt(0.5) of the bar. */
static void legends_have_ticks(void **state)
{
    (void)state;
    static const float ratios[] = { 0.25f, 1, 7.5f, NAN };
    static struct xml xml;
    ken_buffer out = { 0 };
    svg_of(&out, &small);
    assert_null(xml_read(&xml, out.data));
    double from = tick_at(&xml, "0"), wide = tick_at(&xml, "1") - from;
    assert_true(wide > 100 && texts(&xml, "square-root scale", false) == 1);
    assert_true(fabs(tick_at(&xml, "0.5") - from - wide * sqrt(0.5)) < 0.02);
    assert_true(fabs(tick_at(&xml, "0.1") - from - wide * sqrt(0.1)) < 0.02);
    xml_release(&xml);
    ken_picture picture = { .title = "x",
                            .count = 1,
                            .rows = 2,
                            .cols = 2,
                            .values = ratios,
                            .row_names = words,
                            .col_names = words,
                            .relative = 1 };
    svg_of(&out, &picture);
    assert_null(xml_read(&xml, out.data));
    from = tick_at(&xml, "\xe2\x89\xa4"
                         "1/8");
    wide = tick_at(&xml, "8") - from;
    assert_true(fabs(tick_at(&xml, "1") - from - wide / 2) < 0.02);
    assert_true(fabs(tick_at(&xml, "4") - from - wide * 5 / 6) < 0.02);
    assert_int_equal(texts(&xml, "times uniform attention (1 = uniform), logarithmic", false), 1);
    assert_int_equal(texts(&xml, "may not attend", false), 1);
    assert_non_null(strstr(out.data, "fill=\"#ffffff\"><title>the \xe2\x86\x92 cat: 1<"));
    assert_non_null(strstr(out.data, "fill=\"#dddddd\"><title>cat \xe2\x86\x92 cat: "));
    xml_release(&xml);
    ken_buffer_release(&out);
}

/* Ratios in a terminal: 1/8 is -9, 1 is 0, 8 is 9, and a pair that may not attend is blank. Above
 * 16 the legend says so. */
static void ratios_in_a_terminal(void **state)
{
    (void)state;
    static float ratios[] = { 0.125f, 1, 2, 8, 0, NAN };
    ken_picture picture = { .title = "t",
                            .count = 1,
                            .rows = 1,
                            .cols = 6,
                            .values = ratios,
                            .relative = 1 };
    text_is(&picture, 0, KEN_TERMINAL_PLAIN,
            "t\n\n  0 1 2 3 4 5\n0 -9 0+3+9-9\n\n[-9-7-5-3-1+1+3+5+7+9] times uniform attention "
            "(1 = uniform), logarithmic scale; blank: may not attend\n"
            " \xe2\x89\xa4"
            "1/8      1        8\n");
    ratios[3] = 40;
    ken_buffer out = { 0 };
    assert_int_equal(ken_picture_text(&picture, 0, KEN_TERMINAL_PLAIN, collect, &out), KEN_OK);
    assert_non_null(strstr(out.data, " \xe2\x89\xa5"
                                     "16\n"));
    ken_buffer_release(&out);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void scales(void **state)
{
    (void)state;
    struct ken_heat heat = ken_heat_of(&small);
    assert_true(heat.most == 1 && heat.kind == KEN_HEAT_ROOT);
    for (double v = 0; v <= 1; v += 0.125)
        assert_true(fabs(ken_heat_value(&heat, ken_heat_share(&heat, v)) - v) < 1e-12);
    assert_true(ken_heat_share(&heat, 0.25) == 0.5);
    heat = (struct ken_heat){ .kind = KEN_HEAT_SIGNED, .most = 4 };
    assert_true(ken_heat_share(&heat, -1) == -0.25 && ken_heat_value(&heat, -0.25) == -1);
    assert_true(isnan(ken_heat_share(&heat, NAN)));
}

static void visible(void **state)
{
    (void)state;
    static const struct {
        const char *text, *seen;
    } cases[] = {
        { "cat", "cat" },
        { "", "\xe2\x88\x85" },
        { " the", "\xe2\x90\xa3the" },
        { "\n\t\x1b[31m", "\\n\\t\\x1b[31m" },
        { "\xc3", "\\xc3" },
        { "\xc3\xa9\xe2\x80\xae", "\xc3\xa9\\x202e" }, /* changes the direction of text */
        { "\xe3\x80\x80", "\xe2\x90\xa3" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_buffer out = { 0 };
        ken_text_visible(&out, cases[i].text, strlen(cases[i].text));
        assert_string_equal(ken_buffer_string(&out), cases[i].seen);
        ken_buffer_release(&out);
    }
    assert_int_equal(ken_text_columns("a", 1), 1);
    assert_int_equal(ken_text_columns("\xcc\x81", 2), 0);
    assert_int_equal(ken_text_columns("\xe6\x97\xa5", 3), 2);
    assert_int_equal(ken_text_columns("\xff", 1), 1);
}

static void floats_in_json(void **state)
{
    (void)state;
    ken_buffer out = { 0 };
    ken_json_float(&out, 0.1f);
    ken_json_float(&out, 1 / 3.0f);
    ken_json_float(&out, NAN);
    assert_string_equal(out.data, "0.10.33333334null");
    ken_buffer_release(&out);
}

static ken_status draw(ken_buffer *out, bool svg)
{
    KEN_TRY(svg ? ken_picture_svg(&small, collect, out)
                : ken_picture_text(&small, 0, KEN_TERMINAL_PLAIN, collect, out));
    return ken_buffer_status(out);
}

/* Every allocation fails once, and the failure is reported. */
static void faults(void **state)
{
    (void)state;
    for (int svg = 0; svg < 2; svg++) {
        ken_buffer out = { 0 };
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(draw(&out, svg), KEN_OK);
        ken_buffer_release(&out);
        uint64_t count = ken_fault_calls(KEN_FAULT_MEMORY);
        assert_true(count > 5);
        for (uint64_t nth = 1; nth <= count; nth++) {
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_status status = draw(&out, svg);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            ken_buffer_release(&out);
            assert_int_equal(status, KEN_ERR_MEMORY);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shades_of_characters),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(names_in_cells),
        cmocka_unit_test(two_signs),
        cmocka_unit_test(colours),
        cmocka_unit_test(the_checker_can_fail),
        cmocka_unit_test(pictures_are_svg),
        cmocka_unit_test(grids),
        cmocka_unit_test(large_pictures_stay_small),
        cmocka_unit_test(every_name_is_drawn),
        cmocka_unit_test(legends_have_ticks),
        cmocka_unit_test(ratios_in_a_terminal),
        cmocka_unit_test(scales),
        cmocka_unit_test(visible),
        cmocka_unit_test(floats_in_json),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
