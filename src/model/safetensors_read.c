/* safetensors_read.c - reads safetensors files without trusting them. The outer two levels of the
 * JSON header are parsed here; only single values are passed to the JSON reader, each with a size
 * limit. So the memory for reading is a small multiple of the file's size, whatever the file
 * contains. Invariant: a number from the file is compared with the existing bytes before it is used
 * as a size. */
#include "model/safetensors.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum {
    LENGTH = 8,          /* bytes that hold the length of the header            */
    ENTRY_LONGEST = 4096 /* maximum bytes of a tensor's entry, without its name */
};

struct entry {
    size_t begin, end; /* byte range in the data part of the file */
    struct ken_stored stored;
};

struct reading {
    const char *path;
    const char *text; /* the header, as JSON text */
    size_t size, at;
    char *strings; /* copies of names, keys and values; no longer than their JSON */
    size_t strings_size;
    ken_buffer entries; /* array of struct entry    */
    ken_buffer notes;   /* array of struct ken_note */
    bool has_notes;
};

/* ---- Files of other formats
 * ------------------------------------------------------------------- */

static ken_status refuse_others(const char *data, size_t size, const char *path)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *what;
    } others[] = {
        { "PK\3\4", 4, "a zip archive (of PyTorch, or of NumPy)" },
        { "\x89HDF\r\n\x1a\n", 8, "an HDF5 file" },
        { "\x80\x02", 2, "a pickle" },
        { "\x80\x03", 2, "a pickle" },
        { "\x80\x04", 2, "a pickle" },
        { "\x80\x05", 2, "a pickle" },
        { "\x93NUMPY", 6, "a NumPy array" },
        { "GGUF", 4, "a GGUF file" },
        { "\x1f\x8b", 2, "compressed with gzip" },
    };
    for (size_t i = 0; i < KEN_COUNT(others); i++)
        if (size >= others[i].length && memcmp(data, others[i].magic, others[i].length) == 0)
            return ken_fail(KEN_ERR_FORMAT, "%s is %s; convert it to safetensors first", path,
                            others[i].what);
    return KEN_OK;
}

/* ---- Pieces of JSON -------------------------------------------------------------------------- */

static ken_status bad_header(const struct reading *r, const char *expected)
{
    return ken_fail(KEN_ERR_FORMAT, "%s: byte %zu: %s", r->path, LENGTH + r->at, expected);
}

/* Skips white space, then returns whether the character `c` comes next; does not skip `c`. */
static bool next_is(struct reading *r, char c)
{
    while (r->at < r->size && memchr(" \t\n\r", r->text[r->at], 4)) r->at++;
    return r->at < r->size && r->text[r->at] == c;
}

static bool take(struct reading *r, char c)
{
    bool here = next_is(r, c);
    r->at += here;
    return here;
}

/* Reads the next JSON value, of at most `most` bytes. The caller frees *value with
 * json_decref(). */
