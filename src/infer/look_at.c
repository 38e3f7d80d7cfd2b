/* look_at.c - copies attention weights of a model (a "look"). They are read from the attention that
 * a forward pass records on the session's tape; the record is valid only during the call. */
#include "infer/session.h"

#include <string.h>

/* Returns whether the model has attention of the kind `which`. Cross-attention exists even if the
 * blocks mix rows without attention. */
static bool attends(const ken_model *model, ken_look which)
{
    return which == KEN_LOOK_CROSS || ken_mixing_attends(model->config.mixing);
}

/* Returns the attention layer of a block; NULL if there is no such block. */
static const struct ken_attention *layer_of(const ken_model *model, ken_look which, size_t block)
{
    const ken_config *c = &model->config;
    if (block >= (which == KEN_LOOK_ENCODER ? c->encoder_blocks : c->decoder_blocks)) return NULL;
    switch (which) {
    case KEN_LOOK_ENCODER: return &model->encoder[block].attention;
    case KEN_LOOK_DECODER: return &model->decoder[block].attention;
    case KEN_LOOK_CROSS: return c->encoder_blocks > 0 ? &model->decoder[block].cross : NULL;
    }
    return NULL;
}

/* Returns the attention that was recorded for a block, to read the weights from. */
static const struct ken_seen *seen_of(const struct ken_pass *pass, ken_look which, size_t block)
{
    switch (which) {
    case KEN_LOOK_ENCODER: return &pass->encoder_seen[block].own;
    case KEN_LOOK_DECODER: return &pass->decoder_seen[block].own;
    default: return &pass->decoder_seen[block].memory;
    }
}

/* Copies the attention weights of one head of a block, or the mean over its heads, as a matrix with
 * one row for each query. `shape` is { number of queries, number of keys }. */
static ken_status read_heads(float *weights, struct ken_pass *pass, ken_look which, size_t block,
                             size_t head, const size_t shape[2])
{
    const struct ken_attention *layer = layer_of(pass->model, which, block);
    const struct ken_seen *seen = seen_of(pass, which, block);
    size_t size = shape[0] * shape[1], heads = layer->config.heads;
    if (head != KEN_ALL_HEADS)
        return ken_attention_look(weights, pass->tape, layer, seen, 0, head, shape[0]);
    float *one;
    ken_arena_mark before = ken_arena_here(&pass->tape->arena);
    KEN_TRY(ken_tape_take(pass->tape, &one, size));
    memset(weights, 0, size * sizeof *weights);
    for (size_t h = 0; h < heads; h++) {
        KEN_TRY(ken_attention_look(one, pass->tape, layer, seen, 0, h, shape[0]));
        for (size_t i = 0; i < size; i++) weights[i] += one[i] / (float)heads;
    }
    ken_arena_rewind(&pass->tape->arena, before);
    return KEN_OK;
}

/* Allocates memory in which the pass records the attention of all blocks. */
static ken_status take_seen(struct ken_pass *pass)
{
    const ken_config *c = &pass->model->config;
    size_t blocks = c->encoder_blocks + c->decoder_blocks;
    pass->encoder_seen = ken_arena_take_zeroed(&pass->tape->arena, blocks,
                                               sizeof *pass->encoder_seen);
    if (!pass->encoder_seen) return ken_fail(KEN_ERR_MEMORY, "no memory to look at attention");
    pass->decoder_seen = pass->encoder_seen + c->encoder_blocks;
    return KEN_OK;
}

/* Runs the model on the first sequence and records its attention, from which the weights are read.
 * Computes no loss, so no gradient changes. `shape` receives { number of queries, number of keys
 * }. */
