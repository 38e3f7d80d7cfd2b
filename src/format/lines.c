/* lines.c - reads lines through a window (buffer) that slides over the source. The window grows
 * until it holds a line of the maximum length; a longer line is skipped piece by piece. */
#include "format/lines.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* FIRST_ROOM is the initial size of the window, SHOWN the maximum length of a text in a message, in
 * bytes. */
enum { FIRST_ROOM = 1 << 16, SHOWN = 40 };

/* ---- Bytes ---------------------------------------------------------------------------------- */

ken_status ken_source_open(ken_source *source, const char *path)
{
    *source = (ken_source){ .name = path };
    return ken_reader_open(&source->reader, path);
}

void ken_source_from(ken_source *source, const char *name, const char *text, size_t size)
{
    *source = (ken_source){ .name = name, .text = text, .left = size };
}

void ken_source_close(ken_source *source)
{
    ken_reader_close(source->reader);
    *source = (ken_source){ 0 };
}

ken_status ken_source_read(ken_source *source, void *data, size_t *got, size_t size)
{
    if (source->reader) {
        KEN_TRY(ken_reader_read(source->reader, data, got, size));
    } else {
        *got = ken_size_min(size, source->left);
        if (*got > 0) {
            memcpy(data, source->text, *got);
            source->text += *got;
            source->left -= *got;
        }
    }
    source->offset += *got;
    return KEN_OK;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

void ken_lines_release(ken_lines *lines)
{
    ken_memory_free(lines->window);
    ken_buffer_release(&lines->normal);
    *lines = (ken_lines){ 0 };
}

ken_status ken_lines_bad(ken_lines *lines, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    lines->bad = true;
    return ken_fail(KEN_ERR_FORMAT, "%s:%zu: %s", lines->source->name, lines->number, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct ken_piece ken_piece_trim(struct ken_piece piece)
{
    while (piece.length > 0 && is_blank(piece.text[0])) piece.text++, piece.length--;
    while (piece.length > 0 && is_blank(piece.text[piece.length - 1])) piece.length--;
    return piece;
}

/* Returns how many bytes of the piece a message may show: whole characters, and none from the first
 * control character on, because a file must not be able to send commands to a terminal. */
int ken_piece_shown(struct ken_piece piece)
{
    size_t shown = 0, length = ken_text_valid(piece.text, piece.length);
    while (shown < length) {
        size_t step = ken_text_step(piece.text + shown, length - shown);
        const unsigned char *c = (const unsigned char *)piece.text + shown;
        /* The control characters are C0 (below the space), DEL and C1 (U+0080 .. U+009F). */
        bool control = c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
        if (control || shown + step > SHOWN) break;
        shown += step;
    }
    return (int)shown;
}

/* Moves the unread bytes to the front of the window (buffer) and reads more bytes after them. If
 * the unread bytes fill more than half of the window, the window grows first, so that a read is
 * never tiny. The window stays limited, because take() drops lines longer than KEN_LINE_MOST +
 * 2. */
static ken_status refill(ken_lines *lines)
{
    size_t got, rest = lines->end - lines->begin;
    memmove(lines->window, lines->window + lines->begin, rest);
    lines->begin = 0;
    lines->end = rest;
    if (rest > lines->room / 2) {
        char *larger = ken_memory_resize(lines->window, lines->room, lines->room, 2);
        if (!larger)
            return ken_fail(KEN_ERR_MEMORY, "no memory for a line of %s", lines->source->name);
        lines->window = larger;
        lines->room *= 2;
    }
    KEN_TRY(ken_source_read(lines->source, lines->window + rest, &got, lines->room - rest));
    lines->end += got;
    lines->ended = got == 0;
    return KEN_OK;
}

ken_status ken_lines_init(ken_lines *lines, ken_source *source, size_t first)
{
    *lines = (ken_lines){ .source = source, .window = ken_memory_new(FIRST_ROOM, 1) };
    if (!lines->window) return ken_fail(KEN_ERR_MEMORY, "no memory to read %s", source->name);
    lines->room = FIRST_ROOM;
    lines->number = first - 1;
    KEN_TRY(refill(lines));
    const char *wide = first == 1 ? ken_text_wide(lines->window, lines->end) : NULL;
    if (!wide) return KEN_OK;
    return ken_fail(
        KEN_ERR_FORMAT,
        "%s is %s, but ken reads UTF-8; convert it with: iconv -f %s -t UTF-8 OLD > NEW",
        source->name, wide, wide);
}

/* Returns the next line including its line end, which may be missing in the last line. If a line is
 * too long for the window (buffer), only its last part is returned and *cut is set. At the end of
 * the source *length is 0. */
static ken_status take(ken_lines *lines, const char **line, size_t *length, bool *cut)
{
    size_t seen = 0; /* number of bytes of the line that have been searched for "\n" */
    *cut = false;
    for (;;) {
        const char *start = lines->window + lines->begin;
        size_t here = lines->end - lines->begin;
        const char *newline = memchr(start + seen, '\n', here - seen);
        if (newline || lines->ended) {
            *line = start;
            *length = newline ? (size_t)(newline - start) + 1 : here;
            lines->begin += *length;
            return KEN_OK;
        }
        seen = here;
        if (here > KEN_LINE_MOST + 2) { /* too long, even with "\r\n": drop the bytes read so far */
            lines->begin = lines->end;
            seen = 0;
            *cut = true;
        }
        KEN_TRY(refill(lines));
    }
}

/* Returns the length of a line without its line end. A final "\r" is removed too, because a file
 * that lost its very last byte may end in one. */
static size_t without_end(const char *line, size_t length)
{
    if (length > 0 && line[length - 1] == '\n') length--;
    if (length > 0 && line[length - 1] == '\r') length--;
    return length;
}

ken_status ken_lines_next(ken_lines *lines, struct ken_piece *line)
{
    const char *text;
    size_t length;
    bool cut;
    *line = (struct ken_piece){ 0 };
    KEN_TRY(take(lines, &text, &length, &cut));
    if (length == 0 && !cut) return KEN_OK;
    lines->number++;
    line->text = ""; /* not NULL, because a bad line is not the end of the source */
    length = without_end(text, length);
    /* A line that is too long is refused before its content is checked. */
    if (cut || length > KEN_LINE_MOST)
        return ken_lines_bad(lines, "the line is longer than %d bytes", KEN_LINE_MOST);
    /* Drops a byte order mark (BOM), which some editors write at the start of a file. If the first
     * line has another number than 1, the text begins in the middle of a file, where such bytes are
     * part of the text. */
    if (lines->number == 1 && length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    const char *zero = memchr(text, '\0', length);
    if (zero)
        return ken_lines_bad(lines, "byte %zu is 0, which text cannot contain",
                             (size_t)(zero - text) + 1);
    size_t valid = ken_text_valid(text, length);
    if (valid < length)
        return ken_lines_bad(lines, "byte %zu is not UTF-8 (0x%02x)", valid + 1,
                             (unsigned char)text[valid]);
    ken_buffer_clear(&lines->normal);
    /* The text is valid UTF-8, so ken_text_normal() can fail only for lack of memory; that does not
     * make the line bad. */
    KEN_TRY(ken_text_normal(&lines->normal, text, length));
    KEN_TRY(ken_buffer_status(&lines->normal));
    *line = (struct ken_piece){ ken_buffer_string(&lines->normal), lines->normal.size };
    return KEN_OK;
}
