/* io_call.h - the system calls that base/io_*.c use; private to these files.
 * Each counts as one call of KEN_FAULT_IO and can be made to fail with EIO, so a test can go
 * through every way in which a read or a save may break. Interrupted calls are repeated. Like the
 * calls they stand for, all return -1 and set errno on failure. */
#ifndef BASE_IO_CALL_H
#define BASE_IO_CALL_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

int ken_call_open(const char *path, int flags); /* close-on-exec; new files as the umask says */
ssize_t ken_call_read(int fd, void *data, size_t size);
ssize_t ken_call_write(int fd, const void *data, size_t size);
int ken_call_truncate(int fd, off_t size);
int ken_call_sync(int fd);
int ken_call_close(int fd); /* closes fd even if it fails                      */
int ken_call_lock(int fd);  /* exclusive lock, without waiting; or EWOULDBLOCK */

int ken_call_stat(const char *path, struct stat *facts);
int ken_call_fstat(int fd, struct stat *facts);
int ken_call_disk(const char *path, struct statvfs *facts);
int ken_call_mode(int fd, mode_t mode);
int ken_call_resolve(const char *path, char *resolved); /* links followed; PATH_MAX bytes */

int ken_call_rename(const char *from, const char *to);
int ken_call_unlink(const char *path);
int ken_call_mkdir(const char *path);

/* Writes all of `data`, in as many calls as it takes. */
int ken_call_write_all(int fd, const void *data, size_t size);

/* Opens and locks the file at `path`, and creates it if necessary. While the lock is held, no other
 * user of this function gets the file, renames it or removes it. */
int ken_call_open_locked(const char *path);

/* Syncs the directory of `path`, so that new, changed and removed names survive a power cut. */
int ken_call_sync_directory_of(const char *path);

/* Fails with "cannot <doing> <path>: <text of errno>": KEN_ERR_SPACE if a disk or quota is full,
 * else KEN_ERR_IO. */
ken_status ken_call_failed(const char *doing, const char *path);

#endif
