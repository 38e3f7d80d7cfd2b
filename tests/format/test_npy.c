/* test_npy.c - NumPy files: all versions and types, targets from a second file, every error with
 * the offset of its byte, and files that are cut or changed anywhere. */
#include "base/io.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "format/npy.h"
#include "tests/corpora.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct ken_layout inputs = { .format = KEN_FORMAT_NPY,
                                          .target_kind = KEN_TARGET_NONE };

/* Makes a file of version `major` with this dictionary and data, padded to 64 bytes as by NumPy. */
static void make_npy(ken_buffer *out, int major, const char *dictionary, const void *data,
                     size_t size)
{
    size_t before = major > 1 ? 12 : 10;
    size_t length = ken_size_round_up(before + strlen(dictionary) + 1, 64) - before;
    unsigned char start[] = { 0x93,
                              'N',
                              'U',
                              'M',
                              'P',
                              'Y',
                              (unsigned char)major,
                              0,
                              (unsigned char)length,
                              (unsigned char)(length >> 8),
                              0,
                              0 };
    ken_buffer_clear(out);
    ken_buffer_append(out, start, before);
    ken_buffer_format(out, "%-*s\n", (int)length - 1, dictionary);
    ken_buffer_append(out, data, size);
    assert_int_equal(ken_buffer_status(out), KEN_OK);
}

static ken_status parse(ken_corpus *corpus, const ken_buffer *file)
{
    return ken_corpus_parse(corpus, "f", file->data, file->size, &inputs, NULL, NULL);
}

static void all_types(void **state)
{
    (void)state;
    static const float f4[] = { 1.5f, -2, 1e30f, 0 };
    static const double f8[] = { 1.5, -2, 1e30, 0 };
    static const int8_t i1[] = { 1, -2, 127, -128 };
    static const int16_t i2[] = { 1, -2, 32767, -32768 };
    static const int32_t i4[] = { 1, -2, 1 << 24, -(1 << 30) };
    static const int64_t i8[] = { 1, -2, INT64_C(1) << 40, INT64_MIN };
    static const uint8_t u1[] = { 1, 2, 255, 128 };
    static const uint16_t u2[] = { 1, 2, 65535, 32768 };
    static const uint32_t u4[] = { 1, 2, UINT32_MAX, 1u << 31 };
    static const uint64_t u8[] = { 1, 2, UINT64_MAX, UINT64_C(1) << 63 };
    static const uint8_t flags[] = { 1, 0, 0, 1 };
    static const uint8_t f2[] = { 0x00, 0x3e, 0x00, 0xc0, 0xff, 0x7b, 0x01, 0x00 };
    static const uint8_t big_f2[] = { 0x3e, 0x00, 0xc0, 0x00, 0x7b, 0xff, 0x00, 0x01 };
    static const uint8_t big_f4[] = {
        0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0x80, 0, 0
    };
    static const uint8_t big_i2[] = { 0, 1, 0xff, 0xfe, 0x7f, 0xff, 0x80, 0 };
    static const struct {
        const char *name;
        const void *data;
        size_t size;
        const char *shown;
    } types[] = {
        { "<u4", u4, sizeof u4, "1: [1 2] [4.29497e+09 2.14748e+09] >\n" },
        { "<u8", u8, sizeof u8, "1: [1 2] [1.84467e+19 9.22337e+18] >\n" },
        { "|b1", flags, sizeof flags, "1: [1 0] [0 1] >\n" },
        { "<f2", f2, sizeof f2, "1: [1.5 -2] [65504 5.96046e-08] >\n" },
        { ">f2", big_f2, sizeof big_f2, "1: [1.5 -2] [65504 5.96046e-08] >\n" },
        { ">f4", big_f4, sizeof big_f4, "1: [1.5 -2] [0 1] >\n" },
        { ">i2", big_i2, sizeof big_i2, "1: [1 -2] [32767 -32768] >\n" },
        { "<f4", f4, sizeof f4, "1: [1.5 -2] [1e+30 0] >\n" },
        { "<f8", f8, sizeof f8, "1: [1.5 -2] [1e+30 0] >\n" },
        { "|i1", i1, sizeof i1, "1: [1 -2] [127 -128] >\n" },
        { "<i2", i2, sizeof i2, "1: [1 -2] [32767 -32768] >\n" },
        { "<i4", i4, sizeof i4, "1: [1 -2] [1.67772e+07 -1.07374e+09] >\n" },
        { "<i8", i8, sizeof i8, "1: [1 -2] [1.09951e+12 -9.22337e+18] >\n" },
        { "|u1", u1, sizeof u1, "1: [1 2] [255 128] >\n" },
        { "<u2", u2, sizeof u2, "1: [1 2] [65535 32768] >\n" },
    };
    ken_buffer file = { 0 };
    for (size_t i = 0; i < KEN_COUNT(types); i++)
        for (int major = 1; major <= 3; major++) {
            char dictionary[128];
            ken_corpus corpus = { 0 };
            snprintf(dictionary, sizeof dictionary,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (2, 2), }", types[i].name);
            make_npy(&file, major, dictionary, types[i].data, types[i].size);
            if (parse(&corpus, &file)) fail_msg("%s: %s", types[i].name, ken_last_error());
            assert_string_equal(corpus_shown(&corpus), types[i].shown);
            ken_corpus_release(&corpus);
        }
    ken_buffer_release(&file);
}

