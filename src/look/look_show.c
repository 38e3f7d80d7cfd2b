/* look_show.c - makes pictures of a view: single heads, their mean, and attention rollout (Abnar
 * and Zuidema 2020), which follows attention through the layers down to the input. */
#include "look/look.h"
#include "base/size.h"

#include "base/memory.h"
#include "base/options.h"
#include "draw/heat.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rollout --------------------------------------------------------------------------------- */

/* Computes row t of (A + I) / 2, where A (T, T) are attention weights. The row is scaled so that
 * the absolute values of the row sum to 1. Absolute values are used because weights that do not
 * come from softmax may be negative. */
static void mix_row(double *row, const float *A, size_t t, size_t T)
{
    double sum = 0;
    for (size_t j = 0; j < T; j++) {
        row[j] = (A[t * T + j] + (j == t)) / 2;
        sum += fabs(row[j]);
    }
    for (size_t j = 0; j < T && sum > 0; j++) row[j] /= sum;
}

/* Multiplies a row vector and a matrix: product (S) = row (n) times right (n, S). */
static void multiply_row(double *product, const double *row, const float *right, size_t n, size_t S)
{
    memset(product, 0, S * sizeof *product);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < S && row[k] != 0; j++) product[j] += row[k] * right[k * S + j];
}

ken_status ken_rollout(float *out, const float *means, size_t layers, size_t T)
{
    float *last = ken_memory_new(T * T, sizeof *last);
    double *row = ken_memory_new(2 * T, sizeof *row);
    ken_status status = last && row ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory for a rollout");
    for (size_t i = 0; i < T * T && !status; i++) out[i] = i % (T + 1) == 0;
    for (size_t l = 0; l < layers && !status; l++) {
        memcpy(last, out, T * T * sizeof *last);
        for (size_t t = 0; t < T; t++) {
            mix_row(row, means + l * T * T, t, T);
            multiply_row(row + T, row, last, T, T);
            for (size_t j = 0; j < T; j++) out[t * T + j] = (float)row[T + j];
        }
    }
    ken_memory_free(last);
    ken_memory_free(row);
    return status;
}

/* Computes the mean over the heads of each layer: a new array (layers, queries, keys). */
static ken_status means_of(ken_view *view, float **means, ken_look which)
{
    const ken_glance glance = { .which = which, .layer = KEN_EVERY, .head = KEN_ALL_HEADS };
    struct ken_extent e = ken_view_extent(view, which);
    KEN_TRY(ken_view_check(view, &glance, KEN_PICTURE_SHOWN));
    *means = ken_memory_new(e.layers, e.T * e.S * sizeof **means);
    if (!*means) return ken_fail(KEN_ERR_MEMORY, "no memory for the means of %zu layers", e.layers);
    return ken_view_look(view, *means, &glance);
}

static ken_status rollout_within(ken_view *view, float *out, ken_look which, size_t layers)
{
    float *means = NULL;
    ken_status status = means_of(view, &means, which);
    if (!status) status = ken_rollout(out, means, layers, ken_view_extent(view, which).T);
    ken_memory_free(means);
    return status;
}

/* Computes the rollout of cross-attention: the cross-attention of the last of `layers` layers (mean
 * over its heads), multiplied by the rollout of the encoder. */
static ken_status rollout_across(ken_view *view, float *out, size_t layers)
{
    struct ken_extent e = ken_view_extent(view, KEN_LOOK_CROSS);
    float *means = NULL, *within = ken_memory_new(e.S * e.S, sizeof *within);
    double *row = ken_memory_new(2 * e.S, sizeof *row);
    ken_status status = within && row ? KEN_OK
                                      : ken_fail(KEN_ERR_MEMORY, "no memory for a rollout");
    if (!status) status = means_of(view, &means, KEN_LOOK_CROSS);
    if (!status)
        status = rollout_within(view, within, KEN_LOOK_ENCODER,
                                ken_view_layers(view, KEN_LOOK_ENCODER));
    for (size_t t = 0; t < e.T && !status; t++) {
        const float *mean = means + ((layers - 1) * e.T + t) * e.S;
        for (size_t j = 0; j < e.S; j++) row[j] = mean[j];
        multiply_row(row + e.S, row, within, e.S, e.S);
        for (size_t j = 0; j < e.S; j++) out[t * e.S + j] = (float)row[e.S + j];
    }
    ken_memory_free(means);
    ken_memory_free(within);
    ken_memory_free(row);
    return status;
}