static ken_status read_value(struct reading *r, json_t **value, size_t most)
{
    json_error_t error;
    *value = ken_json_read(r->text + r->at, ken_size_min(most, r->size - r->at),
                           JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);
    if (*value) {
        r->at += (size_t)error.position;
        return KEN_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return ken_fail(KEN_ERR_MEMORY, "no memory for the header of %s", r->path);
    return bad_header(r, "this is not the JSON that was expected");
}

/* Reads a JSON string and copies it to r->strings. */
static ken_status read_string(struct reading *r, const char **string)
{
    json_t *value;
    if (!next_is(r, '"')) return bad_header(r, "expected a string");
    KEN_TRY(read_value(r, &value, SIZE_MAX));
    size_t length = json_string_length(value) + 1;
    *string = memcpy(r->strings + r->strings_size, json_string_value(value), length);
    r->strings_size += length;
    json_decref(value);
    return KEN_OK;
}

static bool read_size(size_t *size, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *size = (size_t)json_integer_value(value);
    return true;
}

/* ---- The header ------------------------------------------------------------------------------ */

static ken_status read_notes(struct reading *r)
{
    if (r->has_notes) return bad_header(r, "__metadata__ occurs twice");
    r->has_notes = true;
    if (!take(r, '{')) return bad_header(r, "expected an object after __metadata__");
    if (take(r, '}')) return KEN_OK;
    do {
        struct ken_note note;
        KEN_TRY(read_string(r, &note.key));
        if (!take(r, ':')) return bad_header(r, "expected a colon");
        KEN_TRY(read_string(r, &note.value));
        ken_buffer_append(&r->notes, &note, sizeof note);
    } while (take(r, ','));
    return take(r, '}') ? KEN_OK : bad_header(r, "expected a comma or the end of __metadata__");
}

/* Reads the entry of a tensor: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}. Returns
 * a description of the first problem, or NULL if there is none. */
static const char *wrong_entry(struct entry *entry, const json_t *value)
{
    const json_t *type = json_object_get(value, "dtype");
    const json_t *shape = json_object_get(value, "shape");
    const json_t *offsets = json_object_get(value, "data_offsets");
    struct ken_stored *stored = &entry->stored;
    size_t size;
    if (!json_is_string(type) || !json_is_array(shape) || !json_is_array(offsets) ||
        json_object_size(value) != 3)
        return "expected dtype, shape and data_offsets, and nothing else";
    if (strcmp(json_string_value(type), "F32") != 0)
        return "expected dtype F32; others are not supported";
    if (json_array_size(shape) > KEN_TENSOR_DIMENSIONS) return "expected at most 8 dimensions";
    stored->dimensions = json_array_size(shape);
    for (size_t i = 0; i < stored->dimensions; i++)
        if (!read_size(&stored->shape[i], json_array_get(shape, i)))
            return "expected whole numbers in shape";
    if (json_array_size(offsets) != 2 || !read_size(&entry->begin, json_array_get(offsets, 0)) ||
        !read_size(&entry->end, json_array_get(offsets, 1)))
        return "expected two whole numbers in data_offsets";
    if (!ken_stored_size(&size, stored) || entry->end < entry->begin ||
        entry->end - entry->begin != size * sizeof(float))
        return "shape and data_offsets do not match";
    return NULL;
}

/* Reads one tensor of the header. An error message names the byte where the tensor's entry begins,
 * not the byte of the mistake within it. */
static ken_status read_entry(struct reading *r, const char *name)
{
    json_t *value;
    struct entry entry = { .stored.name = name };
    if (!next_is(r, '{')) return bad_header(r, "expected an object");
    size_t from = r->at;
    KEN_TRY(read_value(r, &value, ENTRY_LONGEST));
    const char *wrong = wrong_entry(&entry, value);
    json_decref(value);
    if (wrong) {
        r->at = from;
        return bad_header(r, wrong);
    }
    ken_buffer_append(&r->entries, &entry, sizeof entry);
    return KEN_OK;
}

static ken_status read_header(struct reading *r)
{
    if (r->size == 0 || r->text[0] != '{') return bad_header(r, "expected {");
    r->at = 1;
    if (!take(r, '}')) {
        do {
            const char *name;
            KEN_TRY(read_string(r, &name));
            if (!take(r, ':')) return bad_header(r, "expected a colon");
            KEN_TRY(strcmp(name, "__metadata__") == 0 ? read_notes(r) : read_entry(r, name));
        } while (take(r, ','));
        if (!take(r, '}')) return bad_header(r, "expected a comma or the end of the header");
    }
    next_is(r, '\0');
    if (r->at < r->size)
        return bad_header(r, "expected only white space up to the end of the header");
    KEN_TRY(ken_buffer_status(&r->notes));
    return ken_buffer_status(&r->entries);
}

/* ---- The data -------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    if (first->begin != second->begin) return first->begin < second->begin ? -1 : 1;
    if (first->end != second->end) return first->end < second->end ? -1 : 1;
    return strcmp(first->stored.name, second->stored.name);
}

/* Sorts the tensors by their offset in the data, and checks that they cover the data without a
 * gap. */
static ken_status place_tensors(ken_safetensors *out, struct reading *r, char *data, size_t size)
{
    struct entry *entries = (struct entry *)(void *)r->entries.data;
    size_t at = 0;
    out->count = r->entries.size / sizeof *entries;
    if (out->count > 0) qsort(entries, out->count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < out->count; i++) {
        if (entries[i].begin != at)
            return ken_fail(KEN_ERR_FORMAT,
                            "%s: a tensor begins at byte %zu of the data, expected %zu", r->path,
                            entries[i].begin, at);
        at = entries[i].end;
    }
    if (at != size)
        return ken_fail(KEN_ERR_FORMAT, "%s: expected %zu bytes of data, found %zu", r->path, at,
                        size);
    out->tensors = ken_memory_new(out->count, sizeof *out->tensors);
    out->by_name = ken_memory_new(out->count, sizeof *out->by_name);
    if (!out->tensors || !out->by_name)
        return ken_fail(KEN_ERR_MEMORY, "no memory for the %zu tensors of %s", out->count, r->path);
    /* If the header was not padded, the numbers are not aligned. Then they are moved to the start
     * of the memory, over the header, whose strings were copied before. */
    if ((uintptr_t)data % sizeof(float) != 0) {
        memmove(out->file, data, size);
        data = out->file;
    }
    for (size_t i = 0; i < out->count; i++) {
        out->tensors[i] = entries[i].stored;
        out->tensors[i].data = (const float *)(const void *)(data + entries[i].begin);
        out->by_name[i] = &out->tensors[i];
    }
    return KEN_OK;
}

/* Checks that no name occurs twice, and that the checksum, if there is one, is correct. */
static ken_status check_whole(ken_safetensors *out, const char *path)
{
    char hex[KEN_SHA256_HEX];
    const char *twice = ken_notes_sort(out->notes, out->note_count);
    if (!twice) twice = ken_stored_sort(out->by_name, out->count);
    if (twice) return ken_fail(KEN_ERR_FORMAT, "%s: a name occurs twice in the header", path);
    const char *expected = ken_safetensors_note(out, KEN_CHECKSUM_KEY);
    if (!expected) return KEN_OK;
    ken_stored_checksum(hex, out->notes, out->note_count, out->by_name, out->count);
    if (strcmp(hex, expected) != 0)
        return ken_fail(KEN_ERR_FORMAT, "%s is damaged: its checksum does not match its content",
                        path);
    out->checked = true;
    return KEN_OK;
}

/* Reads the content of a file. Other known formats are looked for only if the file cannot be
 * safetensors: because its first bytes, read as the length of a header, are far too large, or
 * because no "{" follows them. */
static ken_status read_content(ken_safetensors *out, struct reading *r, size_t size)
{
    uint64_t length = 0;
    for (size_t i = 0; i < ken_size_min(size, LENGTH); i++)
        length |= (uint64_t)(unsigned char)out->file[i] << 8 * i;
    bool sound = size > LENGTH && length <= KEN_HEADER_MOST && length <= size - LENGTH;
    if (!sound || out->file[LENGTH] != '{') KEN_TRY(refuse_others(out->file, size, r->path));
    if (!sound)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: byte 0: the header has %llu bytes, the file %zu; it is not a "
                        "safetensors file, or it is incomplete",
                        r->path, (unsigned long long)length, size);
    r->text = out->file + LENGTH;
    r->size = (size_t)length;
    r->strings = out->header = ken_memory_new(r->size + 1, 1);
    if (!out->header) return ken_fail(KEN_ERR_MEMORY, "no memory for the header of %s", r->path);
    KEN_TRY(read_header(r));
    out->notes = (struct ken_note *)(void *)r->notes.data;
    out->note_count = r->notes.size / sizeof *out->notes;
    r->notes = (ken_buffer){ 0 }; /* the notes belong to *out now */
    KEN_TRY(place_tensors(out, r, out->file + LENGTH + r->size, size - LENGTH - r->size));
    return check_whole(out, r->path);
}

ken_status ken_safetensors_read(ken_safetensors *out, const char *path)
{
    size_t size;
    struct reading r = { .path = path };
    *out = (ken_safetensors){ 0 };
    KEN_TRY(ken_file_read(&out->file, &size, path, SIZE_MAX));
    ken_status status = read_content(out, &r, size);
    ken_buffer_release(&r.entries);
    ken_buffer_release(&r.notes);
    if (status) ken_safetensors_release(out);
    return status;
}
