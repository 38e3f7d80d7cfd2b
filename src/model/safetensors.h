/* safetensors.h - named arrays and a few strings in one file, in the safetensors format: 8 bytes of
 * header length, a JSON header, the arrays. Any safetensors reader can open such a file.
 *
 * The metadata key "ken.sha256" has the SHA-256 of all names, shapes and numbers and of all other
 * metadata, sorted by name. So reading notices a flipped bit anywhere, while another program may
 * write the same content in another order. Files without this key can be read as well (then
 * `checked` is false). Reading does not trust the file: every count is compared with the bytes that
 * exist before memory is allocated. */
#ifndef MODEL_SAFETENSORS_H
#define MODEL_SAFETENSORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_TENSOR_DIMENSIONS = 8,
    KEN_HEADER_MOST = 100000000 /* maximum bytes of a header, defined by the format */
};

struct ken_stored {
    const char *name;
    size_t shape[KEN_TENSOR_DIMENSIONS];
    size_t dimensions;
    const float *data; /* numbers of type F32 (float) */
};

struct ken_note {
    const char *key, *value; /* UTF-8 strings */
};

/* Writes a file atomically. Arrays are written in the given order. All names must differ, and so
 * must all keys. The same content gives the same bytes. */
ken_status ken_safetensors_write(const char *path, const struct ken_stored *tensors, size_t count,
                                 const struct ken_note *notes, size_t note_count);

typedef struct ken_safetensors {
    struct ken_stored *tensors; /* in the order of their data in the file */
    size_t count;
    struct ken_note *notes; /* sorted by key */
    size_t note_count;
    bool checked; /* true: the file has a checksum, and it is correct */
    char *file;   /* bytes of the file, which other fields point into */
    char *header;
    const struct ken_stored **by_name; /* the tensors, sorted by name; `count` entries */
} ken_safetensors;

/* Reads a file. A KEN_ERR_FORMAT message names the path, the byte offset if there is one, and what
 * was expected; pickle, zip and HDF5 files are recognised and refused by name. Types other than F32
 * are refused. After a failure nothing is allocated. */
ken_status ken_safetensors_read(ken_safetensors *out, const char *path);
void ken_safetensors_release(ken_safetensors *file);

const struct ken_stored *ken_safetensors_find(const ken_safetensors *file, const char *name);
/* Returns the value of the note `key`, or NULL if there is none. */
const char *ken_safetensors_note(const ken_safetensors *file, const char *key);

/* ---- what writing and reading share ---------------------------------------------------------- */

#define KEN_CHECKSUM_KEY "ken.sha256"

/* ken_notes_sort() sorts notes by key, and ken_stored_sort() pointers to tensors by name. They
 * return the first key or name that occurs twice, or NULL if all differ. */
const char *ken_notes_sort(struct ken_note *notes, size_t count);
const char *ken_stored_sort(const struct ken_stored **tensors, size_t count);

/* Computes the checksum over sorted tensors and sorted notes, leaving out the note that holds the
 * checksum itself. `hex` has room for 65 bytes. */
void ken_stored_checksum(char *hex, const struct ken_note *notes, size_t note_count,
                         const struct ken_stored *const *tensors, size_t count);

/* Computes the number of floats in a tensor. Returns false if the number of bytes overflows. */
bool ken_stored_size(size_t *size, const struct ken_stored *stored);

#endif
