/* look_save.c - saves the numbers of pictures and views as JSON and NPY. */
#include "look/look.h"

#include "base/json.h"
#include "draw/heat.h"
#include "format/npy.h"
#include "task/answer.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Appends a JSON member "key":["name",...]; its value is null if `names` is NULL. */
static void add_names(ken_buffer *out, const char *key, const char *const *names, size_t count)
{
    ken_buffer_format(out, "\"%s\":", key);
    if (names) ken_json_strings(out, names, count);
    else ken_buffer_text(out, "null");
}

/* Appends an array with dimensions `shape` as nested JSON arrays. Returns a pointer to the number
 * after the last one that was written. */
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

/* The shape of the array that a picture is saved as. */
struct shape {
    size_t sizes[4], dimensions;
};

/* Finds the shape of a checked picture, by default (count, rows, cols). Fails if the picture has
 * another number of values than its shape. */
static ken_status find_shape(struct shape *shape, const ken_picture *picture)
{
    size_t size = ken_picture_size(picture->count, picture->rows, picture->cols), product = 1;
    *shape = (struct shape){ { picture->count, picture->rows, picture->cols }, 3 };
    if (picture->dimensions == 0) return KEN_OK;
    memcpy(shape->sizes, picture->shape, sizeof picture->shape);
    shape->dimensions = picture->dimensions;
    for (size_t i = 0; i < shape->dimensions; i++)
        product = ken_picture_size(1, product, shape->sizes[i]);
    if (product == size) return KEN_OK;
    return ken_fail(KEN_ERR_SHAPE,
                    "ken_picture: shape has %zu values, but %zu times %zu x %zu is %zu", product,
                    picture->count, picture->rows, picture->cols, size);
}

/* Appends the JSON members that describe a picture, without the braces of the object. */
static void members(ken_buffer *out, const ken_picture *picture, const struct shape *shape,
                    const char *key)
{
    ken_buffer_text(out, "\"title\":");
    ken_json_string(out, picture->title, strlen(picture->title));
    ken_buffer_text(out, ",");
    add_names(out, "rows", picture->row_names, picture->rows);
    ken_buffer_text(out, ",");
    add_names(out, "columns", picture->col_names, picture->cols);
    ken_buffer_text(out, ",\"shape\":[");
    for (size_t i = 0; i < shape->dimensions; i++)
        ken_buffer_format(out, "%s%zu", i > 0 ? "," : "", shape->sizes[i]);
    ken_buffer_format(out, "],\"%s\":", key);
    nested(out, picture->values, shape->sizes, shape->dimensions);
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
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(write));
    struct shape shape;
    KEN_TRY(ken_picture_check(picture, KEN_PICTURE_JSON));
    KEN_TRY(find_shape(&shape, picture));
    ken_buffer_text(&out, "{");
    members(&out, picture, &shape, "values");
    ken_buffer_text(&out, "}\n");
    return hand_out(&out, write, user);
}

/* Appends the number of the chosen layer or head, counted from 1, as a JSON member; null if all
 * were chosen, or their mean. */
static void choice(ken_buffer *out, const char *key, size_t chosen)
{
    if (chosen < KEN_EVERY) ken_buffer_format(out, ",\"%s\":%zu", key, chosen + 1);
    else ken_buffer_format(out, ",\"%s\":null", key);
}

void ken_json_answer(ken_buffer *out, const ken_view *view)
{
    bool reads = ken_task_reads(view->task);
    if (reads) add_names(out, "tokens", ken_view_row_names(view, KEN_LOOK_ENCODER), view->rows);
    /* tokens that the model writes, without <end>; a language model has no other tokens */
    if (view->steps > 0) {
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
    struct shape shape;
    KEN_TRY(KEN_GIVEN(view));
    KEN_TRY(KEN_GIVEN(glance));
    KEN_TRY(KEN_GIVEN(write));
    KEN_TRY(ken_view_check(view, glance, KEN_PICTURE_JSON));
    KEN_TRY(ken_view_show(view, &picture, glance));
    KEN_TRY(find_shape(&shape, &picture));
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
    members(&out, &picture, &shape, glance->relative ? "ratios" : "weights");
    ken_buffer_text(&out, "}\n");
    return hand_out(&out, write, user);
}

/* ---- NPY ------------------------------------------------------------------------------------- */

ken_status ken_picture_npy(const ken_picture *picture, const char *path)
{
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(ken_picture_check(picture, PTRDIFF_MAX / sizeof *picture->values));
    struct shape shape;
    KEN_TRY(find_shape(&shape, picture));
    return ken_npy_write(path, picture->values, shape.sizes, shape.dimensions);
}
