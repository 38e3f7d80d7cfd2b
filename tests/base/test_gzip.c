/* test_gzip.c - packed files are read unpacked; damaged ones are refused. */
#define _GNU_SOURCE
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LARGE = 1000003, PACKED_ROOM = 1200000 };

static unsigned char plain[LARGE];        /* hard to pack */
static unsigned char packed[PACKED_ROOM]; /* the last result of pack() */

/* Writes a gzip member to packed[at ..]; returns its number of bytes. */
static size_t pack(size_t at, const void *data, size_t size)
{
    z_stream stream = { 0 };
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)data;
    stream.avail_in = (unsigned)size;
    stream.next_out = packed + at;
    stream.avail_out = (unsigned)(sizeof packed - at);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return written;
}

static const char *packed_file(size_t size)
{
    const char *path = folder_path("packed");
    file_of(path, packed, size);
    return path;
}

/* Reads the whole file in steps of `step` bytes and checks that it has *size bytes of plain[]; or
 * returns the failure. */
static ken_status read_steps(const char *path, size_t *size, size_t step)
{
    static unsigned char data[LARGE + 1];
    ken_reader *reader;
    size_t got = 1;
    *size = 0;
    ken_status status = ken_reader_open(&reader, path);
    while (!status && got > 0) {
        status = ken_reader_read(reader, data + *size, &got,
                                 ken_size_min(step, sizeof data - *size));
        if (!status) *size += got;
    }
    ken_reader_close(reader);
    if (!status) assert_memory_equal(data, plain, *size);
    return status;
}

static void assert_refused(ken_status status, ken_status expected, const char *reason)
{
    assert_int_equal(status, expected);
    if (!strstr(ken_last_error(), reason))
        fail_msg("\"%s\" lacks \"%s\"", ken_last_error(), reason);
}

/* ---- Good files ----------------------------------------------------------------------------- */

static void all_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 100, 65535, 65536, 65537, LARGE };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++) {
        const char *path = packed_file(pack(0, plain, sizes[i]));
        size_t size;
        char *data;
        for (size_t step = sizes[i] > 1000 ? 1000 : 1; step <= LARGE; step *= 10) {
            assert_int_equal(read_steps(path, &size, step), KEN_OK);
            assert_int_equal(size, sizes[i]);
        }
        assert_int_equal(ken_file_read(&data, &size, path, sizes[i]), KEN_OK);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(data, plain, size);
        assert_int_equal(data[size], 0);
        ken_memory_free(data);
    }
}

static void members(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 0, 70000, 0, 0, 100000, 13, 0 };
    size_t at = 0, total = 0, size;
    for (size_t i = 0; i < KEN_COUNT(sizes); i++) {
        at += pack(at, plain + total, sizes[i]);
        total += sizes[i];
    }
    const char *path = packed_file(at);
    for (size_t step = 7; step <= LARGE; step *= 100) {
        assert_int_equal(read_steps(path, &size, step), KEN_OK);
        assert_int_equal(size, total);
    }
}

/* The first bytes arrive one by one, as if somebody typed them. */
static void pipes(void **state)
{
    (void)state;
    int ends[2];
    size_t size = pack(0, plain, 1000), got;
    char data[1001];
    ken_reader *reader;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ken_reader_attach(&reader, ends[0], "a pipe"), KEN_OK);
    assert_int_equal(write(ends[1], packed, size), size);
    close(ends[1]);
    assert_int_equal(ken_reader_read(reader, data, &got, sizeof data), KEN_OK);
    assert_int_equal(got, 1000);
    assert_memory_equal(data, plain, got);
    ken_reader_close(reader);
    close(ends[0]);

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ken_reader_attach(&reader, ends[0], "a terminal"), KEN_OK);
    assert_int_equal(write(ends[1], "\n", 1), 1); /* reading this must not wait for more */
    assert_int_equal(ken_reader_read(reader, data, &got, 1), KEN_OK);
    assert_true(got == 1 && data[0] == '\n');
    ken_reader_close(reader);
    close(ends[0]);
    close(ends[1]);
}

