/* block.h - the Transformer block (layer): self-attention or another mixing part (token mixer), in
 * a decoder also cross-attention, and feed-forward. Each has a residual connection and a norm
 * before it (pre-norm) or after it (post-norm, as in the paper).
 *
 * A conformer block has its own parts and order: half a feed-forward, self-attention, in a decoder
 * cross-attention, convolution, the other half; each has a norm before it, and the block one at its
 * end. So, as with post-norm, the rows between blocks are normalised. A bare block is attention and
 * the activation, without a residual connection. */
#ifndef LAYER_BLOCK_H
#define LAYER_BLOCK_H

#include "layer/attention.h"
#include "layer/convolve.h"
#include "layer/recurrent.h"

struct ken_block_config {
    struct ken_attention_config attention; /* of the self-attention; cross is ignored      */
    enum ken_mixing mixing;                /* attention or another token mixer             */
    size_t neighbours;                     /* rows on each side of a window or convolution */
    bool both_ways;                        /* recurrence runs both ways; not with `causal` */
    bool causal;                           /* no row sees a later one                      */
    bool decoder;                          /* has cross-attention                          */
    size_t hidden;                         /* F                                            */
    enum ken_activation activation;
    bool gated; /* GLU form: W2 (act(W1 x) . W3 x) */
    enum ken_norm_kind norm;
    float eps;
    bool post_norm;       /* always set in a conformer and a bare block */
    float dropout;        /* of each sub-layer's result                 */
    float hidden_dropout; /* after the activation                       */
};

/* Sub-layers in their order. Each block has some of them. */
enum ken_part {
    KEN_PART_HALF,     /* conformer: feed-forward that counts half */
    KEN_PART_MIX,      /* all but fc                               */
    KEN_PART_CROSS,    /* decoder                                  */
    KEN_PART_CONVOLVE, /* conformer                                */
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
 * added to `sum`; with post-norm both are the same. */
struct ken_stream {
    ken_tensor *sum, *normed;
    ken_ragged rows;
    ken_tensor *memory; /* the encoder's result, for cross-attention; or NULL */
    ken_ragged memory_rows;
    const struct ken_graph *graph;        /* which rows see which in a graph; or NULL       */
    const struct ken_cache_batch *cached; /* NULL: the rows are whole sequences             */
    const int32_t *places;                /* (N, axes); NULL: a row's index in its sequence */
    size_t depth;                         /* number of blocks it has gone through           */
    struct ken_shift shift;               /* from ken_places_shift()                        */
    struct ken_block_seen {
        struct ken_seen own, memory; /* self-attention, cross-attention                */
    } * seen;                        /* (blocks), receives records for a look; or NULL */
};

/* Whether this kind of block has self-attention. */
bool ken_mixing_attends(enum ken_mixing mixing);

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config);
void ken_block_release(struct ken_block *block); /* frees all but the parameters */
void ken_block_visit(struct ken_block *block, ken_visitor *visitor);

/* The widths of the rows that a cache keeps for the block; 0 if it keeps none. */
void ken_block_cache_cols(const struct ken_block *block, struct ken_cache_block *kept);

/* Starts the stream with x; with pre-norm it also applies the first block's norm. */
void ken_block_open(ken_tape *tape, const struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x);

/* Moves the stream through the block. `next` is the norm before the next part (the next block's
 * ken_block_first_norm(), or a final norm); it is fused with this block's last residual connection.
 * With post-norm it is not used. */
void ken_block_apply(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                     const struct ken_norm_layer *next);
const struct ken_norm_layer *ken_block_first_norm(const struct ken_block *block);

#endif
