/* buffer.c - buffers that grow by doubling. Invariant: an append succeeds completely or changes
 * nothing. Growing moves the bytes, so the bytes to append must not lie in the buffer itself. */
#include "base/buffer.h"

#include "base/memory.h"
#include "base/plain.h"
#include "base/size.h"

#include <stdarg.h>
#include <string.h>

/* Makes room for `more` bytes and the final 0. If the new size overflows, this counts as lack of
 * memory. */
static bool reserve(ken_buffer *buffer, size_t more)
{
    size_t need;
    if (buffer->failed) return false;
    if (!ken_size_add(&need, buffer->size, more) || !ken_size_add(&need, need, 1)) need = 0;
    if (need > 0 && need <= buffer->room) return true;
    size_t room = ken_size_max(need, buffer->room < SIZE_MAX / 2 ? 2 * buffer->room : need);
    char *data = need > 0 ? ken_memory_resize(buffer->data, buffer->room, room, 1) : NULL;
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->room = room;
    return true;
}

/* Appends `size` bytes. Appending 0 bytes has an effect too: afterwards buffer->data is an empty
 * string instead of NULL. */
void ken_buffer_append(ken_buffer *buffer, const void *data, size_t size)
{
    if (!reserve(buffer, size)) return;
    if (size > 0) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void ken_buffer_text(ken_buffer *buffer, const char *text)
{
    ken_buffer_append(buffer, text, strlen(text));
}

void ken_buffer_format(ken_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = ken_plain_vprint(NULL, 0, format, arguments);
    va_end(arguments);
    /* vsnprintf() fails if the text is longer than INT_MAX */
    if (length < 0) buffer->failed = true;
    if (length >= 0 && reserve(buffer, (size_t)length)) {
        ken_plain_vprint(buffer->data + buffer->size, (size_t)length + 1, format, again);
        buffer->size += (size_t)length;
    }
    va_end(again);
}

/* Makes the buffer empty and also clears `failed`, because a new text begins. */
void ken_buffer_clear(ken_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
    if (buffer->data) buffer->data[0] = '\0';
}

void ken_buffer_release(ken_buffer *buffer)
{
    ken_memory_free(buffer->data);
    *buffer = (ken_buffer){ 0 };
}

ken_status ken_buffer_status(const ken_buffer *buffer)
{
    if (!buffer->failed) return KEN_OK;
    return ken_fail(KEN_ERR_MEMORY, "no memory for a text of more than %zu bytes", buffer->size);
}

const char *ken_buffer_string(const ken_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

/* Appends a string. After an append to `text` or `ends` has failed, `count` no longer grows, so
 * every counted string has all its bytes in `text` and its end in `ends`. */
void ken_strings_add(ken_strings *strings, const char *text, size_t length)
{
    ken_buffer_append(&strings->text, text, length);
    size_t end = strings->text.size;
    ken_buffer_append(&strings->text, "", 1);
    ken_buffer_append(&strings->ends, &end, sizeof end);
    if (!strings->text.failed && !strings->ends.failed) strings->count++;
}

void ken_strings_drop(ken_strings *strings)
{
    if (strings->count == 0) return;
    strings->text.size = (size_t)(ken_strings_at(strings, strings->count - 1, NULL) -
                                  strings->text.data);
    strings->ends.size -= sizeof(size_t);
    strings->count--;
}

void ken_strings_release(ken_strings *strings)
{
    ken_buffer_release(&strings->text);
    ken_buffer_release(&strings->ends);
    strings->count = 0;
}

ken_status ken_strings_status(const ken_strings *strings)
{
    KEN_TRY(ken_buffer_status(&strings->text));
    return ken_buffer_status(&strings->ends);
}

const char *ken_strings_at(const ken_strings *strings, size_t i, size_t *length)
{
    const size_t *ends = (const size_t *)(const void *)strings->ends.data;
    size_t from = i > 0 ? ends[i - 1] + 1 : 0; /* string i begins after the 0 of string i - 1 */
    if (length) *length = ends[i] - from;
    return strings->text.data + from;
}
