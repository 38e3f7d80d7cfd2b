/* store.c - saves a task to its model file and loads it again. Besides the weights, the file has
 * notes with the recipe, the vocabularies, the labels, the scales and the scores. Nothing in the
 * file depends on time or machine. */
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/model_file.h"
#include "task/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LABELS_MOST: maximum number of labels in a model file */
enum { NOTES = KEN_LEARNED + 3, LABELS_MOST = 1 << 24 };

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

/* Writes the list of the columns that have a flag for missing numbers. No list is written if there
 * is no such column, as in most models. */
static void write_missing(ken_buffer *json, const ken_buffer *missing)
{
    const size_t *columns = (const size_t *)(const void *)missing->data;
    for (size_t i = 0; i < missing->size / sizeof *columns; i++)
        ken_buffer_format(json, "%s%zu", i > 0 ? "," : ",\"missing\":[", columns[i]);
    if (missing->size > 0) ken_buffer_text(json, "]");
}

ken_status ken_learned_write(struct ken_learned *learned, const ken_task *task)
{
    static const char *const keys[KEN_LEARNED] = { "input",  "output",    "labels",
                                                   "scales", "threshold", "sizes" };
    ken_buffer *texts = learned->texts, *scales = &texts[3];
    const struct ken_input_kind *kind = task->input.kind;
    if (kind && kind->write) KEN_TRY(kind->write(&task->input, &texts[0]));
    if (task->output == KEN_GENERATE && !ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED))
        KEN_TRY(ken_tokeniser_write(&task->written, &texts[1]));
    write_labels(&texts[2], &task->labels);
    ken_buffer_text(scales, "{");
    write_scaling(scales, "inputs", &task->input.scaling);
    ken_buffer_text(scales, ",");
    write_scaling(scales, "numbers", &task->numbers);
    ken_buffer_text(scales, "}");
    ken_json_number(&texts[4], task->threshold);
    ken_buffer_format(&texts[5], "{\"indices\":%zu,\"links\":%zu", task->input.index_count,
                      task->input.link_width);
    write_missing(&texts[5], &task->input.missing);
    ken_buffer_text(&texts[5], "}");
    for (size_t i = 0; i < KEN_LEARNED; i++) {
        KEN_TRY(ken_buffer_status(&texts[i]));
        learned->notes[i] = (struct ken_note){ keys[i], ken_buffer_string(&texts[i]) };
    }
    return KEN_OK;
}

void ken_learned_release(struct ken_learned *learned)
{
    for (size_t i = 0; i < KEN_LEARNED; i++) ken_buffer_release(&learned->texts[i]);
}

