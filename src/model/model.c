/* model.c - makes a model from its configuration and lists its parameters. */
#include "model/model.h"

#include "base/memory.h"

#include <math.h>

ken_config ken_config_default(ken_output output)
{
    return (ken_config){
        .output = output,
        .width = 128,
        .heads = 4,
        .hidden = 512,
        .encoder_blocks = 2,
        .decoder_blocks = output == KEN_GENERATE ? 2 : 0,
        .position = KEN_POSITION_SINUSOID,
        .longest = 512,
        .activation = KEN_ACT_GELU,
        .window_left = KEN_UNLIMITED,
        .window_right = KEN_UNLIMITED,
        .dropout = 0.1f,
        .attention_dropout = 0.1f,
        .begin = 0,
        .end = 1,
        .seed = 1,
    };
}

static struct ken_block_config block_config(const ken_config *c, bool decoder)
{
    static const enum ken_attention_position inside[] = {
        [KEN_POSITION_ROTARY] = KEN_ATTENTION_ROTARY,
        [KEN_POSITION_ALIBI] = KEN_ATTENTION_ALIBI,
        [KEN_POSITION_RELATIVE] = KEN_ATTENTION_RELATIVE,
    };
    return (struct ken_block_config){
        .attention = { .width = c->width,
                       .heads = c->heads,
                       .kv_heads = c->kv_heads,
                       .score = c->score,
                       .weigh = c->weigh,
                       .left = c->window_left,
                       .right = decoder ? 0 : c->window_right,
                       .position = inside[c->position],
                       .span = c->longest,
                       .biased = true,
                       .dropout = c->attention_dropout },
        .decoder = decoder && c->encoder_blocks > 0,
        .hidden = c->hidden,
        .activation = c->activation,
        .gated = c->gated,
        .norm = c->rms_norm ? KEN_NORM_RMS : KEN_NORM_LAYER,
        .eps = 1e-5f,
        .post_norm = c->post_norm,
        .dropout = c->dropout,
    };
}

static const char *what_is_wrong(const ken_config *c)
{
    bool generates = c->output == KEN_GENERATE;
    if (c->output < KEN_EACH || c->output > KEN_GENERATE) return "unknown output";
    if (c->position < KEN_POSITION_NONE || c->position > KEN_POSITION_RELATIVE)
        return "unknown position";
    if (c->activation < KEN_ACT_NONE || c->activation >= KEN_ACT_COUNT) return "unknown activation";
    if (c->score < KEN_SCORE_DOT || c->score >= KEN_SCORE_COUNT) return "unknown score";
    if (c->weigh < KEN_WEIGH_SOFTMAX || c->weigh >= KEN_WEIGH_COUNT) return "unknown weigh";
    if (c->output_size == 0) return "output_size is 0";
    if (c->encoder_blocks > 0 && c->input_size == 0) return "input_size is 0";
    if (!generates && c->encoder_blocks == 0) return "an encoder of no blocks gives no labels";
    if (generates && c->decoder_blocks == 0) return "a generator needs decoder blocks";
    if (generates && (c->begin < 0 || (size_t)c->begin >= c->output_size || c->end < 0 ||
                      (size_t)c->end >= c->output_size))
        return "begin and end must be ids below output_size";
    if (generates && c->score == KEN_SCORE_GAT && c->encoder_blocks > 0)
        return "the gat score has no cross-attention";
    if (c->position == KEN_POSITION_LEARNED && c->longest == 0) return "longest is 0";
    if (!(c->dropout >= 0 && c->dropout < 1)) return "dropout must be at least 0 and below 1";
    return NULL;
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

static void walk(void *context, ken_visitor *visitor)
{
    ken_model *model = context;
    const ken_config *c = &model->config;
    struct ken_parameter input = { c->input_size, c->width, KEN_INIT_NORMAL,
                                   1 / sqrtf((float)c->width) };
    struct ken_parameter target = input, places = { c->longest, c->width, KEN_INIT_NORMAL, 0.02f };
    target.rows = c->output_size;
    bool learned = c->position == KEN_POSITION_LEARNED, generates = c->output == KEN_GENERATE;
    if (c->encoder_blocks > 0) ken_visit(visitor, "input", &model->input_table, input);
    if (c->encoder_blocks > 0 && learned)
        ken_visit(visitor, "input_places", &model->input_places, places);
    walk_blocks(model->encoder, c->encoder_blocks, &model->encoder_norm, visitor, "encoder");
    if (generates) ken_visit(visitor, "target", &model->target_table, target);
    if (generates && learned) ken_visit(visitor, "target_places", &model->target_places, places);
    walk_blocks(model->decoder, c->decoder_blocks, &model->decoder_norm, visitor, "decoder");
    if (!c->tied || !generates) ken_dense_visit(&model->head, visitor, "head");
}

static ken_status make_blocks(struct ken_block **blocks, size_t count, const ken_config *config,
                              bool decoder)
{
    struct ken_block_config shape = block_config(config, decoder);
    if (count == 0) return KEN_OK;
    *blocks = ken_memory_zeroed(count, sizeof **blocks);
    if (!*blocks) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu blocks", count);
    for (size_t i = 0; i < count; i++) KEN_TRY(ken_block_init(&(*blocks)[i], &shape));
    return KEN_OK;
}

static ken_status fill(ken_model *model, const ken_config *config)
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
    return ken_parameters_init(&model->parameters, walk, model, c->seed);
}

ken_status ken_model_new(ken_model **result, const ken_config *config)
{
    const char *wrong = what_is_wrong(config);
    *result = NULL;
    if (wrong) return ken_fail(KEN_ERR_ARGUMENT, "model: %s", wrong);
    ken_model *model = ken_memory_zeroed(1, sizeof *model);
    if (!model) return ken_fail(KEN_ERR_MEMORY, "no memory for a model");
    ken_status status = fill(model, config);
    if (status) {
        ken_model_free(model);
        return status;
    }
    *result = model;
    return KEN_OK;
}

void ken_model_free(ken_model *model)
{
    if (!model) return;
    ken_parameters_release(&model->parameters);
    ken_memory_free(model->encoder);
    ken_memory_free(model->decoder);
    ken_memory_free(model->sinusoid.data);
    ken_memory_free(model);
}

size_t ken_model_size(const ken_model *model)
{
    return model->parameters.size;
}