/* Converts a half-precision number by the definition of IEEE 754, in double precision. */
static double half_by_definition(unsigned bits)
{
    double sign = bits & 0x8000 ? -1 : 1, fraction = bits & 0x3ff;
    int exponent = (int)(bits >> 10 & 31);
    if (exponent == 31) return fraction > 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * fraction / 1024 * pow(2, -14);
    return sign * (1 + fraction / 1024) * pow(2, exponent - 15);
}

/* Each of the 65536 half-precision numbers has exactly its value as a float. */
static void all_halves(void **state)
{
    (void)state;
    static unsigned char halves[2 * 65536];
    ken_buffer file = { 0 };
    ken_source source;
    ken_npy npy;
    uint64_t bits;
    for (unsigned i = 0; i < 65536; i++) {
        halves[2 * i] = (unsigned char)(i & 255);
        halves[2 * i + 1] = (unsigned char)(i >> 8);
    }
    make_npy(&file, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (65536, 1)}", halves,
             sizeof halves);
    ken_source_from(&source, "f", file.data, file.size);
    assert_int_equal(ken_npy_open(&npy, &source), KEN_OK);
    for (unsigned i = 0; i < 65536; i++) {
        assert_int_equal(ken_npy_next(&npy, &bits), KEN_OK);
        double value = ken_npy_float(&npy, bits), right = half_by_definition(i);
        assert_int_equal(isnan(value), isnan(right));
        assert_true(isnan(right) || value == right);
        assert_int_equal(signbit(value) != 0, i >> 15);
    }
    assert_int_equal(ken_npy_end(&npy), KEN_OK);
    ken_buffer_release(&file);
}

/* Other ways to write the same dictionary, and sequences of three dimensions. */
static void shapes_and_spellings(void **state)
{
    (void)state;
    static const float data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    static const struct {
        const char *dictionary, *shown;
    } cases[] = {
        { "{\"shape\":(2,3,2),\"descr\":\"<f4\",\"fortran_order\":False}",
          "1: [1 2] [3 4] [5 6] >\n2: [7 8] [9 10] [11 12] >\n" },
        { "  { 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 12 , 1, ) , }",
          "1: [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11] [12] >\n" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 4)}",
          "1: [1 2 3 4] >\n2: [5 6 7 8] >\n3: [9 10 11 12] >\n" },
    };
    ken_buffer file = { 0 };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_corpus corpus = { 0 };
        make_npy(&file, 1, cases[i].dictionary, data, sizeof data);
        if (parse(&corpus, &file)) fail_msg("case %zu: %s", i, ken_last_error());
        assert_string_equal(corpus_shown(&corpus), cases[i].shown);
        ken_corpus_release(&corpus);
    }
    ken_buffer_release(&file);
}

