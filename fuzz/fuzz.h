/* fuzz.h - what the targets share. A target is a program whose LLVMFuzzerTestOneInput() is handed
 * any bytes; the sanitizers find what it does wrong, and FUZZ_CHECK what it gets wrong. */
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

/* A file with these bytes, the same one each time; its path. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
