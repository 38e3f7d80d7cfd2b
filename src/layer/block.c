/* block.c - runs the sub-layers of a block in their order. After each sub-layer, one fused
 * operation does dropout, residual connection and the next norm in one pass over memory. */
#include "layer/block.h"

#include "base/random.h"

static bool convolves(enum ken_mixing mixing)
{
    return mixing == KEN_MIX_FC_WINDOW || mixing == KEN_MIX_CONV || mixing == KEN_MIX_CONFORMER;
}

static bool recurs(enum ken_mixing mixing)
{
    return mixing == KEN_MIX_RNN || mixing == KEN_MIX_LSTM || mixing == KEN_MIX_GRU;
}

bool ken_mixing_attends(enum ken_mixing mixing)
{
    return mixing == KEN_MIX_ATTENTION || mixing == KEN_MIX_CONFORMER || mixing == KEN_MIX_BARE;
}

/* Initialises the mixing part (token mixer) of the block. */
static ken_status init_mixing(struct ken_block *block)
{
    static const enum ken_cell cells[KEN_MIX_COUNT] = { [KEN_MIX_RNN] = KEN_RNN,
                                                        [KEN_MIX_LSTM] = KEN_LSTM,
                                                        [KEN_MIX_GRU] = KEN_GRU };
    const struct ken_block_config *c = &block->config;
    struct ken_attention_config attention = c->attention;
    attention.cross = false;
    if (ken_mixing_attends(c->mixing)) KEN_TRY(ken_attention_init(&block->attention, &attention));
    if (recurs(c->mixing))
        KEN_TRY(ken_recurrent_init(&block->recurrent, cells[c->mixing], attention.width,
                                   c->both_ways && !c->causal));
    if (convolves(c->mixing))
        KEN_TRY(ken_convolve_init(&block->convolve,
                                  &(struct ken_convolve_config){ .kind = c->mixing,
                                                                 .width = attention.width,
                                                                 .neighbours = c->neighbours,
                                                                 .causal = c->causal,
                                                                 .activation = c->activation,
                                                                 .norm = c->norm,
                                                                 .eps = c->eps }));
    if (!c->decoder) return KEN_OK;
    /* Cross-attention sees all rows of the encoder, without positions, because the distance between
     * a row of the decoder and a row of the encoder means nothing. */
    attention.cross = true;
    attention.left = attention.right = KEN_UNLIMITED;
    attention.reach = attention.pattern.kind = KEN_REACH_WINDOW;
    attention.position = KEN_ATTENTION_NO_POSITION;
    attention.seed = ken_random_key(attention.seed, 1);
    return ken_attention_init(&block->cross, &attention);
}

ken_status ken_block_init(struct ken_block *block, const struct ken_block_config *config)
{
    bool conformer = config->mixing == KEN_MIX_CONFORMER, bare = config->mixing == KEN_MIX_BARE;
    *block = (struct ken_block){
        .config = *config,
        .has = { [KEN_PART_HALF] = conformer,
                 [KEN_PART_MIX] = config->mixing != KEN_MIX_FC,
                 [KEN_PART_CROSS] = config->decoder,
                 [KEN_PART_CONVOLVE] = conformer,
                 [KEN_PART_FORWARD] = !bare },
    };
    if (conformer || bare) block->config.post_norm = true;
    KEN_TRY(init_mixing(block));
    if (bare) return KEN_OK;
    if (config->hidden == 0) return ken_fail(KEN_ERR_ARGUMENT, "block: hidden must be 1 or more");
    bool biased = config->attention.biased;
    size_t D = config->attention.width, wide = config->gated ? 2 * config->hidden : config->hidden;
    block->half = block->forward = (struct ken_feed_forward){
        .in = { .in = D, .out = wide, .biased = biased },
        .out = { .in = config->hidden, .out = D, .biased = biased },
    };
    struct ken_norm_layer norm = { .kind = config->norm, .width = D, .eps = config->eps };
    for (enum ken_part part = 0; part < KEN_PART_COUNT; part++) block->norms[part] = norm;
    block->closing = norm;
    return KEN_OK;
}

void ken_block_release(struct ken_block *block)
{
    ken_attention_release(&block->attention);
    ken_attention_release(&block->cross);
}