#define HEAD "{'descr': '<f4', 'fortran_order': False, 'shape': "

static const struct {
    const char *dictionary, *message;
} refused[] = {
    { "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: found an array of Python objects (pickle), which could run code when read; save "
      "numbers instead" },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: records of several fields are not supported" },
    { "{'descr': '|f4', 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: numbers of type |f4 are not supported, only f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
      "and bool" },
    { "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: numbers of type <c8 are not supported, only f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
      "and bool" },
    { "{'descr': '<U5', 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: numbers of type <U5 are not supported, only f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
      "and bool" },
    { "{'descr': '<f44', 'fortran_order': False, 'shape': (2, 2)}",
      "f: byte 19: numbers of type <f44 are not supported, only f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
      "and bool" },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
      "f: byte 44: the array is in Fortran order; save numpy.ascontiguousarray() of it" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}",
      "f: byte 44: expected True or False in the header" },
    { "{'descr': '<f4', 'shape': (2, 2)}", "f: byte 43: expected fortran_order in the header" },
    { "{'descr': '<f4', 'descr': '<f4'}",
      "f: byte 27: expected descr, fortran_order and shape, each once, in the header" },
    { "{'evil': __import__('os')}",
      "f: byte 11: expected descr, fortran_order and shape, each once, in the header" },
    { "{'descr: 1", "f: byte 11: expected the end of this string in the header" },
    { "{'descr'; 1", "f: byte 18: expected a colon in the header" },
    { "['descr']", "f: byte 10: expected { in the header" },
    { "", "f: byte 63: expected { in the header" },
    { HEAD "(2, 2)} x", "f: byte 68: expected a line end and nothing else after the dictionary "
                        "in the header" },
    { HEAD "(2, 2) 'x'}", "f: byte 67: expected a comma or } in the header" },
    { HEAD "2}", "f: byte 60: expected a shape in brackets in the header" },
    { HEAD "(-2, 2)}", "f: byte 61: expected a size in the header" },
    { HEAD "(2, 02)}", "f: byte 64: expected a size in the header" },
    { HEAD "(2.0, 2)}", "f: byte 62: expected a comma or the end of the shape in the header" },
    { HEAD "(4)}", "f: byte 63: expected (n,) for one dimension in the header" },
    { HEAD "(99999999999999999999, 2)}", "f: byte 61: expected a size in the header" },
    { HEAD "(1,1,1,1,1,1,1,1,1)}", "f: byte 77: expected fewer dimensions in the header" },
    { HEAD "(4294967296, 4294967296)}", "f: byte 10: the shape is too large for any memory" },
    { HEAD "(4611686018427387904, 1)}", "f: byte 10: the shape is too large for any memory" },
    { HEAD "(0, 2)}", "f: byte 10: the array is empty" },
    { HEAD "(1000000000000, 0, 1)}", "f: byte 10: the array is empty" },
    { HEAD "(4,)}", "f: found 1 dimension, expected 2 (rows, width) or 3 (count, rows, width)" },
    { HEAD "()}", "f: found 0 dimensions, expected 2 (rows, width) or 3 (count, rows, width)" },
    { HEAD "(2, 2)}", "f: byte 140: found a number that is not finite" },
    { HEAD "(1000000000000, 1, 1)}",
      "f: byte 144: the file ends, but the array extends to byte 4000000000128" },
    { HEAD "(3, 1)}", "f: byte 140: the array ends here, but the file goes on" },
};

static void refusals(void **state)
{
    (void)state;
    static const float data[] = { 1, 2, 3, INFINITY };
    ken_buffer file = { 0 };
    for (size_t i = 0; i < KEN_COUNT(refused); i++) {
        ken_corpus corpus = { 0 };
        make_npy(&file, 1, refused[i].dictionary, data, sizeof data);
        assert_int_equal(parse(&corpus, &file), KEN_ERR_FORMAT);
        if (strcmp(ken_last_error(), refused[i].message) != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, ken_last_error(), refused[i].message);
        ken_corpus_release(&corpus);
    }
    ken_buffer_release(&file);
}

