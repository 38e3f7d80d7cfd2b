/* io_write.c - files that change from old to new in one step, and logs that grow by records.
 * Invariant: between open and rename the writer holds the lock on its temporary file, so what it
 * renames is what it wrote; the target is not touched before all of it is on the disk. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "base/io.h"

#include "base/io_call.h"
#include "base/memory.h"
#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER = 1 << 16 };
static const char suffix[] = ".ken-tmp";

struct ken_writer {
    int fd;
    ken_status status;        /* of the first failure */
    int error;                /* and its errno        */
    size_t used;              /* bytes in buffer      */
    char path[PATH_MAX];      /* of the target, links followed                 */
    char temporary[PATH_MAX]; /* beside it: a rename cannot leave a file system */
    char buffer[BUFFER];
};

/* Only keeps the reason: by the time that someone asks for words, errno is another's. */
static ken_status fail_writer(ken_writer *writer, ken_status status)
{
    writer->status = status;
    writer->error = errno;
    return status;
}

static ken_status cannot_write(ken_writer *writer)
{
    if (writer->status == KEN_ERR_MEMORY)
        return ken_fail(KEN_ERR_MEMORY, "no memory to write %s", writer->path);
    errno = writer->error;
    return writer->status = ken_call_failed("write", writer->path);
}

/* Where `path` leads and which mode its file has; 0 when there is none yet. Anything but a file is
 * refused: to rename over a directory or a device would be a disaster, not a save. A link that
 * leads nowhere counts as none, and the new file takes its place. */
static ken_status find_target(char *target, mode_t *mode, const char *path)
{
    struct stat facts;
    *mode = 0;
    if (ken_call_stat(path, &facts) == 0) {
        if (!S_ISREG(facts.st_mode)) return ken_fail(KEN_ERR_IO, "%s is not a file", path);
        *mode = facts.st_mode & 07777;
        return ken_call_resolve(path, target) ? ken_call_failed("find", path) : KEN_OK;
    }
    if (errno != ENOENT) return ken_call_failed("look at", path);
    snprintf(target, PATH_MAX, "%s", path); /* fits: stat() would have refused a longer one */
    return KEN_OK;
}

/* A temporary file of our own, empty, already with the mode that the target is to have. */
static ken_status open_temporary(ken_writer *writer, mode_t mode)
{
    int length = snprintf(writer->temporary, PATH_MAX, "%s%s", writer->path, suffix);
    if (length >= PATH_MAX) errno = ENAMETOOLONG;
    writer->fd = length < PATH_MAX ? ken_call_open_locked(writer->temporary) : -1;
    if (writer->fd < 0 && errno == EWOULDBLOCK)
        return ken_fail(KEN_ERR_STATE, "%s is being written by someone else", writer->path);
    if (writer->fd < 0) return ken_call_failed("write", writer->path);
    if (ken_call_truncate(writer->fd, 0) || (mode && ken_call_mode(writer->fd, mode))) {
        ken_status status = ken_call_failed("write", writer->path);
        ken_call_unlink(writer->temporary);
        ken_call_close(writer->fd);
        return status;
    }
    return KEN_OK;
}

ken_status ken_writer_open(ken_writer **out, const char *path)
{
    mode_t mode;
    ken_writer *writer = ken_memory_new(1, sizeof *writer);
    *out = NULL;
    if (!writer) return ken_fail(KEN_ERR_MEMORY, "no memory to write %s", path);
    writer->status = KEN_OK;
    writer->used = 0;
    ken_status status = find_target(writer->path, &mode, path);
    if (!status) status = open_temporary(writer, mode);
    if (status) ken_memory_free(writer);
    else *out = writer;
    return status;
}

static ken_status flush(ken_writer *writer)
{
    if (writer->status) return writer->status;
    size_t size = writer->used;
    writer->used = 0;
    if (ken_call_write_all(writer->fd, writer->buffer, size))
        return fail_writer(writer, KEN_ERR_IO);
    return KEN_OK;
}

ken_status ken_writer_append(ken_writer *writer, const void *data, size_t size)
{
    if (writer->status) return writer->status;
    if (size > BUFFER - writer->used && flush(writer)) return cannot_write(writer);
    if (size > BUFFER) { /* copying would only cost time */
        if (ken_call_write_all(writer->fd, data, size)) fail_writer(writer, KEN_ERR_IO);
        return writer->status ? cannot_write(writer) : KEN_OK;
    }
    if (size > 0) memcpy(writer->buffer + writer->used, data, size);
    writer->used += size;
    return KEN_OK;
}

void ken_writer_discard(ken_writer *writer)
{
    if (!writer) return;
    ken_call_unlink(writer->temporary); /* while it is locked: then it is ours */
    ken_call_close(writer->fd);
    ken_memory_free(writer);
}

/* Synced before it is renamed: a file system may make names last before bytes, and a power cut
 * would then leave a target that is empty. */
ken_status ken_writer_commit(ken_writer *writer)
{
    if (flush(writer) || ken_call_sync(writer->fd) ||
        ken_call_rename(writer->temporary, writer->path)) {
        if (!writer->status) fail_writer(writer, KEN_ERR_IO);
        ken_status status = cannot_write(writer);
        ken_writer_discard(writer);
        return status;
    }
    /* From here on the new content is in place; what can still fail is its lasting. */
    ken_status status = KEN_OK;
    if (ken_call_sync_directory_of(writer->path))
        status = ken_call_failed("sync the directory of", writer->path);
    if (ken_call_close(writer->fd) && !status) status = ken_call_failed("close", writer->path);
    ken_memory_free(writer);
    return status;
}

ken_status ken_file_replace(const char *path, const void *data, size_t size)
{
    ken_writer *writer;
    KEN_TRY(ken_writer_open(&writer, path));
    ken_writer_append(writer, data, size);
    return ken_writer_commit(writer);
}

/* Cutting back what was written in part takes that nobody else appends at the same time: the folder
 * of a run, where the logs are, is locked. */
ken_status ken_file_append(const char *path, const void *data, size_t size)
{
    struct stat before;
    int fd = ken_call_open(path, O_WRONLY | O_CREAT | O_APPEND);
    if (fd < 0) return ken_call_failed("open", path);
    ken_status status = KEN_OK;
    if (ken_call_fstat(fd, &before)) {
        status = ken_call_failed("look at", path);
    } else if (ken_call_write_all(fd, data, size)) {
        status = ken_call_failed("write", path);
        if (S_ISREG(before.st_mode)) ken_call_truncate(fd, before.st_size); /* no half a record */
    }
    if (ken_call_close(fd) && !status) status = ken_call_failed("close", path);
    return status;
}
