/* npy.h - reads the numbers of a NumPy file one after another, without trusting anything that the
 * file claims. Supported are versions 1.0 to 3.0; types f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 and bool;
 * little-endian and big-endian numbers, in C order. Any other file, above all one with Python
 * objects (pickle), is refused with KEN_ERR_FORMAT; the message names the cause and its byte
 * offset. */
#ifndef FORMAT_NPY_H
#define FORMAT_NPY_H

#include "format/lines.h"

enum { KEN_NPY_DIMENSIONS = 8, KEN_NPY_CHUNK = 1 << 13 };

typedef struct ken_npy {
    ken_source *source;
    char type;   /* type of the numbers: f (float), i (signed), u (unsigned) or b (bool) */
    bool big;    /* whether the numbers are big-endian (most significant byte first) */
    size_t item; /* bytes per number */
    size_t shape[KEN_NPY_DIMENSIONS]; /* no dimension is 0, and the product does not overflow */
    size_t dimensions;
    uint64_t end;      /* byte offset of the array's end in the file */
    size_t begin, got; /* the bytes chunk[begin .. got) are read but not yet used */
    unsigned char chunk[KEN_NPY_CHUNK];
} ken_npy;

ken_status ken_npy_open(ken_npy *npy, ken_source *source); /* reads the header */

/* ken_npy_next() reads the bits of the next number; the shape says how many numbers there are.
 * ken_npy_float() converts the bits to the nearest float. ken_npy_label() (for all types but f)
 * writes the whole number in decimal to `text` and returns its length. */
ken_status ken_npy_next(ken_npy *npy, uint64_t *bits);
float ken_npy_float(const ken_npy *npy, uint64_t bits);
size_t ken_npy_label(const ken_npy *npy, uint64_t bits, char text[24]);

uint64_t ken_npy_here(const ken_npy *npy); /* returns the byte offset of the last number read */
ken_status ken_npy_end(ken_npy *npy);      /* fails if bytes follow the array */

/* Fails with KEN_ERR_FORMAT and the message "name: byte N: ...". */
ken_status ken_npy_refuse(const ken_npy *npy, uint64_t byte, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes an array of float32 in C order to a file, completely or not at all. */
ken_status ken_npy_write(const char *path, const float *values, const size_t *shape,
                         size_t dimensions);

#endif
