/* model_file.h - a model as a file: safetensors with the configuration as a note (metadata).
 *   "ken.format"   version of this format, "1"; a file of a newer version is refused
 *   "ken.config"   ken_config as JSON, every field by name
 * Weights have the names of the parameters. The reader does not trust the file: each field must
 * have its type and range, and the file must have as many numbers as the configuration needs before
 * memory is allocated for them. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include "base/buffer.h"
#include "model/model.h"
#include "model/safetensors.h"

#define KEN_FORMAT_KEY "ken.format"
#define KEN_CONFIG_KEY "ken.config"

/* Saves a model like ken_model_save(), with more notes (metadata), whose keys must not begin with
 * "ken.". */
ken_status ken_model_store(const ken_model *model, const char *path, const struct ken_note *notes,
                           size_t count);

/* Makes the model that is stored in `file`; `path` is used for messages only. The caller owns
 * *model, which no longer needs the file. */
ken_status ken_model_from(ken_model **model, const ken_safetensors *file, const char *path);

/* ---- config_json.c --------------------------------------------------------------------------- */

void ken_config_write(ken_buffer *out, const ken_config *config);
ken_status ken_config_read(ken_config *config, const char *json, const char *path);

/* Returns the name of the first field in which two configurations differ; NULL if they are
 * equal. */
const char *ken_config_difference(const ken_config *a, const ken_config *b);

/* ---- for all files that hold weights: models and checkpoints --------------------------------- */

/* Fails with KEN_ERR_FORMAT unless the note `key` has a version that this program knows, and the
 * checksum of the file is correct. */
ken_status ken_stored_version(const ken_safetensors *file, const char *key, const char *path);

/* Finds the tensor whose name is `prefix` followed by `name`. It must have the shape of `tensor`,
 * and all its numbers must be finite. */
ken_status ken_stored_weights(const struct ken_stored **found, const ken_safetensors *file,
                              const char *prefix, const char *name, const ken_tensor *tensor,
                              const char *path);

/* Joins ken's own notes ("ken.*") and those of the caller, whose keys must not begin with "ken.".
 * The caller frees *all with ken_memory_free(). */
ken_status ken_stored_notes(struct ken_note **all, const struct ken_note *ours, size_t our_count,
                            const struct ken_note *notes, size_t count);

/* Fails with KEN_ERR_DIVERGED, and names the tensor, if one of its numbers is not finite, because
 * such a tensor must not be saved. */
ken_status ken_stored_finite(const float *data, size_t size, const char *name);

#endif
