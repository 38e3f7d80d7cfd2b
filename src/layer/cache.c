/* cache.c - manages the memory of the cache; the layers of a block write its contents. */
#include "layer/cache.h"

#include "base/size.h"
#include "layer/block.h"
#include "layer/linear_attention.h"

#include <string.h>

static ken_status no_memory(size_t slots, size_t room)
{
    return ken_fail(KEN_ERR_MEMORY, "no memory to keep %zu sequences of %zu rows", slots, room);
}

/* Takes memory for slots * room rows of `cols` floats. Returns NULL if there is not enough
 * memory. */
static float *new_rows(ken_arena *arena, size_t slots, size_t room, size_t cols)
{
    size_t size;
    bool fits = ken_size_mul(&size, slots, room) && ken_size_mul(&size, size, cols);
    return fits ? ken_arena_take(arena, size, sizeof(float)) : NULL;
}

/* A block keeps two parts for each slot: `own` for self-attention and `mixed` for other mixers; one
 * of them may have no columns. kept_part() counts the parts of all blocks: `own` of block 0 is part
 * 0, `mixed` of block 0 is part 1, `own` of block 1 is part 2, and so on. */
enum { KEPT = 2 };
static struct ken_cache_part *kept_part(struct ken_cache *cache, size_t i)
{
    struct ken_cache_block *block = &cache->blocks[i / KEPT];
    return i % KEPT == 0 ? &block->own : &block->mixed;
}

/* Returns how many rows of the cache part a sequence of at most `room` rows takes. */
static size_t rows_of(const struct ken_cache_part *part, size_t room)
{
    return part->state ? 1 : room;
}

ken_status ken_cache_init(struct ken_cache *cache, ken_arena *arena, const struct ken_block *blocks,
                          size_t count, size_t slots, size_t room)
{
    *cache = (struct ken_cache){ .arena = arena, .count = count, .slots = slots, .room = room };
    cache->blocks = ken_arena_take_zeroed(arena, count, sizeof *cache->blocks);
    bool enough = cache->blocks != NULL;
    for (size_t i = 0; enough && i < count; i++)
        ken_block_cache_cols(&blocks[i], &cache->blocks[i]);
    for (size_t i = 0; enough && i < count * KEPT; i++) {
        struct ken_cache_part *part = kept_part(cache, i);
        part->rows = new_rows(arena, slots, rows_of(part, room), part->cols);
        enough = part->rows != NULL;
    }
    return enough ? KEN_OK : no_memory(slots, room);
}

ken_status ken_cache_remember(struct ken_cache *cache, ken_tape *tape,
                              const struct ken_block *blocks, ken_tensor *memory,
                              ken_ragged sequences)
{
    cache->memory = sequences;
    for (size_t i = 0; i < cache->count; i++) {
        struct ken_cache_part *part = &cache->blocks[i].memory;
        ken_arena_mark mark = ken_arena_here(&tape->arena);
        ken_tensor *made = ken_dense_apply(tape, &blocks[i].cross.remember, memory, KEN_ACT_NONE);
        KEN_TRY(ken_tape_status(tape));
        float *rows = new_rows(cache->arena, part->state ? sequences.count : made->rows, 1,
                               part->cols);
        if (!rows) return no_memory(1, made->rows);
        part->rows = rows;
        cache->memory_rows = made->rows;
        if (part->state)
            KEN_TRY(ken_attention_linear_remember(rows, tape, &blocks[i].cross, made, sequences));
        else memcpy(rows, made->data, ken_tensor_size(made) * sizeof *rows);
        ken_arena_rewind(&tape->arena, mark);
    }
    return KEN_OK;
}

void ken_cache_keep(const struct ken_cache_part *part, size_t col,
                    const struct ken_cache_batch *batch, const ken_tensor *x, ken_ragged rows)
{
    for (size_t b = 0; b < rows.count; b++) {
        float *to = part->rows + (batch->first[b] + batch->kept[b]) * part->cols + col;
        for (size_t i = rows.start[b]; i < rows.start[b + 1]; i++, to += part->cols)
            memcpy(to, x->data + i * x->cols, x->cols * sizeof *to);
    }
}

ken_status ken_cache_resize(struct ken_cache *cache, size_t slots, size_t room, const size_t *from,
                            const size_t *kept)
{
    for (size_t i = 0; i < cache->count * KEPT; i++) {
        struct ken_cache_part *part = kept_part(cache, i);
        size_t wide = rows_of(part, room) * part->cols,
               was = rows_of(part, cache->room) * part->cols;
        float *rows = new_rows(cache->arena, slots, rows_of(part, room), part->cols);
        if (!rows) return no_memory(slots, room);
        for (size_t s = 0; s < slots; s++)
            memcpy(rows + s * wide, part->rows + from[s] * was,
                   ken_size_min(rows_of(part, kept[s]), kept[s]) * part->cols * sizeof *rows);
        part->rows = rows;
    }
    cache->slots = slots;
    cache->room = room;
    return KEN_OK;
}

void ken_cache_copy(struct ken_cache *cache, size_t to, size_t from, size_t first, size_t end)
{
    for (size_t i = 0; i < cache->count * KEPT; i++) {
        const struct ken_cache_part *part = kept_part(cache, i);
        size_t room = rows_of(part, cache->room), row = part->state ? 0 : first;
        memcpy(part->rows + (to * room + row) * part->cols,
               part->rows + (from * room + row) * part->cols,
               (part->state ? 1 : end - first) * part->cols * sizeof(float));
    }
}
