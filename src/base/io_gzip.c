/* io_gzip.c - unpacks gzip with zlib while a file is read. ken does not write gzip. Invariant:
 * `taken` bytes were read from the packed file; the last stream.avail_in of them still wait in
 * `packed`, and all bytes before these were unpacked and delivered. A file may have several gzip
 * members (complete gzip streams), one after another. */
#include "base/io_gzip.h"

#include "base/io_call.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>
#include <zlib.h>

enum {
    ROOM = 1 << 16,
    GZIP_ONLY = 16 + MAX_WBITS, /* makes zlib accept gzip headers only               */
    MOST_AT_ONCE = 1 << 30      /* maximum bytes per call: zlib counts in `unsigned` */
};

struct ken_gzip {
    z_stream stream;
    bool between; /* true: the last member has ended, so the file may end here */
    unsigned char packed[ROOM];
};

/* Allocates for zlib through base/memory.h, so that tests can make the allocation fail. */
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

/* Starts unpacking. The bytes in source->head, which were read to recognise gzip, become the first
 * input of zlib. */
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

/* Finds out whether the source is gzip. It waits for a second byte only if the first byte can begin
 * a gzip file, because the source may be a terminal at which somebody is typing. */
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

/* Makes one call of inflate(), which may deliver no byte. At the end of a gzip member zlib checks
 * the member's length and CRC; inflateReset() keeps the rest of the input, which is the next
 * member. */
static ken_status inflate_some(ken_inflow *source)
{
    struct ken_gzip *gzip = source->gzip;
    int result = inflate(&gzip->stream, Z_NO_FLUSH);
    gzip->between = result == Z_STREAM_END;
    if (gzip->between) result = inflateReset(&gzip->stream);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return KEN_OK; /* zlib needs more input */
    case Z_MEM_ERROR: return ken_fail(KEN_ERR_MEMORY, "no memory to unpack %s", source->name);
    default: return damaged(source, "its packed data or its checksum is wrong");
    }
}

/* Unpacks until there is at least one byte, because *got = 0 means the end of the file. Several
 * steps may be needed: a gzip member may be empty, and a block of input may hold nothing but a
 * header. */
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
            if (more == 0) return damaged(source, "unexpected end of file");
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
