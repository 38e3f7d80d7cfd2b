/* test_reading.c - files as other programs write them: separators, decimal commas, missing numbers
 * and windows over long series. Each case has what is read, or the message. */
#include "base/random.h"
#include "base/size.h"
#include "tests/corpora.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <string.h>

#define LAYOUT(kind, target, ...)                                                                  \
    {                                                                                              \
        .format = KEN_FORMAT_##kind, .target_kind = KEN_TARGET_##target, __VA_ARGS__               \
    }
#define WINDOW(size, step, ahead) .window = size, .stride = step, .horizon = ahead
#define MARK "\xef\xbb\xbf" /* a byte order mark */

static const struct good {
    struct ken_layout layout;
    const char *text;
    const char *shown;
    char separator, decimal; /* what the corpus says about the file */
} goods[] = {
    /* separators of csv */
    { LAYOUT(CSV, LABEL, 0), "a,b\nc,d\n", "1: a > b\n2: c > d\n", ',', 0 },
    { LAYOUT(CSV, LABEL, 0), "a, b;x\nc;y\n", "1: a, b > x\n2: c > y\n", ';', 0 },
    { LAYOUT(CSV, LABEL, 0), "a\tx\n\"b\tc\"\ty\n", "1: a > x\n2: b\tc > y\n", '\t', 0 },
    { LAYOUT(CSV, LABEL, .header = true, .input = "text", .target = "label"),
      MARK "text;label\r\n\"a; \"\"b\"\"\";x\r\n", "2: a; \"b\" > x\n", ';', 0 },
    { LAYOUT(CSV, LABEL, .header = true, .input = "text", .target = "label"),
      MARK "\"text\";\"label\"\na;x\n", "2: a > x\n", ';', 0 },
    { LAYOUT(CSV, LABEL, .header = true, .target = "label"), "text ; label\na;x\n", "2: a > x\n",
      ';', 0 },
    { LAYOUT(CSV, LABEL, .header = true), "t;l\n\"a\nb;c\";x\nd;y\n", "2: a b;c > x\n4: d > y\n",
      ';', 0 },
    { LAYOUT(CSV, LABEL, .separator = ','), "a;b,c;d\n", "1: a;b > c;d\n", ',', 0 },
    { LAYOUT(CSV, NONE, .separator = ','), "a; b\n", "1: a; b >\n", ',', 0 },
    { LAYOUT(CSV, NONE, 0), "one column\nof text\n", "1: one column >\n2: of text >\n", ',', 0 },
    { LAYOUT(CSV, NONE, .separator = ';'), "a, b\nc\n", "1: a, b >\n2: c >\n", ';', 0 },
    /* decimal commas */
    { LAYOUT(CSV, NUMBER, 0), "a;3,14\nb;1,234\n", "1: a > [3.14]\n2: b > [1.234]\n", ';', ',' },
    { LAYOUT(CSV, NUMBER, 0), "a,3.14\nb,2\n", "1: a > [3.14]\n2: b > [2]\n", ',', '.' },
    { LAYOUT(CSV, NUMBER, 0), "a,\"3,14\"\nb,2\n", "1: a > [3.14]\n2: b > [2]\n", ',', ',' },
    { LAYOUT(CSV, NUMBER, .decimal = ','), "a;1,234\n", "1: a > [1.234]\n", ';', ',' },
    { LAYOUT(TSV, NUMBER, 0), "a\t-0,125\n", "1: a > [-0.125]\n", 0, ',' },
    { LAYOUT(TSV, NUMBER, .each = true), "a b\t1,5 2,5e1\n", "1: a b > [1.5] [25]\n", 0, ',' },
    { LAYOUT(VECTORS, NUMBER, 0), "3,14;2;1\n1,5;7;2\n", "1: [3.14 2] > [1]\n2: [1.5 7] > [2]\n",
      ';', ',' },
    { LAYOUT(VECTORS, NONE, 0), "3,14;2,7\n", "1: [3.14 2.7] >\n", ';', ',' },
    { LAYOUT(VECTORS, NONE, 0), "3,14\t12345,678\n", "1: [3.14 12345.7] >\n", '\t', ',' },
    { LAYOUT(VECTORS, NONE, .decimal = ','), "1,5\n1,234\n", "1: [1.5] >\n2: [1.234] >\n", '\t',
      ',' },
    { LAYOUT(VECTORS, NONE, .separator = ','), "1,5\n2,6\n", "1: [1 5] >\n2: [2 6] >\n", ',', 0 },
    { LAYOUT(VECTORS, NONE, .header = true), "load\n1,5\n2\n", "2: [1.5] >\n3: [2] >\n", '\t',
      ',' },
    { LAYOUT(VECTORS, NONE, 0), "1,2,3\n4,5,6\n", "1: [1 2 3] >\n2: [4 5 6] >\n", ',', 0 },
    /* number series in csv: columns by name, a column of dates that is not chosen */
    { LAYOUT(VECTORS, LABEL, .header = true, .input = "temp load", .target = "day"),
      MARK "date;temp;load;day\n01.02.2020;3,5;2;mo\n02.02.2020;-1;4,25;tu\n",
      "2: [3.5 2] > mo\n3: [-1 4.25] > tu\n", ';', ',' },
    { LAYOUT(VECTORS, NUMBER, .header = true, .sequence = "id", .input = "temp \"load in kW\"",
             .target = "load in kW", .each = true),
      "id,temp,load in kW,note\na,1,2,\"x, y\"\na,3,4,\"two\nlines\"\nb,5,6,\n",
      "2: [1 2] [3 4] > [2] [4]\n5: [5 6] > [6]\n", ',', 0 },
    /* missing numbers and targets */
    { LAYOUT(VECTORS, NUMBER, 0), "1;2;3\n;NA;4\nnan;null;?\n ; ? ;NULL\n",
      "1: [1 2] > [3]\n2: [nan nan] > [4]\n3: [nan nan] > [nan]\n4: [nan nan] > [nan]\n", ';', 0 },
    { LAYOUT(VECTORS, LABEL, .each = true), "1\ta\n2\t?\n3\t\n4\tNA\n",
      "1: [1] [2] [3] [4] > a /  /  / NA\n", '\t', 0 },
    { LAYOUT(TSV, NUMBER, 0), "a\tNA\nb\tnull\n", "1: a > [nan]\n2: b > [nan]\n", 0, 0 },
    /* windows */
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "2", WINDOW(2, 1, 1)),
      "1\t10\n2\t20\n3\t30\n4\t40\n", "1: [1] [2] > [30]\n2: [2] [3] > [40]\n", '\t', 0 },
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "2", WINDOW(2, 2, 0)),
      "1\t10\n2\t20\n3\t30\n4\t40\n5\t50\n", "1: [1] [2] > [20]\n3: [3] [4] > [40]\n", '\t', 0 },
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "1", WINDOW(1, 1, 2)), "1;9\n2;9\n3;9\n4;9\n",
      "1: [1] > [3]\n2: [2] > [4]\n", ';', 0 },
    { LAYOUT(VECTORS, NONE, .input = "1", .target = "2", WINDOW(2, 1, 1)), "1\t10\n2\t20\n3\t30\n",
      "1: [1] [2] >\n2: [2] [3] >\n", '\t', 0 },
    { LAYOUT(VECTORS, LABEL, .header = true, .sequence = "id", .input = "x", .target = "y",
             WINDOW(2, 1, 0)),
      "id;x;y\na;1;p\na;2;q\na;3;\nb;4;p\nc;5;p\nc;6;q\n",
      "2: [1] [2] > q\n3: [2] [3] > \n6: [5] [6] > q\n", ';', 0 },
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "1", .part = "0-50", WINDOW(2, 1, 1)),
      "1\t0\n2\t0\n3\t0\n4\t0\n5\t0\n6\t0\n7\t0\n", "1: [1] [2] > [3]\n", '\t', 0 },
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "1", .part = "50-100", WINDOW(2, 1, 1)),
      "1\t0\n2\t0\n3\t0\n4\t0\n5\t0\n6\t0\n7\t0\n", "4: [4] [5] > [6]\n5: [5] [6] > [7]\n", '\t',
      0 },
};

