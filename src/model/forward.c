/* forward.c - a batch of sequences through a model, up to its loss. */
#include "model/model.h"

#include "base/memory.h"
#include "base/size.h"
#include "tensor/sequence_ops.h"

#include <math.h>
#include <string.h>

static ken_ragged ragged_of(const ken_sequences *sequences)
{
    return (ken_ragged){ sequences->start, sequences->count };
}

static size_t rows_of(const ken_sequences *sequences)
{
    return sequences->start[sequences->count];
}

static ken_status check_ids(const ken_sequences *sequences, size_t b, const char *name,
                            int32_t lowest, size_t size)
{
    for (size_t i = sequences->start[b]; i < sequences->start[b + 1]; i++) {
        int32_t id = sequences->ids[i];
        if (id < lowest || (id >= 0 && (size_t)id >= size))
            return ken_fail(KEN_ERR_ARGUMENT,
                            "%s sequence %zu has id %d at place %zu; ids are below %zu", name, b,
                            (int)id, i - sequences->start[b], size);
    }
    return KEN_OK;
}

/* Sequences that are there, in order, and of ids from `lowest` to size - 1. */
static ken_status check_sequences(const ken_sequences *sequences, const char *name, int32_t lowest,
                                  size_t size)
{
    if (!sequences || !sequences->start)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences are missing", name);
    if (sequences->count > KEN_ATTEND_SEQUENCES)
        return ken_fail(KEN_ERR_ARGUMENT, "%zu %s sequences at once, at most %d possible",
                        sequences->count, name, KEN_ATTEND_SEQUENCES);
    if (sequences->start[0] != 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences: start[0] is %zu, not 0", name,
                        sequences->start[0]);
    for (size_t b = 0; b < sequences->count; b++)
        if (sequences->start[b + 1] < sequences->start[b])
            return ken_fail(KEN_ERR_ARGUMENT, "%s sequence %zu ends before it starts", name, b);
    if (!sequences->ids && rows_of(sequences) > 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences have %zu rows but no ids", name,
                        rows_of(sequences));
    for (size_t b = 0; b < sequences->count; b++)
        KEN_TRY(check_ids(sequences, b, name, lowest, size));
    return KEN_OK;
}

ken_status ken_model_check_input(const ken_model *model, const ken_sequences *input)
{
    const ken_config *c = &model->config;
    return check_sequences(input, "input", 0,
                           c->encoder_blocks > 0 ? c->input_size : c->output_size);
}

ken_status ken_model_check_target(const ken_model *model, const ken_sequences *target)
{
    const ken_config *c = &model->config;
    return check_sequences(target, "target", c->output == KEN_GENERATE ? 0 : KEN_IGNORED,
                           c->output_size);
}

/* The sinusoid, for as many places as the longest sequence has: grows, never shrinks. */
static ken_tensor *sinusoid_for(ken_tape *tape, ken_model *model, ken_ragged ragged)
{
    size_t longest = 1, D = model->config.width;
    for (size_t b = 0; b < ragged.count; b++)
        longest = ken_size_max(longest, ragged.start[b + 1] - ragged.start[b]);
    ken_tensor *table = &model->sinusoid;
    if (table->rows < longest) {
        size_t rows = ken_size_max(longest, 2 * table->rows);
        float *data = ken_memory_new(rows, D * sizeof *data);
        if (!data) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu positions", rows);
        ken_sinusoid_fill(data, rows, D);
        ken_memory_free(table->data);
        *table = (ken_tensor){ .data = data, .rows = rows, .cols = D };
    }
    return table;
}

/* Rows of a table, scaled to variance 1, with their positions. */
static ken_tensor *embed(ken_tape *tape, ken_model *model, ken_tensor *table, ken_tensor *places,
                         const ken_sequences *sequences)
{
    const ken_config *c = &model->config;
    ken_ragged ragged = ragged_of(sequences);
    ken_tensor *x = ken_embed(tape, table, sequences->ids, rows_of(sequences),
                              sqrtf((float)c->width));
    if (c->position == KEN_POSITION_SINUSOID) places = sinusoid_for(tape, model, ragged);
    if (c->position == KEN_POSITION_SINUSOID || c->position == KEN_POSITION_LEARNED)
        x = ken_add_position(tape, x, places, ragged, NULL);
    return c->dropout > 0 ? ken_dropout(tape, x, c->dropout) : x;
}

