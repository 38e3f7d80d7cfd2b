/* lines.h - reads bytes from a file or from memory, and splits them into lines of text. A line that
 * is not text (too long, a byte 0, not UTF-8) is reported with file:line and skipped; reading
 * continues with the next line. Not here: the meaning of a line. */
#ifndef FORMAT_LINES_H
#define FORMAT_LINES_H

#include "base/buffer.h"
#include "base/io.h"

enum { KEN_LINE_MOST = 1 << 20 }; /* maximum bytes of a line without its end */

typedef struct ken_source {
    const char *name;   /* path, or the name that messages use instead */
    ken_reader *reader; /* of a file; NULL = the source is memory:     */
    const char *text;   /* the memory that has not been read yet       */
    size_t left;
    uint64_t offset; /* number of bytes read so far */
} ken_source;

/* `name` and `text` must outlive the source. */
ken_status ken_source_open(ken_source *source, const char *path);
void ken_source_from(ken_source *source, const char *name, const char *text, size_t size);
void ken_source_close(ken_source *source);

/* Reads up to `size` bytes; *got is less than `size` only at the end. */
ken_status ken_source_read(ken_source *source, void *data, size_t *got, size_t size);

/* A part of a line. */
struct ken_piece {
    const char *text;
    size_t length;
};

struct ken_piece ken_piece_trim(struct ken_piece piece); /* removes spaces and tabs at both ends */

/* How many bytes of a piece a message may show, for "%.*s": its first characters, up to one that a
 * terminal could take for a command. */
int ken_piece_shown(struct ken_piece piece);

typedef struct ken_lines {
    ken_source *source;
    char *window; /* window[begin .. end) is read but not returned yet */
    size_t begin, end, room;
    bool ended;        /* the source is at its end                                                */
    bool bad;          /* the last KEN_ERR_FORMAT concerns one line only, so reading may continue */
    size_t number;     /* number of the line returned last, from 1                                */
    ken_buffer normal; /* that line in normal form NFC                                            */
} ken_lines;

ken_status ken_lines_init(ken_lines *lines, ken_source *source);
void ken_lines_release(ken_lines *lines);

/* Returns the next line without its end ("\n" or "\r\n"; a BOM is dropped), in NFC and followed by
 * a 0; valid until the next call. After the last line its text is NULL. */
ken_status ken_lines_next(ken_lines *lines, struct ken_piece *line);

/* KEN_ERR_FORMAT "name:line: ..." about the current line, with `bad` set. */
ken_status ken_lines_bad(ken_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
