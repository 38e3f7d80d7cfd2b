/* memory.c - aligned heap memory with injectable failures. Large blocks ask the system for huge
 * pages: a training step uses hundreds of megabytes, and with pages of 4 kB the address translation
 * would cost several percent of the time. */
#define _GNU_SOURCE
#include "base/memory.h"

#include "base/fault.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

void *ken_memory_new(size_t count, size_t size)
{
    size_t bytes;
    if (ken_fault_due(KEN_FAULT_MEMORY)) return NULL;
    /* this addition only checks that rounding up cannot overflow; the next statement undoes it */
    if (!ken_size_mul(&bytes, count, size) || !ken_size_add(&bytes, bytes, HUGE_PAGE - 1))
        return NULL;
    bytes -= HUGE_PAGE - 1;
    size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    void *memory = aligned_alloc(alignment, ken_size_round_up(ken_size_max(bytes, 1), alignment));
#ifdef MADV_HUGEPAGE
    if (memory && alignment == HUGE_PAGE) /* only a hint, so failure is ignored */
        madvise(memory, ken_size_round_up(bytes, HUGE_PAGE), MADV_HUGEPAGE);
#endif
    return memory;
}

void *ken_memory_zeroed(size_t count, size_t size)
{
    void *memory = ken_memory_new(count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

/* Copies `old` to a new block, larger or smaller. realloc() is not used, because it would lose the
 * alignment. */
void *ken_memory_resize(void *old, size_t old_bytes, size_t count, size_t size)
{
    void *memory = ken_memory_new(count, size);
    if (!memory) return NULL;
    if (old) memcpy(memory, old, ken_size_min(old_bytes, count * size));
    ken_memory_free(old);
    return memory;
}

char *ken_memory_text(const char *text, size_t length)
{
    char *copy = ken_memory_new(length + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void ken_memory_free(void *memory)
{
    free(memory);
}
