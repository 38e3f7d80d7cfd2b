/* block.h - the Transformer block (layer): self-attention or another mixing part (token mixer), in
 * a decoder also cross-attention, and feed-forward. Each sub-layer has a residual connection and a
 * norm before it (pre-norm) or after it (post-norm, as in the paper).
 *
 * A conformer block has these sub-layers in this order: half a feed-forward, self-attention, in a
 * decoder cross-attention, convolution, the other half of the feed-forward. Each has a norm before
 * it, and the block has one more norm at its end; so the rows between blocks are normalised, as
 * with post-norm. A bare block is attention and the activation, without a residual connection. */
#ifndef LAYER_BLOCK_H
#define LAYER_BLOCK_H

#include "layer/attention.h"
#include "layer/convolve.h"
#include "layer/recurrent.h"

struct ken_block_config {
    struct ken_attention_config attention; /* self-attention; its field `cross` is ignored     */
    enum ken_mixing mixing;                /* attention or another token mixer                 */
    size_t neighbours;                     /* window or convolution: rows seen on each side    */
    bool both_ways;                        /* recurrence in both directions; not with `causal` */
    bool causal;                           /* no row attends to a later row                    */
    bool decoder;                          /* true: the block has cross-attention              */
    size_t hidden;                         /* width of the hidden feed-forward layer           */
    enum ken_activation activation;
    bool gated; /* feed-forward of GLU form: W2 (act(W1 x) . W3 x) */
    enum ken_norm_kind norm;
    float eps;
    bool post_norm;       /* always true in conformer and bare blocks              */
    float dropout;        /* dropout probability of each sub-layer's result        */
    float hidden_dropout; /* dropout probability after the feed-forward activation */
};

/* The sub-layers in their order. No block has all of them. */
enum ken_part {
    KEN_PART_HALF,     /* half a feed-forward; conformer only             */
    KEN_PART_MIX,      /* token mixer; every kind of block but fc has one */
    KEN_PART_CROSS,    /* cross-attention; decoder only                   */
    KEN_PART_CONVOLVE, /* convolution module; conformer only              */
    KEN_PART_FORWARD,
    KEN_PART_COUNT
};

struct ken_block {
    struct ken_block_config config;
    bool has[KEN_PART_COUNT];
    struct ken_attention attention, cross;
    struct ken_convolve convolve;
    struct ken_recurrent recurrent;
    struct ken_feed_forward {
        struct ken_dense in, out;
    } half, forward;
    struct ken_norm_layer norms[KEN_PART_COUNT], closing;
};

/* The data that flows through a stack of blocks. A sub-layer reads `normed`, and its result is
 * added to `sum`; with post-norm, `normed` and `sum` are the same tensor. */
struct ken_stream {
    ken_tensor *sum, *normed;
    ken_ragged rows;
    ken_tensor *memory; /* the encoder's result, for cross-attention; or NULL */
    ken_ragged memory_rows;
    const struct ken_graph *graph; /* which rows attend to which; NULL = not a graph */
    /* The sequences of a cache that the rows continue; NULL = the rows are whole sequences. */
    const struct ken_cache_batch *cached;
    const int32_t *places;  /* place of each row, (N, axes); NULL: its index in its sequence */
    size_t depth;           /* number of blocks that the stream has passed                   */
    struct ken_shift shift; /* floater's biases, from ken_places_shift()                     */
    struct ken_block_seen {
        struct ken_seen own, memory; /* records of self-attention and cross-attention           */
    } * seen;                        /* one record per block, for ken_attention_look(); or NULL */
};

/* Returns whether this kind of block has self-attention. */
bool ken_mixing_attends(enum ken_mixing mixing);

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config);
/* Frees the memory of a block, except the memory of its parameters. */
void ken_block_release(struct ken_block *block);
void ken_block_visit(struct ken_block *block, ken_visitor *visitor);

/* Sets the widths of the rows that a cache keeps for the block; 0 if it keeps none. */
void ken_block_cache_cols(const struct ken_block *block, struct ken_cache_block *kept);

/* Starts the stream with the rows x; with pre-norm, also applies the norm of the block `first`. */
void ken_block_open(ken_tape *tape, const struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x);

/* Runs the rows of the stream through the block. `next` is the norm that follows the block:
 * ken_block_first_norm() of the next block, or a final norm. It is fused with the last residual
 * connection of this block. With post-norm `next` is not used. */
void ken_block_apply(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                     const struct ken_norm_layer *next);
const struct ken_norm_layer *ken_block_first_norm(const struct ken_block *block);

#endif