static void visit_part(struct ken_block *block, ken_visitor *visitor, enum ken_part part)
{
    enum ken_mixing mixing = block->config.mixing;
    switch (part) {
    case KEN_PART_HALF:
        ken_dense_visit(&block->half.in, visitor, "half_in");
        ken_dense_visit(&block->half.out, visitor, "half_out");
        break;
    case KEN_PART_MIX:
        if (recurs(mixing)) ken_recurrent_visit(&block->recurrent, visitor, "recurrent");
        else if (ken_mixing_attends(mixing))
            ken_attention_visit(&block->attention, visitor, "attention");
        else ken_convolve_visit(&block->convolve, visitor, "convolve");
        break;
    case KEN_PART_CROSS: ken_attention_visit(&block->cross, visitor, "cross"); break;
    case KEN_PART_CONVOLVE: ken_convolve_visit(&block->convolve, visitor, "convolve"); break;
    default:
        ken_dense_visit(&block->forward.in, visitor, "forward_in");
        ken_dense_visit(&block->forward.out, visitor, "forward_out");
    }
}

void ken_block_visit(struct ken_block *block, ken_visitor *visitor)
{
    bool attends = ken_mixing_attends(block->config.mixing);
    const char *const names[KEN_PART_COUNT] = {
        [KEN_PART_HALF] = "norm_half",
        [KEN_PART_MIX] = attends ? "norm_attention" : "norm_mix",
        [KEN_PART_CROSS] = "norm_cross",
        [KEN_PART_CONVOLVE] = "norm_convolve",
        [KEN_PART_FORWARD] = "norm_forward",
    };
    for (enum ken_part part = 0; part < KEN_PART_COUNT; part++) {
        if (!block->has[part]) continue;
        visit_part(block, visitor, part);
        if (block->config.mixing == KEN_MIX_BARE) continue;
        ken_norm_visit(&block->norms[part], visitor, names[part]);
    }
    if (block->config.mixing == KEN_MIX_CONFORMER)
        ken_norm_visit(&block->closing, visitor, "norm_closing");
}

