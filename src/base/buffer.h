/* buffer.h - byte buffers that grow, and lists of strings in one block of memory. Errors are
 * sticky: after a failed allocation, appending does nothing, and the caller asks for the status
 * once, at the end. A ken_buffer and a ken_strings are initialised with { 0 }. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ken_buffer {
    char *data; /* NULL before the first append; afterwards `size` bytes and a final 0 */
    size_t size, room;
    bool failed;
} ken_buffer;

void ken_buffer_append(ken_buffer *buffer, const void *data, size_t size);
void ken_buffer_text(ken_buffer *buffer, const char *text);
void ken_buffer_format(ken_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ken_buffer_clear(ken_buffer *buffer); /* makes the buffer empty; keeps its memory */
void ken_buffer_release(ken_buffer *buffer);
ken_status ken_buffer_status(const ken_buffer *buffer);
/* Returns the bytes of the buffer as a string; "" if it is empty. */
const char *ken_buffer_string(const ken_buffer *buffer);

/* Returns the contents as floats, for a buffer to which only floats were appended. The memory of
 * every buffer is aligned for float. */
static inline const float *ken_buffer_floats(const ken_buffer *buffer)
{
    return (const float *)(const void *)buffer->data;
}

/* A list of strings. The length of each string is stored, because a string may contain 0 bytes; a 0
 * follows each string. */
typedef struct ken_strings {
    ken_buffer text;
    ken_buffer ends; /* for string i: the offset in `text` of the 0 that follows it (size_t) */
    size_t count;
} ken_strings;

void ken_strings_add(ken_strings *strings, const char *text, size_t length);
void ken_strings_release(ken_strings *strings);
ken_status ken_strings_status(const ken_strings *strings);
void ken_strings_drop(ken_strings *strings); /* removes the last string */

/* Returns string i, valid until the next ken_strings_add(). If `length` is not NULL, *length
 * receives the number of bytes of the string. */
const char *ken_strings_at(const ken_strings *strings, size_t i, size_t *length);

#endif
