/* look_save.c - pictures and views as numbers: JSON and NPY. */
#include "look/look.h"

#include "base/json.h"
#include "base/options.h"
#include "base/text.h"
#include "format/npy.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

void ken_json_names(ken_buffer *out, const char *key, const char *const *names, size_t count,
                    bool visible)
{
    ken_buffer seen = { 0 };
    ken_buffer_format(out, "\"%s\":%s", key, names ? "[" : "null");
    for (size_t i = 0; i < count && names; i++) {
        ken_buffer_clear(&seen);
        if (visible) ken_text_visible(&seen, names[i], strlen(names[i]));
        if (seen.failed) out->failed = true; /* the next clearing forgets it */
        if (i > 0) ken_buffer_text(out, ",");
        if (visible) ken_json_string(out, ken_buffer_string(&seen), seen.size);
        else ken_json_string(out, names[i], strlen(names[i]));
    }
    if (names) ken_buffer_text(out, "]");
    ken_buffer_release(&seen);
}

/* Arrays within arrays, as deep as the shape has dimensions. */
static const float *nested(ken_buffer *out, const float *values, const size_t *shape,
                           size_t dimensions)
{
    ken_buffer_text(out, "[");
    for (size_t i = 0; i < shape[0]; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        if (dimensions > 1) values = nested(out, values, shape + 1, dimensions - 1);
        else ken_json_float(out, *values++);
    }
    ken_buffer_text(out, "]");
    return values;
}

/* The shape of a picture, which may have been left to its sizes. */
static size_t shape_of(size_t shape[4], const ken_picture *picture)
{
    memcpy(shape, picture->shape, sizeof picture->shape);
    if (picture->dimensions > 0) return picture->dimensions;
    shape[0] = picture->count;
    shape[1] = picture->rows;
    shape[2] = picture->cols;
    return 3;
}

/* What is within the braces. */
static void members(ken_buffer *out, const ken_picture *picture, const char *key)
{
    size_t shape[4], dimensions = shape_of(shape, picture);
    ken_buffer_text(out, "\"title\":");
    ken_json_string(out, picture->title, strlen(picture->title));
    ken_buffer_text(out, ",");
    ken_json_names(out, "rows", picture->row_names, picture->rows, false);
    ken_buffer_text(out, ",");
    ken_json_names(out, "columns", picture->col_names, picture->cols, false);
    ken_buffer_text(out, ",\"shape\":[");
    for (size_t i = 0; i < dimensions; i++)
        ken_buffer_format(out, "%s%zu", i > 0 ? "," : "", shape[i]);
    ken_buffer_format(out, "],\"%s\":", key);
    nested(out, picture->values, shape, dimensions);
}

static ken_status hand_out(ken_buffer *out, ken_text_fn *write, void *user)
{
    ken_status status = ken_buffer_status(out);
    if (!status) write(user, out->data, out->size);
    ken_buffer_release(out);
    return status;
}

ken_status ken_picture_json(const ken_picture *picture, ken_text_fn *write, void *user)
{
    ken_buffer out = { 0 };
    KEN_TRY(KEN_OPTIONS_UNUSED(picture, "ken_picture"));
    ken_buffer_text(&out, "{");
    members(&out, picture, "values");
    ken_buffer_text(&out, "}\n");
    return hand_out(&out, write, user);
}

/* Which layer or head was chosen, as people count; null: each, or none in particular. */
static void choice(ken_buffer *out, const char *key, size_t chosen)
{
    if (chosen < KEN_EVERY) ken_buffer_format(out, ",\"%s\":%zu", key, chosen + 1);
    else ken_buffer_format(out, ",\"%s\":null", key);
}

void ken_json_answer(ken_buffer *out, const ken_view *view)
{
    const ken_answer *answer = &view->answer;
    if (ken_task_reads(view->task))
        ken_json_names(out, "tokens", ken_view_row_names(view, KEN_LOOK_ENCODER), view->rows,
                       false);
    if (view->steps > 0) { /* without <end>; of a language model that is all there is */
        if (ken_task_reads(view->task)) ken_buffer_text(out, ",");
        ken_json_names(out, ken_task_reads(view->task) ? "written" : "tokens",
                       ken_view_row_names(view, KEN_LOOK_DECODER), view->steps - 1, false);
    }
    ken_buffer_text(out, ",");
    if (answer->labels) ken_json_names(out, "answers", answer->labels, answer->count, false);
    ken_buffer_format(out, "%s\"%s\":[", answer->labels ? "," : "",
                      answer->labels ? "scores" : "answers");
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_number(out, answer->scores[i]);
    }
    ken_buffer_text(out, "]");
}

ken_status ken_view_json(ken_view *view, const ken_glance *glance, ken_text_fn *write, void *user)
{
    ken_buffer out = { 0 };
    ken_picture picture;
    KEN_TRY(ken_view_show(view, &picture, glance));
    struct ken_extent e = ken_view_extent(view, glance->which);
    ken_buffer_text(&out, "{");
    ken_json_answer(&out, view);
    ken_buffer_format(&out, ",\"which\":\"%s\",\"layers\":%zu,\"heads\":%zu",
                      ken_word(KEN_CHOICE_LOOK, (int)glance->which), e.layers, e.heads);
    choice(&out, "layer", glance->layer);
    choice(&out, "head", glance->rollout ? KEN_EVERY : glance->head);
    ken_buffer_format(&out, ",\"mean\":%s,\"rollout\":%s,",
                      glance->head == KEN_ALL_HEADS && !glance->rollout ? "true" : "false",
                      glance->rollout ? "true" : "false");
    members(&out, &picture, "weights");
    ken_buffer_text(&out, "}\n");
    return hand_out(&out, write, user);
}

/* ---- NPY ------------------------------------------------------------------------------------- */

ken_status ken_picture_npy(const ken_picture *picture, const char *path)
{
    size_t shape[4], dimensions = shape_of(shape, picture);
    KEN_TRY(KEN_OPTIONS_UNUSED(picture, "ken_picture"));
    return ken_npy_write(path, picture->values, shape, dimensions);
}
