/* cache.h - the KV cache: keys and values of the rows (tokens) that a decoder has read. With a
 * cache, each block computes only the next row of a sequence, which attends to the kept rows.
 * Blocks with another token mixer keep the rows that a convolution reads again, or the state of a
 * recurrent network after each row.
 *
 * A slot holds the rows of one sequence, at most `room`; the caller decides which sequence uses
 * which slot, and how many rows of a slot are valid. Keys and values of the encoder's rows (the
 * memory) are the same for every step, so they are computed once and shared by all sequences that
 * attend to them. Rows that fell out of a window are kept, but the kernel does not read them.
 * Linear attention keeps a state of fixed size instead of rows; a sequence can continue only from
 * the state after its last row. */
#ifndef LAYER_CACHE_H
#define LAYER_CACHE_H

#include "tensor/tape.h"

struct ken_block;

/* The rows that one layer keeps. For attention a row is a key and its value side by side. */
struct ken_cache_part {
    float *rows;   /* (rows, cols); NULL until memory is taken                        */
    size_t k_cols; /* columns of the key; 0 if the layer is not attention             */
    size_t cols;   /* columns of a row: key and value, or a mixer's own numbers       */
    bool state;    /* one row per sequence instead of one per token: linear attention */
};

struct ken_cache {
    ken_arena *arena; /* memory of the cache; the caller owns the arena */
    struct ken_cache_block {
        struct ken_cache_part own;    /* for self-attention: slots * room rows               */
        struct ken_cache_part mixed;  /* for convolution and recurrence: slots * room rows   */
        struct ken_cache_part memory; /* for cross-attention: one row per row of the encoder */
    } * blocks;                       /* one for each block of the model                     */
    size_t count, slots, room, memory_rows;
    ken_ragged memory; /* the sequences of the encoder's rows */
};

/* A batch of sequences, each of which continues the rows that the cache holds for it. All arrays
 * have one entry per sequence. */
struct ken_cache_batch {
    struct ken_cache *cache;
    const size_t *first; /* cache row where the sequence begins: slot * room   */
    const size_t *kept;  /* rows of the sequence in the cache before this step */
    const size_t *count; /* rows of the sequence after this step               */
    /* The encoder's rows that each sequence sees: first row, and number of rows; or NULL. */
    const size_t *memory_first, *memory_count;
};

/* Makes a cache for `slots` sequences of at most `room` rows in each of `count` blocks. The arena
 * must not be the tape's arena, and must not be cleared or rewound while the cache is in use. */
ken_status ken_cache_init(struct ken_cache *cache, ken_arena *arena, const struct ken_block *blocks,
                          size_t count, size_t slots, size_t room);

/* Computes and keeps the keys and values of the encoder's rows for the cross-attention of all
 * blocks. The array rows.start must stay valid as long as the cache. */
ken_status ken_cache_remember(struct ken_cache *cache, ken_tape *tape,
                              const struct ken_block *blocks, ken_tensor *memory, ken_ragged rows);

/* Copies the new rows x of a batch to `part`, into the columns from column `col` on. The rows of a
 * sequence go after the rows that `part` keeps for it. */
void ken_cache_keep(const struct ken_cache_part *part, size_t col,
                    const struct ken_cache_batch *batch, const ken_tensor *x, ken_ragged rows);

/* Changes the number of slots and their room: new slot s gets the first kept[s] rows of old slot
 * from[s]. The old memory stays in the arena; if the room doubles each time, it is at most as large
 * as the new cache. After a failure the cache must not be used. */
ken_status ken_cache_resize(struct ken_cache *cache, size_t slots, size_t room, const size_t *from,
                            const size_t *kept);

/* Copies rows first .. end - 1 of slot `from` to the same rows of slot `to`. The state of linear
 * attention is copied as a whole. */
void ken_cache_copy(struct ken_cache *cache, size_t to, size_t from, size_t first, size_t end);

#endif
