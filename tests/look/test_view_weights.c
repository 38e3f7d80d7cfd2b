/* test_view_weights.c - the weights of a view agree with the formulas: they are computed again from
 * the model's file with plain loops in double precision; rollout is computed by hand; and a drawing
 * is compared letter by letter. */
#include "model/model.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the formulas ---------------------------------------------------------------------------- */

enum { D = 12, F = 20, H = 3, E = 4, T = 3 };

struct file {
    ken_safetensors all;
};

static const float *tensor(const struct file *file, const char *format, size_t block)
{
    char name[80];
    snprintf(name, sizeof name, format, block);
    const struct ken_stored *found = ken_safetensors_find(&file->all, name);
    if (!found) fail_msg("no tensor %s", name);
    return found->data;
}

/* y (n, out) = x (n, in) W^T + b */
static void linear(double *y, const double *x, const float *W, const float *b, size_t n, size_t in,
                   size_t out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out; o++) {
            double sum = b[o];
            for (size_t k = 0; k < in; k++) sum += x[i * in + k] * W[o * in + k];
            y[i * out + o] = sum;
        }
}

static void layer_norm(double *y, const double *x, const float *gain, const float *bias, size_t n)
{
    for (size_t i = 0; i < n; i++, x += D, y += D) {
        double mean = 0, variance = 0;
        for (size_t j = 0; j < D; j++) mean += x[j] / D;
        for (size_t j = 0; j < D; j++) variance += (x[j] - mean) * (x[j] - mean) / D;
        for (size_t j = 0; j < D; j++)
            y[j] = (x[j] - mean) / sqrt(variance + 1e-5) * gain[j] + bias[j];
    }
}

/* Computes weights (H, T, T), and adds the attention's result to x through the output
 * projection. */
static void attention(double *x, double *weights, const struct file *file, size_t block)
{
    double normed[T * D], qkv[T * 3 * D], heads[T * D] = { 0 }, out[T * D];
    layer_norm(normed, x, tensor(file, "encoder.%zu.norm_attention.gain", block),
               tensor(file, "encoder.%zu.norm_attention.bias", block), T);
    linear(qkv, normed, tensor(file, "encoder.%zu.attention.project.weight", block),
           tensor(file, "encoder.%zu.attention.project.bias", block), T, D, 3 * D);
    for (size_t h = 0; h < H; h++)
        for (size_t i = 0; i < T; i++) {
            double *row = weights + (h * T + i) * T, sum = 0;
            for (size_t j = 0; j < T; j++) {
                double dot = 0;
                for (size_t e = 0; e < E; e++)
                    dot += qkv[i * 3 * D + h * E + e] * qkv[j * 3 * D + D + h * E + e];
                sum += row[j] = exp(dot / sqrt(E));
            }
            for (size_t j = 0; j < T; j++) row[j] /= sum;
            for (size_t j = 0; j < T; j++)
                for (size_t e = 0; e < E; e++)
                    heads[i * D + h * E + e] += row[j] * qkv[j * 3 * D + 2 * D + h * E + e];
        }
    linear(out, heads, tensor(file, "encoder.%zu.attention.out.weight", block),
           tensor(file, "encoder.%zu.attention.out.bias", block), T, D, D);
    for (size_t i = 0; i < T * D; i++) x[i] += out[i];
}

static void feed_forward(double *x, const struct file *file, size_t block)
{
    double normed[T * D], hidden[T * F], out[T * D];
    layer_norm(normed, x, tensor(file, "encoder.%zu.norm_forward.gain", block),
               tensor(file, "encoder.%zu.norm_forward.bias", block), T);
    linear(hidden, normed, tensor(file, "encoder.%zu.forward_in.weight", block),
           tensor(file, "encoder.%zu.forward_in.bias", block), T, D, F);
    for (size_t i = 0; i < T * F; i++) hidden[i] *= 0.5 * erfc(-hidden[i] / sqrt(2)); /* GELU */
    linear(out, hidden, tensor(file, "encoder.%zu.forward_out.weight", block),
           tensor(file, "encoder.%zu.forward_out.bias", block), T, F, D);
    for (size_t i = 0; i < T * D; i++) x[i] += out[i];
}

/* "cat" and "the" are known, "flew" is not, so its id is 2. Embeddings are multiplied by sqrt(D),
 * and sinusoids are added. */
static void embed(double *x, const struct file *file)
{
    const float *table = tensor(file, "input", 0);
    const char *const words[T] = { "the", "cat", "flew" };
    for (size_t t = 0; t < T; t++) {
        int32_t id = ken_vocabulary_find(&tasks[TAGS]->input.tokeniser.tokens, words[t],
                                         strlen(words[t]));
        if (id < 0) id = 2;
        assert_int_equal(id == 2, t == 2);
        for (size_t j = 0; j < D; j++) {
            double angle = (double)t / pow(10000, (double)(j / 2 * 2) / D);
            x[t * D + j] = table[(size_t)id * D + j] * sqrt(D) + (j % 2 ? cos(angle) : sin(angle));
        }
    }
}

