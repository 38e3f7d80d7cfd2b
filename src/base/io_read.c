/* io_read.c - whole files, and readers that go from front to back.
 * Invariant of a reader: buffer[begin .. end) was read but not handed out, and `offset` is the
 * position of buffer[begin] in the file, or in what it unpacks to. Not here: gzip (io_gzip.c). */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "base/io.h"

#include "base/io_call.h"
#include "base/io_gzip.h"
#include "base/memory.h"
#include "base/size.h"

#include <fcntl.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 16 };

struct ken_reader {
    ken_inflow source;
    bool owns_fd;
    char *name; /* for messages */
    char *buffer;
    size_t capacity; /* one byte more is there, for the 0 behind a line */
    size_t begin, end;
    uint64_t offset;
    uint64_t lines; /* handed out */
};

/* ---- Whole files ---------------------------------------------------------------------------- */

static ken_status refuse_unreadable(const struct stat *facts, const char *path)
{
    if (S_ISDIR(facts->st_mode)) return ken_fail(KEN_ERR_IO, "%s is a directory", path);
    if (S_ISCHR(facts->st_mode) || S_ISBLK(facts->st_mode))
        return ken_fail(KEN_ERR_IO, "%s is a device, not a file", path);
    return KEN_OK;
}

static ken_status open_file(int *fd, struct stat *facts, const char *path)
{
    *fd = ken_call_open(path, O_RDONLY);
    if (*fd < 0) return ken_call_failed("open", path);
    ken_status status = ken_call_fstat(*fd, facts) ? ken_call_failed("look at", path)
                                                   : refuse_unreadable(facts, path);
    if (status) ken_call_close(*fd);
    return status;
}

/* A larger buffer; on failure the old one stays. One byte more than the capacity is taken, for the
 * 0 at the end. */
static ken_status grow(char **data, size_t *capacity, const char *path)
{
    size_t wanted = ken_size_max(FIRST_CAPACITY, *capacity + *capacity / 2), bytes;
    char *larger = ken_size_add(&bytes, wanted, 1) ? ken_memory_resize(*data, *capacity, bytes, 1)
                                                   : NULL;
    if (!larger) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu bytes of %s", wanted, path);
    *data = larger;
    *capacity = wanted;
    return KEN_OK;
}

static ken_status too_large(const char *path, size_t most)
{
    return ken_fail(KEN_ERR_FORMAT, "%s is larger than the %zu bytes allowed here", path, most);
}

/* Reads to the end into a buffer that grows; its size is not trusted to be what fstat() said. */
static ken_status read_all(ken_inflow *source, char **data, size_t *capacity, size_t *size,
                           size_t most)
{
    *size = 0;
    for (;;) {
        size_t got;
        if (*size > most) return too_large(source->name, most);
        if (*size == *capacity) KEN_TRY(grow(data, capacity, source->name));
        KEN_TRY(ken_inflow_read(source, *data + *size, &got, *capacity - *size));
        if (got == 0) return KEN_OK;
        *size += got;
    }
}

static ken_status read_open_file(ken_inflow *source, char **data, size_t *size,
                                 const struct stat *facts, size_t most)
{
    const char *path = source->name;
    /* Files in /proc say 0 and have content, as pipes do: then the buffer has to grow. */
    uint64_t expected = S_ISREG(facts->st_mode) ? (uint64_t)facts->st_size : 0;
    KEN_TRY(ken_inflow_begin(source));
    if (!source->gzip && expected > most) return too_large(path, most);
    /* One more than the file has, so that the read that finds its end has room. */
    size_t capacity = expected && !source->gzip ? (size_t)expected + 1 : FIRST_CAPACITY, bytes;
    *data = ken_size_add(&bytes, capacity, 1) ? ken_memory_new(bytes, 1) : NULL;
    if (!*data) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu bytes of %s", capacity, path);
    KEN_TRY(read_all(source, data, &capacity, size, most));
    /* else what was read may be half old, half new; these are bytes of the file, packed or not */
    if (expected && source->taken != expected)
        return ken_fail(KEN_ERR_IO, "%s changed its size while it was read", path);
    (*data)[*size] = 0;
    return KEN_OK;
}

ken_status ken_file_read(char **data, size_t *size, const char *path, size_t most)
{
    int fd;
    struct stat facts;
    *data = NULL;
    *size = 0;
    KEN_TRY(open_file(&fd, &facts, path));
    /* Without a limit a small file could unpack to any size: then it is taken as it is. */
    ken_inflow source = { .fd = fd, .name = path, .begun = most == SIZE_MAX };
    ken_status status = read_open_file(&source, data, size, &facts, most);
    ken_inflow_end(&source);
    if (ken_call_close(fd) && !status) status = ken_call_failed("close", path);
    if (status) {
        ken_memory_free(*data);
        *data = NULL;
        *size = 0;
    }
    return status;
}

/* ---- Readers -------------------------------------------------------------------------------- */

