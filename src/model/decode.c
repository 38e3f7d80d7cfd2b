/* decode.c - the decoder: over whole sequences whose ids are known (teacher forcing), or over the
 * next rows of sequences that a cache has the beginning of. */
#include "model/decode.h"

static ken_ragged ragged_of(const ken_sequences *sequences)
{
    return (ken_ragged){ sequences->start, sequences->count };
}

ken_tensor *ken_model_decode(ken_tape *tape, ken_model *model, const ken_sequences *ids,
                             ken_tensor *memory, ken_ragged memory_rows)
{
    struct ken_stream stream = { .rows = ragged_of(ids),
                                 .memory = memory,
                                 .memory_rows = memory_rows };
    ken_tensor *x = ken_model_embed(tape, model, &model->target_table, &model->target_places, ids,
                                    NULL);
    stream.shift = ken_places_shift(tape, &model->target_places, stream.rows, NULL);
    return ken_model_run_blocks(tape, model->decoder, model->config.decoder_blocks,
                                &model->decoder_norm, &stream, x);
}

ken_tensor *ken_model_decode_more(ken_tape *tape, ken_model *model, const ken_sequences *ids,
                                  const struct ken_cache_batch *batch)
{
    struct ken_stream stream = { .rows = ragged_of(ids), .cached = batch };
    size_t room = batch->cache->slots * batch->cache->room;
    for (size_t b = 0; b < ids->count; b++)
        if (batch->kept[b] + (ids->start[b + 1] - ids->start[b]) != batch->count[b] ||
            batch->count[b] > room || batch->first[b] > room - batch->count[b])
            return ken_tape_fail(tape, KEN_ERR_STATE, "decode: sequence %zu does not fit the cache",
                                 b);
    ken_tensor *x = ken_model_embed(tape, model, &model->target_table, &model->target_places, ids,
                                    batch->kept);
    stream.shift = ken_places_shift(tape, &model->target_places, stream.rows, batch->kept);
    return ken_model_run_blocks(tape, model->decoder, model->config.decoder_blocks,
                                &model->decoder_norm, &stream, x);
}

/* Shifts sequences for teacher forcing: read begin y1 .. yn, predict y1 .. yn end. */
static bool shift(ken_tape *tape, const ken_model *model, const ken_sequences *target,
                  ken_sequences *read, int32_t **predict)
{
    size_t rows = target->start[target->count] + target->count;
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
