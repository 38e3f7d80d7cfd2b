/* io_path.c - paths: finds out whether a path is a file or a directory; makes directories; renames,
 * removes and locks files. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "base/io.h"

#include "base/buffer.h"
#include "base/io_call.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ken_status ken_path_join(ken_buffer *path, const char *folder, const char *name)
{
    ken_buffer_clear(path);
    ken_buffer_format(path, "%s/%s", folder, name);
    return ken_buffer_status(path);
}

ken_status ken_path_kind(enum ken_path_kind *kind, const char *path)
{
    struct stat facts;
    *kind = KEN_PATH_NONE;
    /* ENOTDIR means that a part of the path is a file, so nothing exists at `path` */
    if (ken_call_stat(path, &facts))
        return errno == ENOENT || errno == ENOTDIR ? KEN_OK : ken_call_failed("access", path);
    *kind = S_ISREG(facts.st_mode)   ? KEN_PATH_FILE
            : S_ISDIR(facts.st_mode) ? KEN_PATH_DIRECTORY
                                     : KEN_PATH_OTHER;
    return KEN_OK;
}

/* Makes one directory. It tries mkdir() first and looks at the path only if mkdir() fails: another
 * process may have made the directory just now, and a link to a directory is accepted too. */
static ken_status make_one(const char *path)
{
    if (ken_call_mkdir(path) == 0)
        return ken_call_sync_directory_of(path) ? ken_call_failed("create directory", path)
                                                : KEN_OK;
    int error = errno;
    enum ken_path_kind kind;
    if (error == EEXIST) {
        KEN_TRY(ken_path_kind(&kind, path));
        if (kind == KEN_PATH_DIRECTORY) return KEN_OK;
    }
    errno = error;
    return ken_call_failed("create directory", path);
}

ken_status ken_directory_make(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) errno = ENAMETOOLONG;
    if (length >= sizeof part) return ken_call_failed("create directory", path);
    memcpy(part, path, length + 1);
    while (length > 1 && part[length - 1] == '/') part[--length] = 0;
    /* cuts the path at each slash and makes that directory, so parents are made before their
     * children */
    for (size_t i = 1; i < length; i++) {
        if (part[i] != '/' || part[i - 1] == '/') continue;
        part[i] = 0;
        KEN_TRY(make_one(part));
        part[i] = '/';
    }
    return make_one(part);
}

ken_status ken_directory_empty(bool *empty, const char *path)
{
    *empty = true;
    int fd = ken_call_open(path, O_RDONLY | O_DIRECTORY);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory) {
        ken_status status = ken_call_failed("open directory", path);
        if (fd >= 0) ken_call_close(fd);
        return status;
    }
    errno = 0; /* readdir() returns NULL at the end and on failure; errno says which */
    for (const struct dirent *entry; *empty && (entry = readdir(directory));)
        *empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    ken_status status = *empty && errno ? ken_call_failed("read directory", path) : KEN_OK;
    closedir(directory); /* also closes the descriptor `fd` */
    return status;
}

/* Renames a file and syncs its directory. If the old and the new directory differ, the new name is
 * synced first and the removal of the old name after it. */
ken_status ken_file_rename(const char *from, const char *to)
{
    if (ken_call_rename(from, to) || ken_call_sync_directory_of(to) ||
        ken_call_sync_directory_of(from))
        return ken_call_failed("rename", from);
    return KEN_OK;
}

ken_status ken_file_remove(const char *path)
{
    if (ken_call_unlink(path)) return errno == ENOENT ? KEN_OK : ken_call_failed("remove", path);
    return ken_call_sync_directory_of(path) ? ken_call_failed("remove", path) : KEN_OK;
}

ken_status ken_path_space(uint64_t *bytes, const char *path)
{
    char directory[PATH_MAX];
    struct statvfs facts;
    *bytes = 0;
    int length = snprintf(directory, sizeof directory, "%s", path);
    if (length >= (int)sizeof directory)
        return ken_fail(KEN_ERR_IO, "%s: the path is too long", path);
    /* goes up the path until a directory exists: the parent of "x" is ".", the parent of "/x" is
     * "/" */
    while (ken_call_disk(directory, &facts)) {
        char *slash = strrchr(directory, '/');
        if (errno != ENOENT || strcmp(directory, ".") == 0)
            return ken_call_failed("find the free disk space of", path);
        if (!slash) memcpy(directory, ".", 2);
        else slash[slash == directory ? 1 : 0] = 0;
    }
    *bytes = (uint64_t)facts.f_bavail * facts.f_frsize; /* space reserved for root does not count */
    return KEN_OK;
}

/* ---- Locks ---------------------------------------------------------------------------------- */

/* A lock is the system's lock on a file, which ends with the process. Whether the file exists means
 * nothing: a file that a killed process left is reused. */
struct ken_lock {
    int fd;
    char path[PATH_MAX];
};

/* Fails with a message that names the process that holds the lock. That process wrote its number
 * into the file. We read the file without holding the lock, so the number may be incomplete or
 * missing, and only digits are accepted. */
static ken_status in_use(const char *path)
{
    char holder[16];
    int fd = ken_call_open(path, O_RDONLY);
    ssize_t got = fd < 0 ? 0 : ken_call_read(fd, holder, sizeof holder - 1);
    if (fd >= 0) ken_call_close(fd);
    size_t digits = 0;
    while ((ssize_t)digits < got && holder[digits] >= '0' && holder[digits] <= '9') digits++;
    holder[digits] = 0;
    return ken_fail(KEN_ERR_STATE, "%s is locked by %s%s", path,
                    digits ? "process " : "another process", holder);
}

static ken_status sign(int fd, const char *path)
{
    char holder[16];
    int length = snprintf(holder, sizeof holder, "%ld\n", (long)getpid());
    if (ken_call_truncate(fd, 0) || ken_call_write_all(fd, holder, (size_t)length))
        return ken_call_failed("write", path);
    return KEN_OK;
}

ken_status ken_lock_take(ken_lock **out, const char *path)
{
    *out = NULL;
    if (strlen(path) >= PATH_MAX) return ken_fail(KEN_ERR_IO, "%s: the path is too long", path);
    ken_lock *lock = ken_memory_new(1, sizeof *lock);
    if (!lock) return ken_fail(KEN_ERR_MEMORY, "no memory to lock %s", path);
    memcpy(lock->path, path, strlen(path) + 1);
    lock->fd = ken_call_open_locked(path);
    ken_status status;
    if (lock->fd < 0) status = errno == EWOULDBLOCK ? in_use(path) : ken_call_failed("lock", path);
    else status = sign(lock->fd, path);
    if (!status) {
        *out = lock;
    } else if (lock->fd < 0) {
        ken_memory_free(lock);
    } else {
        ken_lock_free(lock);
    }
    return status;
}

void ken_lock_free(ken_lock *lock)
{
    if (!lock) return;
    /* The lock file is removed while the lock is held, so that the next process creates and locks a
     * new file. */
    ken_call_unlink(lock->path);
    ken_call_close(lock->fd);
    ken_memory_free(lock);
}
