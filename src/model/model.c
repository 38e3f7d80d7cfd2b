/* model.c - makes a model from its configuration and lists its parameters. */
#include "model/model.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>

struct ken_graph_options ken_model_graph_options(const ken_config *c)
{
    return (struct ken_graph_options){ .numbers = c->edge_size,
                                       .loops = c->loops,
                                       .distance = c->position == KEN_POSITION_DISTANCE };
}

/* Sets the options that an encoder's attention along the edges of graphs needs. */
static void along_edges(struct ken_attention_config *attention, const ken_config *c)
{
    struct ken_graph_options options = ken_model_graph_options(c);
    attention->reach = KEN_REACH_EDGES;
    attention->pattern.kind = KEN_REACH_WINDOW;
    attention->edge_width = ken_graph_width(&options);
}

/* Sets the attention options of block i in a model of bare blocks (attention alone). The input
 * layer does the projection of the first block. With KEN_EACH, each head of the last block has one
 * column per label. */
static void make_bare(struct ken_attention_config *attention, const ken_config *c, size_t i)
{
    attention->bare = true;
    attention->projected = i == 0;
    if (!ken_config_answers(c) || i + 1 < c->encoder_blocks) return;
    attention->heads = attention->kv_heads = c->last_heads;
    attention->head_width = c->output_size;
    attention->mean = true;
}

static struct ken_block_config block_config(const ken_config *c, bool decoder)
{
    bool ranges = c->reach != KEN_REACH_NYSTROM && c->reach != KEN_REACH_EDGES;
    return (struct ken_block_config){
        .attention = { .width = c->width,
                       .heads = c->heads,
                       .kv_heads = c->kv_heads,
                       .score = c->score,
                       .weigh = c->weigh,
                       .reach = c->reach == KEN_REACH_EDGES ? KEN_REACH_WINDOW : c->reach,
                       .left = c->window_left,
                       .right = decoder ? 0 : c->window_right,
                       .pattern = { .kind = ranges ? c->reach : KEN_REACH_WINDOW,
                                    .causal = decoder,
                                    .global = c->reach_global,
                                    .block = c->reach_block,
                                    .random = c->reach_random },
                       .position = ken_places_inside(c->position),
                       .axes = decoder ? 1 : c->place_axes,
                       .span = c->longest,
                       .past = decoder,
                       .landmarks = c->landmarks,
                       .features = c->features,
                       .biased = true,
                       .dropout = c->attention_dropout },
        .mixing = c->mixing,
        .neighbours = c->neighbours,
        .both_ways = c->both_ways,
        .causal = decoder,
        .decoder = decoder && c->encoder_blocks > 0,
        .hidden = c->hidden,
        .activation = c->activation,
        .gated = c->gated,
        .norm = c->rms_norm ? KEN_NORM_RMS : KEN_NORM_LAYER,
        .eps = 1e-5f,
        .post_norm = c->post_norm,
        .dropout = c->dropout,
        .hidden_dropout = c->hidden_dropout,
    };
}

static void walk_blocks(struct ken_block *blocks, size_t count, struct ken_norm_layer *last,
                        ken_visitor *visitor, const char *name)
{
    size_t entered = ken_visit_enter(visitor, "%s", name);
    for (size_t i = 0; i < count; i++) {
        size_t number = ken_visit_enter(visitor, "%zu", i);
        ken_block_visit(&blocks[i], visitor);
        ken_visit_leave(visitor, number);
    }
    if (count > 0 && !blocks[0].config.post_norm) ken_norm_visit(last, visitor, "norm");
    ken_visit_leave(visitor, entered);
}

/* Returns the number of columns of the rows that the input layer makes. */
static size_t input_width(const ken_model *model)
{
    const ken_config *c = &model->config;
    bool bare = c->mixing == KEN_MIX_BARE && model->encoder;
    return bare ? ken_attention_columns(&model->encoder[0].attention) : c->width;
}

