/* memory.h - the one door to the heap. Everything above base/ uses arenas or these two calls. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* `count` things of `size` bytes, aligned for every vector type, not cleared. NULL when the
 * product overflows, memory is short or a fault is due. Zero bytes give a valid pointer. */
void *ken_memory_new(size_t count, size_t size);

/* Same, all bits zero. */
void *ken_memory_zeroed(size_t count, size_t size);

/* A larger (or smaller) copy of `old`, which had `old_bytes`; on NULL `old` is untouched. */
void *ken_memory_resize(void *old, size_t old_bytes, size_t count, size_t size);

/* A copy of `length` bytes of text with a 0 behind them. */
char *ken_memory_text(const char *text, size_t length);

void ken_memory_free(void *memory); /* NULL is fine */

#endif
