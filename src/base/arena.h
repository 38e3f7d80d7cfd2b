/* arena.h - an arena: memory that is freed all at once.
 * A training step takes thousands of arrays and drops them together. After the first step the arena
 * is one block of the right size, and taking memory is one addition. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct ken_arena_block;

typedef struct ken_arena {
    struct ken_arena_block *block; /* newest first                             */
    size_t used;                   /* bytes taken since the last clear          */
    size_t peak;                   /* largest `used` so far: the need of a step */
} ken_arena;

/* A mark remembers how much was taken; a rewind to it gives back everything taken after it. */
typedef struct ken_arena_mark {
    struct ken_arena_block *block;
    size_t block_used;
    size_t used;
} ken_arena_mark;

void ken_arena_init(ken_arena *arena); /* empty and usable; allocates nothing */

/* Memory for `count` things of `size` bytes, aligned to 64 bytes and never moved; NULL if memory is
 * short. The first call does not clear it. */
void *ken_arena_take(ken_arena *arena, size_t count, size_t size);
void *ken_arena_take_zeroed(ken_arena *arena, size_t count, size_t size);

ken_arena_mark ken_arena_here(const ken_arena *arena);
void ken_arena_rewind(ken_arena *arena, ken_arena_mark mark);

void ken_arena_clear(ken_arena *arena);   /* makes it empty; keeps the memory for reuse   */
void ken_arena_release(ken_arena *arena); /* gives all memory back; usable like a new one */

#endif