/* Visits the parameters of the input layer. */
static void walk_input(ken_model *model, ken_visitor *visitor)
{
    const ken_config *c = &model->config;
    size_t width = input_width(model);
    struct ken_parameter table = { c->input_size, width, KEN_INIT_NORMAL, 1 / sqrtf((float)width),
                                   c->shared && c->tied };
    struct ken_parameter matrix = { c->input_size, width, KEN_INIT_XAVIER, 0 };
    struct ken_parameter bias = { 1, c->width, KEN_INIT_ZERO, 0 };
    switch (c->input_kind) {
    case KEN_INPUT_IDS: ken_visit(visitor, "input", &model->input_table, table); break;
    case KEN_INPUT_ONE_HOT:
        ken_visit(visitor, "input", &model->input_table, matrix);
        if (c->mixing != KEN_MIX_BARE) ken_visit(visitor, "input_bias", &model->input_bias, bias);
        break;
    case KEN_INPUT_VECTORS: ken_dense_visit(&model->input_layer, visitor, "input"); break;
    case KEN_INPUT_BAGS: ken_visit(visitor, "input", &model->input_table, matrix); break;
    }
    if (c->letters > 0) ken_spelling_visit(&model->spelling, visitor, "spelling");
}

static void walk(void *context, ken_visitor *visitor)
{
    ken_model *model = context;
    const ken_config *c = &model->config;
    struct ken_parameter target = { c->output_size, c->width, KEN_INIT_NORMAL,
                                    1 / sqrtf((float)c->width), c->tied };
    /* pool_score starts at 0, so attentive pooling starts as the mean */
    struct ken_parameter score = { 1, c->width, KEN_INIT_ZERO, 0, true };
    bool generates = c->output == KEN_GENERATE, reads = c->encoder_blocks > 0;
    bool flows = c->position == KEN_POSITION_FLOATER;
    if (reads) walk_input(model, visitor);
    if (reads && !flows) ken_places_visit(&model->input_places, visitor, "input_places");
    walk_blocks(model->encoder, c->encoder_blocks, &model->encoder_norm, visitor, "encoder");
    if (generates && !c->shared) ken_visit(visitor, "target", &model->target_table, target);
    if (generates && !flows) ken_places_visit(&model->target_places, visitor, "target_places");
    walk_blocks(model->decoder, c->decoder_blocks, &model->decoder_norm, visitor, "decoder");
    if (c->pooling == KEN_POOL_ATTENTIVE)
        ken_visit(visitor, "pool_score", &model->pool_score, score);
    if (!ken_config_answers(c) && (!c->tied || !generates))
        ken_dense_visit(&model->head, visitor, "head");
    /* floater's parameters come last, so that all other weights get the same first values as with
     * sinusoids */
    if (reads && flows) ken_places_visit(&model->input_places, visitor, "input_places");
    if (generates && flows) ken_places_visit(&model->target_places, visitor, "target_places");
}

static ken_status make_blocks(struct ken_block **blocks, size_t count, const ken_config *config,
                              bool decoder)
{
    struct ken_block_config shape = block_config(config, decoder);
    if (count == 0) return KEN_OK;
    *blocks = ken_memory_zeroed(count, sizeof **blocks);
    if (!*blocks) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu blocks", count);
    for (size_t i = 0; i < count; i++) { /* each block has its own seed for attention */
        shape.attention.seed = ken_random_key(config->seed, 2 * i + decoder);
        shape.attention.pattern.seed = shape.attention.seed;
        if (!decoder && ken_config_graph(config)) along_edges(&shape.attention, config);
        if (config->mixing == KEN_MIX_BARE) make_bare(&shape.attention, config, i);
        KEN_TRY(ken_block_init(&(*blocks)[i], &shape));
    }
    return KEN_OK;
}

static void make_places(struct ken_places *places, const ken_config *c, bool decoder)
{
    size_t blocks = decoder ? c->decoder_blocks : c->encoder_blocks;
    size_t kv_heads = c->kv_heads ? c->kv_heads : c->heads;
    /* a decoder writes a sequence even if the encoder reads graphs, so it uses sinusoid instead of
     * distance */
    bool distance = c->position == KEN_POSITION_DISTANCE && decoder;
    ken_places_init(places, &(struct ken_places_config){
                                .kind = distance ? KEN_POSITION_SINUSOID : c->position,
                                .width = c->width,
                                .longest = c->longest,
                                .axes = decoder ? 1 : c->place_axes,
                                .blocks = blocks,
                                .kv_width = c->heads ? c->width / c->heads * kv_heads : 0 });
}

