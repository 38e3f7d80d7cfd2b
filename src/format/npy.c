/* npy.c - reads and writes arrays in NumPy's format: a magic string, a Python dictionary that
 * describes the array, and the numbers. A parser of our own reads the dictionary; it knows the
 * three keys of the dictionary and nothing else, and Python objects are never read. Memory grows
 * with the bytes that were read, not with the shape that the file claims. */
#include "format/npy.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/size.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Maximum length of the dictionary in bytes; NumPy writes about 100 for an array of numbers. */
enum { MOST_HEADER = 1 << 16 };

ken_status ken_npy_refuse(const ken_npy *npy, uint64_t byte, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ken_fail(KEN_ERR_FORMAT, "%s: byte %llu: %s", npy->source->name,
                    (unsigned long long)byte, what);
}

/* Reads exactly `size` bytes of the header, or fails. */
static ken_status read_exact(ken_npy *npy, void *data, size_t size)
{
    size_t got;
    uint64_t from = npy->source->offset;
    KEN_TRY(ken_source_read(npy->source, data, &got, size));
    if (got == size) return KEN_OK;
    return ken_npy_refuse(npy, from + got, "the file ends, expected %zu more bytes of its header",
                          size - got);
}

/* ---- The dictionary ------------------------------------------------------------------------- */

struct cursor {
    const ken_npy *npy;
    const char *text; /* the dictionary, followed by a 0 */
    size_t at, length;
    uint64_t base; /* byte offset of `text` in the file */
};

static ken_status unexpected(const struct cursor *cursor, const char *expected)
{
    return ken_npy_refuse(cursor->npy, cursor->base + cursor->at, "expected %s in the header",
                          expected);
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->length && cursor->text[cursor->at] == ' ') cursor->at++;
}

/* Skips spaces; if `word` follows, moves past it and returns true. */
static bool pass(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(cursor);
    if (cursor->length - cursor->at < length) return false;
    if (memcmp(cursor->text + cursor->at, word, length) != 0) return false;
    cursor->at += length;
    return true;
}

/* Reads a Python string, 'text' or "text"; escapes are not supported. */
static ken_status read_string(struct cursor *cursor, struct ken_piece *string)
{
    skip_blanks(cursor);
    char quote = cursor->text[cursor->at];
    if (quote != '\'' && quote != '"') return unexpected(cursor, "a string");
    const char *start = cursor->text + cursor->at + 1;
    const char *end = memchr(start, quote, cursor->length - cursor->at - 1);
    if (!end) return unexpected(cursor, "the end of this string");
    *string = (struct ken_piece){ start, (size_t)(end - start) };
    cursor->at += string->length + 2;
    return KEN_OK;
}

/* Finds the type of numbers that `name` describes, for example "<f4": byte order, kind of number,
 * bytes per number. The byte order is '<' (little-endian) or '>' (big-endian); for numbers of one
 * byte NumPy writes '|'. Returns false if the type is not supported. */
static bool find_type(ken_npy *npy, struct ken_piece name)
{
    static const char *const types[] = { "f2", "f4", "f8", "i1", "i2", "i4",
                                         "i8", "u1", "u2", "u4", "u8", "b1" };
    if (name.length != 3 || !strchr("<>|", name.text[0])) return false;
    for (size_t i = 0; i < KEN_COUNT(types); i++) {
        if (memcmp(name.text + 1, types[i], 2) != 0) continue;
        npy->type = types[i][0];
        npy->item = (size_t)(types[i][1] - '0');
        npy->big = name.text[0] == '>';
        return name.text[0] != '|' || npy->item == 1;
    }
    return false;
}

/* Reads the type of the numbers. If the type is not supported, the message says how to convert the
 * array, where a conversion is known. */
