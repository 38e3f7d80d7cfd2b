/* arena.c - a chain of blocks; memory is taken from the newest one, and all are freed together.
 * Invariant: `block` is the newest block. Older ones are full or were too small; they are kept
 * until the next clear, which replaces the chain by one block of the peak size. */
#include "base/arena.h"

#include "base/memory.h"
#include "base/size.h"

#include <string.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16 }; /* bytes: a cache line, and 64 kB */

struct ken_arena_block {
    struct ken_arena_block *older;
    size_t capacity; /* bytes after the header */
    size_t used;
    char padding[ALIGNMENT - 3 * sizeof(size_t)]; /* so that data starts aligned */
    char data[];
};

void ken_arena_init(ken_arena *arena)
{
    *arena = (ken_arena){ 0 };
}

static struct ken_arena_block *add_block(ken_arena *arena, size_t bytes)
{
    size_t previous = arena->block ? arena->block->capacity : 0;
    size_t capacity = ken_size_max(ken_size_max(bytes, 2 * previous), FIRST_BLOCK);
    size_t total;
    if (!ken_size_add(&total, capacity, sizeof(struct ken_arena_block))) return NULL;
    struct ken_arena_block *block = ken_memory_new(total, 1);
    if (!block && capacity > bytes) { /* doubling was only a wish; `bytes` are needed */
        capacity = bytes;
        block = ken_memory_new(capacity + sizeof(struct ken_arena_block), 1);
    }
    if (!block) return NULL;
    *block = (struct ken_arena_block){ .older = arena->block, .capacity = capacity };
    arena->block = block;
    return block;
}

/* Every size is rounded up to the alignment, so `used` is always a multiple of it. Zero bytes take
 * no room and still give a pointer: NULL always means failure. */
void *ken_arena_take(ken_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!ken_size_mul(&bytes, count, size) || !ken_size_add(&bytes, bytes, ALIGNMENT - 1))
        return NULL;
    bytes -= bytes % ALIGNMENT;
    struct ken_arena_block *block = arena->block;
    if (!block || block->capacity - block->used < bytes) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *memory = block->data + block->used;
    block->used += bytes;
    arena->used += bytes;
    arena->peak = ken_size_max(arena->peak, arena->used);
    return memory;
}

void *ken_arena_take_zeroed(ken_arena *arena, size_t count, size_t size)
{
    void *memory = ken_arena_take(arena, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

ken_arena_mark ken_arena_here(const ken_arena *arena)
{
    return (ken_arena_mark){ .block = arena->block,
                             .block_used = arena->block ? arena->block->used : 0,
                             .used = arena->used };
}

static void drop_newest(ken_arena *arena)
{
    struct ken_arena_block *block = arena->block;
    arena->block = block->older;
    ken_memory_free(block);
}

/* A mark is valid until the next clear or release, or a rewind to an earlier mark, because its
 * block must still be in the chain. The block of an empty arena's mark is NULL, the end of every
 * chain. */
void ken_arena_rewind(ken_arena *arena, ken_arena_mark mark)
{
    while (arena->block != mark.block) drop_newest(arena);
    if (arena->block) arena->block->used = mark.block_used;
    arena->used = mark.used;
}

void ken_arena_clear(ken_arena *arena)
{
    /* A rewind may have dropped the block that the peak needed, so even a single block can be too
     * small. */
    if (arena->block && (arena->block->older || arena->block->capacity < arena->peak)) {
        while (arena->block) drop_newest(arena);
        add_block(arena, arena->peak); /* if this fails, the next take tries again and reports it */
    }
    if (arena->block) arena->block->used = 0;
    arena->used = 0;
}

void ken_arena_release(ken_arena *arena)
{
    while (arena->block) drop_newest(arena);
    ken_arena_init(arena);
}
