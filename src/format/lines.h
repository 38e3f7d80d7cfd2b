/* lines.h - bytes of a file or of memory, and text from them line by line.
 * A line that is no text (too long, a byte 0, not UTF-8) is told with file:line and passed over;
 * the next one is good again. Not here: what a line means. */
#ifndef FORMAT_LINES_H
#define FORMAT_LINES_H

#include "base/buffer.h"
#include "base/io.h"

enum { KEN_LINE_MOST = 1 << 20 }; /* bytes of a line, its end not counted */

typedef struct ken_source {
    const char *name;   /* path, or what stands for it in messages           */
    ken_reader *reader; /* a file; when NULL, memory:                        */
    const char *text;   /* what is left of it                                */
    size_t left;
    uint64_t offset; /* bytes handed out                                     */
} ken_source;

/* `name` and `text` must outlive the source. */
ken_status ken_source_open(ken_source *source, const char *path);
void ken_source_from(ken_source *source, const char *name, const char *text, size_t size);
void ken_source_close(ken_source *source);

/* Up to `size` bytes; *got is less only at the end. */
ken_status ken_source_read(ken_source *source, void *data, size_t *got, size_t size);

/* A part of a line. */
struct ken_piece {
    const char *text;
    size_t length;
};

struct ken_piece ken_piece_trim(struct ken_piece piece); /* without blanks at its ends */

/* What is shown of it in a message, for "%.*s": its first characters, up to one that a terminal
 * might take for a command. */
int ken_piece_shown(struct ken_piece piece);

typedef struct ken_lines {
    ken_source *source;
    char *window; /* window[begin .. end) was read but not handed out          */
    size_t begin, end, room;
    bool ended;        /* the source has no more                                    */
    bool bad;          /* the last KEN_ERR_FORMAT is about one line: reading may go on */
    size_t number;     /* of the line handed out last, from 1                       */
    ken_buffer normal; /* that line in NFC                                          */
} ken_lines;

ken_status ken_lines_init(ken_lines *lines, ken_source *source);
void ken_lines_release(ken_lines *lines);

/* The next line without its end ("\n" or "\r\n"; a BOM is dropped), in NFC, a 0 behind it; valid
 * until the next call. Its text is NULL behind the last one. */
ken_status ken_lines_next(ken_lines *lines, struct ken_piece *line);

/* KEN_ERR_FORMAT "name:line: ..." about the current line, with `bad` set. */
ken_status ken_lines_bad(ken_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