static json_t *json_of(ken_view *view, const ken_glance *glance)
{
    ken_buffer text = { 0 };
    must(ken_view_json(view, glance, collect, &text));
    json_error_t error;
    json_t *json = json_loads(text.data, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s in %s", error.text, text.data);
    ken_buffer_release(&text);
    return json;
}

static double number_at(json_t *json, const size_t *path, size_t depth)
{
    for (size_t i = 0; i < depth; i++) json = json_array_get(json, path[i]);
    assert_true(json_is_number(json));
    return json_number_value(json);
}

static void weights_are_those_of_the_formulas(void **state)
{
    (void)state;
    struct file file;
    double x[T * D], weights[2][H * T * T], worst = 0;
    must(ken_safetensors_read(&file.all, folder_path("tags.run/model.ken")));
    embed(x, &file);
    for (size_t l = 0; l < 2; l++) {
        attention(x, weights[l], &file, l);
        feed_forward(x, &file, l);
    }
    ken_safetensors_release(&file.all);
    ken_view *view = view_of(TAGS, "the cat flew", NULL);
    ken_glance all = { KEN_LOOK_ENCODER, KEN_EVERY, KEN_EVERY, 0 };
    json_t *json = json_of(view, &all), *list = json_object_get(json, "weights");
    for (size_t i = 0; i < 2 * H * T * T; i++) {
        size_t path[] = { i / (H * T * T), i / (T * T) % H, i / T % T, i % T };
        worst = fmax(worst, fabs(number_at(list, path, 4) - weights[path[0]][i % (H * T * T)]));
    }
    if (!(worst < 1e-6)) fail_msg("weights are off by %g", worst);
    json_decref(json);
    ken_view_free(view);
}

/* ---- rollout --------------------------------------------------------------------------------- */

/* A1 = (1 0; .5 .5), A2 = (.5 .5; 0 1): (A + I) / 2 are (1 0; .25 .75) and (.75 .25; 0 1), and the
 * second times the first is (.8125 .1875; .25 .75). */
static void rollout_by_hand(void **state)
{
    (void)state;
    const float means[] = { 1, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0, 1 };
    const float none[] = { 0, 0, 3, 0 }; /* rows of zeros, or with a sum above 1: still shares */
    float out[4];
    must(ken_rollout(out, means, 2, 2));
    assert_memory_equal(out, ((const float[]){ 0.8125f, 0.1875f, 0.25f, 0.75f }), sizeof out);
    must(ken_rollout(out, means, 0, 2));
    assert_memory_equal(out, ((const float[]){ 1, 0, 0, 1 }), sizeof out);
    must(ken_rollout(out, none, 1, 2));
    assert_memory_equal(out, ((const float[]){ 1, 0, 0.75f, 0.25f }), sizeof out);
}

/* From the written text to the input: the mean of the last layer, times the encoder's rollout. */
static void rollout_across(void **state)
{
    (void)state;
    ken_view *view = view_of(TURNED, "abc", "cb");
    ken_picture picture;
    float mean[9], within[9];
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_CROSS, 1, KEN_ALL_HEADS, 0 }));
    memcpy(mean, picture.values, sizeof mean);
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_ENCODER, KEN_EVERY, 0, 1 }));
    memcpy(within, picture.values, sizeof within);
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_CROSS, KEN_EVERY, 0, 1 }));
    for (size_t i = 0; i < 9; i++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) sum += mean[i / 3 * 3 + k] * within[k * 3 + i % 3];
        assert_true(fabs(sum - picture.values[i]) < 1e-6);
    }
    ken_view_free(view);
}

/* ---- a model whose weights are known --------------------------------------------------------- */

/* Makes the bias alone decide, with projections of 0: a row's own place counts nine times as much
 * as any other. */
static void make_known(void)
{
    struct ken_attention *attention = &tasks[KNOWN]->model->encoder[0].attention;
    ken_tensor *project = &attention->project.weight, *bias = &attention->relative;
    memset(project->data, 0, ken_tensor_size(project) * sizeof(float));
    memset(attention->project.bias.data, 0, 3 * D * sizeof(float));
    for (size_t i = 0; i < ken_tensor_size(bias); i++) bias->data[i] = i % 5 == 2 ? logf(9) : 0;
}

static void a_drawing_to_the_letter(void **state)
{
    (void)state;
    make_known();
    ken_view *view = view_of(KNOWN, "the cat sat", NULL);
    ken_picture picture;
    ken_buffer text = { 0 };
    must(ken_view_show(view, &picture, &(ken_glance){ KEN_LOOK_ENCODER, 0, 2, 0 }));
    must(ken_picture_text(&picture, 80, KEN_TERMINAL_PLAIN, collect, &text));
    assert_string_equal(text.data, "encoder: layer 1, head 3\n"
                                   "rows: tokens, columns: the tokens that they attend to\n\n"
                                   "    t c s\n    h a a\n    e t t\n"
                                   "the @@----\ncat --@@--\nsat ----@@\n"
                                   "\n[  ..::--==++**##%%@@] square-root scale\n"
                                   " 0     0.1        0.818\n");
    ken_buffer_release(&text);
    ken_view_free(view);
}

