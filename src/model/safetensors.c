/* safetensors.c - writes safetensors files, and computes the checksum that writing and reading
 * share. The header is padded with spaces to a multiple of 8 bytes, so that the arrays are aligned
 * in the file as they are in memory. */
#include "model/safetensors.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/size.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(float) == 4,
               "numbers are written as they lie in memory: the format's F32");

static int compare_notes(const void *a, const void *b)
{
    return strcmp(((const struct ken_note *)a)->key, ((const struct ken_note *)b)->key);
}

static int compare_stored(const void *a, const void *b)
{
    const struct ken_stored *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

/* Sorts notes by the bytes of their keys, whatever the locale is: the checksum depends on the
 * order. Returns a key that occurs twice, or NULL. */
const char *ken_notes_sort(struct ken_note *notes, size_t count)
{
    if (count > 0) qsort(notes, count, sizeof *notes, compare_notes);
    for (size_t i = 1; i < count; i++)
        if (strcmp(notes[i].key, notes[i - 1].key) == 0) return notes[i].key;
    return NULL;
}

const char *ken_stored_sort(const struct ken_stored **tensors, size_t count)
{
    if (count > 0) qsort(tensors, count, sizeof *tensors, compare_stored);
    for (size_t i = 1; i < count; i++)
        if (strcmp(tensors[i]->name, tensors[i - 1]->name) == 0) return tensors[i]->name;
    return NULL;
}

/* Computes the number of floats in a tensor. The format defines that a tensor without dimensions is
 * one number. */
bool ken_stored_size(size_t *size, const struct ken_stored *stored)
{
    size_t bytes;
    *size = 1;
    for (size_t i = 0; i < stored->dimensions; i++)
        if (!ken_size_mul(size, *size, stored->shape[i])) return false;
    return ken_size_mul(&bytes, *size, sizeof(float));
}

/* Computes the checksum over the content, not over the bytes of the file: the checksum stays valid
 * if a program writes the same tensors and notes in another order, or the JSON with other white
 * space. */
void ken_stored_checksum(char *hex, const struct ken_note *notes, size_t note_count,
                         const struct ken_stored *const *tensors, size_t count)
{
    ken_sha256 sha;
    ken_sha256_init(&sha);
    for (size_t i = 0; i < note_count; i++) { /* the final 0 of each string is hashed too */
        if (strcmp(notes[i].key, KEN_CHECKSUM_KEY) == 0) continue;
        ken_sha256_add(&sha, notes[i].key, strlen(notes[i].key) + 1);
        ken_sha256_add(&sha, notes[i].value, strlen(notes[i].value) + 1);
    }
    for (size_t i = 0; i < count; i++) {
        const struct ken_stored *stored = tensors[i];
        size_t size;
        ken_sha256_add(&sha, stored->name, strlen(stored->name) + 1);
        for (size_t j = 0; j < stored->dimensions; j++) {
            char number[24];
            int length = snprintf(number, sizeof number, "%zu,", stored->shape[j]);
            ken_sha256_add(&sha, number, (size_t)length);
        }
        /* The 0 ends the shape. The number of bytes that follow is implied by the shape. */
        ken_sha256_add(&sha, "", 1);
        if (ken_stored_size(&size, stored) && size > 0)
            ken_sha256_add(&sha, stored->data, size * sizeof(float));
    }
    ken_sha256_hex(&sha, hex);
}

static ken_status check_text(const char *text, const char *what)
{
    size_t length = strlen(text);
    if (ken_text_valid(text, length) == length) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT, "safetensors: %s is not UTF-8", what);
}

/* Refuses content that could not be read back from the file. */
static ken_status check_content(const struct ken_stored *tensors, size_t count,
                                const struct ken_note *notes, size_t note_count)
{
    size_t size, total = 0;
    for (size_t i = 0; i < count; i++) {
        KEN_TRY(check_text(tensors[i].name, "the name of a tensor"));
        bool sound = tensors[i].dimensions <= KEN_TENSOR_DIMENSIONS &&
                     strcmp(tensors[i].name, "__metadata__") != 0 &&
                     ken_stored_size(&size, &tensors[i]) &&
                     ken_size_add(&total, total, size * sizeof(float));
        if (!sound)
            return ken_fail(KEN_ERR_ARGUMENT, "safetensors: tensor %s cannot be stored",
                            tensors[i].name);
    }
    for (size_t i = 0; i < note_count; i++) {
        KEN_TRY(check_text(notes[i].key, "the key of a note"));
        KEN_TRY(check_text(notes[i].value, notes[i].key));
        if (strcmp(notes[i].key, KEN_CHECKSUM_KEY) == 0)
            return ken_fail(KEN_ERR_ARGUMENT, "safetensors: the key %s is reserved", notes[i].key);
    }
    return KEN_OK;
}