static void what_only_begins_like_it(void **state)
{
    (void)state;
    static const char *const texts[] = { "\x1f", "\x1f\x8b", "\x1f\x8b\x07 text", "\x1f text",
                                         "a" };
    for (size_t i = 0; i < KEN_COUNT(texts); i++) {
        const char *path = folder_path("plain");
        size_t length = strlen(texts[i]), size;
        char *data;
        file_of(path, texts[i], length);
        for (int limited = 0; limited < 2; limited++) {
            size_t most = limited ? length : SIZE_MAX;
            assert_int_equal(ken_file_read(&data, &size, path, most), KEN_OK);
            assert_int_equal(size, length);
            assert_memory_equal(data, texts[i], length);
            ken_memory_free(data);
        }
        ken_reader *reader;
        char read[100];
        assert_int_equal(ken_reader_open(&reader, path), KEN_OK);
        assert_int_equal(ken_reader_read(reader, read, &size, sizeof read), KEN_OK);
        assert_int_equal(size, length);
        assert_memory_equal(read, texts[i], length);
        ken_reader_close(reader);
    }
}

/* ---- Bad files ------------------------------------------------------------------------------ */

static void cut_off(void **state)
{
    (void)state;
    size_t whole = pack(0, plain, 300), size;
    for (size_t cut = 3; cut < whole; cut++) {
        char *data, offset[32];
        snprintf(offset, sizeof offset, "byte %zu:", cut);
        const char *path = packed_file(cut);
        assert_refused(read_steps(path, &size, LARGE), KEN_ERR_FORMAT, "packed: damaged gzip");
        assert_non_null(strstr(ken_last_error(), offset));
        assert_refused(ken_file_read(&data, &size, path, 1000), KEN_ERR_FORMAT, "damaged");
        assert_null(data);
    }
    memcpy(packed + whole, "\x1f\x8b\x08", 3); /* the second member has no more than this */
    assert_refused(read_steps(packed_file(whole + 3), &size, LARGE), KEN_ERR_FORMAT,
                   "unexpected end");
    memcpy(packed + whole, "garbage", 7);
    assert_refused(read_steps(packed_file(whole + 7), &size, LARGE), KEN_ERR_FORMAT, "damaged");
}

/* Flips every bit in turn: there is an error, or the bytes are the same (a few bits of the header
 * mean nothing). */
static void damaged(void **state)
{
    (void)state;
    size_t whole = pack(0, plain, 300), told = 0, size;
    for (size_t bit = 3 * 8; bit < 8 * whole; bit++) {
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ken_status status = read_steps(packed_file(whole), &size, LARGE);
        if (status) assert_refused(status, KEN_ERR_FORMAT, "damaged gzip at byte");
        else assert_int_equal(size, 300);
        told += status != KEN_OK;
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(told > 8 * (whole - 12));
}

static void bombs(void **state)
{
    (void)state;
    enum { MEGABYTE = 1 << 20, MEMBERS = 64 };
    static const char zeros[MEGABYTE];
    size_t at = 0, size;
    char *data;
    for (int i = 0; i < MEMBERS; i++) at += pack(at, zeros, MEGABYTE);
    assert_true(at < MEGABYTE / 2);
    const char *path = packed_file(at);
    assert_refused(ken_file_read(&data, &size, path, MEGABYTE), KEN_ERR_FORMAT, "larger than");
    assert_null(data);
    assert_int_equal(ken_file_read(&data, &size, path, SIZE_MAX), KEN_OK); /* as it is */
    assert_int_equal(size, at);
    assert_memory_equal(data, packed, at);
    ken_memory_free(data);
}

/* Every allocation and every system call fails in turn; only a failure to close is not reported. */
static void faults(void **state)
{
    (void)state;
    const char *path = packed_file(pack(0, plain, 200000));
    for (int kind = KEN_FAULT_MEMORY; kind <= KEN_FAULT_IO; kind++) {
        size_t descriptors = open_descriptors(), told = 0, size;
        bool reached = true;
        for (uint64_t nth = 1; reached; nth++) {
            reached = false;
            for (int whole = 0; whole < 2; whole++) {
                char *data = NULL;
                ken_fault_arm(kind, nth, false);
                ken_status status = whole ? ken_file_read(&data, &size, path, LARGE)
                                          : read_steps(path, &size, 50000);
                reached |= ken_fault_calls(kind) >= nth;
                ken_fault_arm(kind, 0, false);
                if (status) assert_int_equal(status, kind ? KEN_ERR_IO : KEN_ERR_MEMORY);
                else assert_int_equal(size, 200000);
                told += status != KEN_OK;
                ken_memory_free(data);
            }
        }
        assert_true(told >= 12);
        assert_int_equal(open_descriptors(), descriptors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes), cmocka_unit_test(members),
        cmocka_unit_test(pipes),     cmocka_unit_test(what_only_begins_like_it),
        cmocka_unit_test(cut_off),   cmocka_unit_test(damaged),
        cmocka_unit_test(bombs),     cmocka_unit_test(faults),
    };
    uint32_t x = 1;
    for (size_t i = 0; i < LARGE; i++)
        plain[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 27);
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