static ken_status look_on(struct ken_pass *pass, size_t shape[2], const ken_sequences *input,
                          const ken_sequences *target, ken_look which)
{
    const ken_config *c = &pass->model->config;
    ken_sequences in = input ? *input : (ken_sequences){ 0 };
    /* The model reads only the first sequence; `in.letters` may still hold the letters of all
     * sequences. */
    in.count = 1;
    size_t n = input ? ken_config_rows(c, input->start[1]) : 0, m = 0;
    KEN_TRY(take_seen(pass));
    if (c->output == KEN_GENERATE) {
        ken_sequences to = { target->ids, target->start, 1 };
        m = target->start[1] + 1; /* 1 more, because the decoder reads `begin` first */
        const int32_t *predict;
        ken_model_forced(pass, &in, &to, &predict);
    } else {
        ken_model_encode(pass, &in);
    }
    shape[0] = which == KEN_LOOK_ENCODER ? n : m;
    shape[1] = which == KEN_LOOK_DECODER ? m : n;
    return ken_tape_status(pass->tape);
}

static ken_status check_look(const ken_model *model, const ken_sequences *input,
                             const ken_sequences *target)
{
    bool reads = model->config.encoder_blocks > 0, writes = model->config.output == KEN_GENERATE;
    if (reads) KEN_TRY(ken_model_check_input(model, input));
    if (writes) KEN_TRY(ken_model_check_target(model, target));
    if ((reads && input->count == 0) || (writes && target->count == 0))
        return ken_fail(KEN_ERR_ARGUMENT, "look: the batch has no sequence; one is needed");
    return KEN_OK;
}

ken_status ken_session_look(ken_session *session, float *weights, ken_look which, size_t block,
                            size_t head, const ken_sequences *input, const ken_sequences *target)
{
    KEN_TRY(KEN_GIVEN(session));
    const ken_model *model = session->model;
    struct ken_team *before;
    size_t shape[2] = { 0 };
    if (!layer_of(model, which, block))
        return ken_fail(KEN_ERR_ARGUMENT, "look: the model has no block %zu with such attention",
                        block);
    if (!attends(model, which))
        return ken_fail(KEN_ERR_STATE, "look: blocks of kind %s have no self-attention",
                        ken_word(KEN_CHOICE_MIXING, model->config.mixing));
    KEN_TRY(check_look(model, input, target));
    ken_status status = ken_session_begin(session, true, &before);
    if (!status) status = look_on(&session->pass, shape, input, target, which);
    if (!status && shape[0] > 0 && shape[1] > 0) status = KEN_GIVEN(weights);
    if (!status) status = read_heads(weights, &session->pass, which, block, head, shape);
    ken_session_end(session, before);
    return status;
}

size_t ken_model_layers(const ken_model *model, ken_look which)
{
    size_t count = 0;
    while (attends(model, which) && layer_of(model, which, count)) count++;
    return count;
}

static ken_status read_glance(float *weights, unsigned char *mask, struct ken_pass *pass,
                              const ken_glance *glance, const size_t shape[2])
{
    const ken_model *model = pass->model;
    bool each = glance->head == KEN_EVERY, all = glance->layer == KEN_EVERY;
    size_t first = all ? 0 : glance->layer, heads = each ? model->config.heads : 1;
    size_t end = all ? ken_model_layers(model, glance->which) : first + 1;
    size_t size = shape[0] * shape[1];
    if (mask)
        ken_attention_mask(mask, layer_of(model, glance->which, first),
                           seen_of(pass, glance->which, first), shape[0], shape[1]);
    for (size_t i = first * heads; i < end * heads; i++, weights += size) {
        size_t block = i / heads, head = each ? i % heads : glance->head;
        size_t there = layer_of(model, glance->which, block)->config.heads;
        if (head != KEN_ALL_HEADS && head >= there) /* the last block may lack this head */
            memset(weights, 0, size * sizeof *weights);
        else KEN_TRY(read_heads(weights, pass, glance->which, block, head, shape));
    }
    return KEN_OK;
}

ken_status ken_session_glance(ken_session *session, float *weights, unsigned char *mask,
                              const ken_glance *glance, const ken_sequences *input,
                              const ken_sequences *target)
{
    struct ken_team *before;
    size_t shape[2] = { 0 };
    KEN_TRY(check_look(session->model, input, target));
    ken_status status = ken_session_begin(session, true, &before);
    if (!status) status = look_on(&session->pass, shape, input, target, glance->which);
    if (!status) status = read_glance(weights, mask, &session->pass, glance, shape);
    ken_session_end(session, before);
    return status;
}
