/* store.c - a task in its model file: beside the weights, notes with the recipe, the vocabularies,
 * the labels, the scales, and how good it was. Nothing in it depends on time or machine. */
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/molecule_rows.h"
#include "model/model_file.h"
#include "task/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 9, LABELS_MOST = 1 << 24 }; /* the latter in a file */

/* ---- writing --------------------------------------------------------------------------------- */

static void write_floats(ken_buffer *json, const float *values, size_t count)
{
    ken_buffer_text(json, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ken_buffer_text(json, ",");
        ken_json_number(json, values[i]);
    }
    ken_buffer_text(json, "]");
}

static void write_scaling(ken_buffer *json, const char *name, const struct ken_scaling *scaling)
{
    ken_buffer_format(json, "\"%s\":{\"mean\":", name);
    write_floats(json, scaling->mean, scaling->width);
    ken_buffer_text(json, ",\"deviation\":");
    write_floats(json, scaling->deviation, scaling->width);
    ken_buffer_text(json, "}");
}

static void write_labels(ken_buffer *json, const ken_vocabulary *labels)
{
    ken_buffer_text(json, "[");
    for (size_t i = 0; i < ken_vocabulary_size(labels); i++) {
        size_t length;
        const char *name = ken_vocabulary_name(labels, (int32_t)i, &length);
        if (i > 0) ken_buffer_text(json, ",");
        ken_json_string(json, name, length);
    }
    ken_buffer_text(json, "]");
}

/* Notes that the task has no use for are there all the same, without content. */
ken_status ken_task_save(const ken_task *task, const char *path)
{
    ken_buffer input = { 0 }, written = { 0 }, labels = { 0 }, scales = { 0 }, threshold = { 0 };
    ken_buffer sizes = { 0 };
    const char *recipe = ken_recipe_text(task->recipe);
    ken_status status = recipe ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    if (!status && ken_task_tokenises(task)) status = ken_tokeniser_write(&task->input, &input);
    if (!status && task->output == KEN_GENERATE &&
        !ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED))
        status = ken_tokeniser_write(&task->written, &written);
    write_labels(&labels, &task->labels);
    ken_buffer_text(&scales, "{");
    write_scaling(&scales, "inputs", &task->inputs);
    ken_buffer_text(&scales, ",");
    write_scaling(&scales, "numbers", &task->numbers);
    ken_buffer_text(&scales, "}");
    ken_json_number(&threshold, task->threshold);
    ken_buffer_format(&sizes, "{\"indices\":%zu,\"links\":%zu}", task->index_count,
                      task->link_width);
    struct ken_note notes[NOTES] = {
        { "recipe", recipe },
        { "input", ken_buffer_string(&input) },
        { "output", ken_buffer_string(&written) },
        { "labels", ken_buffer_string(&labels) },
        { "scales", ken_buffer_string(&scales) },
        { "threshold", ken_buffer_string(&threshold) },
        { "sizes", ken_buffer_string(&sizes) },
        { "data.sha256", task->data },
        { "metrics", task->metrics ? task->metrics : "{}" },
    };
    const ken_buffer *all[] = { &input, &written, &labels, &scales, &threshold, &sizes };
    for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
        status = ken_buffer_status(all[i]);
    if (!status) status = ken_model_store(task->model, path, notes, NOTES);
    ken_buffer_release(&input);
    ken_buffer_release(&written);
    ken_buffer_release(&labels);
    ken_buffer_release(&scales);
    ken_buffer_release(&threshold);
    ken_buffer_release(&sizes);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static ken_status bad_note(const char *path, const char *key)
{
    return ken_fail(KEN_ERR_FORMAT, "%s: its note \"%s\" is missing or not as ken writes it", path,
                    key);
}

/* Floats of a JSON array; NULL when it is none, or memory is short. */
static float *read_floats(const json_t *array, size_t *count)
{
    if (!json_is_array(array)) return NULL;
    *count = json_array_size(array);
    float *values = ken_memory_new(*count, sizeof *values);
    for (size_t i = 0; values && i < *count; i++) {
        const json_t *value = json_array_get(array, i);
        values[i] = (float)json_number_value(value);
        if (json_is_number(value) && isfinite(values[i])) continue;
        ken_memory_free(values);
        return NULL;
    }
    return values;
}

static bool read_scaling(struct ken_scaling *scaling, const json_t *object)
{
    size_t deviations = 0;
    scaling->mean = read_floats(json_object_get(object, "mean"), &scaling->width);
    scaling->deviation = read_floats(json_object_get(object, "deviation"), &deviations);
    return scaling->mean && scaling->deviation && deviations == scaling->width;
}

/* Rows are divided by their deviations: these have to be above 0. */
static ken_status read_scales(ken_task *task, const char *text, const char *path)
{
    json_t *object = text ? ken_json_read(text, strlen(text), 0, NULL) : NULL;
    bool good = read_scaling(&task->inputs, json_object_get(object, "inputs")) &&
                read_scaling(&task->numbers, json_object_get(object, "numbers"));
    json_decref(object);
    for (size_t i = 0; good && i < task->inputs.width; i++) good = task->inputs.deviation[i] > 0;
    if (good && task->atoms) good = task->inputs.width == ken_molecule_atom_width();
    good = good && task->numbers.width <= 1;
    if (good && task->numbers.width == 1) good = task->numbers.deviation[0] > 0;
    if (good && task->value == KEN_VALUE_NUMBER) good = task->numbers.width == 1;
    return good ? KEN_OK : bad_note(path, "scales");
}

