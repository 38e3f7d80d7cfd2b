/* safetensors.h - named arrays and a few strings in one file, in the safetensors format: 8 bytes of
 * header length, a JSON header, the arrays. Any safetensors reader opens it.
 *
 * Metadata key "ken.sha256" holds the SHA-256 of all names, shapes and numbers and of all other
 * metadata, each sorted by name: a flipped bit anywhere is noticed when reading, while another
 * program may write the same content in another order. Files without it are read as well (`checked`
 * is false then). Reading trusts nothing: every count is checked against the bytes that are there
 * before memory is taken. */
#ifndef MODEL_SAFETENSORS_H
#define MODEL_SAFETENSORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_TENSOR_DIMENSIONS = 8,
    KEN_HEADER_MOST = 100000000 /* bytes of a header; the format's own limit */
};

struct ken_stored {
    const char *name;
    size_t shape[KEN_TENSOR_DIMENSIONS];
    size_t dimensions;
    const float *data; /* F32 */
};

struct ken_note {
    const char *key, *value; /* UTF-8 */
};

/* Atomic, as every save. Arrays are written in the order given, names and keys must differ. The
 * same content gives the same bytes. */
ken_status ken_safetensors_write(const char *path, const struct ken_stored *tensors, size_t count,
                                 const struct ken_note *notes, size_t note_count);

typedef struct ken_safetensors {
    struct ken_stored *tensors; /* in the order of the file's data */
    size_t count;
    struct ken_note *notes; /* by key */
    size_t note_count;
    bool checked; /* the checksum was there, and right */
    char *file;   /* what the others point into */
    char *header;
    const struct ken_stored **by_name; /* (count) */
} ken_safetensors;

/* KEN_ERR_FORMAT names the path, the byte offset where it makes sense, and what was expected;
 * pickle, zip and HDF5 files are recognised and refused by name. Other types than F32 are refused
 * here. On failure nothing is held. */
ken_status ken_safetensors_read(ken_safetensors *out, const char *path);
void ken_safetensors_release(ken_safetensors *file);

const struct ken_stored *ken_safetensors_find(const ken_safetensors *file, const char *name);
const char *ken_safetensors_note(const ken_safetensors *file, const char *key); /* NULL: none */

/* ---- what writing and reading share ---------------------------------------------------------- */

#define KEN_CHECKSUM_KEY "ken.sha256"

/* Sorts notes by key, and pointers to tensors by name; the first name that comes twice, or NULL. */
const char *ken_notes_sort(struct ken_note *notes, size_t count);
const char *ken_stored_sort(const struct ken_stored **tensors, size_t count);

/* Over sorted notes (its own is left out) and tensors; hex has 65 bytes. */
void ken_stored_checksum(char *hex, const struct ken_note *notes, size_t note_count,
                         const struct ken_stored *const *tensors, size_t count);

/* Numbers in a tensor; false when that many bytes cannot be. */
bool ken_stored_size(size_t *size, const struct ken_stored *stored);

#endif
