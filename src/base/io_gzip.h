/* io_gzip.h - reads the bytes of a descriptor and unpacks them if they are gzip, which is
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
    const char *name; /* for messages; not owned                            */
    uint64_t taken;   /* bytes that came from fd                            */
    bool begun;
    unsigned char head[KEN_GZIP_MAGIC]; /* bytes read but not yet delivered */
    size_t head_begin, head_end;
    struct ken_gzip *gzip; /* NULL if the bytes are delivered as they are   */
} ken_inflow;

/* Reads as few bytes as it takes to recognise gzip; { .fd, .name } is a new source. The first read
 * does this too. ken_inflow_end() must be called in any case, after a failure too. */
ken_status ken_inflow_begin(ken_inflow *source);
void ken_inflow_end(ken_inflow *source); /* fd stays open */

/* Reads some bytes, at most `size` (> 0); *got is 0 only at the end. Packed data that is truncated
 * or damaged is KEN_ERR_FORMAT, and the message has the offset in the packed file. */
ken_status ken_inflow_read(ken_inflow *source, void *data, size_t *got, size_t size);

#endif
