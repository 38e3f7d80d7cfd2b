/* io.h - files: the only layer through which the library reads and writes them.
 *
 * A save is all or nothing (atomic). Bytes go to a temporary file beside the target, which is
 * renamed to the target only after all bytes are on the disk. So at every instant, and after a
 * crash or a power cut at any time, the target holds either the complete old content or the
 * complete new content.
 *
 * A failure is KEN_ERR_IO, or KEN_ERR_SPACE on a full disk or beyond a limit of file sizes; its
 * message has the path and the system's reason. The only file format that this layer knows is
 * gzip. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_buffer;

/* ---- Reading (io_read.c) -------------------------------------------------------------------- */

/* Gzip files are unpacked while they are read, and all sizes are sizes of the unpacked bytes. A
 * gzip file is recognised by its first bytes, not by its name. If it is damaged or truncated,
 * reading fails with KEN_ERR_FORMAT, and the message gives the offset in the packed file. */

/* Reads a whole file or pipe of at most `most` bytes. On success the caller owns *data
 * (ken_memory_free), and a 0 follows the last byte. Directories and devices are refused. A file
 * that changes its size during the read is an error. most = SIZE_MAX means no limit; gzip is then
 * not unpacked, because a small gzip file could unpack to any size. */
ken_status ken_file_read(char **data, size_t *size, const char *path, size_t most);

/* A reader delivers the bytes of a file in order, without seeking. It is meant for pipes and for
 * files that are too large for memory. */
typedef struct ken_reader ken_reader;

/* ken_reader_open() makes a reader for a file, and ken_reader_attach() for an open descriptor; the
 * caller owns *out. ken_reader_close() does not close a descriptor that was attached. */
ken_status ken_reader_open(ken_reader **out, const char *path);
ken_status ken_reader_attach(ken_reader **out, int fd, const char *name);
void ken_reader_close(ken_reader *reader); /* `reader` may be NULL */

/* Reads up to `size` bytes; *got is less than `size` only at the end of the file. */
ken_status ken_reader_read(ken_reader *reader, void *data, size_t *got, size_t size);

/* ---- Writing (io_write.c) ------------------------------------------------------------------- */

/* A writer collects the new content of a file. Errors are sticky: after a failure, appending does
 * nothing and ken_writer_commit() reports the failure, so that code can write a whole file without
 * checks. If the target is a symbolic link, the link is followed; if the target exists, its mode is
 * kept. The temporary file is "<path>.ken-tmp"; if a killed process left one, it is reused. */
typedef struct ken_writer ken_writer;

ken_status ken_writer_open(ken_writer **out, const char *path); /* then commit or discard *out */
ken_status ken_writer_commit(ken_writer *writer); /* replaces the target, or leaves it unchanged  */
void ken_writer_discard(ken_writer *writer);      /* leaves the target unchanged; NULL is allowed */

ken_status ken_writer_append(ken_writer *writer, const void *data, size_t size);

/* Replaces a file by `data`: opens a writer, appends and commits in one call. */
ken_status ken_file_replace(const char *path, const void *data, size_t size);

/* Appends one record to a log file: the whole record or, on failure, nothing. The file is not
 * synced to the disk. */
ken_status ken_file_append(const char *path, const void *data, size_t size);

/* ---- Names (io_path.c) ---------------------------------------------------------------------- */

enum ken_path_kind { KEN_PATH_NONE, KEN_PATH_FILE, KEN_PATH_DIRECTORY, KEN_PATH_OTHER };

/* Sets the buffer `path` to "folder/name". The caller releases the buffer, even if the call
 * fails. */
ken_status ken_path_join(struct ken_buffer *path, const char *folder, const char *name);

ken_status ken_path_kind(enum ken_path_kind *kind, const char *path); /* follows symbolic links */

ken_status ken_directory_make(const char *path); /* makes parents too; `path` may exist */
ken_status ken_directory_empty(bool *empty, const char *path);

/* ken_file_rename() and ken_file_remove() sync the directory, so that the change survives a power
 * cut. ken_file_rename() replaces a file that exists at `to`. */
ken_status ken_file_rename(const char *from, const char *to);
ken_status ken_file_remove(const char *path); /* succeeds if there is no such file */

/* Sets *bytes to the free space of the disk that holds `path`; if `path` does not exist, of the
 * disk on which it would be created. */
ken_status ken_path_space(uint64_t *bytes, const char *path);

/* A lock on a path. Only one process of the machine can hold it at a time. The lock ends when the
 * process ends, even if the process is killed. If another process holds the lock, ken_lock_take()
 * fails with KEN_ERR_STATE, and the message names that process. */
typedef struct ken_lock ken_lock;

ken_status ken_lock_take(ken_lock **out, const char *path); /* the caller owns *out */
void ken_lock_free(ken_lock *lock); /* removes the lock file; NULL is allowed */

#endif
