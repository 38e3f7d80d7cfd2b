/* io_call.h - the system calls that base/io_*.c use; private to these files.
 * Tests can make any of these calls fail with EIO (KEN_FAULT_IO in base/fault.h), and so try every
 * way in which a read or a save may fail. Calls that a signal interrupts are repeated, except
 * close(). On failure the functions return -1 and set errno, as system calls do. */
#ifndef BASE_IO_CALL_H
#define BASE_IO_CALL_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>

/* Opens a file with close-on-exec set. The umask decides the mode of a new file. */
int ken_call_open(const char *path, int flags);
ssize_t ken_call_read(int fd, void *data, size_t size);
ssize_t ken_call_write(int fd, const void *data, size_t size);
int ken_call_truncate(int fd, off_t size);
int ken_call_sync(int fd);
int ken_call_close(int fd); /* closes fd even if it returns -1                            */
int ken_call_lock(int fd);  /* takes an exclusive lock, or fails at once with EWOULDBLOCK */

int ken_call_stat(const char *path, struct stat *facts);
int ken_call_fstat(int fd, struct stat *facts);
int ken_call_disk(const char *path, struct statvfs *facts);
int ken_call_mode(int fd, mode_t mode);
/* Resolves `path` with all links followed; `resolved` must have room for PATH_MAX bytes. */
int ken_call_resolve(const char *path, char *resolved);

int ken_call_rename(const char *from, const char *to);
int ken_call_unlink(const char *path);
int ken_call_mkdir(const char *path);

/* Writes all `size` bytes of `data`, with as many calls as needed. */
int ken_call_write_all(int fd, const void *data, size_t size);

/* Opens and locks the file at `path`, and creates the file if necessary. While the lock is held, no
 * other caller of ken_call_open_locked() gets the file, renames it or removes it. */
int ken_call_open_locked(const char *path);

/* Syncs the directory that contains `path`, so that new, changed and removed names survive a power
 * cut. */
int ken_call_sync_directory_of(const char *path);

/* Records the message "cannot <doing> <path>: <text of errno>" and returns KEN_ERR_SPACE if a disk
 * or quota is full or a file would exceed the limit of file sizes, else KEN_ERR_IO. */
ken_status ken_call_failed(const char *doing, const char *path);

#endif
