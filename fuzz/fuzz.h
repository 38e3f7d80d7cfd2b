/* fuzz.h - code that the fuzz targets share. A target is a program whose LLVMFuzzerTestOneInput()
 * gets arbitrary bytes; the sanitizers find memory errors, and FUZZ_CHECK finds wrong results. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

/* Writes the bytes to a file, the same one each time; returns its path. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
