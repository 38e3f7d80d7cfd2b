/* io.h - files: the only layer through which the library reads and writes them.
 *
 * A save is all or nothing (atomic). Bytes go to a temporary file beside the target, which is
 * renamed to the target only after all of them are on the disk. So at every instant, and after a
 * crash or a power cut at any time, the target holds the complete old content or the complete new
 * one.
 *
 * A failure is KEN_ERR_IO, or KEN_ERR_SPACE on a full disk; its message has the path and the
 * system's reason. This layer knows no file format but gzip. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_buffer;

/* ---- Reading (io_read.c) -------------------------------------------------------------------- */

/* Files packed with gzip are unpacked while they are read, and all sizes are those of the unpacked
 * bytes. Such files are recognised by their first bytes, not by their name. A damaged or truncated
 * one is KEN_ERR_FORMAT, and the message has the offset in the packed file. */

/* Reads a whole file or pipe of at most `most` bytes. On success the caller owns *data
 * (ken_memory_free), and a 0 follows its last byte. Directories and devices are refused, and a file
 * that changes its size meanwhile is an error. SIZE_MAX means no limit; then gzip is not unpacked,
 * because a small file could unpack to any size. */
ken_status ken_file_read(char **data, size_t *size, const char *path, size_t most);

/* A reader goes from front to back; for files that are too large for memory, and for pipes. */
typedef struct ken_reader ken_reader;

/* The caller owns *out. A descriptor that is attached is not closed by the reader. */
ken_status ken_reader_open(ken_reader **out, const char *path);
ken_status ken_reader_attach(ken_reader **out, int fd, const char *name);
void ken_reader_close(ken_reader *reader); /* NULL is fine */

/* Reads up to `size` bytes; *got is less than `size` only at the end of the file. */
ken_status ken_reader_read(ken_reader *reader, void *data, size_t *got, size_t size);

/* ---- Writing (io_write.c) ------------------------------------------------------------------- */

/* Errors are sticky: after one, appending does nothing and the commit reports it, so that a format
 * can be written without checks. If the target is a link, it is followed; if it exists, its mode is
 * kept. The temporary file is "<path>.ken-tmp"; one that a killed process left is reused. */
typedef struct ken_writer ken_writer;

ken_status ken_writer_open(ken_writer **out, const char *path); /* end with one of the next two */
ken_status ken_writer_commit(ken_writer *writer); /* replaces the target, or changes nothing */
void ken_writer_discard(ken_writer *writer);      /* as if it had never been opened; NULL is fine */

ken_status ken_writer_append(ken_writer *writer, const void *data, size_t size);

/* Opens, appends and commits in one call. */
ken_status ken_file_replace(const char *path, const void *data, size_t size);

/* Appends one record to a log: the whole record or, on failure, nothing. It is not synced to the
 * disk. */
ken_status ken_file_append(const char *path, const void *data, size_t size);

/* ---- Names (io_path.c) ---------------------------------------------------------------------- */

enum ken_path_kind { KEN_PATH_NONE, KEN_PATH_FILE, KEN_PATH_DIRECTORY, KEN_PATH_OTHER };

/* Replaces the contents of `path` by "folder/name"; the caller releases it, after a failure too. */
ken_status ken_path_join(struct ken_buffer *path, const char *folder, const char *name);

ken_status ken_path_kind(enum ken_path_kind *kind, const char *path); /* links are followed */

ken_status ken_directory_make(const char *path); /* with its parents; one that exists is fine */
ken_status ken_directory_empty(bool *empty, const char *path);

/* Both are durable: they sync the directory. Renaming replaces a file that exists at `to`. */
ken_status ken_file_rename(const char *from, const char *to);
ken_status ken_file_remove(const char *path); /* a missing file is fine */

/* The free space, in bytes, of the disk where `path` is or will be. */
ken_status ken_path_space(uint64_t *bytes, const char *path);

/* A lock has one holder at a time among all processes of the machine, and ends with the holder's
 * process, however that ends. If another process holds it, taking it is KEN_ERR_STATE, and the
 * message names that process. */
typedef struct ken_lock ken_lock;

ken_status ken_lock_take(ken_lock **out, const char *path); /* caller owns *out               */
void ken_lock_free(ken_lock *lock);                         /* removes the file; NULL is fine */

#endif