ken_status ken_task_save(const ken_task *task, const char *path)
{
    struct ken_learned learned = { 0 };
    const char *recipe = ken_recipe_text(task->recipe);
    struct ken_note notes[NOTES] = {
        [0] = { "recipe", recipe },
        [KEN_LEARNED + 1] = { "data.sha256", task->data },
        [KEN_LEARNED + 2] = { "metrics", task->metrics ? task->metrics : "{}" },
    };
    ken_status status = recipe ? ken_learned_write(&learned, task)
                               : ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    memcpy(notes + 1, learned.notes, sizeof learned.notes);
    if (!status) status = ken_model_store(task->model, path, notes, NOTES);
    ken_learned_release(&learned);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static ken_status bad_note(const char *path, const char *key)
{
    return ken_fail(KEN_ERR_FORMAT, "%s: the note \"%s\" is missing or malformed", path, key);
}

static ken_status read_floats(float **values, size_t *count, const json_t *array, const char *path)
{
    if (!json_is_array(array)) return bad_note(path, "scales");
    *count = json_array_size(array);
    *values = ken_memory_new(*count, sizeof **values);
    if (!*values) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", *count);
    for (size_t i = 0; i < *count; i++) {
        const json_t *value = json_array_get(array, i);
        (*values)[i] = (float)json_number_value(value);
        if (!json_is_number(value) || !isfinite((*values)[i])) return bad_note(path, "scales");
    }
    return KEN_OK;
}

/* Reads the means and deviations of rows of numbers. Rows are divided by the deviations, so the
 * deviations must be above 0. */
static ken_status read_scaling(struct ken_scaling *scaling, const json_t *object, const char *path)
{
    size_t deviations = 0;
    KEN_TRY(read_floats(&scaling->mean, &scaling->width, json_object_get(object, "mean"), path));
    KEN_TRY(
        read_floats(&scaling->deviation, &deviations, json_object_get(object, "deviation"), path));
    bool good = deviations == scaling->width;
    for (size_t i = 0; good && i < deviations; i++) good = scaling->deviation[i] > 0;
    return good ? KEN_OK : bad_note(path, "scales");
}

static ken_status read_scales(ken_task *task, const char *text, const char *path)
{
    json_t *object = text ? ken_json_read(text, strlen(text), 0, NULL) : NULL;
    ken_status status = read_scaling(&task->input.scaling, json_object_get(object, "inputs"), path);
    if (!status) status = read_scaling(&task->numbers, json_object_get(object, "numbers"), path);
    json_decref(object);
    KEN_TRY(status);
    /* Encoding divides each number of a row by a deviation, so the file must have exactly as many
     * deviations as a row has numbers. */
    ken_config shape = { 0 };
    if (ken_task_reads(task)) task->input.kind->shape(&task->input, &shape, false);
    bool numbers = shape.input_kind == KEN_INPUT_VECTORS;
    bool good = task->numbers.width <= 1 &&
                (!numbers || shape.input_size == task->input.scaling.width);
    if (good && task->value == KEN_VALUE_NUMBER) good = task->numbers.width == 1;
    return good ? KEN_OK : bad_note(path, "scales");
}

/* Reads the list of the columns that have a flag for missing numbers; it may be absent, and must be
 * in ascending order. Each column is checked to exist, because encoding will read it in every
 * row. */
static bool read_missing(struct ken_input_side *side, const json_t *list)
{
    json_int_t last = -1;
    if (list && !json_is_array(list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_int_t column = json_integer_value(json_array_get(list, i));
        if (!json_is_integer(json_array_get(list, i)) || column <= last ||
            (uint64_t)column >= side->scaling.width)
            return false;
        ken_buffer_append(&side->missing, &(size_t){ (size_t)column }, sizeof(size_t));
        last = column;
    }
    return true;
}

/* Reads the sizes that graphs need, and the list of columns with a flag for missing numbers. Files
 * of older versions have neither. */
static ken_status read_sizes(ken_task *task, const char *text, const char *path)
{
    if (!text) return KEN_OK;
    json_t *object = ken_json_read(text, strlen(text), 0, NULL);
    const json_t *indices = json_object_get(object, "indices");
    const json_t *links = json_object_get(object, "links");
    json_int_t index_count = json_integer_value(indices), width = json_integer_value(links);
    bool good = json_is_integer(indices) && json_is_integer(links) && index_count >= 0 &&
                index_count <= INT32_MAX && width >= 0 && width <= INT32_MAX &&
                read_missing(&task->input, json_object_get(object, "missing"));
    json_decref(object);
    KEN_TRY(ken_buffer_status(&task->input.missing));
    if (!good) return bad_note(path, "sizes");
    task->input.index_count = (size_t)index_count;
    task->input.link_width = (size_t)width;
    return KEN_OK;
}

/* Reads the labels. Label i is output i of the model, so their order is kept, and a label that
 * occurs twice is refused. */
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

/* Reads a vocabulary from the note (metadata entry) `key`: that of the input, or that of the units
 * to generate. */
static ken_status read_units(ken_task *task, const ken_safetensors *file, const char *key,
                             const char *path)
{
    const char *text = ken_safetensors_note(file, key);
    if (!text || !text[0]) return bad_note(path, key);
    ken_status status = strcmp(key, "input") == 0
                            ? task->input.kind->read(&task->input, text, strlen(text))
                            : ken_tokeniser_read(&task->written, text, strlen(text));
    if (status != KEN_ERR_FORMAT) return status;
    return ken_fail_because(status, "%s: the note \"%s\"", path, key);
}

/* Checks that the sizes of the model match the vocabularies and labels of the file. Without this
 * check, an id could be outside the model's tables. */
static ken_status check_sizes(ken_task *task, const char *path)
{
    ken_config want = ken_task_config(task), have = task->model->config;
    if (want.output == have.output && want.input_kind == have.input_kind &&
        want.value == have.value && want.output_size == have.output_size &&
        (!ken_task_reads(task) || want.input_size == have.input_size) &&
        want.letters == have.letters && want.edge_size == have.edge_size &&
        want.reach == have.reach && want.position == have.position && want.mixing == have.mixing &&
        want.begin == have.begin && want.end == have.end &&
        (have.encoder_blocks > 0) == (want.encoder_blocks > 0))
        return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: the recipe and vocabularies do not fit the weights", path);
}

/* Reads everything that the task learned before training. After a failure, the caller frees the
 * parts that were read, with the task. */
ken_status ken_learned_read(ken_task *task, const ken_safetensors *file, const char *path)
{
    bool shared = ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED);
    const char *threshold = ken_safetensors_note(file, "threshold");
    if (ken_task_reads(task) && task->input.kind->read)
        KEN_TRY(read_units(task, file, "input", path));
    if (task->output == KEN_GENERATE && !shared) KEN_TRY(read_units(task, file, "output", path));
    KEN_TRY(read_labels(&task->labels, ken_safetensors_note(file, "labels"), path));
    KEN_TRY(read_scales(task, ken_safetensors_note(file, "scales"), path));
    KEN_TRY(read_sizes(task, ken_safetensors_note(file, "sizes"), path));
    double share;
    if (!threshold || !ken_number_read(&share, threshold, strlen(threshold)) || share < 0 ||
        share > 1)
        return bad_note(path, "threshold");
    task->threshold = (float)share;
    return KEN_OK;
}

/* Reads a task from its file. The vocabularies are read before the model, because the model's sizes
 * are compared with them. */
static ken_status read_all(ken_task *task, const ken_safetensors *file, const char *path)
{
    const char *data = ken_safetensors_note(file, "data.sha256");
    const char *metrics = ken_safetensors_note(file, "metrics");
    KEN_TRY(ken_learned_read(task, file, path));
    if (data) memcpy(task->data, data, strnlen(data, KEN_SHA256_HEX - 1));
    if (metrics) {
        task->metrics = ken_memory_new(strlen(metrics) + 1, 1);
        if (!task->metrics) return ken_fail(KEN_ERR_MEMORY, "no memory for %s", path);
        memcpy(task->metrics, metrics, strlen(metrics) + 1);
    }
    KEN_TRY(ken_model_from(&task->model, file, path));
    KEN_TRY(ken_session_new(&task->session, task->model, NULL));
    return check_sizes(task, path);
}

ken_status ken_task_from(ken_task **out, const ken_safetensors *file, const char *path)
{
    const char *text = ken_safetensors_note(file, "recipe");
    ken_recipe *recipe;
    *out = NULL;
    if (!text)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s has no recipe; if it is a checkpoint, use the model.ken of the run",
                        path);
    KEN_TRY(ken_recipe_parse(&recipe, text, path));
    ken_task *task = NULL;
    /* Recipes of version 0.1 have no separator: their models were trained with the default one. */
    ken_status status = ken_settings_reading(recipe, 0, 0);
    if (!status) status = ken_task_new(&task, recipe);
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
    KEN_TRY(KEN_GIVEN(task));
    *task = NULL;
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(ken_safetensors_read(&file, path));
    ken_status status = ken_task_from(task, &file, path);
    ken_safetensors_release(&file);
    return status;
}
