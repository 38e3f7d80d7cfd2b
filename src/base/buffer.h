/* buffer.h - bytes that grow, and lists of strings in one block of memory.
 * Errors are sticky, as everywhere that much is written: after a failed allocation appending does
 * nothing, and the status is asked once at the end. Both begin as { 0 }. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ken_buffer {
    char *data; /* NULL while empty; else with a 0 behind its last byte */
    size_t size, room;
    bool failed;
} ken_buffer;

void ken_buffer_append(ken_buffer *buffer, const void *data, size_t size);
void ken_buffer_text(ken_buffer *buffer, const char *text);
void ken_buffer_format(ken_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ken_buffer_clear(ken_buffer *buffer); /* empty, keeps its memory */
void ken_buffer_release(ken_buffer *buffer);
ken_status ken_buffer_status(const ken_buffer *buffer);
const char *ken_buffer_string(const ken_buffer *buffer); /* "" while empty */

/* Of a buffer that only floats were appended to; its memory is aligned for them. */
static inline const float *ken_buffer_floats(const ken_buffer *buffer)
{
    return (const float *)(const void *)buffer->data;
}

/* Strings, each with a 0 behind it; bytes 0 within are possible, so each has a length. */
typedef struct ken_strings {
    ken_buffer text;
    ken_buffer ends; /* size_t each: where string i ends in `text`, its 0 not counted */
    size_t count;
} ken_strings;

void ken_strings_add(ken_strings *strings, const char *text, size_t length);
void ken_strings_release(ken_strings *strings);
ken_status ken_strings_status(const ken_strings *strings);
void ken_strings_drop(ken_strings *strings); /* takes back the last one */

/* String i, valid until the next add; *length (unless NULL) its bytes. */
const char *ken_strings_at(const ken_strings *strings, size_t i, size_t *length);

#endif
