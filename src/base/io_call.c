/* io_call.c - system calls into which failures can be injected, and helper functions that several
 * files in base/ share. Invariant: the library accesses files only through this file
 * (tools/check_symbols checks that). */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "base/io_call.h"

#include "base/fault.h"
#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Makes a system call and repeats it while signals interrupt it. If an injected fault is due, the
 * system call is skipped and the result is -1. */
#define KEN_CALL(call) (fault_due() ? -1 : TEMP_FAILURE_RETRY(call))

static bool fault_due(void)
{
    if (!ken_fault_due(KEN_FAULT_IO)) return false;
    errno = EIO;
    return true;
}

int ken_call_open(const char *path, int flags)
{
    return (int)KEN_CALL(open(path, flags | O_CLOEXEC | O_NOCTTY, 0666));
}

ssize_t ken_call_read(int fd, void *data, size_t size)
{
    return KEN_CALL(read(fd, data, size));
}

ssize_t ken_call_write(int fd, const void *data, size_t size)
{
    return KEN_CALL(write(fd, data, size));
}

int ken_call_truncate(int fd, off_t size)
{
    return (int)KEN_CALL(ftruncate(fd, size));
}

int ken_call_sync(int fd)
{
    return (int)KEN_CALL(fsync(fd));
}

int ken_call_close(int fd)
{
    bool due = fault_due();
    /* close() is never repeated, because Linux closes the file even if close() reports EINTR */
    int result = close(fd);
    if (due) errno = EIO;
    return due ? -1 : result;
}

int ken_call_lock(int fd)
{
    return (int)KEN_CALL(flock(fd, LOCK_EX | LOCK_NB));
}

int ken_call_stat(const char *path, struct stat *facts)
{
    return (int)KEN_CALL(stat(path, facts));
}

int ken_call_fstat(int fd, struct stat *facts)
{
    return (int)KEN_CALL(fstat(fd, facts));
}

int ken_call_disk(const char *path, struct statvfs *facts)
{
    return (int)KEN_CALL(statvfs(path, facts));
}

int ken_call_mode(int fd, mode_t mode)
{
    return (int)KEN_CALL(fchmod(fd, mode));
}

int ken_call_resolve(const char *path, char *resolved)
{
    return (int)KEN_CALL(realpath(path, resolved) ? 0 : -1);
}

int ken_call_rename(const char *from, const char *to)
{
    return (int)KEN_CALL(rename(from, to));
}

int ken_call_unlink(const char *path)
{
    return (int)KEN_CALL(unlink(path));
}

int ken_call_mkdir(const char *path)
{
    return (int)KEN_CALL(mkdir(path, 0777));
}

/* Writes all bytes, with as many calls as needed. A write of fewer bytes than requested is not a
 * failure: if there is a reason (for example ENOSPC on a disk that has just become full), the next
 * call reports it. */
int ken_call_write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        ssize_t written = ken_call_write(fd, from, size);
        if (written < 0) return -1;
        from += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Locks fd. Returns 1 if fd is still the file at `path`, or 0 if that file was renamed or removed
 * meanwhile: the previous holder of the lock may have done so between our open and our lock, and a
 * lock on a file without a name excludes nobody. If the file system does not support locks, the
 * file is used without a lock. */
static int lock_in_place(int fd, const char *path)
{
    struct stat here, there;
    if (ken_call_lock(fd) && errno != ENOSYS && errno != ENOTSUP && errno != ENOLCK) return -1;
    if (ken_call_fstat(fd, &here)) return -1;
    if (ken_call_stat(path, &there)) return errno == ENOENT ? 0 : -1;
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Opens the file at `path`, or creates it; *made receives whether it was created. Symbolic links
 * are not followed: a link that somebody put at the name of a temporary file must not redirect our
 * bytes to another file. */
static int open_or_make(const char *path, bool *made)
{
    for (;;) {
        int fd = ken_call_open(path, O_RDWR | O_CREAT | O_EXCL);
        *made = fd >= 0;
        if (fd >= 0 || errno != EEXIST) return fd;
        fd = ken_call_open(path, O_RDWR | O_NOFOLLOW);
        /* ENOENT: the file was removed just now, so try again */
        if (fd >= 0 || errno != ENOENT) return fd;
    }
}

int ken_call_open_locked(const char *path)
{
    for (;;) {
        bool made;
        int fd = open_or_make(path, &made);
        if (fd < 0) return -1;
        int result = lock_in_place(fd, path);
        if (result == 1) return fd;
        int error = errno;
        /* Removes the file if it was created here, unless another process locked it first and owns
         * it. */
        if (result < 0 && made && error != EWOULDBLOCK) ken_call_unlink(path);
        if (ken_call_close(fd) && result == 0) return -1;
        errno = error;
        if (result < 0) return -1;
    }
}

int ken_call_sync_directory_of(const char *path)
{
    char directory[PATH_MAX] = "/";
    const char *slash = strrchr(path, '/');
    /* `directory` has room for the result: `path` is shorter than PATH_MAX, because an earlier
     * system call accepted it */
    if (slash && slash != path)
        memcpy(directory, path, ken_size_min((size_t)(slash - path), sizeof directory - 1));
    int fd = ken_call_open(slash ? directory : ".", O_RDONLY | O_DIRECTORY);
    if (fd < 0) return -1;
    int result = ken_call_sync(fd);
    int error = errno;
    if (result && error == EINVAL) result = 0; /* EINVAL: the file system cannot sync directories */
    if (ken_call_close(fd)) return -1;
    errno = error;
    return result;
}

ken_status ken_call_failed(const char *doing, const char *path)
{
    bool limit = errno == EFBIG, full = errno == ENOSPC || errno == EDQUOT || limit;
    return ken_fail(full ? KEN_ERR_SPACE : KEN_ERR_IO, "cannot %s %s: %s%s", doing, path,
                    strerror(errno), limit ? "; ulimit -f shows the limit of file sizes" : "");
}
