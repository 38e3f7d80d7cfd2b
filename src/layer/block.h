/* block.h - the Transformer block: self-attention, in a decoder cross-attention, feed-forward,
 * each with a residual connection and a norm before (pre) or after it (post, as in the paper). */
#ifndef LAYER_BLOCK_H
#define LAYER_BLOCK_H

#include "layer/attention.h"

struct ken_block_config {
    struct ken_attention_config attention; /* of the self-attention; cross is ignored      */
    bool decoder;                          /* has cross-attention                           */
    size_t hidden;                         /* F                                             */
    enum ken_activation activation;
    bool gated; /* GLU form: W2 (act(W1 x) . W3 x)               */
    enum ken_norm_kind norm;
    float eps;
    bool post_norm;
    float dropout;        /* of each sub-layer's result                    */
    float hidden_dropout; /* after the activation                          */
};

struct ken_block {
    struct ken_block_config config;
    struct ken_attention attention, cross;
    struct ken_dense in, out; /* feed-forward                 */
    struct ken_norm_layer norm_attention, norm_cross, norm_forward;
};

/* What flows through a stack of blocks. Before a sub-layer `normed` is what it reads and `sum` what
 * its result is added to; with post-norm both are the same. */
struct ken_stream {
    ken_tensor *sum, *normed;
    ken_ragged rows;
    ken_tensor *memory; /* of the encoder, for cross-attention; NULL else */
    ken_ragged memory_rows;
    const struct ken_edges *edges;
    const struct ken_cache_batch *cached; /* NULL: the rows are whole sequences */
    size_t depth;                         /* blocks it has gone through         */
    struct ken_shift shift;               /* of ken_places_shift()              */
};

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config);
void ken_block_visit(struct ken_block *block, ken_visitor *visitor);

/* Opens the stream: with pre-norm the first block's norm of x. */
void ken_block_open(ken_tape *tape, struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x);

/* Moves the stream through the block. `next` is the norm before whatever follows (the next block's
 * ken_block_first_norm(), or a final norm): fused with this block's last residual connection.
 * With post-norm it is not used. */
void ken_block_apply(ken_tape *tape, struct ken_block *block, struct ken_stream *stream,
                     struct ken_norm_layer *next);
struct ken_norm_layer *ken_block_first_norm(struct ken_block *block);

#endif
