/* forward.c - a batch of sequences through a model, up to its loss. */
#include "model/model.h"

#include "base/random.h"
#include "tensor/sequence_ops.h"

#include <math.h>

static ken_ragged ragged_of(const ken_sequences *sequences)
{
    return (ken_ragged){ sequences->start, sequences->count };
}

static size_t rows_of(const ken_sequences *sequences)
{
    return sequences->start[sequences->count];
}

/* Rows with the positions that are added to them, and dropout. */
static ken_tensor *place_rows(ken_tape *tape, ken_model *model, ken_tensor *x,
                              struct ken_places *places, ken_ragged ragged, const size_t *offset)
{
    float dropout = model->config.mixing == KEN_MIX_BARE ? 0 : model->config.dropout;
    x = ken_places_add(tape, places, x, ragged, offset);
    return dropout > 0 ? ken_dropout(tape, x, dropout) : x;
}

ken_tensor *ken_model_embed(ken_tape *tape, ken_model *model, ken_tensor *table,
                            struct ken_places *places, const ken_sequences *sequences,
                            const size_t *offset)
{
    ken_tensor *x = ken_embed(tape, table, sequences->ids, rows_of(sequences),
                              sqrtf((float)model->config.width));
    return place_rows(tape, model, x, places, ragged_of(sequences), offset);
}

/* Word dropout: the ids as they are read this time. Which become `unknown` is a function of the
 * step and their place, drawn before anything is shared out among threads. */
static const int32_t *words_of(ken_tape *tape, const ken_model *model, const ken_sequences *input)
{
    const ken_config *c = &model->config;
    if (!tape->training || c->word_dropout == 0) return input->ids;
    size_t rows = rows_of(input);
    uint64_t key = ken_random_key(tape->random_key, tape->count++); /* as an operation's */
    int32_t *ids = ken_arena_take(&tape->arena, rows, sizeof *ids);
    if (!ids) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu ids", rows);
    for (size_t i = 0; i < rows; i++)
        ids[i] = ken_random_uniform(key, i) < c->word_dropout ? c->unknown : input->ids[i];
    return ids;
}

/* Ids as rows of a table. A one-hot row through a linear layer is a row of its matrix, and the
 * bias. */
static ken_tensor *look_up(ken_tape *tape, ken_model *model, const int32_t *ids, size_t rows)
{
    const ken_config *c = &model->config;
    bool bare = c->mixing == KEN_MIX_BARE, table = c->input_kind == KEN_INPUT_IDS && !bare;
    ken_tensor *x = ken_embed(tape, &model->input_table, ids, rows,
                              table ? sqrtf((float)c->width) : 1);
    return table || bare ? x : ken_add_row(tape, x, &model->input_bias);
}

/* What the encoder reads, as rows of `width`, or what the first of bare blocks attends with. */
static ken_tensor *read_input(ken_tape *tape, ken_model *model, const ken_sequences *input)
{
    const ken_config *c = &model->config;
    size_t rows = rows_of(input);
    float dropout = c->mixing == KEN_MIX_BARE ? c->dropout : 0; /* of what the first block reads */
    if (c->input_kind == KEN_INPUT_VECTORS) {
        ken_tensor *numbers = ken_tape_constant(tape, input->numbers, rows, c->input_size);
        if (dropout > 0) numbers = ken_dropout(tape, numbers, dropout);
        return ken_dense_apply(tape, &model->input_layer, numbers, KEN_ACT_NONE);
    }
    if (c->input_kind == KEN_INPUT_BAGS)
        return ken_bag(tape, &model->input_table, input->letters->ids, ragged_of(input->letters),
                       dropout);
    const int32_t *ids = words_of(tape, model, input);
    ken_tensor *x = look_up(tape, model, ids, rows);
    if (c->letters == 0) return x;
    ken_ragged words = { input->letters->start, rows };
    return ken_add(tape, x, ken_spelling_apply(tape, &model->spelling, input->letters->ids, words));
}

ken_tensor *ken_model_run_blocks(ken_tape *tape, struct ken_block *blocks, size_t count,
                                 struct ken_norm_layer *last, struct ken_stream *stream,
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

ken_tensor *ken_model_encode(ken_tape *tape, ken_model *model, const ken_sequences *input)
{
    struct ken_stream stream = { .rows = ragged_of(input) };
    if (ken_config_graph(&model->config)) stream.graph = read_links(tape, model, input);
    if (ken_tape_status(tape)) return NULL;
    ken_tensor *x = place_rows(tape, model, read_input(tape, model, input), &model->input_places,
                               stream.rows, NULL);
    stream.shift = ken_places_shift(tape, &model->input_places, stream.rows, NULL);
    return ken_model_run_blocks(tape, model->encoder, model->config.encoder_blocks,
                                &model->encoder_norm, &stream, x);
}

/* The output projection: of a tied generator its embedding, without bias. */
ken_tensor *ken_model_head(ken_model *model)
{
    bool tied = model->config.tied && model->config.output == KEN_GENERATE;
    return tied ? &model->target_table : &model->head.weight;
}

static ken_tensor *head_bias(ken_model *model)
{
    bool tied = model->config.tied && model->config.output == KEN_GENERATE;
    return tied ? NULL : &model->head.bias;
}

ken_tensor *ken_model_logits(ken_tape *tape, ken_model *model, ken_tensor *rows)
{
    if (ken_config_answers(&model->config)) return rows;
    return ken_linear(tape, rows, ken_model_head(model), head_bias(model), KEN_ACT_NONE);
}

ken_tensor *ken_model_pool(ken_tape *tape, ken_model *model, ken_tensor *rows, ken_ragged ragged)
{
    ken_pooling kind = model->config.pooling;
    ken_tensor *score = NULL;
    if (kind == KEN_POOL_ATTENTIVE)
        score = ken_linear(tape, rows, &model->pool_score, NULL, KEN_ACT_NONE);
    return ken_pool(tape, rows, ragged, kind, score);
}

ken_tensor *ken_model_loss(ken_tape *tape, ken_model *model, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally)
{
    ken_status status = ken_model_check_batch(model, input, target);
    if (status) return ken_tape_fail(tape, status, "%s", ken_last_error());
    const int32_t *predict = target->ids;
    ken_tensor *rows;
    if (model->config.output == KEN_GENERATE) {
        rows = ken_model_forced(tape, model, input, target, &predict);
    } else {
        rows = ken_model_encode(tape, model, input);
        if (model->config.output == KEN_WHOLE)
            rows = ken_model_pool(tape, model, rows, ragged_of(input));
    }
    if (model->config.value == KEN_VALUE_NUMBER)
        return ken_mse(tape, ken_model_logits(tape, model, rows), target->numbers, factor, tally);
    if (model->config.value == KEN_VALUE_SET)
        return ken_bce(tape, ken_model_logits(tape, model, rows), target->numbers, factor, tally);
    if (ken_config_answers(&model->config))
        return ken_class_loss(tape, rows, predict, smoothing, factor, tally);
    return ken_project_loss(tape, rows, ken_model_head(model), head_bias(model), predict, smoothing,
                            factor, tally);
}
