/* arena.h - an arena: memory that is freed all at once.
 * A training step takes thousands of arrays and drops them together. After the first step the arena
 * is one block of the right size, and taking memory is one addition. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct ken_arena_block;

typedef struct ken_arena {
    struct ken_arena_block *block; /* the newest block of a chain; NULL if there is none */
    size_t used;                   /* bytes taken since the last clear                   */
    size_t peak; /* largest `used` so far: the bytes that one training step needs */
} ken_arena;

/* A mark remembers how much memory an arena has given out. ken_arena_rewind() to a mark gives back
 * everything taken after the mark. */
typedef struct ken_arena_mark {
    struct ken_arena_block *block;
    size_t block_used;
    size_t used;
} ken_arena_mark;

void ken_arena_init(ken_arena *arena); /* makes an empty arena; allocates nothing */

/* ken_arena_take() and ken_arena_take_zeroed() return memory for `count` elements of `size` bytes,
 * aligned to 64 bytes and never moved, or NULL if memory is short. The first leaves the bytes
 * uninitialised; the second sets them to 0. */
void *ken_arena_take(ken_arena *arena, size_t count, size_t size);
void *ken_arena_take_zeroed(ken_arena *arena, size_t count, size_t size);

ken_arena_mark ken_arena_here(const ken_arena *arena);
void ken_arena_rewind(ken_arena *arena, ken_arena_mark mark);

void ken_arena_clear(ken_arena *arena); /* makes the arena empty; keeps its memory for reuse */
/* Frees all memory of the arena, which can be used again afterwards. */
void ken_arena_release(ken_arena *arena);

#endif