/* Sorts tensors and notes, checks that all names and all keys differ, and computes the checksum. */
static ken_status make_checksum(char *hex, const struct ken_stored *tensors, size_t count,
                                const struct ken_note *notes, size_t note_count)
{
    struct ken_note *by_key = ken_memory_new(note_count, sizeof *by_key);
    const struct ken_stored **by_name = ken_memory_new(count, sizeof *by_name);
    ken_status status = KEN_OK;
    if (!by_key || !by_name) {
        status = ken_fail(KEN_ERR_MEMORY, "no memory to sort %zu tensors", count);
    } else {
        if (note_count > 0) memcpy(by_key, notes, note_count * sizeof *notes);
        for (size_t i = 0; i < count; i++) by_name[i] = &tensors[i];
        const char *twice = ken_notes_sort(by_key, note_count);
        if (!twice) twice = ken_stored_sort(by_name, count);
        if (twice) status = ken_fail(KEN_ERR_ARGUMENT, "safetensors: %s occurs twice", twice);
        else ken_stored_checksum(hex, by_key, note_count, by_name, count);
    }
    ken_memory_free(by_key);
    ken_memory_free(by_name);
    return status;
}

static void write_pair(ken_buffer *out, const struct ken_note *note)
{
    ken_json_string(out, note->key, strlen(note->key));
    ken_buffer_text(out, ":");
    ken_json_string(out, note->value, strlen(note->value));
}

/* Writes the JSON header. Offsets count from the end of the header, so they do not depend on its
 * length. */
static ken_status write_header(ken_buffer *out, const char *hex, const struct ken_stored *tensors,
                               size_t count, const struct ken_note *notes, size_t note_count)
{
    size_t at = 0;
    ken_buffer_text(out, "{\"__metadata__\":{");
    write_pair(out, &(struct ken_note){ KEN_CHECKSUM_KEY, hex });
    for (size_t i = 0; i < note_count; i++) {
        ken_buffer_text(out, ",");
        write_pair(out, &notes[i]);
    }
    ken_buffer_text(out, "}");
    for (size_t i = 0; i < count; i++) {
        size_t size;
        /* cannot fail: check_content() has checked the sizes of all tensors */
        if (!ken_stored_size(&size, &tensors[i])) break;
        ken_buffer_text(out, ",");
        ken_json_string(out, tensors[i].name, strlen(tensors[i].name));
        ken_buffer_text(out, ":{\"dtype\":\"F32\",\"shape\":[");
        for (size_t j = 0; j < tensors[i].dimensions; j++)
            ken_buffer_format(out, "%s%zu", j ? "," : "", tensors[i].shape[j]);
        ken_buffer_format(out, "],\"data_offsets\":[%zu,%zu]}", at, at + size * sizeof(float));
        at += size * sizeof(float);
    }
    ken_buffer_text(out, "}");
    while (out->size % 8 != 0 && !out->failed) ken_buffer_text(out, " ");
    if (out->size > KEN_HEADER_MOST)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "safetensors: the header has %zu bytes, expected at most %d", out->size,
                        KEN_HEADER_MOST);
    return ken_buffer_status(out);
}

/* Writes header and arrays. Errors of the writer are sticky, so only the commit at the end has to
 * be checked. */
static ken_status write_file(const char *path, const ken_buffer *header,
                             const struct ken_stored *tensors, size_t count)
{
    ken_writer *writer;
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)((uint64_t)header->size >> 8 * i);
    KEN_TRY(ken_writer_open(&writer, path));
    ken_writer_append(writer, length, sizeof length);
    ken_writer_append(writer, header->data, header->size);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        if (ken_stored_size(&size, &tensors[i]))
            ken_writer_append(writer, tensors[i].data, size * sizeof(float));
    }
    return ken_writer_commit(writer);
}

ken_status ken_safetensors_write(const char *path, const struct ken_stored *tensors, size_t count,
                                 const struct ken_note *notes, size_t note_count)
{
    char hex[KEN_SHA256_HEX];
    ken_buffer header = { 0 };
    KEN_TRY(check_content(tensors, count, notes, note_count));
    KEN_TRY(make_checksum(hex, tensors, count, notes, note_count));
    ken_status status = write_header(&header, hex, tensors, count, notes, note_count);
    if (!status) status = write_file(path, &header, tensors, count);
    ken_buffer_release(&header);
    return status;
}

void ken_safetensors_release(ken_safetensors *file)
{
    ken_memory_free(file->tensors);
    ken_memory_free(file->notes);
    ken_memory_free(file->by_name);
    ken_memory_free(file->file);
    ken_memory_free(file->header);
    *file = (ken_safetensors){ 0 };
}

const struct ken_stored *ken_safetensors_find(const ken_safetensors *file, const char *name)
{
    struct ken_stored key = { .name = name };
    const struct ken_stored *wanted = &key;
    if (file->count == 0) return NULL;
    const struct ken_stored **found = bsearch(&wanted, file->by_name, file->count,
                                              sizeof *file->by_name, compare_stored);
    return found ? *found : NULL;
}

const char *ken_safetensors_note(const ken_safetensors *file, const char *key)
{
    struct ken_note wanted = { key, NULL };
    if (file->note_count == 0) return NULL;
    const struct ken_note *found = bsearch(&wanted, file->notes, file->note_count,
                                           sizeof *file->notes, compare_notes);
    return found ? found->value : NULL;
}
