/* places.c - returns the numbers of position encodings, exactly as the model uses them, for
 * pictures and tests. */
#include "model/model.h"

#include <math.h>
#include <string.h>

/* The maximum number of places that a caller may ask for. No model has that many places, and sizes
 * computed from this number are far from overflow. */
enum { PLACES_MOST = 1 << 30 };

static ken_status no_such_part(void)
{
    return ken_fail(KEN_ERR_ARGUMENT, "places: the model's positions have no such part");
}

/* Copies columns first .. first + cols - 1 of rows row .. row + count - 1 of the table. */
static void copy_columns(float *to, const ken_tensor *table, size_t row, size_t count, size_t first,
                         size_t cols)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * cols, table->data + (row + i) * table->cols + first, cols * sizeof *to);
}

static ken_status copy_rows(float *numbers, ken_tape *tape, const struct ken_places *places,
                            struct ken_place_tables *tables, size_t count)
{
    size_t there = count;
    const ken_tensor *table = ken_places_rows(tape, places, tables, &there);
    KEN_TRY(ken_tape_status(tape));
    if (!table) return no_such_part();
    if (there < count)
        return ken_fail(KEN_ERR_ARGUMENT, "places: %zu asked for, but the model has learned %zu",
                        count, there);
    for (size_t axis = 0; axis < places->config.axes; axis++)
        copy_columns(numbers + axis * count * table->cols, table, axis * there, count, 0,
                     table->cols);
    return KEN_OK;
}

static ken_status copy_biases(float *numbers, ken_tape *tape, const struct ken_places *places,
                              struct ken_place_tables *tables, ken_place what, size_t block,
                              size_t count)
{
    size_t there = count, D = places->config.width, kv = places->config.kv_width;
    const ken_tensor *table = ken_places_biases(tape, places, tables, &there);
    KEN_TRY(ken_tape_status(tape));
    if (!table) return no_such_part();
    size_t first = what == KEN_PLACE_QUERY ? 0 : what == KEN_PLACE_KEY ? D : D + kv;
    copy_columns(numbers, table, block * there, count, first, what == KEN_PLACE_QUERY ? D : kv);
    return KEN_OK;
}

static ken_status copy_scores(float *numbers, ken_tape *tape, const struct ken_attention *attention,
                              size_t count)
{
    const struct ken_attention_config *c = &attention->config;
    bool alibi = c->position == KEN_ATTENTION_ALIBI;
    const ken_tensor *bias = ken_attention_bias(tape, attention);
    KEN_TRY(ken_tape_status(tape));
    if (!bias && !alibi) return no_such_part();
    for (size_t h = 0; h < c->heads; h++)
        for (size_t j = 0; j < 2 * count - 1; j++) {
            ptrdiff_t ahead = (ptrdiff_t)j - (ptrdiff_t)(count - 1);
            *numbers++ = alibi ? -attention->slopes[h] * fabsf((float)ahead)
                               : bias->data[h * bias->cols + ken_attend_bias_at(-ahead, c->span)];
        }
    return KEN_OK;
}

ken_status ken_model_places(const ken_model *model, float *numbers, ken_look side, ken_place what,
                            size_t block, size_t count)
{
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(KEN_GIVEN(numbers));
    bool reads = side == KEN_LOOK_ENCODER;
    const struct ken_places *places = reads ? &model->input_places : &model->target_places;
    if (side > KEN_LOOK_DECODER || places->config.blocks == 0)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "places: the model has no such side; encoder and decoder are possible");
    if (what != KEN_PLACE_INPUT && block >= places->config.blocks)
        return ken_fail(KEN_ERR_ARGUMENT, "places: the model has no such block %zu", block);
    if (count == 0 || count > PLACES_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "places: count is %zu, expected 1 to %zu", count,
                        (size_t)PLACES_MOST);
    const struct ken_block *blocks = reads ? model->encoder : model->decoder;
    struct ken_place_tables tables = { 0 };
    ken_tape tape;
    ken_status status = ken_tape_init(&tape);
    tape.recording = false;
    if (!status && what == KEN_PLACE_INPUT)
        status = copy_rows(numbers, &tape, places, &tables, count);
    else if (!status && what == KEN_PLACE_SCORE)
        status = copy_scores(numbers, &tape, &blocks[block].attention, count);
    else if (!status) status = copy_biases(numbers, &tape, places, &tables, what, block, count);
    ken_place_tables_drop(&tables);
    ken_tape_release(&tape);
    return status;
}