static ken_status read_type(struct cursor *cursor, ken_npy *npy)
{
    struct ken_piece name = { "", 0 };
    uint64_t byte = cursor->base + cursor->at;
    if (pass(cursor, "["))
        return ken_npy_refuse(npy, byte, "records of several fields are not supported");
    KEN_TRY(read_string(cursor, &name));
    if (find_type(npy, name)) return KEN_OK;
    if (memchr(name.text, 'O', name.length))
        return ken_npy_refuse(
            npy, byte,
            "found an array of Python objects (pickle), which could run code when read; "
            "save numbers instead");
    return ken_npy_refuse(npy, byte,
                          "numbers of type %.*s are not supported, only f2 f4 f8 i1 i2 i4 i8 u1 u2 "
                          "u4 u8 and bool",
                          ken_piece_shown(name), name.text);
}

static ken_status read_order(struct cursor *cursor, ken_npy *npy)
{
    skip_blanks(cursor);
    if (pass(cursor, "False")) return KEN_OK;
    if (!pass(cursor, "True")) return unexpected(cursor, "True or False");
    return ken_npy_refuse(npy, cursor->base + cursor->at - 4,
                          "the array is in Fortran order; save numpy.ascontiguousarray() of it");
}

/* Reads a shape: (), (3,), (3, 4) ... */
static ken_status read_shape(struct cursor *cursor, ken_npy *npy)
{
    npy->dimensions = 0;
    if (!pass(cursor, "(")) return unexpected(cursor, "a shape in brackets");
    while (!pass(cursor, ")")) {
        uint64_t size = 0;
        size_t digits = strspn(cursor->text + cursor->at, "0123456789");
        /* a number with a leading zero is octal in Python 2 and an error in Python 3 */
        bool octal = digits > 1 && cursor->text[cursor->at] == '0';
        if (octal || !ken_number_whole(&size, cursor->text + cursor->at, digits, SIZE_MAX))
            return unexpected(cursor, "a size");
        if (npy->dimensions == KEN_NPY_DIMENSIONS) return unexpected(cursor, "fewer dimensions");
        npy->shape[npy->dimensions++] = (size_t)size;
        cursor->at += digits;
        if (pass(cursor, ",")) continue;
        if (!pass(cursor, ")")) return unexpected(cursor, "a comma or the end of the shape");
        return npy->dimensions == 1 ? unexpected(cursor, "(n,) for one dimension") : KEN_OK;
    }
    return KEN_OK;
}

/* Reads the dictionary. Its three keys may come in any order, each once; a comma may follow the
 * last one, as NumPy writes it. */
static ken_status read_dictionary(struct cursor *cursor, ken_npy *npy)
{
    static const struct {
        const char *key;
        ken_status (*read)(struct cursor *cursor, ken_npy *npy);
    } keys[] = { { "descr", read_type }, { "fortran_order", read_order }, { "shape", read_shape } };
    bool seen[KEN_COUNT(keys)] = { 0 };
    if (!pass(cursor, "{")) return unexpected(cursor, "{");
    while (!pass(cursor, "}")) {
        struct ken_piece key = { "", 0 };
        size_t k = 0, before = cursor->at;
        KEN_TRY(read_string(cursor, &key));
        while (k < KEN_COUNT(keys) && (key.length != strlen(keys[k].key) ||
                                       memcmp(key.text, keys[k].key, key.length) != 0))
            k++;
        if (k == KEN_COUNT(keys) || seen[k]) {
            cursor->at = before;
            return unexpected(cursor, "descr, fortran_order and shape, each once,");
        }
        seen[k] = true;
        if (!pass(cursor, ":")) return unexpected(cursor, "a colon");
        KEN_TRY(keys[k].read(cursor, npy));
        if (pass(cursor, ",")) continue;
        if (!pass(cursor, "}")) return unexpected(cursor, "a comma or }");
        break;
    }
    for (size_t k = 0; k < KEN_COUNT(keys); k++)
        if (!seen[k]) return unexpected(cursor, keys[k].key);
    skip_blanks(cursor);
    if (cursor->length - cursor->at != 1 || cursor->text[cursor->at] != '\n')
        return unexpected(cursor, "a line end and nothing else after the dictionary");
    return KEN_OK;
}

/* ---- The file ------------------------------------------------------------------------------- */

/* Reads the magic string, the version and the length of the dictionary. The length is stored in 2
 * bytes in version 1, and in 4 bytes in versions 2 and 3. */
