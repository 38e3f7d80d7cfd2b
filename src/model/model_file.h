/* model_file.h - a model as a file: safetensors with the configuration as a note.
 *   "ken.format"  version of all this, "1"; a file of a newer one is refused
 *   "ken.config"  ken_config as JSON, every field by name
 * Weights have the names of the parameters. Nothing is taken on trust: each field has its type and
 * range, and the file must hold as many numbers as the configuration asks for before memory is
 * taken for them. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include "base/buffer.h"
#include "model/model.h"
#include "model/safetensors.h"

#define KEN_FORMAT_KEY "ken.format"
#define KEN_CONFIG_KEY "ken.config"

/* ken_model_save() with more notes, whose keys do not begin with "ken.". */
ken_status ken_model_store(const ken_model *model, const char *path, const struct ken_note *notes,
                           size_t count);

/* The model in a file that was read from `path` (for messages only). The caller owns *model, which
 * no longer needs the file. */
ken_status ken_model_from(ken_model **model, const ken_safetensors *file, const char *path);

/* ---- config_json.c --------------------------------------------------------------------------- */

void ken_config_write(ken_buffer *out, const ken_config *config);
ken_status ken_config_read(ken_config *config, const char *json, const char *path);

/* The first field in which two configurations differ, or NULL. */
const char *ken_config_difference(const ken_config *a, const ken_config *b);

/* ---- for files that hold weights: this one, and checkpoints ---------------------------------- */

/* KEN_ERR_FORMAT unless the note `key` is there, is a version that is known here, and the checksum
 * was right. */
ken_status ken_stored_version(const ken_safetensors *file, const char *key, const char *path);

/* Is the tensor "<prefix><name>" in the file, of the shape of `tensor` and finite? */
ken_status ken_stored_weights(const struct ken_stored **found, const ken_safetensors *file,
                              const char *prefix, const char *name, const ken_tensor *tensor,
                              const char *path);

/* Notes of ours before those of the caller, which must not look like ours; the caller ends *all
 * with ken_memory_free. */
ken_status ken_stored_notes(struct ken_note **all, const struct ken_note *ours, size_t our_count,
                            const struct ken_note *notes, size_t count);

/* KEN_ERR_DIVERGED, by name, if a number is not finite: that is never saved. */
ken_status ken_stored_finite(const float *data, size_t size, const char *name);

#endif