static void good_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(goods); i++) {
        const struct good *good = &goods[i];
        ken_corpus corpus = { 0 };
        ken_status status = ken_corpus_parse(&corpus, "f", good->text, strlen(good->text),
                                             &good->layout, NULL, NULL);
        if (status) fail_msg("case %zu: %s", i, ken_last_error());
        if (strcmp(corpus_shown(&corpus), good->shown) != 0)
            fail_msg("case %zu: %s", i, corpus_shown(&corpus));
        if ((corpus.separator != good->separator || corpus.decimal != good->decimal))
            fail_msg("case %zu: separator %d, decimal %d", i, corpus.separator, corpus.decimal);
        ken_corpus_release(&corpus);
    }
}

static const struct bad {
    struct ken_layout layout;
    const char *text, *message; /* of KEN_ERR_FORMAT or, after "!", of KEN_ERR_ARGUMENT */
} bads[] = {
    /* separators that are not clear, or not those that are expected */
    { LAYOUT(CSV, LABEL, 0), "a;b,c;d\ne;f,g;h\n",
      "f: the separator may be a comma (2 columns) or a semicolon (3 columns); set "
      "data.separator" },
    { LAYOUT(VECTORS, NONE, 0), "1,5\n2,6\n",
      "f: a comma may separate two columns or be a decimal comma; set data.separator=comma or "
      "data.decimal=comma" },
    { LAYOUT(CSV, NONE, .separator = ';'), "a,b\nc,d\n",
      "f: found one column with data.separator=semicolon, but 2 with data.separator=comma; set "
      "data.separator (--separator), or put the text in quotes" },
    { LAYOUT(VECTORS, NONE, .separator = ','), "1;2\n3;4\n",
      "f: found one column with data.separator=comma, but 2 with data.separator=semicolon; set "
      "data.separator (--separator), or put the text in quotes" },
    { LAYOUT(CSV, LABEL, 0), "a;b\nc;d;e\nf;g\n", "f:2: found 3 columns, expected 2" },
    { LAYOUT(CSV, LABEL, .header = true, .target = "l"), "t;l\n\"a\"b;c\n",
      "f:2: column 1: no closing quote at its end" },
    { LAYOUT(VECTORS, NONE, 0), "1;2\n\"3;4\n5;6\n", "f:2: a quote is opened and not closed" },
    /* decimal marks that are not clear, or of both kinds */
    { LAYOUT(CSV, NUMBER, 0), "a;1,234\nb;2\n",
      "f:1: \"1,234\" could be 1.234 or 1234, and no other number shows which; set "
      "data.decimal=comma, or remove the marks between thousands" },
    { LAYOUT(CSV, NUMBER, 0), "a;1.234,5\n",
      "f:1: \"1.234,5\" has marks between thousands: it could be 1.2345 (decimal point) or 1234.5 "
      "(decimal comma); remove them" },
    { LAYOUT(VECTORS, NONE, 0), "1;2\n3;1,234,567\n",
      "f:2: column 2: \"1,234,567\" has marks between thousands: it could be 1234567; remove "
      "them" },
    { LAYOUT(VECTORS, NONE, .decimal = ','), "1.234,5;1\n",
      "f:1: column 1: \"1.234,5\" has marks between thousands: it could be 1.2345 (decimal point) "
      "or 1234.5 (decimal comma); remove them" },
    { LAYOUT(VECTORS, NONE, 0), "1;2.5\n3;2,5\n",
      "f:2: \"2,5\" has a decimal comma, but a number in line 1 has a decimal point" },
    { LAYOUT(VECTORS, NONE, 0), "1;2,5\n3;2.5\n",
      "f:2: \"2.5\" has a decimal point, but a number in line 1 has a decimal comma" },
    { LAYOUT(VECTORS, NONE, .decimal = ','), "1;2.5\n",
      "f:1: \"2.5\" has a decimal point, but data.decimal is comma (--decimal)" },
    { LAYOUT(VECTORS, NONE, .decimal = '.'), "1;2,5\n",
      "f:1: \"2,5\" has a decimal comma, but data.decimal is point (--decimal)" },
    /* numbers that are neither numbers nor missing */
    { LAYOUT(VECTORS, NONE, 0), "1;inf\n", "f:1: column 2: \"inf\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), "1;-Infinity\n", "f:1: column 2: \"-Infinity\" is not a number" },
    { LAYOUT(VECTORS, NUMBER, 0), "1;1e39\n", "f:1: \"1e39\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), "1;n/a\n", "f:1: column 2: \"n/a\" is not a number" },
    { LAYOUT(VECTORS, NONE, .header = true), "date;temp\n1.2.2020;5\n",
      "f:2: column date: \"1.2.2020\" is not a number" },
    /* windows */
    { LAYOUT(VECTORS, NUMBER, .input = "1", .target = "1", WINDOW(3, 1, 1)), "1\t2\n1\t2\n1\t2\n",
      "f: no sequence has the 3 rows of data.window and the 1 rows of data.horizon" },
    { LAYOUT(VECTORS, NUMBER, .part = "x", WINDOW(1, 1, 0)), "1\t2\n",
      "!f: part \"x\": expected percents such as 0-80" },
    { LAYOUT(VECTORS, NUMBER, .part = "50-10", WINDOW(1, 1, 0)), "1\t2\n",
      "!f: part \"50-10\": expected percents such as 0-80" },
    { LAYOUT(VECTORS, NUMBER, .part = "50-101", WINDOW(1, 1, 0)), "1\t2\n",
      "!f: part \"50-101\": expected percents such as 0-80" },
    { LAYOUT(VECTORS, TEXT, WINDOW(1, 1, 0)), "1\t2\n",
      "!f: format vectors with text cannot be cut into windows" },
    { LAYOUT(CSV, LABEL, WINDOW(1, 1, 0)), "1,2\n",
      "!f: format csv with labels cannot be cut into windows" },
};

