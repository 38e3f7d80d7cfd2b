/* decode.c - the decoder, over whole sequences whose ids are known (teacher forcing), or over the
 * next rows of sequences whose beginning is in a cache. */
#include "model/pass.h"

#include "tensor/sequence_ops.h"

#include <math.h>

/* Runs the decoder over `ids`. They continue the sequences in stream->cached; if stream->cached is
 * NULL, they are whole sequences. */
static ken_tensor *decode(struct ken_pass *pass, const ken_sequences *ids,
                          struct ken_stream *stream)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    struct ken_where where = { .rows = { ids->start, ids->count },
                               .offset = stream->cached ? stream->cached->kept : NULL };
    ken_tensor *x = ken_embed(tape, ken_model_target_table(model), ids->ids, ids->start[ids->count],
                              sqrtf((float)model->config.width));
    x = ken_model_place(pass, &model->target_places, &pass->target_tables, x, &where);
    stream->rows = where.rows;
    stream->seen = pass->decoder_seen;
    stream->shift = ken_places_shift(tape, &model->target_places, &pass->target_tables, &where);
    return ken_model_run_blocks(tape, model->decoder, model->config.decoder_blocks,
                                &model->decoder_norm, stream, x);
}

ken_tensor *ken_model_decode(struct ken_pass *pass, const ken_sequences *ids,
                             const struct ken_encoded *memory)
{
    struct ken_stream stream = { 0 };
    if (memory) {
        stream.memory = memory->rows;
        stream.memory_rows = memory->ragged;
    }
    return decode(pass, ids, &stream);
}

ken_tensor *ken_model_decode_more(struct ken_pass *pass, const ken_sequences *ids,
                                  const struct ken_cache_batch *batch)
{
    struct ken_stream stream = { .cached = batch };
    size_t room = batch->cache->slots * batch->cache->room;
    for (size_t b = 0; b < ids->count; b++)
        if (batch->kept[b] + (ids->start[b + 1] - ids->start[b]) != batch->count[b] ||
            batch->count[b] > room || batch->first[b] > room - batch->count[b])
            return ken_tape_fail(pass->tape, KEN_ERR_STATE,
                                 "decode: sequence %zu does not fit its slot of the cache", b);
    return decode(pass, ids, &stream);
}

/* Shifts sequences for teacher forcing: the decoder reads "begin, y1 .. yn" and predicts "y1 .. yn,
 * end". */
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

ken_tensor *ken_model_forced(struct ken_pass *pass, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict)
{
    const ken_model *model = pass->model;
    bool reads = model->config.encoder_blocks > 0;
    struct ken_encoded memory = { 0 };
    ken_sequences read;
    int32_t *shifted = NULL;
    if (reads) memory = ken_model_encode(pass, input);
    if (ken_tape_status(pass->tape) || !shift(pass->tape, model, target, &read, &shifted))
        return NULL;
    *predict = shifted;
    return ken_model_decode(pass, &read, reads ? &memory : NULL);
}
