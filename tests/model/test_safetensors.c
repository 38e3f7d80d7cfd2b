/* test_safetensors.c - files of named arrays: what was written is read back, layouts of other
 * programs are understood, and every hostile file is refused with a message, in little memory. */
#include "base/buffer.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/safetensors.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float numbers[] = { 1, -2.5f, 3e-30f, 4, 5, 6, -0.0f, 8 };
static const struct ken_stored tensors[] = {
    { "b", { 2, 3 }, 2, numbers },
    { "a.weight", { 1 }, 1, numbers + 6 },
    { "scalar", { 0 }, 0, numbers + 7 },
    { "none", { 3, 0, 2 }, 3, NULL },
    { "\xc3\xa9\"\\\n", { 1, 1, 1, 1, 1, 1, 1, 2 }, 8, numbers },
};
static const struct ken_note notes[] = {
    { "z", "" },
    { "author", "a \"quote\", a \\, a\ttab, \x01 and \xe2\x82\xac" },
};

static const char *path(void)
{
    return folder_path("file.safetensors");
}

static void write_sample(void)
{
    if (ken_safetensors_write(path(), tensors, KEN_COUNT(tensors), notes, KEN_COUNT(notes)))
        fail_msg("%s", ken_last_error());
}

static void expect_sample(const ken_safetensors *file)
{
    assert_int_equal(file->count, KEN_COUNT(tensors));
    for (size_t i = 0; i < KEN_COUNT(tensors); i++) {
        const struct ken_stored *found = ken_safetensors_find(file, tensors[i].name);
        size_t size, same = 0;
        assert_non_null(found);
        assert_string_equal(found->name, tensors[i].name);
        assert_int_equal(found->dimensions, tensors[i].dimensions);
        assert_memory_equal(found->shape, tensors[i].shape, found->dimensions * sizeof(size_t));
        assert_true(ken_stored_size(&size, found) && ken_stored_size(&same, &tensors[i]));
        assert_true(size == same);
        assert_int_equal((uintptr_t)found->data % sizeof(float), 0);
        if (size > 0) assert_memory_equal(found->data, tensors[i].data, size * sizeof(float));
    }
    assert_null(ken_safetensors_find(file, "c"));
}

static void what_was_written(void **state)
{
    (void)state;
    ken_safetensors file;
    char *data, *again;
    size_t size, same;
    write_sample();
    assert_int_equal(ken_file_read(&data, &size, path(), SIZE_MAX), KEN_OK);
    write_sample();
    assert_int_equal(ken_file_read(&again, &same, path(), SIZE_MAX), KEN_OK);
    assert_true(size == same && memcmp(data, again, size) == 0);
    if (ken_safetensors_read(&file, path())) fail_msg("%s", ken_last_error());
    expect_sample(&file);
    assert_true(file.checked);
    assert_string_equal(file.tensors[0].name, "b");
    assert_int_equal(file.note_count, 3);
    assert_string_equal(ken_safetensors_note(&file, "author"), notes[1].value);
    assert_string_equal(ken_safetensors_note(&file, "z"), "");
    assert_null(ken_safetensors_note(&file, "y"));
    ken_safetensors_release(&file);
    ken_memory_free(data);
    ken_memory_free(again);

    assert_int_equal(ken_safetensors_write(path(), NULL, 0, NULL, 0), KEN_OK);
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    assert_true(file.checked && file.count == 0 && file.note_count == 1);
    assert_null(ken_safetensors_find(&file, "b"));
    ken_safetensors_release(&file);
}

