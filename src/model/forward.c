/* forward.c - a batch of sequences through a model, up to its loss. */
#include "model/model.h"

#include "tensor/sequence_ops.h"

void ken_pass_release(struct ken_pass *pass)
{
    ken_place_tables_drop(&pass->input_tables);
    ken_place_tables_drop(&pass->target_tables);
}

ken_tensor *ken_model_place(struct ken_pass *pass, const struct ken_places *places,
                            struct ken_place_tables *tables, ken_tensor *x,
                            const struct ken_where *where)
{
    const ken_config *c = &pass->model->config;
    float dropout = c->mixing == KEN_MIX_BARE ? 0 : c->dropout;
    x = ken_places_add(pass->tape, places, tables, x, where);
    return dropout > 0 ? ken_dropout(pass->tape, x, dropout) : x;
}

ken_tensor *ken_model_run_blocks(ken_tape *tape, const struct ken_block *blocks, size_t count,
                                 const struct ken_norm_layer *last, struct ken_stream *stream,
                                 ken_tensor *x)
{
    ken_block_open(tape, &blocks[0], stream, x);
    for (size_t i = 0; i < count; i++)
        ken_block_apply(tape, &blocks[i], stream,
                        i + 1 < count ? ken_block_first_norm(&blocks[i + 1]) : last);
    return stream->normed;
}

/* Who sees whom; on the tape, as backward walks it too. */
static struct ken_graph *read_links(ken_tape *tape, const ken_model *model,
                                    const ken_sequences *input)
{
    struct ken_graph_options options = ken_model_graph_options(&model->config);
    struct ken_graph *graph = ken_arena_take(&tape->arena, 1, sizeof *graph);
    ken_status status = graph ? ken_graph_make(graph, &tape->arena, input, &options)
                              : ken_fail(KEN_ERR_MEMORY, "no memory for a graph");
    return status ? ken_tape_fail(tape, status, "%s", ken_last_error()) : graph;
}

struct ken_encoded ken_model_encode(struct ken_pass *pass, const ken_sequences *input)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    struct ken_stream stream = { .seen = pass->encoder_seen };
    struct ken_where where;
    if (ken_config_graph(&model->config)) stream.graph = read_links(tape, model, input);
    if (ken_tape_status(tape)) return (struct ken_encoded){ 0 };
    ken_tensor *x = ken_model_front(pass, &where, input);
    if (ken_tape_status(tape)) return (struct ken_encoded){ 0 };
    x = ken_model_place(pass, &model->input_places, &pass->input_tables, x, &where);
    stream.rows = where.rows;
    stream.places = where.places;
    stream.shift = ken_places_shift(tape, &model->input_places, &pass->input_tables, &where);
    return (struct ken_encoded){
        .rows = ken_model_run_blocks(tape, model->encoder, model->config.encoder_blocks,
                                     &model->encoder_norm, &stream, x),
        .ragged = where.rows,
    };
}

/* Is the generator's embedding also its output projection, without bias? */
static bool is_tied(const ken_model *model)
{
    return model->config.tied && model->config.output == KEN_GENERATE;
}

const ken_tensor *ken_model_head(const ken_model *model)
{
    return is_tied(model) ? &model->target_table : &model->head.weight;
}

static const ken_tensor *head_bias(const ken_model *model)
{
    return is_tied(model) ? NULL : &model->head.bias;
}

ken_tensor *ken_model_logits(struct ken_pass *pass, ken_tensor *rows)
{
    const ken_model *model = pass->model;
    if (ken_config_answers(&model->config)) return rows;
    return ken_linear(pass->tape, rows, ken_model_head(model), head_bias(model), KEN_ACT_NONE);
}

ken_tensor *ken_model_pool(struct ken_pass *pass, const struct ken_encoded *encoded)
{
    ken_pooling kind = pass->model->config.pooling;
    ken_tensor *score = NULL;
    if (kind == KEN_POOL_ATTENTIVE)
        score = ken_linear(pass->tape, encoded->rows, &pass->model->pool_score, NULL, KEN_ACT_NONE);
    return ken_pool(pass->tape, encoded->rows, encoded->ragged, kind, score);
}

ken_tensor *ken_model_loss(struct ken_pass *pass, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    ken_status status = ken_model_check_batch(model, input, target);
    if (status) return ken_tape_fail(tape, status, "%s", ken_last_error());
    const int32_t *predict = target->ids;
    ken_tensor *rows;
    if (model->config.output == KEN_GENERATE) {
        rows = ken_model_forced(pass, input, target, &predict);
    } else {
        struct ken_encoded encoded = ken_model_encode(pass, input);
        rows = model->config.output == KEN_WHOLE ? ken_model_pool(pass, &encoded) : encoded.rows;
    }
    if (model->config.value == KEN_VALUE_NUMBER)
        return ken_mse(tape, ken_model_logits(pass, rows), target->numbers, factor, tally);
    if (model->config.value == KEN_VALUE_SET)
        return ken_bce(tape, ken_model_logits(pass, rows), target->numbers, factor, tally);
    if (ken_config_answers(&model->config))
        return ken_class_loss(tape, rows, predict, smoothing, factor, tally);
    return ken_project_loss(tape, rows, ken_model_head(model), head_bias(model), predict, smoothing,
                            factor, tally);
}