bool ken_view_follows(const ken_view *view, ken_look which)
{
    return which != KEN_LOOK_CROSS || ken_view_layers(view, KEN_LOOK_ENCODER) > 0;
}

ken_status ken_view_rollout(ken_view *view, float *out, ken_look which, size_t layers)
{
    return which == KEN_LOOK_CROSS ? rollout_across(view, out, layers)
                                   : rollout_within(view, out, which, layers);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static ken_status refuse(const ken_view *view, ken_look which)
{
    const ken_config *c = &view->task->model->config;
    const char *name = ken_word(KEN_CHOICE_LOOK, (int)which);
    if ((which == KEN_LOOK_ENCODER ? c->encoder_blocks : c->decoder_blocks) > 0 &&
        !ken_mixing_attends(c->mixing))
        return ken_fail(KEN_ERR_ARGUMENT,
                        "this model has no %s attention to show: its blocks are of kind %s", name,
                        ken_word(KEN_CHOICE_MIXING, c->mixing));
    return ken_fail(KEN_ERR_ARGUMENT, "this model has no %s attention to show", name);
}

static ken_status check_choice(const ken_view *view, const ken_glance *glance)
{
    KEN_TRY(KEN_OPTIONS_UNUSED(glance, "ken_glance"));
    if ((unsigned)glance->which >= KEN_LOOKS)
        return ken_fail(KEN_ERR_ARGUMENT, "look: there is no kind of attention with the number %d",
                        (int)glance->which);
    struct ken_extent e = ken_view_extent(view, glance->which);
    if (e.layers == 0) return refuse(view, glance->which);
    if (glance->rollout && !ken_view_follows(view, glance->which))
        return ken_fail(KEN_ERR_ARGUMENT,
                        "rollout needs attention down to the input, but encoder blocks of kind %s "
                        "have none",
                        ken_word(KEN_CHOICE_MIXING, view->task->model->config.mixing));
    if (glance->rollout && glance->relative)
        return ken_fail(KEN_ERR_ARGUMENT, "look: rollout has no ratio to uniform attention; leave "
                                          "out rollout or relative");
    if (glance->layer >= e.layers && glance->layer != KEN_EVERY)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "look: no layer %zu; the model has %zu layer%s, counted from 0",
                        glance->layer, e.layers, ken_plural(e.layers));
    if (glance->head >= e.heads && glance->head < KEN_EVERY && !glance->rollout)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "look: no head %zu; the model has %zu head%s, counted from 0", glance->head,
                        e.heads, ken_plural(e.heads));
    return KEN_OK;
}

/* Rollout needs one matrix for each layer, the mean over its heads. */
ken_status ken_view_check(const ken_view *view, const ken_glance *glance, size_t most)
{
    KEN_TRY(check_choice(view, glance));
    struct ken_extent e = ken_view_extent(view, glance->which);
    size_t layers = glance->layer == KEN_EVERY || glance->rollout ? e.layers : 1;
    size_t heads = glance->head == KEN_EVERY && !glance->rollout ? e.heads : 1;
    size_t size = ken_picture_size(layers * heads, e.T, e.S);
    if (size <= most) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT,
                    "%zu attention weights (layers: %zu, heads: %zu, matrices of %zu x %zu) are "
                    "too many, at most %zu are allowed here; %s",
                    size, layers, heads, e.T, e.S, most, KEN_PICTURE_ADVICE);
}