static void other_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
        { "", 0, "f: byte 0: the file ends, expected 4 more bytes of its header" },
        { "\x93NUM", 4, "f: byte 4: the file ends, expected 6 more bytes of its header" },
        { "\x93NUMPX\1\0\0\0", 10, "f: byte 0: not an npy file" },
        { "PK\3\4", 4, "f: byte 0: this is a zip file (npz); extract the npy file from it" },
        { "\x80\4\x95 ", 4, "f: byte 0: not an npy file" },
        { "1\t2\n3\t4\n", 8, "f: byte 0: not an npy file" },
        { "\x93NUMPY\4\0\1\0", 10, "f: byte 6: found version 4.0, expected 1.0, 2.0 or 3.0" },
        { "\x93NUMPY\1\1\1\0", 10, "f: byte 6: found version 1.1, expected 1.0, 2.0 or 3.0" },
        { "\x93NUMPY\2\0\0\0\0\1", 12,
          "f: byte 8: the header has 16777216 bytes, at most 65536 are read" },
        { "\x93NUMPY\2\0\xff\xff\xff\xff", 12,
          "f: byte 8: the header has 4294967295 bytes, at most 65536 are read" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_corpus corpus = { 0 };
        assert_int_equal(ken_corpus_parse(&corpus, "f", cases[i].text, cases[i].size, &inputs, NULL,
                                          NULL),
                         KEN_ERR_FORMAT);
        assert_string_equal(ken_last_error(), cases[i].message);
        ken_corpus_release(&corpus);
    }
}

/* ---- Targets --------------------------------------------------------------------------------- */

static void write_npy(const char *path, const char *type, const char *shape, const void *data,
                      size_t size)
{
    char dictionary[128];
    ken_buffer file = { 0 };
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    make_npy(&file, 1, dictionary, data, size);
    assert_int_equal(ken_file_replace(path, file.data, file.size), KEN_OK);
    ken_buffer_release(&file);
}

/* The result of reading two files: the corpus as text, or the message without the paths. */
static const char *read_pair(const char *in_shape, const char *type, const char *shape,
                             const void *data, size_t size, enum ken_target_kind kind, bool each)
{
    static const float rows[] = { 1, 2, 3, 4, 5, 6 };
    static char shown[512];
    const char *in = folder_path("in.npy"), *out = folder_path("out.npy");
    const struct ken_layout layout = { .format = KEN_FORMAT_NPY,
                                       .target_kind = kind,
                                       .each = each };
    ken_corpus corpus = { 0 };
    write_npy(in, "<f4", in_shape, rows, sizeof rows);
    write_npy(out, type, shape, data, size);
    ken_status status = ken_corpus_read(&corpus, in, out, &layout, NULL, NULL);
    if (status) assert_int_equal(status, KEN_ERR_FORMAT);
    if (status) assert_ptr_equal(strstr(ken_last_error(), out), ken_last_error());
    snprintf(shown, sizeof shown, "%s",
             status ? ken_last_error() + strlen(out) : corpus_shown(&corpus));
    char *other = strstr(shown, in);
    if (other) memmove(other, other + strlen(in), strlen(other + strlen(in)) + 1);
    ken_corpus_release(&corpus);
    return shown;
}

