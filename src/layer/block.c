/* block.c - sub-layers in their order. Each is followed by one fused operation: residual
 * connection, dropout and the next norm in one pass over memory. */
#include "layer/block.h"

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config)
{
    *block = (struct ken_block){ .config = *config };
    struct ken_attention_config attention = config->attention;
    size_t D = attention.width;
    attention.cross = false;
    KEN_TRY(ken_attention_init(&block->attention, &attention));
    if (config->decoder) { /* sees all of the memory, and its distances mean nothing */
        attention.cross = true;
        attention.left = attention.right = KEN_UNLIMITED;
        attention.position = KEN_ATTENTION_NO_POSITION;
        KEN_TRY(ken_attention_init(&block->cross, &attention));
    }
    if (config->hidden == 0) return ken_fail(KEN_ERR_ARGUMENT, "block: hidden width is 0");
    bool biased = attention.biased;
    size_t wide = config->gated ? 2 * config->hidden : config->hidden;
    block->in = (struct ken_dense){ .in = D, .out = wide, .biased = biased };
    block->out = (struct ken_dense){ .in = config->hidden, .out = D, .biased = biased };
    struct ken_norm_layer norm = { .kind = config->norm, .width = D, .eps = config->eps };
    block->norm_attention = block->norm_cross = block->norm_forward = norm;
    return KEN_OK;
}

void ken_block_visit(struct ken_block *block, ken_visitor *visitor)
{
    ken_attention_visit(&block->attention, visitor, "attention");
    ken_norm_visit(&block->norm_attention, visitor, "norm_attention");
    if (block->config.decoder) {
        ken_attention_visit(&block->cross, visitor, "cross");
        ken_norm_visit(&block->norm_cross, visitor, "norm_cross");
    }
    ken_dense_visit(&block->in, visitor, "forward_in");
    ken_dense_visit(&block->out, visitor, "forward_out");
    ken_norm_visit(&block->norm_forward, visitor, "norm_forward");
}

struct ken_norm_layer *ken_block_first_norm(struct ken_block *block)
{
    return &block->norm_attention;
}

void ken_block_open(ken_tape *tape, struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x)
{
    stream->sum = x;
    stream->depth = 0;
    stream->normed = first->config.post_norm ? x : ken_norm_apply(tape, &first->norm_attention, x);
}

/* Adds a sub-layer's result: `own` is its norm (post), `next` that of the following one (pre). */
static void join(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                 ken_tensor *branch, struct ken_norm_layer *own, struct ken_norm_layer *next)
{
    bool post = block->config.post_norm;
    ken_tensor *sum;
    stream->normed = ken_norm_apply_after(tape, post ? own : next, &sum, stream->sum, branch,
                                          block->config.dropout);
    stream->sum = post ? stream->normed : sum;
}

static ken_tensor *feed_forward(ken_tape *tape, struct ken_block *block, ken_tensor *x)
{
    const struct ken_block_config *config = &block->config;
    enum ken_activation inside = config->gated ? KEN_ACT_NONE : config->activation;
    ken_tensor *hidden = ken_dense_apply(tape, &block->in, x, inside);
    if (config->gated) hidden = ken_glu(tape, hidden, config->activation);
    if (config->hidden_dropout > 0) hidden = ken_dropout(tape, hidden, config->hidden_dropout);
    return ken_dense_apply(tape, &block->out, hidden, KEN_ACT_NONE);
}

static ken_tensor *attend_self(ken_tape *tape, struct ken_block *block,
                               const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    const size_t *first = stream->shift.first;
    block->attention.shift = stream->shift;
    if (first) block->attention.shift.first = first + stream->depth * stream->rows.count;
    if (cached)
        return ken_attention_go_on(tape, &block->attention, stream->normed, stream->rows, cached,
                                   &cached->cache->blocks[stream->depth].own);
    return ken_attention_apply(tape, &block->attention, stream->normed, stream->rows, NULL,
                               stream->rows, stream->edges);
}

static ken_tensor *attend_memory(ken_tape *tape, struct ken_block *block,
                                 const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    if (cached)
        return ken_attention_go_on(tape, &block->cross, stream->normed, stream->rows, cached,
                                   &cached->cache->blocks[stream->depth].memory);
    return ken_attention_apply(tape, &block->cross, stream->normed, stream->rows, stream->memory,
                               stream->memory_rows, NULL);
}

void ken_block_apply(ken_tape *tape, struct ken_block *block, struct ken_stream *stream,
                     struct ken_norm_layer *next)
{
    bool decoder = block->config.decoder;
    ken_tensor *branch = attend_self(tape, block, stream);
    join(tape, block, stream, branch, &block->norm_attention,
         decoder ? &block->norm_cross : &block->norm_forward);
    if (decoder) {
        branch = attend_memory(tape, block, stream);
        join(tape, block, stream, branch, &block->norm_cross, &block->norm_forward);
    }
    branch = feed_forward(tape, block, stream->normed);
    join(tape, block, stream, branch, &block->norm_forward, next);
    stream->depth++;
}