static void bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(bads); i++) {
        const struct bad *bad = &bads[i];
        bool argument = bad->message[0] == '!';
        ken_corpus corpus = { 0 };
        ken_status status = ken_corpus_parse(&corpus, "f", bad->text, strlen(bad->text),
                                             &bad->layout, NULL, NULL);
        if (status != (argument ? KEN_ERR_ARGUMENT : KEN_ERR_FORMAT) ||
            strcmp(ken_last_error(), bad->message + argument) != 0)
            fail_msg("case %zu: %d, \"%s\" instead of \"%s\"", i, (int)status,
                     status ? ken_last_error() : corpus_shown(&corpus), bad->message);
        ken_corpus_release(&corpus);
    }
}

static void count_complaint(void *user, const char *what)
{
    (void)what;
    ++*(size_t *)user;
}

/* The counts of missing numbers are those of the file, however often windows repeat a row; a bad
 * line is left out. */
static void counts(void **state)
{
    (void)state;
    static const char text[] = "a;b\n1;\n2;NA\nx;1\n;4\n5;6\n";
    struct ken_layout layout = LAYOUT(VECTORS, NUMBER, .header = true, .input = "a b",
                                      .target = "a");
    size_t bad = 0;
    ken_corpus corpus = { 0 };
    assert_int_equal(ken_corpus_parse(&corpus, "f", text, sizeof text - 1, &layout, count_complaint,
                                      &bad),
                     KEN_OK);
    const size_t *missing = (const size_t *)(const void *)corpus.missing.data;
    assert_int_equal(bad, 1);
    assert_int_equal(corpus.rows_read, 4);
    assert_int_equal(missing[0], 1);
    assert_int_equal(missing[1], 2);
    assert_string_equal(ken_strings_at(&corpus.columns, 1, NULL), "b");
    ken_corpus_release(&corpus);
    layout.window = 3;
    layout.stride = 1;
    static const char clean[] = "a;b\n1;\n2;NA\n;4\n5;6\n7;8\n";
    assert_int_equal(ken_corpus_parse(&corpus, "f", clean, sizeof clean - 1, &layout, NULL, NULL),
                     KEN_OK);
    missing = (const size_t *)(const void *)corpus.missing.data;
    assert_int_equal(corpus.count, 3);
    assert_int_equal(corpus.rows_read, 5);
    assert_int_equal(missing[0], 1);
    assert_int_equal(missing[1], 2);
    ken_corpus_release(&corpus);
}

