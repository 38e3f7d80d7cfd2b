/* memory.h - the only access to the heap. Code above base/ uses arenas or the calls below. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Memory for `count` things of `size` bytes, aligned for every vector type, not cleared. NULL if
 * the product overflows, memory is short or a fault is due. Zero bytes give a valid pointer. */
void *ken_memory_new(size_t count, size_t size);

/* The same, with all bits zero. */
void *ken_memory_zeroed(size_t count, size_t size);

/* Replaces `old`, which has `old_bytes`, by a larger or smaller copy. If the result is NULL, `old`
 * is unchanged. */
void *ken_memory_resize(void *old, size_t old_bytes, size_t count, size_t size);

/* A copy of `length` bytes of text, followed by a 0. */
char *ken_memory_text(const char *text, size_t length);

void ken_memory_free(void *memory); /* NULL is fine */

#endif