/* Gives each matrix a title such as "layer 2, head 3"; the numbers in titles count from 1. */
static ken_status title_all(ken_view *view, ken_picture *picture, const ken_glance *glance,
                            size_t heads)
{
    struct ken_extent e = ken_view_extent(view, glance->which);
    ken_strings_release(&view->titles);
    ken_buffer_clear(&view->title_list);
    for (size_t i = 0; i < picture->count; i++) {
        char words[80];
        size_t layer = glance->layer == KEN_EVERY ? i / heads : glance->layer;
        size_t head = glance->head == KEN_EVERY ? i % heads : glance->head;
        if (glance->rollout)
            snprintf(words, sizeof words, "rollout up to layer %zu",
                     glance->layer == KEN_EVERY ? e.layers : layer + 1);
        else if (glance->head == KEN_ALL_HEADS)
            snprintf(words, sizeof words, "layer %zu, mean of %zu head%s", layer + 1, e.heads,
                     ken_plural(e.heads));
        else snprintf(words, sizeof words, "layer %zu, head %zu", layer + 1, head + 1);
        ken_strings_add(&view->titles, words, strlen(words));
    }
    KEN_TRY(ken_strings_status(&view->titles));
    for (size_t i = 0; i < picture->count; i++) {
        const char *title = ken_strings_at(&view->titles, i, NULL);
        ken_buffer_append(&view->title_list, &title, sizeof title);
    }
    KEN_TRY(ken_buffer_status(&view->title_list));
    picture->titles = (const char *const *)(void *)view->title_list.data;
    const char *which = ken_word(KEN_CHOICE_LOOK, (int)glance->which);
    if (picture->count == 1)
        snprintf(view->title, sizeof view->title, "%s: %s", which, picture->titles[0]);
    else
        snprintf(view->title, sizeof view->title, "%s: %zu layer%s, %zu head%s", which, e.layers,
                 ken_plural(e.layers), e.heads, ken_plural(e.heads));
    picture->title = view->title;
    return KEN_OK;
}

/* Turns weights (count, queries, keys) into ratios to uniform attention; see
 * ken_glance.relative. */
static void make_relative(float *values, size_t count, const ken_view *view, ken_look which)
{
    struct ken_extent e = ken_view_extent(view, which);
    const unsigned char *mask = view->masks[which];
    for (size_t r = 0; r < count * e.T; r++) {
        size_t t = r % e.T;
        float keys = (float)ken_view_keys(view, which, t), *row = values + r * e.S;
        for (size_t j = 0; j < e.S; j++) row[j] = mask[t * e.S + j] ? row[j] * keys : NAN;
    }
}

static const char *about(ken_look which)
{
    switch (which) {
    case KEN_LOOK_ENCODER: return "rows: tokens, columns: the tokens that they attend to";
    case KEN_LOOK_DECODER: return "rows: tokens written, columns: earlier tokens attended to";
    case KEN_LOOK_CROSS: break;
    }
    return "rows: tokens written, columns: tokens of the input attended to";
}

ken_status ken_view_show(ken_view *view, ken_picture *picture, const ken_glance *glance)
{
    KEN_TRY(KEN_GIVEN(view));
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(glance));
    KEN_TRY(ken_view_check(view, glance, KEN_PICTURE_SHOWN));
    struct ken_extent e = ken_view_extent(view, glance->which);
    bool layers = glance->layer == KEN_EVERY && !glance->rollout;
    bool heads = glance->head == KEN_EVERY && !glance->rollout;
    *picture = (ken_picture){ .about = about(glance->which),
                              .rows = e.T,
                              .cols = e.S,
                              .relative = glance->relative != 0,
                              .row_names = ken_view_row_names(view, glance->which),
                              .col_names = ken_view_col_names(view, glance->which) };
    if (layers) picture->shape[picture->dimensions++] = e.layers;
    if (heads) picture->shape[picture->dimensions++] = e.heads;
    picture->shape[picture->dimensions++] = e.T;
    picture->shape[picture->dimensions++] = e.S;
    picture->count = (layers ? e.layers : 1) * (heads ? e.heads : 1);
    KEN_TRY(title_all(view, picture, glance, heads ? e.heads : 1));
    ken_memory_free(view->shown);
    view->shown = ken_memory_new(picture->count, e.T * e.S * sizeof(float));
    if (!view->shown) return ken_fail(KEN_ERR_MEMORY, "no memory for a picture");
    picture->values = view->shown;
    if (!glance->rollout) {
        KEN_TRY(ken_view_look(view, view->shown, glance));
        if (glance->relative) make_relative(view->shown, picture->count, view, glance->which);
        return KEN_OK;
    }
    return ken_view_rollout(view, view->shown, glance->which,
                            glance->layer == KEN_EVERY ? e.layers : glance->layer + 1);
}
