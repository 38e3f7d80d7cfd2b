/* block.h - the Transformer block: self-attention or what stands in its place, in a decoder
 * cross-attention, feed-forward, each with a residual connection and a norm before (pre) or after
 * it (post, as in the paper).
 *
 * A conformer's block has parts and an order of its own: half a feed-forward, self-attention,
 * (cross-attention,) convolution, the other half, each with a norm before it, and one at the end.
 * So its border is that of post-norm: what goes from block to block is normed. A bare block is
 * attention and the activation, and nothing is added to what it reads. */
#ifndef LAYER_BLOCK_H
#define LAYER_BLOCK_H

#include "layer/attention.h"
#include "layer/convolve.h"
#include "layer/recurrent.h"

struct ken_block_config {
    struct ken_attention_config attention; /* of the self-attention; cross is ignored      */
    enum ken_mixing mixing;                /* what the block has in its place, or not       */
    size_t neighbours;                     /* of a window or convolution, on each side      */
    bool both_ways;                        /* of recurrence; not with `causal`              */
    bool causal;                           /* no row sees a later one                       */
    bool decoder;                          /* has cross-attention                           */
    size_t hidden;                         /* F                                             */
    enum ken_activation activation;
    bool gated; /* GLU form: W2 (act(W1 x) . W3 x)               */
    enum ken_norm_kind norm;
    float eps;
    bool post_norm;       /* always set in a conformer and a bare block    */
    float dropout;        /* of each sub-layer's result                    */
    float hidden_dropout; /* after the activation                          */
};

/* Sub-layers in their order. Each block has some of them. */
enum ken_part {
    KEN_PART_HALF,     /* conformer: feed-forward that counts half  */
    KEN_PART_MIX,      /* all but fc                                */
    KEN_PART_CROSS,    /* decoder                                   */
    KEN_PART_CONVOLVE, /* conformer                                 */
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

/* What flows through a stack of blocks. Before a sub-layer `normed` is what it reads and `sum` what
 * its result is added to; with post-norm both are the same. */
struct ken_stream {
    ken_tensor *sum, *normed;
    ken_ragged rows;
    ken_tensor *memory; /* of the encoder, for cross-attention; NULL else */
    ken_ragged memory_rows;
    const struct ken_graph *graph;        /* who sees whom in an encoder of graphs; or NULL */
    const struct ken_cache_batch *cached; /* NULL: the rows are whole sequences */
    const int32_t *places;                /* (N, axes) of the rows, or NULL: their indices  */
    size_t depth;                         /* blocks it has gone through         */
    struct ken_shift shift;               /* of ken_places_shift()              */
    struct ken_block_seen {
        struct ken_seen own, memory; /* self-attention, cross-attention */
    } * seen;                        /* (blocks), gets what a look needs; or NULL */
};

/* Has this kind of block self-attention? */
bool ken_mixing_attends(enum ken_mixing mixing);

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config);
void ken_block_release(struct ken_block *block); /* what is not a parameter */
void ken_block_visit(struct ken_block *block, ken_visitor *visitor);

/* How wide the rows are that a cache keeps of the block; 0 where it keeps none. */
void ken_block_cache_cols(const struct ken_block *block, struct ken_cache_block *kept);

/* Opens the stream: with pre-norm the first block's norm of x. */
void ken_block_open(ken_tape *tape, const struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x);

/* Moves the stream through the block. `next` is the norm before whatever follows (the next block's
 * ken_block_first_norm(), or a final norm): fused with this block's last residual connection.
 * With post-norm it is not used. */
void ken_block_apply(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                     const struct ken_norm_layer *next);
const struct ken_norm_layer *ken_block_first_norm(const struct ken_block *block);

#endif