static void targets(void **state)
{
    (void)state;
    static const int64_t labels[] = { 7, -1, INT64_MIN, 3, 4, 5 };
    static const float numbers[] = { 0.5f, NAN, -2, INFINITY };
    const enum ken_target_kind label = KEN_TARGET_LABEL, number = KEN_TARGET_NUMBER;
    static const size_t one = sizeof(int64_t), f = sizeof(float);
    /* a label for each sequence, or for each row */
    assert_string_equal(read_pair("(3, 1, 2)", "<i8", "(3,)", labels, 3 * one, label, false),
                        "1: [1 2] > 7\n2: [3 4] > -1\n3: [5 6] > -9223372036854775808\n");
    assert_string_equal(read_pair("(3, 1, 2)", "<i8", "(3, 1)", labels, 3 * one, label, true),
                        "1: [1 2] > 7\n2: [3 4] > -1\n3: [5 6] > -9223372036854775808\n");
    assert_string_equal(read_pair("(2, 3, 1)", "<i8", "(2, 3, 1)", labels, 6 * one, label, true),
                        "1: [1] [2] [3] > 7 / -1 / -9223372036854775808\n"
                        "2: [4] [5] [6] > 3 / 4 / 5\n");
    assert_string_equal(read_pair("(3, 2)", "<f4", "(3,)", numbers, 3 * f, number, true),
                        "1: [1 2] [3 4] [5 6] > [0.5] [nan] [-2]\n");
    assert_string_equal(read_pair("(3, 2)", "<f4", "()", numbers, f, number, false),
                        "1: [1 2] [3 4] [5 6] > [0.5]\n");
    assert_string_equal(read_pair("(3, 2)", "<i8", "(1,)", labels, one, number, false),
                        "1: [1 2] [3 4] [5 6] > [7]\n");
    /* shapes that do not fit, and numbers that are not finite */
    assert_string_equal(read_pair("(2, 3, 1)", "<i8", "(3, 2)", labels, 6 * one, label, true),
                        ": dimension 1 of the targets is 3,  needs 2");
    assert_string_equal(read_pair("(2, 3, 1)", "<i8", "(2, 2)", labels, 4 * one, label, true),
                        ": dimension 2 of the targets is 2,  needs 3");
    assert_string_equal(read_pair("(2, 3, 1)", "<i8", "(2, 3)", labels, 6 * one, label, false),
                        ": dimension 2 of the targets is 3,  needs 1");
    assert_string_equal(read_pair("(3, 2)", "<i8", "(3,)", labels, 3 * one, label, false),
                        ": dimension 1 of the targets is 3,  needs 1");
    assert_string_equal(read_pair("(3, 2)", "<f4", "(3,)", numbers, 3 * f, label, true),
                        ": labels have to be whole numbers, not f4");
    assert_string_equal(read_pair("(2, 3)", "<f4", "(2,)", numbers + 2, 2 * f, number, true),
                        ": byte 132: found a number that is not finite");
    assert_string_equal(read_pair("(2, 3)", "<f4", "(2,)", numbers, f, number, true),
                        ": byte 132: the file ends, but the array extends to byte 136");
    assert_string_equal(read_pair("(2, 3)", "<f4", "(2,)", numbers, 3 * f, number, true),
                        ": byte 136: the array ends here, but the file goes on");
}

/* ---- Any bytes ------------------------------------------------------------------------------- */

/* A file cut at any byte is refused, with the offset; a file with changed bytes is read or
 * refused. */
static void cut_and_changed(void **state)
{
    (void)state;
    static const float data[] = { 1, 2, 3, 4 };
    ken_buffer file = { 0 };
    make_npy(&file, 2, HEAD "(2, 1, 2), }", data, sizeof data);
    for (size_t cut = 0; cut < file.size; cut++) {
        ken_corpus corpus = { 0 };
        char expected[64], *copy = ken_memory_new(cut, 1);
        memcpy(copy, file.data, cut);
        assert_int_equal(ken_corpus_parse(&corpus, "f", copy, cut, &inputs, NULL, NULL),
                         KEN_ERR_FORMAT);
        snprintf(expected, sizeof expected, "f: byte %zu: the file ends", cut);
        if (strncmp(ken_last_error(), expected, strlen(expected)) != 0)
            fail_msg("cut at %zu: %s", cut, ken_last_error());
        ken_memory_free(copy);
        ken_corpus_release(&corpus);
    }
    size_t good = 0;
    for (uint64_t round = 0; round < 20000; round++) {
        ken_corpus corpus = { 0 };
        uint64_t key = ken_random_key(5, round);
        char *copy = ken_memory_new(file.size, 1);
        memcpy(copy, file.data, file.size);
        for (uint64_t k = 0; k <= round % 3; k++)
            copy[ken_random_below(key, 2 * k, file.size)] ^= (char)(1 << ken_random_below(key,
                                                                                          2 * k + 1,
                                                                                          8));
        ken_status status = ken_corpus_parse(&corpus, "f", copy, file.size, &inputs, NULL, NULL);
        assert_true(status == KEN_OK || status == KEN_ERR_FORMAT);
        if (!status) assert_int_equal(corpus.vectors.size, sizeof data * (corpus.width > 0));
        good += status == KEN_OK;
        ken_memory_free(copy);
        ken_corpus_release(&corpus);
    }
    assert_true(good > 100 && good < 10000);
    ken_buffer_release(&file);
}