static ken_tensor *run_blocks(ken_tape *tape, struct ken_block *blocks, size_t count,
                              struct ken_norm_layer *last, struct ken_stream *stream, ken_tensor *x)
{
    ken_block_open(tape, &blocks[0], stream, x);
    for (size_t i = 0; i < count; i++)
        ken_block_apply(tape, &blocks[i], stream,
                        i + 1 < count ? ken_block_first_norm(&blocks[i + 1]) : last);
    return stream->normed;
}

ken_tensor *ken_model_encode(ken_tape *tape, ken_model *model, const ken_sequences *input)
{
    struct ken_stream stream = { .rows = ragged_of(input) };
    ken_tensor *x = embed(tape, model, &model->input_table, &model->input_places, input);
    return run_blocks(tape, model->encoder, model->config.encoder_blocks, &model->encoder_norm,
                      &stream, x);
}

ken_tensor *ken_model_decode(ken_tape *tape, ken_model *model, const ken_sequences *ids,
                             ken_tensor *memory, ken_ragged memory_rows)
{
    struct ken_stream stream = { .rows = ragged_of(ids),
                                 .memory = memory,
                                 .memory_rows = memory_rows };
    ken_tensor *x = embed(tape, model, &model->target_table, &model->target_places, ids);
    return run_blocks(tape, model->decoder, model->config.decoder_blocks, &model->decoder_norm,
                      &stream, x);
}

/* The output projection: of a tied generator its embedding, without bias. */
static ken_tensor *head_weight(ken_model *model)
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
    return ken_linear(tape, rows, head_weight(model), head_bias(model), KEN_ACT_NONE);
}

ken_tensor *ken_model_pool(ken_tape *tape, ken_model *model, ken_tensor *rows, ken_ragged ragged)
{
    (void)model;
    return ken_pool(tape, rows, ragged, KEN_POOL_MEAN, NULL);
}

/* Shifts sequences for teacher forcing: read begin y1 .. yn, predict y1 .. yn end. */
static bool shift(ken_tape *tape, const ken_model *model, const ken_sequences *target,
                  ken_sequences *read, int32_t **predict)
{
    size_t rows = rows_of(target) + target->count;
    int32_t *ids = ken_arena_take(&tape->arena, rows, sizeof *ids);
    size_t *start = ken_arena_take(&tape->arena, target->count + 1, sizeof *start);
    *predict = ken_arena_take(&tape->arena, rows, sizeof **predict);
    if (!ids || !start || !*predict) {
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu target ids", rows);
        return false;
    }
    size_t at = 0;
    start[0] = 0;
    for (size_t b = 0; b < target->count; b++) {
        size_t length = target->start[b + 1] - target->start[b];
        const int32_t *y = target->ids + target->start[b];
        ids[at] = model->config.begin;
        for (size_t i = 0; i < length; i++) ids[at + 1 + i] = (*predict)[at + i] = y[i];
        (*predict)[at + length] = model->config.end;
        at += length + 1;
        start[b + 1] = at;
    }
    *read = (ken_sequences){ ids, start, target->count };
    return true;
}

ken_tensor *ken_model_forced(ken_tape *tape, ken_model *model, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict)
{
    ken_tensor *memory = NULL;
    ken_ragged memory_rows = { 0 };
    ken_sequences read;
    int32_t *shifted = NULL;
    if (model->config.encoder_blocks > 0) {
        memory = ken_model_encode(tape, model, input);
        memory_rows = ragged_of(input);
    }
    if (!shift(tape, model, target, &read, &shifted)) return NULL;
    *predict = shifted;
    return ken_model_decode(tape, model, &read, memory, memory_rows);
}

static ken_status check_batch(const ken_model *model, const ken_sequences *input,
                              const ken_sequences *target)
{
    const ken_config *c = &model->config;
    KEN_TRY(ken_model_check_target(model, target));
    if (c->encoder_blocks == 0) return KEN_OK;
    KEN_TRY(ken_model_check_input(model, input));
    size_t expected = c->output == KEN_EACH ? rows_of(input) : input->count;
    size_t given = c->output == KEN_GENERATE ? target->count : rows_of(target);
    if (given != expected)
        return ken_fail(KEN_ERR_SHAPE, "%zu targets for %zu %s", given, expected,
                        c->output == KEN_EACH ? "input ids" : "input sequences");
    return KEN_OK;
}

ken_tensor *ken_model_loss(ken_tape *tape, ken_model *model, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, struct ken_tally *tally)
{
    ken_status status = check_batch(model, input, target);
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
    return ken_project_loss(tape, rows, head_weight(model), head_bias(model), predict, smoothing, 1,
                            tally);
}
