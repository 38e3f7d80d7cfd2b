/* checkpoint.c - saves the state of a trainer to a file and loads it. Loading checks the whole file
 * before it changes any number of the trainer. */
#include "train/checkpoint.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/model_file.h"

#include <stdio.h>
#include <string.h>

#define VERSION_KEY "ken.checkpoint"
#define STEP_KEY "ken.step"

enum { WEIGHT, ADAM_M, ADAM_V, AVERAGE, GROUPS };
static const char *const prefixes[GROUPS] = { "weight.", "adam.m.", "adam.v.", "average." };

/* Returns how many groups of tensors a checkpoint has. The group AVERAGE is the last one and exists
 * only if the trainer keeps a moving average of the weights. */
static size_t groups_of(const ken_trainer *trainer)
{
    return trainer->average ? GROUPS : AVERAGE;
}

/* Returns the address of parameter i in group g (weights, average or a moment). `at` is the offset
 * of parameter i in an array that holds all parameters one after another. trainer->swapped means
 * that the model holds the average and trainer->average holds the weights. */
static float *place_of(const ken_trainer *trainer, size_t g, size_t i, size_t at)
{
    const ken_optimiser *optimiser = &trainer->optimiser;
    if (g == ADAM_M) return optimiser->moments + at;
    if (g == ADAM_V) return optimiser->moments + optimiser->size + at;
    bool in_model = (g == WEIGHT) != trainer->swapped;
    return in_model ? trainer->model->parameters.list[i].tensor->data : trainer->average + at;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Lists all tensors for saving, group by group. The list points to the tensor names in `names`, so
 * `names` must live as long as the list. */
static ken_status list_state(struct ken_stored *stored, ken_strings *names,
                             const ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    size_t groups = groups_of(trainer), count = 0;
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; i < parameters->count; i++) {
            char name[256];
            int length = snprintf(name, sizeof name, "%s%s", prefixes[g], parameters->list[i].name);
            ken_strings_add(names, name, (size_t)length);
        }
    KEN_TRY(ken_strings_status(names)); /* all names are added, so pointers to them stay valid */
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0, at = 0; i < parameters->count; i++, count++) {
            const ken_tensor *tensor = parameters->list[i].tensor;
            const char *name = ken_strings_at(names, count, NULL);
            const float *data = place_of(trainer, g, i, at);
            KEN_TRY(ken_stored_finite(data, ken_tensor_size(tensor), name));
            stored[count] = (struct ken_stored){ .name = name,
                                                 .shape = { tensor->rows, tensor->cols },
                                                 .dimensions = 2,
                                                 .data = data };
            at += ken_tensor_size(tensor);
        }
    return KEN_OK;
}

ken_status ken_checkpoint_save(const ken_trainer *trainer, const char *path,
                               const struct ken_note *notes, size_t count)
{
    size_t tensors = groups_of(trainer) * trainer->model->parameters.count;
    char step[24];
    ken_buffer config = { 0 };
    ken_strings names = { 0 };
    struct ken_note *all = NULL;
    struct ken_stored *stored = ken_memory_new(tensors, sizeof *stored);
    snprintf(step, sizeof step, "%llu", (unsigned long long)trainer->optimiser.step);
    ken_config_write(&config, &trainer->model->config);
    ken_status status = ken_buffer_status(&config);
    if (!stored) status = ken_fail(KEN_ERR_MEMORY, "no memory for %zu tensors", tensors);
    struct ken_note ours[] = { { VERSION_KEY, "1" },
                               { STEP_KEY, step },
                               { KEN_CONFIG_KEY, ken_buffer_string(&config) } };
    if (!status) status = list_state(stored, &names, trainer);
    if (!status) status = ken_stored_notes(&all, ours, 3, notes, count);
    if (!status) status = ken_safetensors_write(path, stored, tensors, all, 3 + count);
    ken_memory_free(all);
    ken_memory_free(stored);
    ken_strings_release(&names);
    ken_buffer_release(&config);
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static ken_status check_model(const ken_trainer *trainer, const ken_safetensors *file,
                              const char *path)
{
    ken_config config;
    const char *text = ken_safetensors_note(file, KEN_CONFIG_KEY);
    if (!text) return ken_fail(KEN_ERR_FORMAT, "%s: there is no ken.config", path);
    KEN_TRY(ken_config_read(&config, text, path));
    const char *difference = ken_config_difference(&config, &trainer->model->config);
    if (difference)
        return ken_fail(KEN_ERR_FORMAT, "%s belongs to another model: its %s differs", path,
                        difference);
    size_t expected = groups_of(trainer) * trainer->model->parameters.count;
    if (file->count != expected)
        return ken_fail(KEN_ERR_FORMAT, "%s: %zu tensors, expected %zu%s", path, file->count,
                        expected, trainer->average ? ", including those of the average" : "");
    return KEN_OK;
}

/* Checks that the file has every tensor of the trainer; with `take`, also copies them to the
 * trainer. */
static ken_status each_tensor(ken_trainer *trainer, const ken_safetensors *file, const char *path,
                              bool take)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    for (size_t g = 0; g < groups_of(trainer); g++)
        for (size_t i = 0, at = 0; i < parameters->count; i++) {
            const struct ken_named *named = &parameters->list[i];
            const struct ken_stored *stored;
            size_t size = ken_tensor_size(named->tensor);
            KEN_TRY(
                ken_stored_weights(&stored, file, prefixes[g], named->name, named->tensor, path));
            if (take && size > 0)
                memcpy(place_of(trainer, g, i, at), stored->data, size * sizeof(float));
            at += size;
        }
    return KEN_OK;
}

ken_status ken_checkpoint_load(ken_trainer *trainer, const ken_safetensors *file, const char *path)
{
    uint64_t step;
    const char *text = ken_safetensors_note(file, STEP_KEY);
    KEN_TRY(ken_stored_version(file, VERSION_KEY, path));
    /* The limit of UINT64_MAX - 1 makes sure that the number of the next step does not overflow. */
    if (!text || !ken_number_whole(&step, text, strlen(text), UINT64_MAX - 1))
        return ken_fail(KEN_ERR_FORMAT, "%s: %s is not a number", path, STEP_KEY);
    KEN_TRY(check_model(trainer, file, path));
    KEN_TRY(each_tensor(trainer, file, path, false));
    /* `swapped` must be set before each_tensor(), which uses it to decide where to copy the weights
     * and the average to. */
    trainer->swapped = false;
    trainer->optimiser.step = step;
    ken_model_changed(trainer->model);
    return each_tensor(trainer, file, path, true); /* cannot fail: all tensors were checked above */
}