/* Bad sequences are kept in their places: one whose rows return, and one with a bad row, which is
 * not cut into windows. */
static void bad_sequences(void **state)
{
    (void)state;
    static const char text[] = "a;1\na;2\nb;3\nb;4\na;5\na;6\nc;x\nc;7\nd;8\nd;9\n";
    struct ken_layout layout = LAYOUT(VECTORS, NONE, .sequence = "1");
    for (size_t window = 0; window < 2; window++) {
        ken_corpus corpus = { .keeps_bad = true };
        layout.window = window;
        layout.stride = 1;
        if (ken_corpus_parse(&corpus, "f", text, sizeof text - 1, &layout, NULL, NULL))
            fail_msg("%s", ken_last_error());
        assert_string_equal(corpus_shown(&corpus),
                            window ? "1: [1] >\n2: [2] >\n3: [3] >\n4: [4] >\n9: [8] >\n10: [9] >\n"
                                   : "1: [1] [2] >\n3: [3] [4] >\n9: [8] [9] >\n");
        assert_int_equal(corpus.bad.count, 2);
        assert_string_equal(
            ken_strings_at(&corpus.bad, 0, NULL),
            "f:5: sequence \"a\" began in line 1 and returns after sequence \"b\": "
            "the rows of a sequence must be together; sort the file by this column");
        assert_string_equal(ken_strings_at(&corpus.bad, 1, NULL),
                            "f:7: column 2: \"x\" is not a number");
        assert_int_equal(ken_corpus_bad_before(&corpus, 0), window ? 4 : 2);
        assert_int_equal(ken_corpus_bad_before(&corpus, 1), window ? 4 : 2);
        ken_corpus_release(&corpus);
    }
}

