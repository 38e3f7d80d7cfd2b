/* buffer.h - buffers of bytes that grow, and lists of strings in one block of memory.
 * Errors are sticky, as wherever ken writes much: after a failed allocation appending does nothing,
 * and the caller asks for the status once, at the end. Both structs start as { 0 }. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ken_buffer {
    char *data; /* NULL before the first append; else a 0 follows the last byte */
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

/* The contents of a buffer to which only floats were appended; its memory is aligned for them. */
static inline const float *ken_buffer_floats(const ken_buffer *buffer)
{
    return (const float *)(const void *)buffer->data;
}

/* A list of strings, each followed by a 0. A string may contain bytes 0, so each has a length. */
typedef struct ken_strings {
    ken_buffer text;
    ken_buffer ends; /* a size_t each: the end of string i in `text`, without its 0 */
    size_t count;
} ken_strings;

void ken_strings_add(ken_strings *strings, const char *text, size_t length);
void ken_strings_release(ken_strings *strings);
ken_status ken_strings_status(const ken_strings *strings);
void ken_strings_drop(ken_strings *strings); /* takes back the last one */

/* String i, valid until the next add; *length, unless NULL, receives its number of bytes. */
const char *ken_strings_at(const ken_strings *strings, size_t i, size_t *length);

#endif