static void what_is_not_written(void **state)
{
    (void)state;
    const struct {
        const char *words;
        struct ken_stored tensors[2];
        size_t count;
        struct ken_note notes[2];
        size_t note_count;
    } bad[] = {
        { "twice occurs twice",
          { { "twice", { 1 }, 1, numbers }, { "twice", { 1 }, 1, numbers } },
          2 },
        { "k occurs twice", { { 0 } }, 0, { { "k", "1" }, { "k", "2" } }, 2 },
        { "reserved", { { 0 } }, 0, { { KEN_CHECKSUM_KEY, "1" } }, 1 },
        { "cannot be stored", { { "x", { 1 }, 9, numbers } }, 1 },
        { "cannot be stored", { { "x", { SIZE_MAX, 2 }, 2, numbers } }, 1 },
        { "cannot be stored", { { "x", { SIZE_MAX / 4 + 1 }, 1, numbers } }, 1 },
        { "cannot be stored", { { "__metadata__", { 1 }, 1, numbers } }, 1 },
        { "not UTF-8", { { "\xff", { 1 }, 1, numbers } }, 1 },
        { "not UTF-8", { { 0 } }, 0, { { "\xc3", "1" } }, 1 },
        { "k is not UTF-8", { { 0 } }, 0, { { "k", "\xed\xa0\x80" } }, 1 },
    };
    size_t entries = folder_entries();
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        ken_status status = ken_safetensors_write(folder_path("not.safetensors"), bad[i].tensors,
                                                  bad[i].count, bad[i].notes, bad[i].note_count);
        assert_int_equal(status, KEN_ERR_ARGUMENT);
        if (!strstr(ken_last_error(), bad[i].words))
            fail_msg("no \"%s\" in \"%s\"", bad[i].words, ken_last_error());
    }
    assert_int_equal(folder_entries(), entries);
}

/* ---- Files as others write them, or never should --------------------------------------------- */

/* Writes a file with this header, its stated length `length`, and `data` bytes 0, 1, 2 ... */
static void write_raw(const char *header, size_t size, uint64_t length, size_t data)
{
    ken_buffer file = { 0 };
    ken_buffer_append(&file, &length, sizeof length);
    ken_buffer_append(&file, header, size);
    for (size_t i = 0; i < data; i++) ken_buffer_append(&file, &(char){ (char)i }, 1);
    file_of(path(), file.data, file.size);
    ken_buffer_release(&file);
}

static void write_text(const char *header, size_t data)
{
    write_raw(header, strlen(header), strlen(header), data);
}

#define T(shape, offsets) "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

/* Headers that are not padded, not in order, with spaces, without metadata, without any tensor. */
static void other_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t data, count;
    } good[] = {
        { "{}", 0, 0 },
        { "{}       ", 0, 0 },
        { "{\"__metadata__\":{}}", 0, 0 },
        { "{\"x\":" T("[2]", "[0,8]") "}", 8, 1 },
        { "{ \"x\" : " T("[2]", "[0,8]") " ,\n\t\"y\":" T("[1,1]", "[8,12]") "}\r\n ", 12, 2 },
        { "{\"y\":" T("[1]", "[8,12]") ",\"x\":" T("[2]", "[0,8]") "}", 12, 2 },
        { "{\"y\":" T("[]", "[0,4]") ",\"x\":" T("[0]", "[4,4]") ",\"w\":" T("[0]", "[4,4]") "}", 4,
          3 },
        { "{\"x\":" T("[1]",
                      "[0,4]") ",\"__metadata__\":{\"k\":\"v\",\"l\":\"\\u00e9\\ud83d\\ude00\"}}",
          4, 1 },
        { "{\"\":" T("[1]", "[0,4]") "}", 4, 1 },
    };
    for (size_t i = 0; i < KEN_COUNT(good); i++) {
        ken_safetensors file;
        write_text(good[i].header, good[i].data);
        if (ken_safetensors_read(&file, path())) fail_msg("case %zu: %s", i, ken_last_error());
        assert_false(file.checked);
        assert_int_equal(file.count, good[i].count);
        const char *bytes = file.count > 0 ? (const char *)file.tensors[0].data : NULL;
        for (size_t j = 0; j < good[i].data; j++) assert_int_equal(bytes[j], (char)j);
        ken_safetensors_release(&file);
    }
}

static void expect_refused(const char *what, size_t which, const char *words)
{
    ken_safetensors file = { .count = 77 };
    ken_status status = ken_safetensors_read(&file, path());
    if (status != KEN_ERR_FORMAT)
        fail_msg("%s %zu: %s instead of refused", what, which, ken_status_name(status));
    if (words && !strstr(ken_last_error(), words))
        fail_msg("%s %zu: no \"%s\" in \"%s\"", what, which, words, ken_last_error());
    assert_non_null(strstr(ken_last_error(), path()));
    assert_true(!file.file && !file.tensors && !file.notes && !file.header && file.count == 0);
}

