/* io_read.c - reads whole files, and implements readers (ken_reader) that deliver a file in order.
 * io_gzip.c unpacks gzip; format/lines.h reads lines. */
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
    char *name; /* name of the file in messages */
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

/* Makes the buffer larger by half; on failure the old buffer is kept. The buffer has one byte more
 * than *capacity, for the final 0. */
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

/* Reads to the end of the file into a buffer that grows, because the size from fstat() cannot be
 * trusted. */
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
    /* pipes and files in /proc report size 0 and still have content; for these the buffer has to
     * grow */
    uint64_t expected = S_ISREG(facts->st_mode) ? (uint64_t)facts->st_size : 0;
    KEN_TRY(ken_inflow_begin(source));
    if (!source->gzip && expected > most) return too_large(path, most);
    /* the buffer has one byte more than the file, because the last read, which finds the end of the
     * file, needs room */
    size_t capacity = expected && !source->gzip ? (size_t)expected + 1 : FIRST_CAPACITY, bytes;
    *data = ken_size_add(&bytes, capacity, 1) ? ken_memory_new(bytes, 1) : NULL;
    if (!*data) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu bytes of %s", capacity, path);
    KEN_TRY(read_all(source, data, &capacity, size, most));
    /* If the file changed its size during the read, its bytes may be half old, half new. `taken`
     * and `expected` both count bytes of the file itself, before any unpacking. */
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
    /* without a limit a small gzip file could unpack to any size, so it is read without
     * unpacking */
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
    *out = NULL;
    if (!reader || !copy) {
        ken_memory_free(reader);
        ken_memory_free(copy);
        return ken_fail(KEN_ERR_MEMORY, "no memory to read %s", name);
    }
    memcpy(copy, name, length);
    *reader = (ken_reader){ .source = { .fd = fd, .name = copy }, .name = copy };
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
    if (reader->owns_fd) /* a failure of close() loses nothing: the file was only read */
        ken_call_close(reader->source.fd);
    ken_memory_free(reader->name);
    ken_memory_free(reader);
}

ken_status ken_reader_read(ken_reader *reader, void *data, size_t *got, size_t size)
{
    *got = 0;
    while (*got < size) {
        size_t more;
        KEN_TRY(ken_inflow_read(&reader->source, (char *)data + *got, &more, size - *got));
        if (more == 0) break;
        *got += more;
    }
    return KEN_OK;
}
