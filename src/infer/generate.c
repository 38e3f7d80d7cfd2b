/* generate.c - greedy generation for many sequences at once; finished ones leave the batch.
 * Every step runs the decoder over all ids so far. */
#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"

#include <string.h>

/* Sequences still being written. */
struct writers {
    ken_model *model;
    size_t longest;
    int32_t *ids; /* the caller's (count, longest)        */
    size_t *lengths;
    size_t *alive; /* (B) sequence numbers                 */
    size_t B;
    float *memory; /* encoder rows of those alive          */
    size_t *memory_start;
    int32_t *read; /* (B, longest + prefix + 1) flattened  */
    size_t *read_start;
    const ken_sequences *prefix; /* of a language model       */
};

static void list_ids(struct writers *w)
{
    size_t at = 0;
    w->read_start[0] = 0;
    for (size_t a = 0; a < w->B; a++) {
        size_t b = w->alive[a];
        w->read[at++] = w->model->config.begin;
        if (w->prefix)
            for (size_t i = w->prefix->start[b]; i < w->prefix->start[b + 1]; i++)
                w->read[at++] = w->prefix->ids[i];
        for (size_t i = 0; i < w->lengths[b]; i++) w->read[at++] = w->ids[b * w->longest + i];
        w->read_start[a + 1] = at;
    }
}

static int32_t most_likely(const float *logits, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best]) best = i;
    return (int32_t)best;
}

/* Decides the next id of each living sequence from the last row of its ids so far. */
static ken_status write_one(struct writers *w, ken_tape *tape)
{
    size_t D = w->model->config.width;
    ken_tape_clear(tape);
    list_ids(w);
    ken_sequences read = { w->read, w->read_start, w->B };
    ken_ragged memory_rows = { w->memory_start, w->B };
    ken_tensor *memory = NULL;
    if (w->memory) memory = ken_tape_constant(tape, w->memory, w->memory_start[w->B], D);
    ken_tensor *rows = ken_model_decode(tape, w->model, &read, memory, memory_rows);
    ken_tensor *last = ken_tape_tensor(tape, w->B, D);
    KEN_TRY(ken_tape_status(tape));
    for (size_t a = 0; a < w->B; a++)
        memcpy(last->data + a * D, rows->data + (w->read_start[a + 1] - 1) * D, D * sizeof(float));
    ken_tensor *logits = ken_model_logits(tape, w->model, last);
    KEN_TRY(ken_tape_status(tape));
    size_t kept = 0, at = 0;
    for (size_t a = 0; a < w->B; a++) {
        size_t b = w->alive[a], from = w->memory ? w->memory_start[a] : 0;
        size_t count = w->memory ? w->memory_start[a + 1] - from : 0;
        int32_t id = most_likely(logits->data + a * logits->cols, logits->cols);
        if (id == w->model->config.end) continue;
        w->ids[b * w->longest + w->lengths[b]++] = id;
        if (w->lengths[b] == w->longest) continue;
        w->alive[kept] = b;
        if (w->memory) { /* close the gap that finished sequences leave */
            memmove(w->memory + at * D, w->memory + from * D, count * D * sizeof(float));
            w->memory_start[kept] = at;
            at += count;
        }
        kept++;
    }
    if (w->memory) w->memory_start[kept] = at;
    w->B = kept;
    return KEN_OK;
}

/* The encoder's rows, kept apart from the tape that every step clears. */
static ken_status read_input(struct writers *w, ken_tape *tape, const ken_sequences *input)
{
    ken_tensor *rows = ken_model_encode(tape, w->model, input);
    KEN_TRY(ken_tape_status(tape));
    w->memory = ken_memory_new(ken_tensor_size(rows), sizeof(float));
    w->memory_start = ken_memory_new(input->count + 1, sizeof(size_t));
    if (!w->memory || !w->memory_start)
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu input rows", rows->rows);
    memcpy(w->memory, rows->data, ken_tensor_size(rows) * sizeof(float));
    memcpy(w->memory_start, input->start, (input->count + 1) * sizeof(size_t));
    return KEN_OK;
}

static ken_status write_all(struct writers *w, ken_tape *tape, const ken_sequences *input)
{
    size_t most = 0, total; /* most: ids of the longest prefix */
    if (w->model->config.encoder_blocks > 0) {
        KEN_TRY(read_input(w, tape, input));
    } else {
        w->prefix = input;
        for (size_t b = 0; b < input->count; b++)
            most = ken_size_max(most, input->start[b + 1] - input->start[b]);
    }
    bool fits = ken_size_add(&total, w->longest, 1) && ken_size_add(&total, total, most) &&
                ken_size_mul(&total, w->B, total);
    w->alive = ken_memory_new(w->B, sizeof *w->alive);
    w->read_start = ken_memory_new(w->B + 1, sizeof *w->read_start);
    w->read = fits ? ken_memory_new(total, sizeof *w->read) : NULL;
    if (!w->alive || !w->read_start || !w->read)
        return ken_fail(KEN_ERR_MEMORY, "no memory to write %zu sequences", w->B);
    for (size_t b = 0; b < w->B; b++) {
        w->alive[b] = b;
        w->lengths[b] = 0;
    }
    while (w->B > 0 && w->longest > 0) KEN_TRY(write_one(w, tape));
    return KEN_OK;
}

ken_status ken_model_generate(ken_model *model, int32_t *ids, size_t *lengths,
                              const ken_sequences *input, size_t longest)
{
    if (model->config.output != KEN_GENERATE)
        return ken_fail(KEN_ERR_STATE, "generate: this model gives labels; use predict");
    KEN_TRY(ken_model_check_input(model, input));
    struct writers w = { .model = model,
                         .longest = longest,
                         .ids = ids,
                         .lengths = lengths,
                         .B = input->count };
    ken_tape tape;
    ken_status status = ken_tape_init(&tape);
    tape.recording = false;
    if (!status) status = write_all(&w, &tape, input);
    ken_tape_release(&tape);
    ken_memory_free(w.alive);
    ken_memory_free(w.memory);
    ken_memory_free(w.memory_start);
    ken_memory_free(w.read);
    ken_memory_free(w.read_start);
    return status;
}