/* Of graphs; older files do not have them. */
static ken_status read_sizes(ken_task *task, const char *text, const char *path)
{
    if (!text) return KEN_OK;
    json_t *object = ken_json_read(text, strlen(text), 0, NULL);
    const json_t *indices = json_object_get(object, "indices");
    const json_t *links = json_object_get(object, "links");
    json_int_t index_count = json_integer_value(indices), width = json_integer_value(links);
    bool good = json_is_integer(indices) && json_is_integer(links) && index_count >= 0 &&
                index_count <= INT32_MAX && width >= 0 && width <= INT32_MAX;
    json_decref(object);
    if (!good) return bad_note(path, "sizes");
    task->index_count = (size_t)index_count;
    task->link_width = (size_t)width;
    return KEN_OK;
}

/* Label i is output i of the model: their order is what counts, and none may come twice. */
static ken_status read_labels(ken_vocabulary *labels, const char *text, const char *path)
{
    json_t *array = text ? ken_json_read(text, strlen(text), 0, NULL) : NULL;
    ken_status status = json_is_array(array) ? KEN_OK : bad_note(path, "labels");
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count && !status; i++) {
        const json_t *name = json_array_get(array, i);
        status = json_is_string(name) && count < LABELS_MOST
                     ? ken_vocabulary_add(labels, json_string_value(name), json_string_length(name),
                                          NULL)
                     : bad_note(path, "labels");
        if (!status && ken_vocabulary_size(labels) != i + 1) status = bad_note(path, "labels");
    }
    json_decref(array);
    return status;
}

static ken_status read_tokens(ken_tokeniser *tokeniser, const ken_safetensors *file,
                              const char *key, const char *path)
{
    const char *text = ken_safetensors_note(file, key);
    if (!text || !text[0]) return bad_note(path, key);
    ken_status status = ken_tokeniser_read(tokeniser, text, strlen(text));
    if (status != KEN_ERR_FORMAT) return status;
    return ken_fail_because(status, "%s: its note \"%s\"", path, key);
}

/* The model must read and write what the notes say, or an id could be out of its tables. */
static ken_status check_sizes(const ken_task *task, const char *path)
{
    ken_config want = ken_settings_config(task), have = task->model->config;
    if (want.output == have.output && want.input_kind == have.input_kind &&
        want.value == have.value && want.output_size == have.output_size &&
        (!task->reads || want.input_size == have.input_size) && want.letters == have.letters &&
        want.edge_size == have.edge_size && want.reach == have.reach &&
        want.position == have.position && want.mixing == have.mixing && want.begin == have.begin &&
        want.end == have.end && (have.encoder_blocks > 0) == (want.encoder_blocks > 0))
        return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: its recipe and vocabularies do not fit its weights", path);
}

/* Vocabularies before the model: what it has to read and write is compared with them. What a
 * failure leaves half read is released with the task. */
static ken_status read_all(ken_task *task, const ken_safetensors *file, const char *path)
{
    bool shared = ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED);
    const char *threshold = ken_safetensors_note(file, "threshold");
    const char *data = ken_safetensors_note(file, "data.sha256");
    const char *metrics = ken_safetensors_note(file, "metrics");
    if (ken_task_tokenises(task)) KEN_TRY(read_tokens(&task->input, file, "input", path));
    if (task->output == KEN_GENERATE && !shared)
        KEN_TRY(read_tokens(&task->written, file, "output", path));
    KEN_TRY(read_labels(&task->labels, ken_safetensors_note(file, "labels"), path));
    KEN_TRY(read_scales(task, ken_safetensors_note(file, "scales"), path));
    KEN_TRY(read_sizes(task, ken_safetensors_note(file, "sizes"), path));
    double share;
    if (!threshold || !ken_number_read(&share, threshold, strlen(threshold)) || share < 0 ||
        share > 1)
        return bad_note(path, "threshold");
    task->threshold = (float)share;
    if (data) memcpy(task->data, data, strnlen(data, KEN_SHA256_HEX - 1));
    if (metrics) {
        task->metrics = ken_memory_new(strlen(metrics) + 1, 1);
        if (!task->metrics) return ken_fail(KEN_ERR_MEMORY, "no memory for %s", path);
        memcpy(task->metrics, metrics, strlen(metrics) + 1);
    }
    KEN_TRY(ken_model_from(&task->model, file, path));
    return check_sizes(task, path);
}

ken_status ken_task_from(ken_task **out, const ken_safetensors *file, const char *path)
{
    const char *text = ken_safetensors_note(file, "recipe");
    ken_recipe *recipe;
    *out = NULL;
    if (!text)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: no recipe in it; a model without one is loaded by ken_model_load()",
                        path);
    KEN_TRY(ken_recipe_parse(&recipe, text, path));
    ken_task *task = NULL;
    ken_status status = ken_task_new(&task, recipe);
    ken_recipe_free(recipe);
    if (!status) status = read_all(task, file, path);
    if (status) {
        ken_task_free(task);
        return status;
    }
    *out = task;
    return KEN_OK;
}

ken_status ken_task_load(ken_task **task, const char *path)
{
    ken_safetensors file;
    *task = NULL;
    KEN_TRY(ken_safetensors_read(&file, path));
    ken_status status = ken_task_from(task, &file, path);
    ken_safetensors_release(&file);
    return status;
}
