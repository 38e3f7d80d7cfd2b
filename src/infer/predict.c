/* predict.c - labels from a model, and a look at its attention.
 * Each call has a tape of its own. What an attention layer has as `seen` lies on that tape: it is
 * good during the call alone. */
#include "infer/predict.h"

#include "base/memory.h"

#include <string.h>

static ken_status predict_on(ken_tape *tape, ken_model *model, float *logits,
                             const ken_sequences *input)
{
    ken_tensor *rows = ken_model_encode(tape, model, input);
    if (model->config.output == KEN_WHOLE)
        rows = ken_model_pool(tape, model, rows, (ken_ragged){ input->start, input->count });
    ken_tensor *results = ken_model_logits(tape, model, rows);
    KEN_TRY(ken_tape_status(tape));
    size_t size = ken_tensor_size(results);
    if (size > 0) memcpy(logits, results->data, size * sizeof *logits);
    return KEN_OK;
}

ken_status ken_model_predict_logits(ken_model *model, float *logits, const ken_sequences *input)
{
    if (model->config.output == KEN_GENERATE)
        return ken_fail(KEN_ERR_STATE, "predict: a generator has no labels; use generate");
    KEN_TRY(ken_model_check_input(model, input));
    ken_tape tape;
    ken_status status = ken_tape_init(&tape);
    tape.recording = false;
    if (!status) status = predict_on(&tape, model, logits, input);
    ken_tape_release(&tape);
    return status;
}

void ken_model_conclude(const ken_model *model, float *answers, const float *logits, size_t rows)
{
    size_t width = model->config.output_size;
    switch (model->config.value) {
    case KEN_VALUE_CLASS: ken_softmax_forward(answers, logits, rows, width); break;
    case KEN_VALUE_SET:
        ken_activation_forward(answers, logits, rows * width, KEN_ACT_SIGMOID);
        break;
    case KEN_VALUE_NUMBER:
        if (answers != logits) memcpy(answers, logits, rows * width * sizeof *answers);
    }
}

ken_status ken_model_predict(ken_model *model, float *probabilities, const ken_sequences *input)
{
    KEN_TRY(ken_model_predict_logits(model, probabilities, input));
    size_t rows = model->config.output == KEN_EACH ? input->start[input->count] : input->count;
    ken_model_conclude(model, probabilities, probabilities, rows);
    return KEN_OK;
}

/* Every decoder of a translator looks at what was read, whatever its blocks are made of. */
static bool attends(const ken_model *model, ken_look which)
{
    return which == KEN_LOOK_CROSS || ken_mixing_attends(model->config.mixing);
}

/* The place of the attention layer that is looked at, or NULL: no such block. */
static struct ken_attention *layer_of(ken_model *model, ken_look which, size_t block)
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

/* One head, or the mean of all: `weights` gets T * S numbers. */
static ken_status read_heads(float *weights, ken_tape *tape, const struct ken_attention *layer,
                             size_t head, const size_t shape[2])
{
    size_t size = shape[0] * shape[1];
    if (head != KEN_ALL_HEADS) return ken_attention_look(weights, tape, layer, 0, head, shape[0]);
    size_t heads = layer->config.heads;
    float *one;
    KEN_TRY(ken_tape_take(tape, &one, size));
    memset(weights, 0, size * sizeof *weights);
    for (size_t h = 0; h < heads; h++) {
        KEN_TRY(ken_attention_look(one, tape, layer, 0, h, shape[0]));
        for (size_t i = 0; i < size; i++) weights[i] += one[i] / (float)heads;
    }
    return KEN_OK;
}

/* Runs the model on the first sequences with recording on: the weights are read from the recorded
 * attention. No loss is computed, so no gradient is touched. `shape` is T and S. */
static ken_status look_on(ken_tape *tape, ken_model *model, size_t shape[2],
                          const ken_sequences *input, const ken_sequences *target, ken_look which)
{
    ken_sequences in = input ? *input : (ken_sequences){ 0 };
    in.count = 1; /* letters may be those of all rows: the first ones are read */
    size_t n = input ? input->start[1] : 0, m = 0;
    if (model->config.output == KEN_GENERATE) {
        ken_sequences to = { target->ids, target->start, 1 };
        m = target->start[1] + 1; /* it reads `begin` first */
        const int32_t *predict;
        ken_model_forced(tape, model, &in, &to, &predict);
    } else {
        ken_model_encode(tape, model, &in);
    }
    size_t T = which == KEN_LOOK_ENCODER ? n : m, S = which == KEN_LOOK_DECODER ? m : n;
    shape[0] = T;
    shape[1] = S;
    return ken_tape_status(tape);
}

static ken_status check_look(const ken_model *model, const ken_sequences *input,
                             const ken_sequences *target)
{
    bool reads = model->config.encoder_blocks > 0, writes = model->config.output == KEN_GENERATE;
    if (reads) KEN_TRY(ken_model_check_input(model, input));
    if (writes) KEN_TRY(ken_model_check_target(model, target));
    if ((reads && input->count == 0) || (writes && target->count == 0))
        return ken_fail(KEN_ERR_ARGUMENT, "look: there is no first sequence to look at");
    return KEN_OK;
}

ken_status ken_model_look(ken_model *model, float *weights, ken_look which, size_t block,
                          size_t head, const ken_sequences *input, const ken_sequences *target)
{
    struct ken_attention *layer = layer_of(model, which, block);
    if (!layer) return ken_fail(KEN_ERR_ARGUMENT, "look: the model has no such block %zu", block);
    if (!attends(model, which))
        return ken_fail(KEN_ERR_STATE, "look: blocks of kind %s have no self-attention",
                        ken_word(KEN_CHOICE_MIXING, model->config.mixing));
    KEN_TRY(check_look(model, input, target));
    ken_tape tape;
    size_t shape[2] = { 0 };
    ken_status status = ken_tape_init(&tape);
    if (!status) status = look_on(&tape, model, shape, input, target, which);
    if (!status) status = read_heads(weights, &tape, layer, head, shape);
    ken_tape_release(&tape);
    return status;
}

size_t ken_model_layers(ken_model *model, ken_look which)
{
    size_t count = 0;
    while (attends(model, which) && layer_of(model, which, count)) count++;
    return count;
}

ken_status ken_model_look_all(ken_model *model, float *weights, ken_look which,
                              const ken_sequences *input, const ken_sequences *target)
{
    KEN_TRY(check_look(model, input, target));
    ken_tape tape;
    size_t shape[2] = { 0 }, heads = model->config.heads;
    ken_status status = ken_tape_init(&tape);
    if (!status) status = look_on(&tape, model, shape, input, target, which);
    for (size_t i = 0; i < ken_model_layers(model, which) * heads && !status; i++) {
        const struct ken_attention *layer = layer_of(model, which, i / heads);
        size_t size = shape[0] * shape[1];
        if (i % heads >= layer->config.heads) /* a last block with fewer heads */
            memset(weights + i * size, 0, size * sizeof *weights);
        else status = read_heads(weights + i * size, &tape, layer, i % heads, shape);
    }
    ken_tape_release(&tape);
    return status;
}
