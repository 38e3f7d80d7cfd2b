/* lines.h - reads bytes from a file or from memory, and splits them into lines of text. A line that
 * is not text (too long, with a byte 0, or not UTF-8) is reported as "file:line: ..."; the caller
 * may go on with the next line. The file does not interpret lines: formats do that. */
#ifndef FORMAT_LINES_H
#define FORMAT_LINES_H

#include "base/buffer.h"
#include "base/io.h"

enum { KEN_LINE_MOST = 1 << 20 }; /* maximum bytes of a line without its line end */

typedef struct ken_source {
    const char *name;   /* path of the file, or the name of a text in memory, for messages */
    ken_reader *reader; /* reads a file; NULL = the source is the memory at `text` */
    const char *text;   /* bytes in memory that have not been read yet */
    size_t left;
    uint64_t offset; /* number of bytes read so far */
} ken_source;

/* ken_source_open() opens a file; ken_source_from() makes a source of `size` bytes in memory. The
 * strings `path`, `name` and `text` must outlive the source. */
ken_status ken_source_open(ken_source *source, const char *path);
void ken_source_from(ken_source *source, const char *name, const char *text, size_t size);
void ken_source_close(ken_source *source);

/* Reads up to `size` bytes; *got is less than `size` only at the end of the source. */
ken_status ken_source_read(ken_source *source, void *data, size_t *got, size_t size);

/* A part of a line: `length` bytes at `text`, which need not be followed by a 0. */
struct ken_piece {
    const char *text;
    size_t length;
};

struct ken_piece ken_piece_trim(struct ken_piece piece); /* removes spaces and tabs at both ends */

/* Returns how many bytes of a piece a message may show with "%.*s": its first characters, up to one
 * that a terminal could take for a command. */
int ken_piece_shown(struct ken_piece piece);

typedef struct ken_lines {
    ken_source *source;
    char *window; /* buffer; the bytes window[begin .. end) are read but not yet returned */
    size_t begin, end, room;
    bool ended; /* whether the end of the source has been reached */
    /* whether the last KEN_ERR_FORMAT was about one line only, so that reading may continue */
    bool bad;
    size_t number;     /* number of the line returned last, from 1 */
    ken_buffer normal; /* the line that was returned last, in Unicode normal form NFC */
} ken_lines;

/* Begins to read lines; `first` is the number of the first line. The first bytes are read at once,
 * because a file in UTF-16 or UTF-32 is refused as a whole, with KEN_ERR_FORMAT. */
ken_status ken_lines_init(ken_lines *lines, ken_source *source, size_t first);
void ken_lines_release(ken_lines *lines);

/* Returns the next line in Unicode normal form NFC, followed by a 0, without its line end ("\n" or
 * "\r\n") and without a byte order mark. The line is valid until the next call. After the last
 * line, line->text is NULL. */
ken_status ken_lines_next(ken_lines *lines, struct ken_piece *line);

/* Sets lines->bad and fails with KEN_ERR_FORMAT and the message "name:line: ..." about the current
 * line. */
ken_status ken_lines_bad(ken_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
