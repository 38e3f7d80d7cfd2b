/* look_save.c - saves pictures and views as numbers: JSON and NPY. */
#include "look/look.h"

#include "base/json.h"
#include "base/options.h"
#include "format/npy.h"
#include "task/answer.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Appends a JSON member "key":["name",...]; its value is null if there are no names. */
static void add_names(ken_buffer *out, const char *key, const char *const *names, size_t count)
{
    ken_buffer_format(out, "\"%s\":", key);
    if (names) ken_json_strings(out, names, count);
    else ken_buffer_text(out, "null");
}

/* Appends an array of `shape` as nested JSON arrays, one level for each dimension. Returns a
 * pointer to the value after the last one written. */
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

/* Finds the shape of a picture, by default (count, rows, cols). Returns the number of
 * dimensions. */
static size_t shape_of(size_t shape[4], const ken_picture *picture)
{
    memcpy(shape, picture->shape, sizeof picture->shape);
    if (picture->dimensions > 0) return picture->dimensions;
    shape[0] = picture->count;
    shape[1] = picture->rows;
    shape[2] = picture->cols;
    return 3;
}

/* Appends the JSON members that describe a picture, without the braces of the object. */
static void members(ken_buffer *out, const ken_picture *picture, const char *key)
{
    size_t shape[4], dimensions = shape_of(shape, picture);
    ken_buffer_text(out, "\"title\":");
    ken_json_string(out, picture->title, strlen(picture->title));
    ken_buffer_text(out, ",");
    add_names(out, "rows", picture->row_names, picture->rows);
    ken_buffer_text(out, ",");
    add_names(out, "columns", picture->col_names, picture->cols);
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

/* Appends the number of the layer or head that was chosen, counted from 1; null if none in
 * particular was chosen. */
static void choice(ken_buffer *out, const char *key, size_t chosen)
{
    if (chosen < KEN_EVERY) ken_buffer_format(out, ",\"%s\":%zu", key, chosen + 1);
    else ken_buffer_format(out, ",\"%s\":null", key);
}

void ken_json_answer(ken_buffer *out, const ken_view *view)
{
    bool reads = ken_task_reads(view->task);
    if (reads) add_names(out, "tokens", ken_view_row_names(view, KEN_LOOK_ENCODER), view->rows);
    if (view->steps > 0) { /* the written tokens, without <end>: all tokens of a language model */
        if (reads) ken_buffer_text(out, ",");
        add_names(out, reads ? "written" : "tokens", ken_view_row_names(view, KEN_LOOK_DECODER),
                  view->steps - 1);
    }
    ken_buffer_text(out, ",");
    ken_answer_members(out, &view->answer);
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
    ken_buffer_format(&out, ",\"mean\":%s,\"rollout\":%s,\"relative\":%s,",
                      glance->head == KEN_ALL_HEADS && !glance->rollout ? "true" : "false",
                      glance->rollout ? "true" : "false", glance->relative ? "true" : "false");
    members(&out, &picture, glance->relative ? "ratios" : "weights");
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