static ken_status read_magic(ken_npy *npy, size_t *length)
{
    static const unsigned char magic[] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };
    unsigned char start[12] = { 0 };
    KEN_TRY(read_exact(npy, start, 4)); /* 4 bytes are enough to recognise other kinds of files */
    if (memcmp(start, "PK\3\4", 4) == 0)
        return ken_npy_refuse(npy, 0, "this is a zip file (npz); extract the npy file from it");
    if (memcmp(start, magic, 4) != 0) return ken_npy_refuse(npy, 0, "not an npy file");
    KEN_TRY(read_exact(npy, start + 4, 6));
    if (memcmp(start, magic, sizeof magic) != 0) return ken_npy_refuse(npy, 0, "not an npy file");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return ken_npy_refuse(npy, 6, "found version %d.%d, expected 1.0, 2.0 or 3.0", start[6],
                              start[7]);
    if (start[6] > 1) KEN_TRY(read_exact(npy, start + 10, 2));
    *length = (size_t)start[8] | (size_t)start[9] << 8 | (size_t)start[10] << 16 |
              (size_t)start[11] << 24;
    if (*length > MOST_HEADER)
        return ken_npy_refuse(npy, 8, "the header has %zu bytes, at most %d are read", *length,
                              MOST_HEADER);
    return KEN_OK;
}

/* Reads the header. An array without numbers is refused: a shape like (10^12, 0, 1) would turn a
 * file of a hundred bytes into a corpus of 10^12 examples. */
static ken_status read_header(ken_npy *npy)
{
    size_t length = 0, bytes;
    KEN_TRY(read_magic(npy, &length));
    struct cursor cursor = { .npy = npy, .length = length, .base = npy->source->offset };
    char *text = ken_memory_new(length + 1, 1);
    if (!text) return ken_fail(KEN_ERR_MEMORY, "no memory to read %s", npy->source->name);
    text[length] = '\0';
    cursor.text = text;
    ken_status status = read_exact(npy, text, length);
    if (!status) status = read_dictionary(&cursor, npy);
    ken_memory_free(text);
    KEN_TRY(status);
    bytes = npy->item;
    for (size_t i = 0; i < npy->dimensions; i++) {
        if (npy->shape[i] == 0) return ken_npy_refuse(npy, cursor.base, "the array is empty");
        if (!ken_size_mul(&bytes, bytes, npy->shape[i]))
            return ken_npy_refuse(npy, cursor.base, "the shape is too large for any memory");
    }
    npy->end = npy->source->offset + bytes;
    return KEN_OK;
}

ken_status ken_npy_open(ken_npy *npy, ken_source *source)
{
    npy->source = source;
    npy->begin = npy->got = 0;
    return read_header(npy);
}

/* Reads the bits of the next number. Numbers are read in chunks. The size of a chunk is a multiple
 * of every size of number, so no number is cut in two. */
ken_status ken_npy_next(ken_npy *npy, uint64_t *bits)
{
    if (npy->begin == npy->got) {
        uint64_t left = npy->end - npy->source->offset;
        size_t size = left < KEN_NPY_CHUNK ? (size_t)left : KEN_NPY_CHUNK;
        KEN_TRY(ken_source_read(npy->source, npy->chunk, &npy->got, size));
        npy->begin = 0;
        if (npy->got < size)
            return ken_npy_refuse(npy, npy->source->offset,
                                  "the file ends, but the array extends to byte %llu",
                                  (unsigned long long)npy->end);
    }
    *bits = 0;
    for (size_t i = 0; i < npy->item; i++) {
        size_t place = npy->big ? npy->item - 1 - i : i;
        *bits |= (uint64_t)npy->chunk[npy->begin++] << 8 * place;
    }
    return KEN_OK;
}

/* Extends the sign of a signed integer: shifting the sign bit to the top and then arithmetically
 * back copies it to all higher bits. */
static int64_t signed_whole(const ken_npy *npy, uint64_t bits)
{
    unsigned above = (unsigned)(64 - 8 * npy->item);
    return (int64_t)(bits << above) >> above;
}

/* Converts a half-precision number (IEEE 754 binary16: 1 sign bit, 5 exponent bits with bias 15, 10
 * fraction bits). Every half is exact as a float, also a subnormal one, whose value is
 * fraction * 2^-24. */