static const struct {
    const char *words, *header;
    size_t data;
} hostile[] = {
    { "is incomplete", "", 0 },
    { "expected {", "", 1 },
    { "expected {", " {}", 0 },
    { "expected {", "[]", 0 },
    { "expected {", "\"x\"", 0 },
    { "a string", "{", 0 },
    { "a string", "{,}", 0 },
    { "a string", "{1:2}", 0 },
    { "a string", "{[0,0]:2}", 0 },
    { "JSON", "{\"x", 0 },
    { "JSON", "{\"\xff\":1}", 0 },
    { "JSON", "{\"\xed\xa0\x80\":1}", 0 },
    { "JSON", "{\"\\ud800\":1}", 0 },
    { "JSON", "{\"\\u0000\":1}", 0 },
    { "JSON", "{\"a\nb\":1}", 0 },
    { "colon", "{\"x\"}", 0 },
    { "colon", "{\"x\",", 0 },
    { "an object", "{\"x\":", 0 },
    { "an object", "{\"x\":1}", 0 },
    { "an object", "{\"x\":[]}", 0 },
    { "an object", "{\"x\":null}", 0 },
    { "nothing else", "{\"x\":{}}", 0 },
    { "nothing else", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4 },
    { "nothing else", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offset\":[0,4]}}", 4 },
    { "nothing else", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"z\":1}}",
      4 },
    { "nothing else", "{\"x\":{\"dtype\":3,\"shape\":[1],\"data_offsets\":[0,4]}}", 4 },
    { "nothing else", "{\"x\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}", 4 },
    { "nothing else", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":4}}", 4 },
    { "JSON", "{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
      4 },
    { "dtype F32", "{\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8 },
    { "dtype F32", "{\"x\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4 },
    { "dtype F32", "{\"x\":{\"dtype\":\"\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4 },
    { "8 dimensions", "{\"x\":" T("[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[-1]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[1.0]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[\"1\"]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[null]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[[1]]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[18446744073709551615]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[1e400]", "[0,4]") "}", 4 },
    { "whole numbers in shape", "{\"x\":" T("[1e0]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[01]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[+1]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[0x1]", "[0,4]") "}", 4 },
    { "JSON", "{\"x\":" T("[1,]", "[0,4]") "}", 4 },
    { "in data_offsets", "{\"x\":" T("[1]", "[0]") "}", 4 },
    { "in data_offsets", "{\"x\":" T("[1]", "[0,4,8]") "}", 4 },
    { "in data_offsets", "{\"x\":" T("[1]", "[-4,0]") "}", 4 },
    { "in data_offsets", "{\"x\":" T("[1]", "[0.0,4]") "}", 4 },
    { "do not match", "{\"x\":" T("[2]", "[0,4]") "}", 4 },
    { "do not match", "{\"x\":" T("[1]", "[0,5]") "}", 5 },
    { "do not match", "{\"x\":" T("[1]", "[4,0]") "}", 4 },
    { "do not match", "{\"x\":" T("[0]", "[0,4]") "}", 4 },
    { "do not match", "{\"x\":" T("[9223372036854775807,3]", "[0,4]") "}", 4 },
    { "do not match", "{\"x\":" T("[4611686018427387904,4]", "[0,0]") "}", 0 },
    { "do not match", "{\"x\":" T("[4611686018427387905]", "[0,4]") "}", 4 },
    { "of data, found 8", "{\"x\":" T("[2305843009213693951]", "[0,9223372036854775804]") "}", 8 },
    { "of data, found 8", "{\"x\":" T("[4]", "[0,16]") "}", 8 },
    { "expected 4 bytes of data, found 5", "{\"x\":" T("[1]", "[0,4]") "}", 5 },
    { "expected 4 bytes of data, found 3",
      "{\"x\":" T("[1]", "[0,4]") ",\"y\":" T("[0]", "[4,4]") "}", 3 },
    { "expected 0 bytes of data", "{}", 1 },
    { "of the data, expected 0", "{\"x\":" T("[1]", "[4,8]") "}", 8 },
    { "of the data, expected 4", "{\"x\":" T("[1]", "[0,4]") ",\"y\":" T("[1]", "[8,12]") "}", 12 },
    { "of the data, expected 4", "{\"x\":" T("[1]", "[0,4]") ",\"y\":" T("[2]", "[0,8]") "}", 8 },
    { "of the data, expected 8", "{\"x\":" T("[2]", "[0,8]") ",\"y\":" T("[2]", "[4,12]") "}", 12 },
    { "occurs twice", "{\"x\":" T("[1]", "[0,4]") ",\"x\":" T("[1]", "[4,8]") "}", 8 },
    { "occurs twice", "{\"x\":" T("[1]", "[0,4]") ",\"\\u0078\":" T("[1]", "[4,8]") "}", 8 },
    { "comma or the end", "{\"x\":" T("[1]", "[0,4]") "\"y\":" T("[1]", "[4,8]") "}", 8 },
    { "a string", "{\"x\":" T("[1]", "[0,4]") ",}", 4 },
    { "white space up to the end", "{}{}", 0 },
    { "white space up to the end", "{}   x", 0 },
    { "an object after", "{\"__metadata__\":[]}", 0 },
    { "an object after", "{\"__metadata__\":\"x\"}", 0 },
    { "a string", "{\"__metadata__\":{\"k\":1}}", 0 },
    { "a string", "{\"__metadata__\":{\"k\":{}}}", 0 },
    { "a string", "{\"__metadata__\":{\"k\":null}}", 0 },
    { "a string", "{\"__metadata__\":{\"k\":[[[[0]]]]}}", 0 },
    { "colon", "{\"__metadata__\":{\"k\"}}", 0 },
    { "end of __metadata__", "{\"__metadata__\":{\"k\":\"v\"", 0 },
    { "occurs twice", "{\"__metadata__\":{\"k\":\"v\",\"k\":\"v\"}}", 0 },
    { "occurs twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0 },
    { "damaged", "{\"__metadata__\":{\"ken.sha256\":\"\"}}", 0 },
    { "damaged", "{\"__metadata__\":{\"ken.sha256\":\"00\"},\"x\":" T("[1]", "[0,4]") "}", 4 },
};

static void hostile_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(hostile); i++) {
        write_text(hostile[i].header, hostile[i].data);
        expect_refused("header", i, hostile[i].words);
    }
}

/* Zero bytes, which a C string cannot hold. */
static void zero_bytes(void **state)
{
    (void)state;
    static const char *const headers[] = { "{}@", "{@}", "@{}", "{\"x@\":1}",
                                           "{\"__metadata__\"@:{}}" };
    for (size_t i = 0; i < KEN_COUNT(headers); i++) {
        char header[64];
        size_t size = strlen(headers[i]);
        for (size_t j = 0; j <= size; j++) header[j] = headers[i][j] == '@' ? '\0' : headers[i][j];
        write_raw(header, size, size, 0);
        expect_refused("zero byte", i, NULL);
    }
}

static void lengths_that_lie(void **state)
{
    (void)state;
    static const uint64_t lies[] = { 0,
                                     1,
                                     3,
                                     100,
                                     KEN_HEADER_MOST,
                                     KEN_HEADER_MOST + 1u,
                                     UINT64_C(1) << 31,
                                     UINT64_C(1) << 32,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX,
                                     UINT64_MAX - 7 };
    for (size_t i = 0; i < KEN_COUNT(lies); i++) {
        write_raw("{}", 2, lies[i], 0);
        expect_refused("length", i, i >= 2 ? "is incomplete" : NULL);
    }
    for (size_t size = 0; size <= 8; size++) {
        file_of(path(), "\2\0\0\0\0\0\0\0", size);
        expect_refused("size", size, "is incomplete");
    }
}

static void other_files(void **state)
{
    (void)state;
    static const struct {
        const char *words, *bytes;
        size_t size;
    } others[] = {
        { "zip", "PK\3\4\x14\0\0\0\0\0 and more of it", 24 },
        { "HDF5", "\x89HDF\r\n\x1a\n and more", 17 },
        { "pickle", "\x80\2}q\0(X\4\0\0\0name", 15 },
        { "pickle", "\x80\5\x95\1\0\0\0\0\0\0\0K", 12 },
        { "NumPy", "\x93NUMPY\1\0v\0{'descr'", 18 },
        { "GGUF", "GGUF\3\0\0\0\0\0\0\0\0\0\0\0", 16 },
        { "gzip", "\x1f\x8b\b\0\0\0\0\0\0\3", 10 },
        { "not a safetensors file", "something else entirely", 23 },
    };
    for (size_t i = 0; i < KEN_COUNT(others); i++) {
        file_of(path(), others[i].bytes, others[i].size);
        expect_refused("file", i, others[i].words);
    }
    /* a header of 640 bytes begins like a pickle */
    char header[640];
    memset(header, ' ', sizeof header);
    header[0] = '{', header[1] = '}';
    write_raw(header, sizeof header, sizeof header, 0);
    ken_safetensors file;
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    ken_safetensors_release(&file);
}

/* Deep, wide and long headers are refused or read quickly and without much memory. */
static void large_headers(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    static const struct {
        const char *before, *piece, *words;
    } cases[] = {
        { "{\"x\":{\"dtype\":", "[", "JSON" },
        { "{\"x\":{\"dtype\":\"F32\",\"shape\":[", "0,", "JSON" },
        { "{\"x\":", "{\"x\":", "JSON" },
        { "{", "\"x\":{", "JSON" },
        { "{\"__metadata__\":{\"k\":\"", "a", "JSON" },
        { "{\"", "\\u00e9", "JSON" },
        { "{", "    ", "a string" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_buffer header = { 0 };
        ken_buffer_text(&header, cases[i].before);
        while (header.size < LARGE) ken_buffer_text(&header, cases[i].piece);
        write_raw(header.data, header.size, header.size, 0);
        expect_refused("large", i, cases[i].words);
        ken_buffer_release(&header);
    }
    ken_buffer many = { 0 }; /* 20000 tensors are fine */
    for (size_t i = 0; i < 20000; i++)
        ken_buffer_format(&many, "%s\"%zu\":" T("[0]", "[0,0]"), i == 0 ? "{" : ",",
                          i * 7919 % 20000);
    ken_buffer_text(&many, "}");
    write_text(many.data, 0);
    ken_safetensors file;
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    assert_non_null(ken_safetensors_find(&file, "12345"));
    ken_safetensors_release(&file);
    ken_buffer_release(&many);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Files that are cut anywhere, or that are too long. */
static void every_truncation(void **state)
{
    (void)state;
    char *data;
    size_t size;
    write_sample();
    assert_int_equal(ken_file_read(&data, &size, path(), SIZE_MAX), KEN_OK);
    for (size_t cut = 0; cut < size; cut++) {
        file_of(path(), data, cut);
        expect_refused("cut at", cut, NULL);
    }
    file_of(path(), data, size + 1); /* with the 0 after it */
    expect_refused("longer by", 1, NULL);
    ken_memory_free(data);
}

/* A flipped bit is noticed, unless it changes the name of the checksum; then the file is not
 * `checked`. */
static void every_bit(void **state)
{
    (void)state;
    char *data;
    size_t size, unchecked = 0;
    write_sample();
    assert_int_equal(ken_file_read(&data, &size, path(), SIZE_MAX), KEN_OK);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        ken_safetensors file;
        data[bit / 8] ^= (char)(1 << bit % 8);
        file_of(path(), data, size);
        data[bit / 8] ^= (char)(1 << bit % 8);
        ken_status status = ken_safetensors_read(&file, path());
        if (status == KEN_ERR_FORMAT) continue;
        if (status || file.checked || ken_safetensors_note(&file, KEN_CHECKSUM_KEY))
            fail_msg("bit %zu of byte %zu: %s", bit % 8, bit / 8, ken_status_name(status));
        unchecked++;
        ken_safetensors_release(&file);
    }
    assert_true(unchecked > 0 && unchecked < 8 * strlen(KEN_CHECKSUM_KEY));
    ken_memory_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written), cmocka_unit_test(what_is_not_written),
        cmocka_unit_test(other_layouts),    cmocka_unit_test(hostile_headers),
        cmocka_unit_test(zero_bytes),       cmocka_unit_test(lengths_that_lie),
        cmocka_unit_test(other_files),      cmocka_unit_test(large_headers),
        cmocka_unit_test(every_truncation), cmocka_unit_test(every_bit),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
