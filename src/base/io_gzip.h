/* io_gzip.h - the bytes of a descriptor, unpacked on the way if they are gzip; for base/io_read.c
 * alone. gzip is known by its first bytes, 1f 8b 08, never by a name. */
#ifndef BASE_IO_GZIP_H
#define BASE_IO_GZIP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_GZIP_MAGIC = 3 };

typedef struct ken_inflow {
    int fd;
    const char *name; /* for messages; not owned                            */
    uint64_t taken;   /* bytes that came from fd                            */
    bool begun;
    unsigned char head[KEN_GZIP_MAGIC]; /* bytes that were only looked at   */
    size_t head_begin, head_end;
    struct ken_gzip *gzip; /* NULL when the bytes are handed out as they are */
} ken_inflow;

/* Looks at as few bytes as it takes to know; { .fd, .name } is a new source. Reading does this too,
 * and ken_inflow_end() is due in any case. */
ken_status ken_inflow_begin(ken_inflow *source);
void ken_inflow_end(ken_inflow *source); /* fd stays open */

/* Some bytes, at most `size` (> 0); *got is 0 only at the end. Packed data that is cut off or
 * damaged is KEN_ERR_FORMAT and names the offset in the packed file. */
ken_status ken_inflow_read(ken_inflow *source, void *data, size_t *got, size_t size);

#endif