/* ---- relative to uniform attention ----------------------------------------------------------- */

/* Rows have weights 9/11, 1/11 and 1/11 for 3 keys: 27/11 and 3/11 times uniform attention. The
 * JSON calls them ratios, and there are no weights in it. */
static void ratios_by_hand(void **state)
{
    (void)state;
    make_known();
    ken_view *view = view_of(KNOWN, "the cat sat", NULL);
    ken_picture picture;
    ken_glance glance = { KEN_LOOK_ENCODER, 0, 2, .relative = 1 };
    must(ken_view_show(view, &picture, &glance));
    assert_int_equal(picture.relative, 1);
    for (size_t i = 0; i < 9; i++)
        assert_true(fabs(picture.values[i] - (i % 4 == 0 ? 27.0 : 3.0) / 11) < 1e-6);
    ken_buffer text = { 0 };
    must(ken_view_json(view, &glance, collect, &text));
    assert_non_null(strstr(text.data, "\"relative\":true"));
    assert_non_null(strstr(text.data, "\"ratios\":[["));
    assert_null(strstr(text.data, "\"weights\""));
    glance.rollout = 1;
    assert_int_equal(ken_view_show(view, &picture, &glance), KEN_ERR_ARGUMENT);
    assert_non_null(strstr(ken_last_error(), "rollout"));
    ken_buffer_release(&text);
    ken_view_free(view);
}

/* Checks that each ratio is the weight times the number of keys, and NaN where sees() is false. */
static void check_ratios(ken_view *view, ken_look which, bool (*sees)(size_t, size_t))
{
    struct ken_extent e = ken_view_extent(view, which);
    float weights[2 * H * 8 * 8];
    ken_picture picture;
    ken_glance glance = { which, KEN_EVERY, KEN_EVERY, 0 };
    assert_true(e.T <= 8 && e.S <= 8);
    must(ken_view_show(view, &picture, &glance));
    memcpy(weights, picture.values, picture.count * e.T * e.S * sizeof *weights);
    glance.relative = 1;
    must(ken_view_show(view, &picture, &glance));
    for (size_t r = 0; r < picture.count * e.T; r++) {
        size_t t = r % e.T, keys = 0;
        for (size_t j = 0; j < e.S; j++) keys += sees(t, j);
        assert_int_equal(ken_view_keys(view, which, t), keys);
        for (size_t j = 0; j < e.S; j++) {
            float ratio = picture.values[r * e.S + j], weight = weights[r * e.S + j];
            if (sees(t, j)) assert_true(ratio == weight * (float)keys);
            else assert_true(isnan(ratio) && weight == 0);
        }
    }
}

static bool sees_all(size_t t, size_t j)
{
    return t < SIZE_MAX && j < SIZE_MAX;
}

static bool sees_past(size_t t, size_t j)
{
    return j <= t;
}

static bool sees_window(size_t t, size_t j)
{
    return j + 2 >= t && j <= t + 1;
}

static bool sees_block(size_t t, size_t j)
{
    return j / 3 == t / 3;
}

/* Uniform attention is over the keys that a row may attend to: all, those before it, a window, or
 * a block. */
static void ratios_under_masks(void **state)
{
    (void)state;
    ken_view *view = view_of(STORY, "a b c", "");
    check_ratios(view, KEN_LOOK_DECODER, sees_past);
    ken_view_free(view);
    view = view_of(TURNED, "abcab", "ac");
    check_ratios(view, KEN_LOOK_ENCODER, sees_all);
    check_ratios(view, KEN_LOOK_DECODER, sees_past);
    check_ratios(view, KEN_LOOK_CROSS, sees_all);
    ken_view_free(view);
    static const char *const reaches[] = { "window_left = 2\nwindow_right = 1",
                                           "reach = blocks\nreach_block = 3" };
    for (size_t i = 0; i < 2; i++) {
        char name[20], keys[200];
        snprintf(name, sizeof name, "reach%zu", i);
        snprintf(keys, sizeof keys,
                 "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n[model]\n%s",
                 reaches[i]);
        ken_task *task = task_of(name, "the cat sat\tD N V\n", keys);
        view = view_by(task, "the cat sat the cat sat the", NULL);
        check_ratios(view, KEN_LOOK_ENCODER, i == 0 ? sees_window : sees_block);
        ken_view_free(view);
        ken_task_free(task);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_formulas),
        cmocka_unit_test(rollout_by_hand),
        cmocka_unit_test(rollout_across),
        cmocka_unit_test(a_drawing_to_the_letter),
        cmocka_unit_test(ratios_by_hand),
        cmocka_unit_test(ratios_under_masks),
    };
    return cmocka_run_group_tests(tests, views_make, views_remove);
}