/* Rows that cross the borders of the chunks that are read. */
static void larger_than_a_chunk(void **state)
{
    (void)state;
    enum { COUNT = 7, ROWS = 311, WIDTH = 13, ALL = COUNT * ROWS * WIDTH };
    static int16_t data[ALL];
    ken_buffer file = { 0 };
    ken_corpus corpus = { 0 };
    for (size_t i = 0; i < ALL; i++) data[i] = (int16_t)(i * 7);
    make_npy(&file, 3, "{'descr': '<i2', 'fortran_order': False, 'shape': (7, 311, 13)}", data,
             sizeof data);
    assert_int_equal(parse(&corpus, &file), KEN_OK);
    assert_int_equal(corpus.count, COUNT);
    assert_int_equal(corpus.width, WIDTH);
    assert_int_equal(ken_corpus_input_start(&corpus, COUNT), COUNT * ROWS);
    const float *vectors = (const float *)(const void *)corpus.vectors.data;
    for (size_t i = 0; i < ALL; i++) assert_true(vectors[i] == data[i]);
    ken_corpus_release(&corpus);
    ken_buffer_release(&file);
}

/* Several files make one corpus if their rows have the same width. */
static void files_in_a_row(void **state)
{
    (void)state;
    static const float data[] = { 1, 2, 3, 4 };
    ken_buffer file = { 0 };
    ken_corpus corpus = { 0 };
    make_npy(&file, 1, HEAD "(2, 1, 2)}", data, sizeof data);
    assert_int_equal(parse(&corpus, &file), KEN_OK);
    make_npy(&file, 1, HEAD "(2, 2)}", data, sizeof data);
    assert_int_equal(parse(&corpus, &file), KEN_OK);
    assert_string_equal(corpus_shown(&corpus), "1: [1 2] >\n2: [3 4] >\n1: [1 2] [3 4] >\n");
    make_npy(&file, 1, HEAD "(4, 1)}", data, sizeof data);
    assert_int_equal(parse(&corpus, &file), KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "f: found 1 number in a row, f has 2");
    ken_corpus_release(&corpus);
    ken_buffer_release(&file);
}

static void faults(void **state)
{
    (void)state;
    static const float rows[] = { 1, 2, 3, 4 };
    static const int32_t labels[] = { 5, 6 };
    const char *in = folder_path("in.npy"), *out = folder_path("out.npy");
    const struct ken_layout layout = { .format = KEN_FORMAT_NPY };
    write_npy(in, "<f4", "(2, 1, 2)", rows, sizeof rows);
    write_npy(out, "<i4", "(2,)", labels, sizeof labels);
    assert_true(corpus_faults(in, out, &layout, "1: [1 2] > 5\n2: [3 4] > 6\n") > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types),
        cmocka_unit_test(all_halves),
        cmocka_unit_test(shapes_and_spellings),
        cmocka_unit_test(refusals),
        cmocka_unit_test(other_files),
        cmocka_unit_test(targets),
        cmocka_unit_test(cut_and_changed),
        cmocka_unit_test(larger_than_a_chunk),
        cmocka_unit_test(faults),
        cmocka_unit_test(files_in_a_row),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