/* A window with its target never leaves its part: no row is in the windows of two parts. */
static void parts_share_no_row(void **state)
{
    (void)state;
    ken_buffer text = { 0 };
    for (size_t rows = 1; rows < 60; rows++) {
        struct ken_layout layout = LAYOUT(VECTORS, NUMBER, .input = "1", .target = "1",
                                          WINDOW(3, 1, 2));
        float last = 0;
        ken_buffer_format(&text, "%zu\t0\n", rows); /* each row has its number */
        for (size_t p = 0; p < 3; p++) {
            static const char *const parts[] = { "0-33", "33-80", "80-100" };
            ken_corpus corpus = { 0 };
            layout.part = parts[p];
            ken_status status = ken_corpus_parse(&corpus, "f", text.data, text.size, &layout, NULL,
                                                 NULL);
            size_t count = corpus.count;
            if (status) assert_int_equal(count, 0);
            if (count > 0) {
                assert_true(ken_buffer_floats(&corpus.vectors)[0] > last);
                last = ken_buffer_floats(&corpus.numbers)[count - 1];
                assert_true(last <= (float)rows);
            }
            ken_corpus_release(&corpus);
        }
    }
    ken_buffer_release(&text);
}

/* The separator is found in a file that is longer than the part of it that is looked at, whatever
 * that part ends with. */
static void long_files(void **state)
{
    (void)state;
    const struct ken_layout layout = LAYOUT(CSV, LABEL, 0);
    ken_buffer text = { 0 };
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < 9001; j++) ken_buffer_text(&text, "x");
        ken_buffer_text(&text, ";y\n");
    }
    ken_corpus corpus = { 0 };
    if (ken_corpus_parse(&corpus, "f", text.data, text.size, &layout, NULL, NULL))
        fail_msg("%s", ken_last_error());
    assert_int_equal(corpus.count, 20);
    assert_int_equal(corpus.separator, ';');
    ken_corpus_release(&corpus);
    ken_buffer_release(&text);
}

/* Bytes changed anywhere, in every case above: an error, or a corpus that is consistent. */
static void any_bytes(void **state)
{
    (void)state;
    static const char odd[] = ";,\t\"\n\r.0-?\xff\0\x31";
    for (size_t i = 0; i < KEN_COUNT(goods); i++) {
        size_t size = strlen(goods[i].text);
        for (uint64_t k = 0; k < 400; k++) {
            char text[256];
            memcpy(text, goods[i].text, size);
            for (uint64_t c = 0; c < 1 + k % 3; c++)
                text[ken_random_below(2 * i, 5 * k + c, size)] =
                    odd[ken_random_below(2 * i + 1, 5 * k + c, sizeof odd - 1)];
            ken_corpus corpus = { 0 };
            if (!ken_corpus_parse(&corpus, "f", text, size - k % 2, &goods[i].layout, NULL, NULL))
                assert_true(strlen(corpus_shown(&corpus)) > 0);
            ken_corpus_release(&corpus);
        }
    }
}

static void faults(void **state)
{
    (void)state;
    const struct ken_layout layout = LAYOUT(VECTORS, LABEL, .header = true, .sequence = "id",
                                            .input = "x", .target = "y", WINDOW(2, 1, 0));
    const char *path = folder_path("series.csv");
    static const char text[] = "id;x;y\na;1;p\na;;q\n\"b\nb\";5;p\n\"b\nb\";6;?\n";
    file_of(path, text, sizeof text - 1);
    assert_true(corpus_faults(path, NULL, &layout, "2: [1] [nan] > q\n4: [5] [6] > \n") > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files),         cmocka_unit_test(bad_files),
        cmocka_unit_test(bad_sequences),      cmocka_unit_test(counts),
        cmocka_unit_test(parts_share_no_row), cmocka_unit_test(long_files),
        cmocka_unit_test(any_bytes),          cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
