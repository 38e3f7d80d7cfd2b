/* look_places.c - shows a model's position encodings as a picture: the numbers that are added to
 * the rows at the input or, for positions that act inside attention, to the scores of the first
 * block. */
#include "look/look.h"

#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"

enum { PLACES_USUAL = 64 };

/* Finds which numbers of the model's position encodings can be shown as one matrix: those added to
 * the input, or those added to the scores. */
static ken_status part_of(ken_task *task, ken_look which, ken_place *part)
{
    const ken_config *c = &task->model->config;
    bool there = which == KEN_LOOK_ENCODER   ? c->encoder_blocks > 0
                 : which == KEN_LOOK_DECODER ? c->decoder_blocks > 0
                                             : false;
    if (!there)
        return ken_fail(KEN_ERR_ARGUMENT, "this model has no %s with positions",
                        ken_word(KEN_CHOICE_LOOK, (int)which));
    switch (c->position) {
    case KEN_POSITION_SINUSOID:
    case KEN_POSITION_LEARNED:
    case KEN_POSITION_RNN:
    case KEN_POSITION_FLOATER: *part = KEN_PLACE_INPUT; return KEN_OK;
    case KEN_POSITION_ALIBI:
    case KEN_POSITION_RELATIVE:
    case KEN_POSITION_BUCKETS:
    case KEN_POSITION_QUADRATIC: *part = KEN_PLACE_SCORE; break;
    default:
        return ken_fail(
            KEN_ERR_ARGUMENT,
            "positions of kind %s cannot be drawn: they add no numbers to rows or scores",
            ken_recipe_value(task->recipe, KEN_KEY_MODEL_POSITION));
    }
    if (ken_mixing_attends(c->mixing)) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT,
                    "positions that are added to scores cannot be drawn: blocks of kind %s have "
                    "no self-attention",
                    ken_word(KEN_CHOICE_MIXING, c->mixing));
}

static const char *const titles[KEN_POSITION_COUNT] = {
    [KEN_POSITION_SINUSOID] = "positions, sinusoid",
    [KEN_POSITION_LEARNED] = "positions, learned",
    [KEN_POSITION_RNN] = "positions, rnn",
    [KEN_POSITION_FLOATER] = "positions, sinusoid below floater",
    [KEN_POSITION_ALIBI] = "positions, alibi",
    [KEN_POSITION_RELATIVE] = "positions, relative",
    [KEN_POSITION_BUCKETS] = "positions, buckets",
    [KEN_POSITION_QUADRATIC] = "positions, quadratic",
};

/* Describes the matrix of positions as a picture. The matrix has a row for each position, or for
 * each head. */
static void describe(ken_picture *picture, ken_view *view, ken_place part, size_t count)
{
    const ken_config *c = &view->task->model->config;
    bool input = part == KEN_PLACE_INPUT;
    size_t rows = input ? count : c->heads, cols = input ? c->width : 2 * count - 1;
    *picture = (ken_picture){ .title = titles[c->position],
                              .about = input ? "rows: positions, columns: dimensions"
                                             : "added to scores; rows: heads of the first block, "
                                               "columns: keys from far before to far after",
                              .count = 1,
                              .rows = rows,
                              .cols = cols,
                              .values = view->shown,
                              .shape = { rows, cols },
                              .dimensions = 2 };
}

ken_status ken_view_places(ken_view **view, ken_picture *picture, ken_task *task, ken_look which,
                           size_t rows)
{
    KEN_TRY(KEN_GIVEN(view));
    *view = NULL;
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(task));
    const ken_config *c = &task->model->config;
    bool ends = c->position == KEN_POSITION_LEARNED;
    ken_place part = KEN_PLACE_INPUT;
    KEN_TRY(part_of(task, which, &part));
    if (rows == 0) rows = ends ? ken_size_min(c->longest, PLACES_USUAL) : PLACES_USUAL;
    if (ends && rows > c->longest)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "cannot draw %zu positions: this model has learned %zu position%s", rows,
                        c->longest, ken_plural(c->longest));
    ken_view *made = ken_memory_zeroed(1, sizeof *made);
    size_t wide = part == KEN_PLACE_INPUT ? c->width : 2 * c->heads;
    if (made) made->shown = ken_memory_new(rows, wide * sizeof *made->shown);
    ken_status status = made && made->shown
                            ? ken_model_places(task->model, made->shown, which, part, 0, rows)
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu positions", rows);
    if (status) {
        ken_view_free(made);
        return status;
    }
    made->task = task;
    describe(picture, made, part, rows);
    *view = made;
    return KEN_OK;
}
