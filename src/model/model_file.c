/* model_file.c - saves and loads a model. Loading allocates a model only after it has checked
 * version, checksum and configuration, and that the file has about as many numbers as the model
 * needs. */
#include "model/model_file.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    /* Version of the files that are written. Files of older versions can be read as well. */
    FORMAT = 1,
    /* Loading goes on if the file has up to SPARE numbers fewer than the model needs. So if a
     * tensor is missing from the file, a later check can name that tensor in its message. */
    SPARE = 1 << 20
};

/* ---- What is in any file with weights -------------------------------------------------------- */

ken_status ken_stored_version(const ken_safetensors *file, const char *key, const char *path)
{
    const char *version = ken_safetensors_note(file, key);
    uint64_t number;
    if (!version)
        return ken_fail(KEN_ERR_FORMAT, "%s is a safetensors file, but has no %s of ken", path,
                        strcmp(key, KEN_FORMAT_KEY) == 0 ? "model" : "checkpoint");
    if (!ken_number_whole(&number, version, strlen(version), UINT64_MAX) || number == 0)
        return ken_fail(KEN_ERR_FORMAT, "%s: %s is not a version", path, key);
    if (number > FORMAT)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s was written by a newer ken: %s is %llu, expected at most %d", path, key,
                        (unsigned long long)number, FORMAT);
    if (!file->checked)
        return ken_fail(KEN_ERR_FORMAT, "%s is damaged: its checksum is missing", path);
    return KEN_OK;
}

ken_status ken_stored_weights(const struct ken_stored **found, const ken_safetensors *file,
                              const char *prefix, const char *name, const ken_tensor *tensor,
                              const char *path)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const struct ken_stored *stored = ken_safetensors_find(file, full);
    if (!stored) return ken_fail(KEN_ERR_FORMAT, "%s: tensor %s is missing", path, full);
    if (stored->dimensions != 2 || stored->shape[0] != tensor->rows ||
        stored->shape[1] != tensor->cols)
        return ken_fail(KEN_ERR_FORMAT, "%s: tensor %s is not %zu x %zu", path, full, tensor->rows,
                        tensor->cols);
    for (size_t i = 0; i < ken_tensor_size(tensor); i++)
        if (!isfinite(stored->data[i]))
            return ken_fail(KEN_ERR_FORMAT, "%s: tensor %s has a number that is not finite", path,
                            full);
    *found = stored;
    return KEN_OK;
}

ken_status ken_stored_notes(struct ken_note **all, const struct ken_note *ours, size_t our_count,
                            const struct ken_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(notes[i].key, "ken.", 4) == 0)
            return ken_fail(KEN_ERR_ARGUMENT, "notes must not begin with \"ken.\": %s",
                            notes[i].key);
    *all = ken_memory_new(our_count + count, sizeof **all);
    if (!*all) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu notes", our_count + count);
    memcpy(*all, ours, our_count * sizeof *ours);
    if (count > 0) memcpy(*all + our_count, notes, count * sizeof *notes);
    return KEN_OK;
}

ken_status ken_stored_finite(const float *data, size_t size, const char *name)
{
    for (size_t i = 0; i < size; i++)
        if (!isfinite(data[i]))
            return ken_fail(KEN_ERR_DIVERGED, "not saved: %s has a number that is not finite",
                            name);
    return KEN_OK;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static ken_status list_weights(struct ken_stored *stored, const ken_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const struct ken_named *named = &parameters->list[i];
        const ken_tensor *tensor = named->tensor;
        KEN_TRY(ken_stored_finite(tensor->data, ken_tensor_size(tensor), named->name));
        stored[i] = (struct ken_stored){ .name = named->name,
                                         .shape = { tensor->rows, tensor->cols },
                                         .dimensions = 2,
                                         .data = tensor->data };
    }
    return KEN_OK;
}