static ken_status fill(ken_model *model, const ken_config *config, size_t most)
{
    ken_config *c = &model->config;
    *c = *config;
    if (c->output != KEN_GENERATE) c->decoder_blocks = 0;
    KEN_TRY(make_blocks(&model->encoder, c->encoder_blocks, c, false));
    KEN_TRY(make_blocks(&model->decoder, c->decoder_blocks, c, true));
    model->encoder_norm = model->decoder_norm = (struct ken_norm_layer){
        .kind = c->rms_norm ? KEN_NORM_RMS : KEN_NORM_LAYER,
        .width = c->width,
        .eps = 1e-5f
    };
    model->head = (struct ken_dense){ .in = c->width, .out = c->output_size, .biased = true };
    model->input_layer = (struct ken_dense){ .in = c->input_size * c->input_stack,
                                             .out = input_width(model),
                                             .biased = c->mixing != KEN_MIX_BARE };
    model->spelling = (struct ken_spelling){ .letters = c->letters,
                                             .inside = c->letters_width,
                                             .width = c->width,
                                             .dropout = c->dropout };
    make_places(&model->input_places, c, false);
    make_places(&model->target_places, c, true);
    KEN_TRY(ken_packed_new(&model->packed));
    return ken_parameters_place(&model->parameters, walk, model, most);
}

ken_status ken_config_check(const ken_config *config)
{
    const char *wrong = ken_config_wrong(config);
    if (wrong) return ken_fail(KEN_ERR_ARGUMENT, "model: %s", wrong);
    ken_status status = KEN_OK;
    /* To check the options of the blocks, one block of the encoder and one of the decoder are made:
     * all blocks of a side have the same options. */
    for (int side = 0; side < 2 && !status; side++) {
        bool decoder = side == 1, there = config->encoder_blocks > 0;
        if (decoder) there = config->output == KEN_GENERATE;
        struct ken_block *block = NULL;
        status = make_blocks(&block, there, config, decoder);
        if (block) ken_block_release(block);
        ken_memory_free(block);
    }
    return status;
}

ken_status ken_model_make(ken_model **result, const ken_config *config, size_t most)
{
    const char *wrong = ken_config_wrong(config);
    *result = NULL;
    if (wrong) return ken_fail(KEN_ERR_ARGUMENT, "model: %s", wrong);
    ken_model *model = ken_memory_zeroed(1, sizeof *model);
    if (!model) return ken_fail(KEN_ERR_MEMORY, "no memory for a model");
    ken_status status = fill(model, config, most);
    if (status) {
        ken_model_free(model);
        return status;
    }
    *result = model;
    return KEN_OK;
}

ken_status ken_model_new(ken_model **model, const ken_config *config)
{
    ken_config own;
    KEN_TRY(KEN_GIVEN(model));
    *model = NULL;
    KEN_TRY(KEN_GIVEN(config));
    KEN_TRY(ken_config_take(&own, config));
    KEN_TRY(ken_model_make(model, &own, SIZE_MAX));
    ken_parameters_draw(&(*model)->parameters, walk, *model, own.seed);
    return KEN_OK;
}

void ken_model_free(ken_model *model)
{
    if (!model) return;
    ken_packed_free(model->packed);
    ken_parameters_release(&model->parameters);
    for (size_t i = 0; model->encoder && i < model->config.encoder_blocks; i++)
        ken_block_release(&model->encoder[i]);
    for (size_t i = 0; model->decoder && i < model->config.decoder_blocks; i++)
        ken_block_release(&model->decoder[i]);
    ken_memory_free(model->encoder);
    ken_memory_free(model->decoder);
    ken_memory_free(model);
}

size_t ken_model_size(const ken_model *model)
{
    return KEN_GIVEN(model) ? 0 : model->parameters.size;
}