ken_status ken_reader_attach(ken_reader **out, int fd, const char *name)
{
    size_t length = strlen(name) + 1;
    ken_reader *reader = ken_memory_zeroed(1, sizeof *reader);
    char *copy = ken_memory_new(length, 1);
    char *buffer = ken_memory_new(FIRST_CAPACITY + 1, 1);
    *out = NULL;
    if (!reader || !copy || !buffer) {
        ken_memory_free(reader);
        ken_memory_free(copy);
        ken_memory_free(buffer);
        return ken_fail(KEN_ERR_MEMORY, "no memory to read %s", name);
    }
    memcpy(copy, name, length);
    *reader = (ken_reader){ .name = copy, .buffer = buffer, .capacity = FIRST_CAPACITY };
    reader->source = (ken_inflow){ .fd = fd, .name = copy };
    *out = reader;
    return KEN_OK;
}

ken_status ken_reader_open(ken_reader **out, const char *path)
{
    int fd;
    struct stat facts;
    *out = NULL;
    KEN_TRY(open_file(&fd, &facts, path));
    ken_status status = ken_reader_attach(out, fd, path);
    if (status) ken_call_close(fd);
    else (*out)->owns_fd = true;
    return status;
}

void ken_reader_close(ken_reader *reader)
{
    if (!reader) return;
    ken_inflow_end(&reader->source);
    if (reader->owns_fd)
        ken_call_close(reader->source.fd); /* nothing was written: nothing to lose */
    ken_memory_free(reader->name);
    ken_memory_free(reader->buffer);
    ken_memory_free(reader);
}

static void hand_out(ken_reader *reader, size_t bytes)
{
    reader->begin += bytes;
    reader->offset += bytes;
}

ken_status ken_reader_read(ken_reader *reader, void *data, size_t *got, size_t size)
{
    *got = ken_size_min(size, reader->end - reader->begin);
    if (*got) memcpy(data, reader->buffer + reader->begin, *got);
    hand_out(reader, *got);
    while (*got < size) { /* the buffer is empty now: what is left goes straight to the caller */
        size_t more;
        KEN_TRY(ken_inflow_read(&reader->source, (char *)data + *got, &more, size - *got));
        if (more == 0) break;
        *got += more;
        reader->offset += more;
    }
    return KEN_OK;
}

ken_status ken_reader_exact(ken_reader *reader, void *data, size_t size)
{
    size_t got;
    KEN_TRY(ken_reader_read(reader, data, &got, size));
    if (got < size)
        return ken_fail(KEN_ERR_FORMAT, "%s ends at byte %llu, %zu more were expected",
                        reader->name, (unsigned long long)reader->offset, size - got);
    return KEN_OK;
}

/* Reads behind what the buffer holds, after making room at its end: it grows only when a single
 * line fills all of it. */
static ken_status fill(ken_reader *reader, size_t *got)
{
    if (reader->begin > 0) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    if (reader->end == reader->capacity)
        KEN_TRY(grow(&reader->buffer, &reader->capacity, reader->name));
    KEN_TRY(ken_inflow_read(&reader->source, reader->buffer + reader->end, got,
                            reader->capacity - reader->end));
    reader->end += *got;
    return KEN_OK;
}

/* The 0 goes over the line's own end or, of a last line that has none, behind it: into the next
 * byte of the buffer, which is free then, or the one that is there beyond its capacity. */
static void end_line(ken_reader *reader, char **line, size_t *length, size_t with_end)
{
    *line = reader->buffer + reader->begin;
    *length = with_end;
    if (*length && (*line)[*length - 1] == '\n') {
        --*length;
        if (*length && (*line)[*length - 1] == '\r') --*length;
    }
    (*line)[*length] = 0;
    hand_out(reader, with_end);
    reader->lines++;
}

static ken_status too_long(const ken_reader *reader, uint64_t line, size_t most)
{
    return ken_fail(KEN_ERR_FORMAT, "%s: line %llu is longer than %zu bytes", reader->name,
                    (unsigned long long)line, most);
}

ken_status ken_reader_line(ken_reader *reader, char **line, size_t *length, size_t most)
{
    size_t seen = 0; /* bytes of this line known to hold no "\n" */
    *line = NULL;
    *length = 0;
    for (;;) {
        const char *start = reader->buffer + reader->begin;
        size_t here = reader->end - reader->begin, got;
        const char *newline = memchr(start + seen, '\n', here - seen);
        if (newline) {
            end_line(reader, line, length, (size_t)(newline - start) + 1);
            break;
        }
        seen = here;
        /* `most` bytes and a "\r" may be there while the "\n" is still to come */
        if (seen > most && seen - most > 1) return too_long(reader, reader->lines + 1, most);
        KEN_TRY(fill(reader, &got));
        if (got > 0) continue;
        if (seen > 0) end_line(reader, line, length, seen);
        break;
    }
    return *length > most ? too_long(reader, reader->lines, most) : KEN_OK;
}

uint64_t ken_reader_offset(const ken_reader *reader)
{
    return reader->offset;
}
