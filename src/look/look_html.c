/* look_html.c - writes a view as one page for a browser: web/look.html with the weights inside.
 * Weights are written as integers, in ten-thousandths, to keep the page small; more digits would
 * not be visible. */
#include "look/look.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "draw/heat.h"

#include <math.h>
#include <string.h>

/* text of web/look.html, which the Makefile turns into a C array */
extern const char ken_page_look[];

enum { SCALE = 10000 };
static const char data_mark[] = "@DATA@";

static void append_weights(ken_buffer *out, const char *key, const float *weights, size_t count)
{
    ken_buffer_format(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++)
        ken_buffer_format(out, "%s%ld", i > 0 ? "," : "", lround((double)weights[i] * SCALE));
    ken_buffer_text(out, "]");
}

/* Appends a JSON member with a list of names, in which invisible characters such as spaces are
 * replaced by visible ones. */
static void append_visible(ken_buffer *out, const char *key, const char *const *names, size_t count)
{
    ken_buffer visible = { 0 };
    ken_buffer_format(out, "\"%s\":%s", key, names ? "[" : "null");
    for (size_t i = 0; i < count && names; i++) {
        ken_buffer_clear(&visible);
        ken_text_visible(&visible, names[i], strlen(names[i]));
        /* clearing `visible` would also clear its sticky error */
        if (visible.failed) out->failed = true;
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_string(out, ken_buffer_string(&visible), visible.size);
    }
    if (names) ken_buffer_text(out, "]");
    ken_buffer_release(&visible);
}

/* Appends the JSON member "mask", a string with a digit for each pair of query and key, row by row:
 * 1 if the query may attend to the key, else 0. If all digits would be 1, nothing is appended. */
static void append_mask(ken_buffer *out, const unsigned char *mask, size_t size)
{
    if (!memchr(mask, 0, size)) return;
    ken_buffer_text(out, ",\"mask\":\"");
    for (size_t i = 0; i < size; i++) ken_buffer_text(out, mask[i] ? "1" : "0");
    ken_buffer_text(out, "\"");
}

static ken_status append_part(ken_buffer *out, ken_view *view, ken_look which)
{
    struct ken_extent e = ken_view_extent(view, which);
    size_t size = e.T * e.S;
    const float *weights;
    bool follows = ken_view_follows(view, which);
    float *rollout = ken_memory_new(size, sizeof *rollout);
    if (!rollout) return ken_fail(KEN_ERR_MEMORY, "no memory for a page");
    ken_status status = ken_view_weights(view, &weights, which);
    if (!status && follows) status = ken_view_rollout(view, rollout, which, e.layers);
    if (!status) {
        ken_buffer_format(out,
                          "{\"which\":\"%s\",\"layers\":%zu,\"heads\":%zu,\"T\":%zu,\"S\":%zu,",
                          ken_word(KEN_CHOICE_LOOK, (int)which), e.layers, e.heads, e.T, e.S);
        append_visible(out, "rows", ken_view_row_names(view, which), e.T);
        ken_buffer_text(out, ",");
        append_visible(out, "cols", ken_view_col_names(view, which), e.S);
        append_mask(out, view->masks[which], size);
        append_weights(out, "weights", weights, e.layers * e.heads * size);
        if (follows) append_weights(out, "rollout", rollout, size);
        ken_buffer_text(out, "}");
    }
    ken_memory_free(rollout);
    return status;
}

/* Appends the JSON member that says which layer and head the page shows first. Both are counted
 * from 0; -1 = all of them, or their mean. */
static void append_glance(ken_buffer *out, const ken_glance *glance)
{
    const char *values = glance->rollout ? "rollout" : glance->relative ? "relative" : "weights";
    ken_buffer_format(out,
                      ",\"first\":{\"which\":\"%s\",\"values\":\"%s\",\"layer\":%d,\"head\":%d}",
                      ken_word(KEN_CHOICE_LOOK, (int)glance->which), values,
                      glance->layer < KEN_EVERY ? (int)glance->layer : -1,
                      glance->head < KEN_EVERY ? (int)glance->head : -1);
}

/* Fails if the page would be too large. The page holds all weights of all kinds of attention, and
 * the rollout of each kind. */
static ken_status check_size(const ken_view *view)
{
    size_t count = 0;
    for (size_t w = 0; w < KEN_LOOKS; w++) {
        struct ken_extent e = ken_view_extent(view, w);
        size_t size = ken_picture_size(e.layers > 0 ? e.layers * e.heads + 1 : 0, e.T, e.S);
        if (!ken_size_add(&count, count, size)) count = SIZE_MAX;
    }
    if (count <= KEN_PICTURE_DRAWN) return KEN_OK;
    return ken_fail(
        KEN_ERR_ARGUMENT,
        "%zu weights are too many for a page in a browser, at most %d are allowed; use "
        "a shorter example, or save one layer or head as SVG or NPY (ken look: --layer, "
        "--head or --mean with --svg or --npy)",
        count, KEN_PICTURE_DRAWN);
}

static ken_status append_data(ken_buffer *out, ken_view *view, const ken_glance *glance)
{
    static const char *const kinds[] = { "each", "whole", "generate" };
    size_t parts = 0;
    ken_buffer_format(out, "{\"kind\":\"%s\",\"scale\":%d,", kinds[view->task->output], SCALE);
    ken_json_answer(out, view);
    append_glance(out, glance);
    ken_buffer_text(out, ",\"parts\":[");
    for (size_t w = 0; w < KEN_LOOKS; w++) {
        if (ken_view_layers(view, w) == 0) continue;
        if (parts++ > 0) ken_buffer_text(out, ",");
        KEN_TRY(append_part(out, view, w));
    }
    ken_buffer_text(out, "]}");
    return ken_buffer_status(out);
}

/* Appends JSON with every "<" escaped, because the JSON is inside a script element, which
 * "</script>" would end and "<!--" would disturb. */
static void append_escaped(ken_buffer *out, const char *json, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        const char *sign = memchr(json + i, '<', length - i);
        step = sign ? (size_t)(sign - json) - i : length - i;
        ken_buffer_append(out, json + i, step);
        if (!sign) break;
        ken_buffer_text(out, "\\u003c");
        step++;
    }
}

ken_status ken_view_html(ken_view *view, const ken_glance *glance, ken_text_fn *write, void *user)
{
    const char *mark = strstr(ken_page_look, data_mark);
    ken_buffer data = { 0 }, out = { 0 };
    KEN_TRY(KEN_GIVEN(view));
    KEN_TRY(KEN_GIVEN(glance));
    KEN_TRY(KEN_GIVEN(write));
    KEN_TRY(check_size(view));
    KEN_TRY(ken_view_check(view, glance, SIZE_MAX));
    ken_status status = append_data(&data, view, glance);
    if (!status) {
        ken_buffer_append(&out, ken_page_look, (size_t)(mark - ken_page_look));
        append_escaped(&out, data.data, data.size);
        ken_buffer_text(&out, mark + strlen(data_mark));
        status = ken_buffer_status(&out);
    }
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&data);
    ken_buffer_release(&out);
    return status;
}
