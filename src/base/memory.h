/* memory.h - the only access to the heap. Code outside base/ uses arenas or the functions declared
 * here. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Returns uninitialised memory for `count` elements of `size` bytes, aligned for every vector type.
 * Returns NULL if count * size overflows, if memory is short, or if an injected fault is due. A
 * request of 0 bytes returns a valid pointer. */
void *ken_memory_new(size_t count, size_t size);

/* Like ken_memory_new(), but all bytes are 0. */
void *ken_memory_zeroed(size_t count, size_t size);

/* Copies the block `old` of `old_bytes` bytes to a new block of count * size bytes, larger or
 * smaller, and frees `old`. If the result is NULL, `old` is unchanged. */
void *ken_memory_resize(void *old, size_t old_bytes, size_t count, size_t size);

/* Returns a copy of `length` bytes of text, followed by a 0; NULL if memory is short. */
char *ken_memory_text(const char *text, size_t length);

void ken_memory_free(void *memory); /* `memory` may be NULL */

#endif