ken_status ken_model_store(const ken_model *model, const char *path, const struct ken_note *notes,
                           size_t count)
{
    const ken_parameters *parameters = &model->parameters;
    char version[16];
    ken_buffer config = { 0 };
    struct ken_note *all = NULL;
    struct ken_stored *stored = ken_memory_new(parameters->count, sizeof *stored);
    snprintf(version, sizeof version, "%d", FORMAT);
    ken_config_write(&config, &model->config);
    ken_status status = ken_buffer_status(&config);
    if (!stored) status = ken_fail(KEN_ERR_MEMORY, "no memory for %zu tensors", parameters->count);
    struct ken_note ours[] = { { KEN_FORMAT_KEY, version },
                               { KEN_CONFIG_KEY, ken_buffer_string(&config) } };
    if (!status) status = list_weights(stored, parameters);
    if (!status) status = ken_stored_notes(&all, ours, 2, notes, count);
    if (!status) status = ken_safetensors_write(path, stored, parameters->count, all, 2 + count);
    ken_memory_free(all);
    ken_memory_free(stored);
    ken_buffer_release(&config);
    return status;
}

ken_status ken_model_save(const ken_model *model, const char *path)
{
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(KEN_GIVEN(path));
    return ken_model_store(model, path, NULL, 0);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Makes the model with all weights 0, after checking that the file has about as many numbers as the
 * model needs. */
static ken_status make_model(ken_model **model, const ken_safetensors *file, const char *path)
{
    ken_config config;
    size_t numbers = 0, size;
    const char *text = ken_safetensors_note(file, KEN_CONFIG_KEY);
    if (!text) return ken_fail(KEN_ERR_FORMAT, "%s: ken.config is missing", path);
    KEN_TRY(ken_config_read(&config, text, path));
    for (size_t i = 0; i < file->count; i++)
        if (ken_stored_size(&size, &file->tensors[i])) numbers += size;
    /* the number of blocks is checked first, because blocks are allocated before their weights are
     * counted */
    if (config.encoder_blocks > file->count || config.decoder_blocks > file->count)
        return ken_fail(KEN_ERR_FORMAT, "%s: ken.config has more blocks than the file has tensors",
                        path);
    ken_status status = ken_model_make(model, &config, numbers + SPARE);
    if (status != KEN_ERR_ARGUMENT) return status;
    return ken_fail_because(KEN_ERR_FORMAT, "%s", path);
}

/* Reads every weight of the model from the file. `known` has one flag per tensor of the file, all
 * false at first; the flags of tensors that were used become true. */
static ken_status fill_weights(ken_model *model, bool *known, const ken_safetensors *file,
                               const char *path)
{
    const ken_parameters *parameters = &model->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const struct ken_named *named = &parameters->list[i];
        const struct ken_stored *stored;
        KEN_TRY(ken_stored_weights(&stored, file, "", named->name, named->tensor, path));
        size_t size = ken_tensor_size(named->tensor);
        if (size > 0) memcpy(named->tensor->data, stored->data, size * sizeof(float));
        known[stored - file->tensors] = true;
    }
    for (size_t i = 0; i < file->count; i++)
        if (!known[i])
            return ken_fail(KEN_ERR_FORMAT, "%s: tensor %.64s does not belong to the model", path,
                            file->tensors[i].name);
    return KEN_OK;
}

ken_status ken_model_from(ken_model **model, const ken_safetensors *file, const char *path)
{
    *model = NULL;
    KEN_TRY(ken_stored_version(file, KEN_FORMAT_KEY, path));
    KEN_TRY(make_model(model, file, path));
    bool *known = ken_memory_zeroed(file->count, sizeof *known);
    ken_status status = known ? fill_weights(*model, known, file, path)
                              : ken_fail(KEN_ERR_MEMORY, "no memory to load %s", path);
    ken_memory_free(known);
    if (status) {
        ken_model_free(*model);
        *model = NULL;
    }
    return status;
}

ken_status ken_model_load(ken_model **model, const char *path)
{
    ken_safetensors file;
    KEN_TRY(KEN_GIVEN(model));
    *model = NULL;
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(ken_safetensors_read(&file, path));
    ken_status status = ken_model_from(model, &file, path);
    ken_safetensors_release(&file);
    return status;
}
