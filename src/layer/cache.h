/* cache.h - the KV cache: keys and values of the rows (tokens) that a decoder has read, so that the
 * next row of a sequence costs each block one row of work and attention over the kept rows. Blocks
 * with another token mixer keep what that needs: rows that a convolution reads again, or the state
 * of a recurrent network after each row.
 *
 * A slot holds the rows of one sequence, at most `room`; the caller decides which sequence uses
 * which slot and how many of its rows count. Keys and values of the encoder's rows (the memory) are
 * the same for every step, so they are computed once and shared by all sequences that attend to
 * them. Rows that fell out of a window are kept, but the kernel does not read them. Linear
 * attention keeps a state of fixed size instead of rows; it continues from the last row only, and
 * is copied as a whole. */
#ifndef LAYER_CACHE_H
#define LAYER_CACHE_H

#include "tensor/tape.h"

struct ken_block;

/* Of one attention: a key and its value side by side in a row; or one row for a whole sequence.
 * `mixed` below has no keys. */
struct ken_cache_part {
    float *rows;         /* (rows, cols), NULL until there are some */
    size_t k_cols, cols; /* of the key; of both                      */
    bool state;          /* (slots or memory sequences, cols)        */
};

struct ken_cache {
    ken_arena *arena; /* of the caller: all memory is taken from it and ends with it */
    struct ken_cache_block {
        struct ken_cache_part own;    /* self-attention: (slots * room, cols)         */
        struct ken_cache_part mixed;  /* convolution, recurrence: (slots * room, cols)*/
        struct ken_cache_part memory; /* cross-attention: (memory_rows, cols)         */
    } * blocks;                       /* (count)                                      */
    size_t count, slots, room, memory_rows;
    ken_ragged memory; /* sequences of the memory */
};

/* The sequences of a batch, each going on where the cache has it; all arrays (B). */
struct ken_cache_batch {
    struct ken_cache *cache;
    const size_t *first; /* row of the cache where the sequence begins: its slot * room     */
    const size_t *kept;  /* rows of it that are there already                               */
    const size_t *count; /* and how many with the new ones, which this step keeps           */
    const size_t *memory_first, *memory_count; /* rows of the encoder that it sees, or NULL */
};

/* Room for `slots` sequences of `room` rows in each of `count` blocks. The arena is not the tape's,
 * and is neither cleared nor rewound while the cache is in use. */
ken_status ken_cache_init(struct ken_cache *cache, ken_arena *arena, const struct ken_block *blocks,
                          size_t count, size_t slots, size_t room);

/* Keeps what the blocks' cross-attention makes of the encoder's rows (M, D); where their sequences
 * begin must stay as long as the cache. */
ken_status ken_cache_remember(struct ken_cache *cache, ken_tape *tape,
                              const struct ken_block *blocks, ken_tensor *memory, ken_ragged rows);

/* Copies the new rows x of a batch to columns col .. of `part`, behind those of their sequences. */
void ken_cache_keep(const struct ken_cache_part *part, size_t col,
                    const struct ken_cache_batch *batch, const ken_tensor *x, ken_ragged rows);

/* Other numbers of slots and rows: new slot s gets the first kept[s] rows of old slot from[s]. The
 * old rows stay in the arena; doubling the room costs as much again as the cache has, at most.
 * After a failure the cache is of no use. */
ken_status ken_cache_resize(struct ken_cache *cache, size_t slots, size_t room, const size_t *from,
                            const size_t *kept);

/* Copies rows first .. end - 1 of slot `from` to the same rows of slot `to`, and the whole
 * state. */
void ken_cache_copy(struct ken_cache *cache, size_t to, size_t from, size_t first, size_t end);

#endif
