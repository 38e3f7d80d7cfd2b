/* io_write.c - replaces files in one step, and appends records to logs. Invariant: from open to
 * rename a writer holds the lock on its temporary file, so the file that it renames is the file
 * that it wrote. The target is not changed before all bytes are on the disk. */
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
    ken_status status;   /* status of the first failure             */
    int error;           /* errno of the first failure              */
    size_t used;         /* number of bytes in `buffer`             */
    char path[PATH_MAX]; /* path of the target, with links followed */
    /* Path of the temporary file. It lies in the folder of the target, because rename() works only
     * within one file system. */
    char temporary[PATH_MAX];
    char buffer[BUFFER];
};

/* Keeps the status and errno of the first failure, because errno will have changed when the message
 * is made. */
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

/* Finds the file that `path` leads to, and its mode; the mode is 0 if there is no file yet. Only
 * regular files are accepted, because rename() would replace a directory or a device. A symbolic
 * link to a missing file counts as no file, and the new file replaces the link. */
static ken_status find_target(char *target, mode_t *mode, const char *path)
{
    struct stat facts;
    *mode = 0;
    if (ken_call_stat(path, &facts) == 0) {
        if (!S_ISREG(facts.st_mode))
            return ken_fail(KEN_ERR_IO, "%s exists and is not a regular file", path);
        *mode = facts.st_mode & 07777;
        return ken_call_resolve(path, target) ? ken_call_failed("resolve", path) : KEN_OK;
    }
    if (errno != ENOENT) return ken_call_failed("access", path);
    /* `target` has room, because stat() refuses a path of PATH_MAX bytes or more */
    snprintf(target, PATH_MAX, "%s", path);
    return KEN_OK;
}

/* Opens and locks the temporary file, empties it, and gives it the mode of the target. */
static ken_status open_temporary(ken_writer *writer, mode_t mode)
{
    int length = snprintf(writer->temporary, PATH_MAX, "%s%s", writer->path, suffix);
    if (length >= PATH_MAX) errno = ENAMETOOLONG;
    writer->fd = length < PATH_MAX ? ken_call_open_locked(writer->temporary) : -1;
    if (writer->fd < 0 && errno == EWOULDBLOCK)
        return ken_fail(KEN_ERR_STATE, "%s is being written by another writer", writer->path);
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
    if (size > BUFFER) { /* large data is written directly: copying it would only cost time */
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
    /* The temporary file is removed while it is locked, so it is certainly our own. */
    ken_call_unlink(writer->temporary);
    ken_call_close(writer->fd);
    ken_memory_free(writer);
}

/* Syncs the temporary file and then renames it to the target. The sync comes first because a file
 * system may store names before bytes, and a power cut would then leave an empty target. */
ken_status ken_writer_commit(ken_writer *writer)
{
    if (flush(writer) || ken_call_sync(writer->fd) ||
        ken_call_rename(writer->temporary, writer->path)) {
        if (!writer->status) fail_writer(writer, KEN_ERR_IO);
        ken_status status = cannot_write(writer);
        ken_writer_discard(writer);
        return status;
    }
    /* From here on the target has its new content. Only durability can still fail: the sync of the
     * directory. */
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

/* Appends one record. If the record was written only in part, that part is removed again. This
 * requires that no other process appends at the same time; the caller locks the folder of its run,
 * which holds the logs. */
ken_status ken_file_append(const char *path, const void *data, size_t size)
{
    struct stat before;
    int fd = ken_call_open(path, O_WRONLY | O_CREAT | O_APPEND);
    if (fd < 0) return ken_call_failed("open", path);
    ken_status status = KEN_OK;
    if (ken_call_fstat(fd, &before)) {
        status = ken_call_failed("access", path);
    } else if (ken_call_write_all(fd, data, size)) {
        status = ken_call_failed("write", path);
        /* removes the part of the record that was written */
        if (S_ISREG(before.st_mode)) ken_call_truncate(fd, before.st_size);
    }
    if (ken_call_close(fd) && !status) status = ken_call_failed("close", path);
    return status;
}
