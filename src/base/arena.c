/* arena.c - a chain of memory blocks. Memory is taken from the newest block, and all blocks are
 * freed together. Invariant: arena->block is the newest block. Older blocks are full or were too
 * small for a request; they stay in the chain until the next ken_arena_clear(), which replaces the
 * chain by one block of the peak size. */
#include "base/arena.h"

#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* sizes in bytes: ALIGNMENT is a cache line, FIRST_BLOCK is 64 kB */
enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16 };

struct ken_arena_block {
    struct ken_arena_block *older;
    size_t capacity; /* bytes in `data`, which follows this header */
    size_t used;
    char padding[ALIGNMENT - 3 * sizeof(size_t)]; /* makes `data` start at a multiple of 64 */
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
    /* a block of double size was not available: try again with only the `bytes` that are needed */
    if (!block && capacity > bytes) {
        capacity = bytes;
        block = ken_memory_new(capacity + sizeof(struct ken_arena_block), 1);
    }
    if (!block) return NULL;
    *block = (struct ken_arena_block){ .older = arena->block, .capacity = capacity };
    arena->block = block;
    return block;
}

/* Takes memory from the newest block and adds a block if there is too little room. Every size is
 * rounded up to ALIGNMENT, so `used` is always a multiple of ALIGNMENT. A request of 0 bytes takes
 * no room and still returns a pointer, so that NULL always means failure. */
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

/* Gives back all memory taken after `mark`. The block of the mark must still be in the chain, so a
 * mark is valid only until the next clear or release, or until a rewind to an earlier mark. The
 * mark of an empty arena has block NULL, which is the end of every chain. */
void ken_arena_rewind(ken_arena *arena, ken_arena_mark mark)
{
    while (arena->block != mark.block) drop_newest(arena);
    if (arena->block) arena->block->used = mark.block_used;
    arena->used = mark.used;
}

void ken_arena_clear(ken_arena *arena)
{
    /* Replaces the chain by one block of the peak size. Even a single block is replaced if it is
     * smaller than the peak, because a rewind may have dropped the block that the peak needed. */
    if (arena->block && (arena->block->older || arena->block->capacity < arena->peak)) {
        while (arena->block) drop_newest(arena);
        /* if this allocation fails, the next ken_arena_take() tries again and reports the
         * failure */
        add_block(arena, arena->peak);
    }
    if (arena->block) arena->block->used = 0;
    arena->used = 0;
}

void ken_arena_release(ken_arena *arena)
{
    while (arena->block) drop_newest(arena);
    ken_arena_init(arena);
}
