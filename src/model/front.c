/* front.c - the front end: turns an input into the rows that the encoder's blocks read, with the
 * sequences and places of those rows. The front end may make fewer rows than it reads, such as one
 * row per group of frames. ken_config_rows() returns the number of rows; code after the front end
 * must not use the sequences of the input. */
#include "base/random.h"
#include "base/size.h"
#include "model/pass.h"
#include "tensor/sequence_ops.h"

#include <math.h>
#include <string.h>

static size_t rows_of(const ken_sequences *sequences)
{
    return sequences->start[sequences->count];
}

size_t ken_config_rows(const ken_config *config, size_t n)
{
    return ken_size_groups(n, config->input_stack);
}

bool ken_config_placed(const ken_config *c)
{
    return c->encoder_blocks > 0 &&
           (c->position == KEN_POSITION_SINUSOID || c->position == KEN_POSITION_LEARNED ||
            c->position == KEN_POSITION_ROTARY);
}

/* ---- where the rows stand -------------------------------------------------------------------- */

static const size_t *group_starts(ken_tape *tape, const ken_config *c, const ken_sequences *input)
{
    if (c->input_stack == 1) return input->start;
    size_t *start = ken_arena_take(&tape->arena, input->count + 1, sizeof *start);
    if (!start)
        return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu sequences", input->count);
    start[0] = 0;
    for (size_t b = 0; b < input->count; b++)
        start[b + 1] = start[b] + ken_config_rows(c, input->start[b + 1] - input->start[b]);
    return start;
}

/* Computes the places of stacked rows. A group of rows has the place of its first row. The last
 * coordinate, along which rows follow each other, is divided by the size of a group, so that it
 * counts groups. */
static const int32_t *group_places(ken_tape *tape, const ken_config *c, const ken_sequences *input,
                                   const size_t *start)
{
    size_t axes = c->place_axes, stack = c->input_stack, B = input->count;
    if (!input->places || !ken_config_placed(c)) return NULL;
    if (stack == 1) return input->places;
    int32_t *places = ken_arena_take(&tape->arena, start[B] * axes, sizeof *places);
    if (!places) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu places", start[B]);
    for (size_t b = 0; b < B; b++)
        for (size_t g = start[b]; g < start[b + 1]; g++) {
            const int32_t *from = input->places + (input->start[b] + (g - start[b]) * stack) * axes;
            int32_t *to = places + g * axes;
            memcpy(to, from, axes * sizeof *to);
            to[axes - 1] /= (int32_t)stack;
        }
    return places;
}

struct ken_where ken_model_where(struct ken_pass *pass, const ken_sequences *input)
{
    const ken_config *c = &pass->model->config;
    const size_t *start = group_starts(pass->tape, c, input);
    if (!start) return (struct ken_where){ 0 };
    return (struct ken_where){ .rows = { start, input->count },
                               .places = group_places(pass->tape, c, input, start) };
}

/* ---- the contents of the rows ---------------------------------------------------------------- */

/* Returns the ids of the input. In training, word dropout replaces random ids by the id `unknown`.
 * The choice depends only on the step and the index of the row, not on threads. */
static const int32_t *words_of(ken_tape *tape, const ken_config *c, const ken_sequences *input)
{
    if (!tape->training || c->word_dropout == 0) return input->ids;
    size_t rows = rows_of(input);
    /* word dropout takes its random key from the tape's counter, like an operation */
    uint64_t key = ken_random_key(tape->random_key, tape->count++);
    int32_t *ids = ken_arena_take(&tape->arena, rows, sizeof *ids);
    if (!ids) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu ids", rows);
    for (size_t i = 0; i < rows; i++)
        ids[i] = ken_random_uniform(key, i) < c->word_dropout ? c->unknown : input->ids[i];
    return ids;
}

/* Looks ids up in the input table. One-hot inputs are looked up as well, because a one-hot row
 * times a matrix is one row of the matrix; their bias is added. */
static ken_tensor *look_up(ken_tape *tape, const ken_model *model, const int32_t *ids, size_t rows)
{
    const ken_config *c = &model->config;
    bool bare = c->mixing == KEN_MIX_BARE, table = c->input_kind == KEN_INPUT_IDS && !bare;
    ken_tensor *x = ken_embed(tape, &model->input_table, ids, rows,
                              table ? sqrtf((float)c->width) : 1);
    return table || bare ? x : ken_add_row(tape, x, &model->input_bias);
}

/* Puts every `input_stack` rows of numbers side by side into one row. The new rows are constants:
 * no gradient passes through them. */
static ken_tensor *stack_rows(ken_tape *tape, const ken_config *c, const ken_sequences *input,
                              const size_t *start)
{
    size_t in = c->input_size, B = input->count, wide = in * c->input_stack;
    if (c->input_stack == 1) return ken_tape_constant(tape, input->numbers, rows_of(input), in);
    ken_tensor *x = ken_tape_tensor(tape, start[B], wide);
    for (size_t b = 0; x && b < B; b++) {
        size_t there = (input->start[b + 1] - input->start[b]) * in;
        float *to = x->data + start[b] * wide;
        if (there > 0) memcpy(to, input->numbers + input->start[b] * in, there * sizeof *to);
        memset(to + there, 0, ((start[b + 1] - start[b]) * wide - there) * sizeof *to);
    }
    return x;
}

ken_tensor *ken_model_front(struct ken_pass *pass, const struct ken_where *where,
                            const ken_sequences *input)
{
    const ken_model *model = pass->model;
    const ken_config *c = &model->config;
    ken_tape *tape = pass->tape;
    size_t rows = rows_of(input);
    float dropout = c->mixing == KEN_MIX_BARE ? c->dropout : 0; /* dropout of the input */
    if (c->input_kind == KEN_INPUT_VECTORS) {
        ken_tensor *numbers = stack_rows(tape, c, input, where->rows.start);
        if (dropout > 0) numbers = ken_dropout(tape, numbers, dropout);
        return ken_dense_apply(tape, &model->input_layer, numbers, KEN_ACT_NONE);
    }
    if (c->input_kind == KEN_INPUT_BAGS) {
        ken_ragged bags = { input->letters->start, rows };
        return ken_bag(tape, &model->input_table, input->letters->ids, bags, dropout);
    }
    const int32_t *ids = words_of(tape, c, input);
    ken_tensor *x = look_up(tape, model, ids, rows);
    if (c->letters == 0) return x;
    ken_ragged words = { input->letters->start, rows };
    return ken_add(tape, x, ken_spelling_apply(tape, &model->spelling, input->letters->ids, words));
}