static float half_float(uint64_t bits)
{
    unsigned exponent = (unsigned)(bits >> 10 & 31), fraction = (unsigned)(bits & 1023);
    float value;
    if (exponent == 31) value = fraction ? NAN : INFINITY;
    else if (exponent == 0) value = ldexpf((float)fraction, -24);
    else value = ldexpf((float)(1024 + fraction), (int)exponent - 25);
    return bits >> 15 & 1 ? -value : value;
}

float ken_npy_float(const ken_npy *npy, uint64_t bits)
{
    union {
        uint32_t bits;
        float value;
    } single = { (uint32_t)bits };
    union {
        uint64_t bits;
        double value;
    } full = { bits };
    if (npy->type == 'i') return (float)signed_whole(npy, bits);
    if (npy->type != 'f') return (float)bits;
    if (npy->item == 2) return half_float(bits);
    return npy->item == sizeof single ? single.value : (float)full.value;
}

size_t ken_npy_label(const ken_npy *npy, uint64_t bits, char text[24])
{
    int length = npy->type == 'i' ? snprintf(text, 24, "%lld", (long long)signed_whole(npy, bits))
                                  : snprintf(text, 24, "%llu", (unsigned long long)bits);
    return (size_t)length;
}

uint64_t ken_npy_here(const ken_npy *npy)
{
    return npy->source->offset - (npy->got - npy->begin) - npy->item;
}

ken_status ken_npy_end(ken_npy *npy)
{
    size_t got;
    char byte;
    KEN_TRY(ken_source_read(npy->source, &byte, &got, 1));
    return got == 0 ? KEN_OK
                    : ken_npy_refuse(npy, npy->end, "the array ends here, but the file goes on");
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Makes the header: the magic string, version 1.0, the length of the dictionary in 2 bytes, and the
 * dictionary, padded with spaces so that the numbers begin at a multiple of 64 bytes. */
static ken_status make_header(ken_buffer *out, const size_t *shape, size_t dimensions)
{
    enum { BEFORE = 10, ALIGNED = 64 };
    ken_buffer_append(out, "\x93NUMPY\x01\x00\x00", BEFORE);
    ken_buffer_text(out, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < dimensions; i++)
        ken_buffer_format(out, "%s%zu", i > 0 ? ", " : "", shape[i]);
    ken_buffer_text(out, dimensions == 1 ? ",), }" : "), }");
    while (out->size % ALIGNED != ALIGNED - 1 && !out->failed) ken_buffer_text(out, " ");
    ken_buffer_text(out, "\n");
    KEN_TRY(ken_buffer_status(out));
    size_t length = out->size - BEFORE;
    out->data[8] = (char)(length & 255);
    out->data[9] = (char)(length >> 8);
    return KEN_OK;
}

static ken_status append_floats(ken_writer *writer, const float *values, size_t count)
{
    unsigned char chunk[KEN_NPY_CHUNK];
    for (size_t from = 0, size; from < count; from += size) {
        size = ken_size_min(count - from, KEN_NPY_CHUNK / 4);
        for (size_t i = 0; i < size; i++) {
            union {
                float value;
                uint32_t bits;
            } single = { values[from + i] };
            for (size_t b = 0; b < 4; b++) chunk[4 * i + b] = (unsigned char)(single.bits >> 8 * b);
        }
        KEN_TRY(ken_writer_append(writer, chunk, 4 * size));
    }
    return KEN_OK;
}

ken_status ken_npy_write(const char *path, const float *values, const size_t *shape,
                         size_t dimensions)
{
    ken_buffer header = { 0 };
    ken_writer *writer;
    size_t count = 1;
    for (size_t i = 0; i < dimensions; i++) count *= shape[i];
    ken_status status = make_header(&header, shape, dimensions);
    if (!status) status = ken_writer_open(&writer, path);
    if (!status) { /* appends do not report failures; ken_writer_commit() reports them */
        ken_writer_append(writer, header.data, header.size);
        append_floats(writer, values, count);
        status = ken_writer_commit(writer);
    }
    ken_buffer_release(&header);
    return status;
}
