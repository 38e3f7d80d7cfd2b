/* io_gzip.h - reads bytes from a file descriptor and unpacks them if they are gzip. Gzip is
 * recognised by its first bytes, 1f 8b 08, never by a file name. Private to base/io_read.c. */
#ifndef BASE_IO_GZIP_H
#define BASE_IO_GZIP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_GZIP_MAGIC = 3 };

typedef struct ken_inflow {
    int fd;
    const char *name; /* name of the file in messages; not owned */
    uint64_t taken;   /* number of bytes read from fd so far     */
    bool begun;
    unsigned char head[KEN_GZIP_MAGIC]; /* first bytes, read but not yet delivered */
    size_t head_begin, head_end;
    struct ken_gzip *gzip; /* state of the unpacking; NULL if the file is not gzip */
} ken_inflow;

/* Finds out whether the source is gzip, and reads as few bytes as possible for that. This call is
 * optional, because the first ken_inflow_read() makes it otherwise. Initialise a new source with {
 * .fd, .name }, and always call ken_inflow_end() when done, even after a failure. */
ken_status ken_inflow_begin(ken_inflow *source);
void ken_inflow_end(ken_inflow *source); /* frees memory; leaves fd open */

/* Reads at least one and at most `size` bytes (size > 0); *got is 0 only at the end of the file. If
 * gzip data is truncated or damaged, it fails with KEN_ERR_FORMAT, and the message gives the offset
 * in the packed file. */
ken_status ken_inflow_read(ken_inflow *source, void *data, size_t *got, size_t size);

#endif
