/* io.h - files: the one layer through which the library reads and writes them.
 *
 * A save is all or nothing. Bytes go to a temporary file beside the target; only when they are on
 * the disk does it take the target's name. So at every instant, and after a crash or a power cut
 * at any of them, the target holds the old content or the new one, complete.
 *
 * A failure is KEN_ERR_IO, or KEN_ERR_SPACE on a full disk, and says the path and the system's
 * reason. Not here: any format. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_buffer;

/* ---- Reading (io_read.c) -------------------------------------------------------------------- */

/* Files packed with gzip, which is seen by their first bytes and not by their name, are read as
 * what they unpack to; sizes are those of the unpacked bytes. Damaged or cut
 * ones are KEN_ERR_FORMAT and name the offset in the packed file. */

/* The whole file, or pipe, of at most `most` bytes. On success the caller owns *data
 * (ken_memory_free), which has a 0 behind its last byte. Directories and devices are refused, and
 * a file that changes its size meanwhile is an error. With SIZE_MAX there is no limit, and then
 * nothing is unpacked: a small file could claim any memory. */
ken_status ken_file_read(char **data, size_t *size, const char *path, size_t most);

/* From front to back; for what is too large to hold, or comes from a pipe. */
typedef struct ken_reader ken_reader;

/* The caller owns *out; an attached descriptor stays the caller's own. */
ken_status ken_reader_open(ken_reader **out, const char *path);
ken_status ken_reader_attach(ken_reader **out, int fd, const char *name);
void ken_reader_close(ken_reader *reader); /* NULL is fine */

/* Up to `size` bytes; *got is less only at the end of the file. */
ken_status ken_reader_read(ken_reader *reader, void *data, size_t *got, size_t size);

/* ---- Writing (io_write.c) ------------------------------------------------------------------- */

/* Errors are sticky: after one, appending does nothing and the commit reports it, so a format is
 * written without checks. A target that is a link is followed, an existing one keeps its mode.
 * The temporary file is "<path>.ken-tmp"; one that a killed process left is taken over. */
typedef struct ken_writer ken_writer;

ken_status ken_writer_open(ken_writer **out, const char *path); /* end with one of the next two */
ken_status ken_writer_commit(ken_writer *writer); /* the new file is there, or all is as before */
void ken_writer_discard(ken_writer *writer);      /* as if it had never been opened; NULL is fine */

ken_status ken_writer_append(ken_writer *writer, const void *data, size_t size);

/* The three steps in one. */
ken_status ken_file_replace(const char *path, const void *data, size_t size);

/* One record of a log, at its end: whole or, on failure, not at all. Not synced to the disk. */
ken_status ken_file_append(const char *path, const void *data, size_t size);

/* ---- Names (io_path.c) ---------------------------------------------------------------------- */

enum ken_path_kind { KEN_PATH_NONE, KEN_PATH_FILE, KEN_PATH_DIRECTORY, KEN_PATH_OTHER };

/* folder/name, in place of what the buffer held; to be released also after a failure. */
ken_status ken_path_join(struct ken_buffer *path, const char *folder, const char *name);

ken_status ken_path_kind(enum ken_path_kind *kind, const char *path); /* links are followed */

ken_status ken_directory_make(const char *path); /* with its parents; one that exists is fine */
ken_status ken_directory_empty(bool *empty, const char *path);

/* Both last: the directory is synced. Renaming replaces what stands at `to`. */
ken_status ken_file_rename(const char *from, const char *to);
ken_status ken_file_remove(const char *path); /* a missing file is fine */

/* Bytes that can still be written where `path` is or will be. */
ken_status ken_path_space(uint64_t *bytes, const char *path);

/* Only one holder at a time, among all processes of the machine; ends with the process, however
 * that ends. KEN_ERR_STATE, naming the process, when someone else has it. */
typedef struct ken_lock ken_lock;

ken_status ken_lock_take(ken_lock **out, const char *path); /* caller owns *out               */
void ken_lock_free(ken_lock *lock);                         /* removes the file; NULL is fine */

#endif
