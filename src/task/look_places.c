/* look_places.c - positions as a picture: what is added to the rows at the input. */
#include "task/look.h"

#include "base/memory.h"
#include "base/size.h"
#include "kernel/rotate.h"
#include "model/model.h"

#include <string.h>

enum { PLACES_USUAL = 64 };

/* Learned positions of the encoder or decoder, or NULL: those of a sinusoid. */
static ken_status places_of(ken_task *task, const ken_tensor **table, ken_look which)
{
    ken_model *model = task->model;
    ken_position position = model->config.position;
    bool there = which == KEN_LOOK_ENCODER   ? model->config.encoder_blocks > 0
                 : which == KEN_LOOK_DECODER ? model->config.decoder_blocks > 0
                                             : false;
    if (!there)
        return ken_fail(KEN_ERR_ARGUMENT, "this model has no positions of its %s",
                        ken_look_names[which]);
    *table = which == KEN_LOOK_ENCODER ? &model->input_places : &model->target_places;
    if (position == KEN_POSITION_LEARNED) return KEN_OK;
    *table = NULL;
    if (position == KEN_POSITION_SINUSOID) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT,
                    "this model adds no positions to its input: model.position is %s",
                    ken_recipe_value(task->recipe, KEN_KEY_MODEL_POSITION));
}

ken_status ken_view_places(ken_view **out, ken_picture *picture, ken_task *task, ken_look which,
                           size_t rows)
{
    const ken_tensor *table = NULL;
    size_t width = task->model->config.width, most = task->model->config.longest;
    *out = NULL;
    KEN_TRY(places_of(task, &table, which));
    if (rows == 0) rows = table ? ken_size_min(most, PLACES_USUAL) : PLACES_USUAL;
    if (table && rows > most)
        return ken_fail(KEN_ERR_ARGUMENT, "%zu rows: this model has learned %zu positions", rows,
                        most);
    ken_view *view = ken_memory_zeroed(1, sizeof *view);
    float *values = view ? ken_memory_new(rows, width * sizeof *values) : NULL;
    if (!values) {
        ken_memory_free(view);
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu positions", rows);
    }
    view->task = task;
    view->shown = values;
    if (table) memcpy(values, table->data, rows * width * sizeof *values);
    else ken_sinusoid_fill(values, rows, width);
    *picture = (ken_picture){ .title = table ? "positions, learned" : "positions, sinusoid",
                              .about = "rows: positions, columns: dimensions",
                              .count = 1,
                              .rows = rows,
                              .cols = width,
                              .values = values,
                              .shape = { rows, width },
                              .dimensions = 2 };
    *out = view;
    return KEN_OK;
}