void ken_block_cache_cols(const struct ken_block *block, struct ken_cache_block *kept)
{
    enum ken_mixing mixing = block->config.mixing;
    if (ken_mixing_attends(mixing)) ken_attention_cache_cols(&block->attention, &kept->own);
    if (recurs(mixing)) kept->mixed.cols = ken_recurrent_cache_cols(&block->recurrent);
    if (convolves(mixing)) kept->mixed.cols = block->config.attention.width;
    if (block->config.decoder) ken_attention_cache_cols(&block->cross, &kept->memory);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* Returns the first sub-layer that the block has, from `part` on. */
static enum ken_part part_from(const struct ken_block *block, enum ken_part part)
{
    while (part < KEN_PART_COUNT && !block->has[part]) part++;
    return part;
}

const struct ken_norm_layer *ken_block_first_norm(const struct ken_block *block)
{
    return &block->norms[part_from(block, 0)];
}

void ken_block_open(ken_tape *tape, const struct ken_block *first, struct ken_stream *stream,
                    ken_tensor *x)
{
    stream->sum = x;
    stream->depth = 0;
    stream->normed = first->config.post_norm ? x
                                             : ken_norm_apply(tape, ken_block_first_norm(first), x);
}

/* Adds `branch`, the result of sub-layer `part`, to stream->sum and normalises the sum. With
 * pre-norm, the norm is that of the next sub-layer, `after`, which may be the first of the next
 * block. With post-norm, the norm is that of `part`, and the normalised rows become the sum. */
static void join(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                 ken_tensor *branch, enum ken_part part, enum ken_part after,
                 const struct ken_norm_layer *next)
{
    bool conformer = block->config.mixing == KEN_MIX_CONFORMER, last = after == KEN_PART_COUNT;
    bool post = conformer ? last : block->config.post_norm;
    const struct ken_norm_layer *own = conformer ? &block->closing : &block->norms[part];
    const struct ken_norm_layer *norm = post ? own : last ? next : &block->norms[after];
    ken_tensor *sum;
    stream->normed = ken_norm_apply_after(tape, norm, &sum, stream->sum, branch,
                                          block->config.dropout);
    stream->sum = post ? stream->normed : sum;
}

static ken_tensor *feed_forward(ken_tape *tape, const struct ken_block_config *config,
                                const struct ken_feed_forward *layer, ken_tensor *x)
{
    enum ken_activation inside = config->gated ? KEN_ACT_NONE : config->activation;
    ken_tensor *hidden = ken_dense_apply(tape, &layer->in, x, inside);
    if (config->gated) hidden = ken_glu(tape, hidden, config->activation);
    if (config->hidden_dropout > 0) hidden = ken_dropout(tape, hidden, config->hidden_dropout);
    return ken_dense_apply(tape, &layer->out, hidden, KEN_ACT_NONE);
}

static ken_tensor *attend_self(ken_tape *tape, const struct ken_block *block,
                               const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    struct ken_attention_call call = { .x = stream->normed,
                                       .rows = stream->rows,
                                       .places = stream->places,
                                       .shift = stream->shift,
                                       .graph = stream->graph,
                                       .cached = cached };
    if (call.shift.first) call.shift.first += stream->depth * stream->rows.count;
    if (cached) call.part = &cached->cache->blocks[stream->depth].own;
    if (stream->seen) call.seen = &stream->seen[stream->depth].own;
    return ken_attention_apply(tape, &block->attention, &call);
}

static ken_tensor *attend_memory(ken_tape *tape, const struct ken_block *block,
                                 const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    struct ken_attention_call call = { .x = stream->normed,
                                       .rows = stream->rows,
                                       .memory = stream->memory,
                                       .memory_rows = stream->memory_rows,
                                       .cached = cached };
    if (cached) call.part = &cached->cache->blocks[stream->depth].memory;
    if (stream->seen) call.seen = &stream->seen[stream->depth].memory;
    return ken_attention_apply(tape, &block->cross, &call);
}

static ken_tensor *convolve(ken_tape *tape, const struct ken_block *block,
                            const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    if (cached)
        return ken_convolve_go_on(tape, &block->convolve, stream->normed, stream->rows, cached,
                                  &cached->cache->blocks[stream->depth].mixed);
    return ken_convolve_apply(tape, &block->convolve, stream->normed, stream->rows);
}

static ken_tensor *recur(ken_tape *tape, const struct ken_block *block,
                         const struct ken_stream *stream)
{
    const struct ken_cache_batch *cached = stream->cached;
    if (cached)
        return ken_recurrent_go_on(tape, &block->recurrent, stream->normed, stream->rows, cached,
                                   &cached->cache->blocks[stream->depth].mixed);
    return ken_recurrent_apply(tape, &block->recurrent, stream->normed, stream->rows);
}

static ken_tensor *apply_part(ken_tape *tape, const struct ken_block *block,
                              const struct ken_stream *stream, enum ken_part part)
{
    bool conformer = block->config.mixing == KEN_MIX_CONFORMER;
    const struct ken_feed_forward *layer = part == KEN_PART_HALF ? &block->half : &block->forward;
    switch (part) {
    case KEN_PART_MIX:
        if (recurs(block->config.mixing)) return recur(tape, block, stream);
        return ken_mixing_attends(block->config.mixing) ? attend_self(tape, block, stream)
                                                        : convolve(tape, block, stream);
    case KEN_PART_CROSS: return attend_memory(tape, block, stream);
    case KEN_PART_CONVOLVE: return convolve(tape, block, stream);
    default: {
        ken_tensor *y = feed_forward(tape, &block->config, layer, stream->normed);
        return conformer ? ken_scale(tape, y, 0.5f) : y;
    }
    }
}

/* Runs a bare block: dropout, attention, activation. The first block has no dropout, because its
 * rows are projected already. A block whose heads are averaged has no activation, because the mean
 * is the model's output. */
static void apply_bare(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream)
{
    const struct ken_block_config *c = &block->config;
    if (!c->attention.projected && c->dropout > 0)
        stream->normed = ken_dropout(tape, stream->normed, c->dropout);
    ken_tensor *y = attend_self(tape, block, stream);
    stream->sum = stream->normed = c->attention.mean ? y : ken_activate(tape, y, c->activation);
    stream->depth++;
}

void ken_block_apply(ken_tape *tape, const struct ken_block *block, struct ken_stream *stream,
                     const struct ken_norm_layer *next)
{
    enum ken_part part = part_from(block, 0);
    if (block->config.mixing == KEN_MIX_BARE) {
        apply_bare(tape, block, stream);
        return;
    }
    if (block->config.mixing == KEN_MIX_CONFORMER)
        stream->normed = ken_norm_apply(tape, &block->norms[part], stream->sum);
    while (part < KEN_PART_COUNT) {
        enum ken_part after = part_from(block, part + 1);
        ken_tensor *branch = apply_part(tape, block, stream, part);
        join(tape, block, stream, branch, part, after, next);
        part = after;
    }
    stream->depth++;
}
