/* io_gzip.c - unpacks while reading (zlib).
 * Invariant: packed bytes [taken - avail_in, taken) of the file wait in `packed`; before them
 * everything was unpacked and handed out. A file may be several members, one behind the other.
 * Not here: writing gzip. */
#include "base/io_gzip.h"

#include "base/io_call.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>
#include <zlib.h>

enum {
    ROOM = 1 << 16,
    GZIP_ONLY = 16 + MAX_WBITS, /* zlib's way to say: a gzip header, and no other         */
    MOST_AT_ONCE = 1 << 30      /* bytes: zlib counts what is left in an unsigned         */
};

struct ken_gzip {
    z_stream stream;
    bool between; /* members: here the file may end */
    unsigned char packed[ROOM];
};

/* zlib's memory comes through the same door, so that tests can make it fail. */
static void *allocate(void *user, unsigned count, unsigned size)
{
    (void)user;
    return ken_memory_new(count, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    ken_memory_free(memory);
}

static ken_status read_fd(ken_inflow *source, void *data, size_t *got, size_t size)
{
    ssize_t result = ken_call_read(source->fd, data, size);
    *got = result < 0 ? 0 : (size_t)result;
    source->taken += *got;
    return result < 0 ? ken_call_failed("read", source->name) : KEN_OK;
}

/* From here on the bytes are unpacked; those of the head come first. */
static ken_status start_gzip(ken_inflow *source)
{
    struct ken_gzip *gzip = ken_memory_zeroed(1, sizeof *gzip);
    if (gzip) gzip->stream = (z_stream){ .zalloc = allocate, .zfree = release };
    if (!gzip || inflateInit2(&gzip->stream, GZIP_ONLY) != Z_OK) {
        ken_memory_free(gzip);
        return ken_fail(KEN_ERR_MEMORY, "no memory to unpack %s", source->name);
    }
    memcpy(gzip->packed, source->head, source->head_end);
    gzip->stream.next_in = gzip->packed;
    gzip->stream.avail_in = (unsigned)source->head_end;
    source->head_begin = source->head_end;
    source->gzip = gzip;
    return KEN_OK;
}

/* A second byte is asked for only when the first could be gzip's: someone may be typing. */
ken_status ken_inflow_begin(ken_inflow *source)
{
    static const unsigned char magic[KEN_GZIP_MAGIC] = { 0x1f, 0x8b, 0x08 };
    while (!source->begun && source->head_end < KEN_GZIP_MAGIC) {
        size_t got;
        KEN_TRY(read_fd(source, source->head + source->head_end, &got,
                        KEN_GZIP_MAGIC - source->head_end));
        source->head_end += got;
        source->begun = got == 0 || memcmp(source->head, magic, source->head_end) != 0;
    }
    if (source->begun) return KEN_OK;
    KEN_TRY(start_gzip(source));
    source->begun = true;
    return KEN_OK;
}

void ken_inflow_end(ken_inflow *source)
{
    if (source->gzip) inflateEnd(&source->gzip->stream);
    ken_memory_free(source->gzip);
    source->gzip = NULL;
}

static ken_status damaged(const ken_inflow *source, const char *what)
{
    uint64_t offset = source->taken - source->gzip->stream.avail_in;
    return ken_fail(KEN_ERR_FORMAT, "%s: damaged gzip at byte %llu: %s", source->name,
                    (unsigned long long)offset, what);
}

/* One step of unpacking; what comes out may be nothing. zlib checks length and CRC where a member
 * ends; the reset keeps the input that is left, which is the next member. */
static ken_status inflate_some(ken_inflow *source)
{
    struct ken_gzip *gzip = source->gzip;
    int result = inflate(&gzip->stream, Z_NO_FLUSH);
    gzip->between = result == Z_STREAM_END;
    if (gzip->between) result = inflateReset(&gzip->stream);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return KEN_OK; /* the latter: it needs more input */
    case Z_MEM_ERROR: return ken_fail(KEN_ERR_MEMORY, "no memory to unpack %s", source->name);
    default: return damaged(source, gzip->stream.msg ? gzip->stream.msg : "not as gzip writes it");
    }
}

/* Goes on until at least one byte came out, since none would mean the end: a member may be empty,
 * and a block of input may be all header. */
static ken_status read_gzip(ken_inflow *source, void *data, size_t *got, size_t size)
{
    z_stream *stream = &source->gzip->stream;
    unsigned room = (unsigned)ken_size_min(size, MOST_AT_ONCE);
    stream->next_out = data;
    stream->avail_out = room;
    while (stream->avail_out == room) {
        if (stream->avail_in == 0) {
            size_t more;
            KEN_TRY(read_fd(source, source->gzip->packed, &more, ROOM));
            if (more == 0 && source->gzip->between) break;
            if (more == 0) return damaged(source, "the file ends here");
            stream->next_in = source->gzip->packed;
            stream->avail_in = (unsigned)more;
        }
        KEN_TRY(inflate_some(source));
    }
    *got = room - stream->avail_out;
    return KEN_OK;
}

ken_status ken_inflow_read(ken_inflow *source, void *data, size_t *got, size_t size)
{
    *got = 0;
    KEN_TRY(ken_inflow_begin(source));
    if (source->gzip) return read_gzip(source, data, got, size);
    *got = ken_size_min(size, source->head_end - source->head_begin);
    if (*got == 0) return read_fd(source, data, got, size);
    memcpy(data, source->head + source->head_begin, *got);
    source->head_begin += *got;
    return KEN_OK;
}
