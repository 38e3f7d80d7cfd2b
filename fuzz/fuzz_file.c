/* fuzz_file.c - makes a file for readers that take a path. */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file is in memory, so nothing is left over however the program ends. */
const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) fd = memfd_create("fuzz", 0);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0);
    FUZZ_CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}
