/* info.c - what is in a model or checkpoint file, or in any other safetensors file: no model is
 * made of it, so it need not fit one. */
#include "base/json.h"
#include "model/safetensors.h"
#include "task/task.h"

#include <string.h>

/* Cannot overflow: that many numbers were found in the file. */
static size_t numbers_in(const struct ken_stored *tensor)
{
    size_t numbers = 1;
    for (size_t d = 0; d < tensor->dimensions; d++) numbers *= tensor->shape[d];
    return numbers;
}

static void print_shape(ken_buffer *out, const struct ken_stored *tensor, const char *between)
{
    for (size_t d = 0; d < tensor->dimensions; d++)
        ken_buffer_format(out, "%s%zu", d > 0 ? between : "", tensor->shape[d]);
}

/* Notes that are JSON themselves go into the object as they are. */
static bool is_json(const char *key)
{
    return strcmp(key, "labels") == 0 || strcmp(key, "metrics") == 0 ||
           strcmp(key, "ken.config") == 0 || strcmp(key, "loop") == 0;
}

/* Vocabularies are long; whoever wants them reads the file's notes. */
static bool is_long(const char *key)
{
    return strcmp(key, "input") == 0 || strcmp(key, "output") == 0 || strcmp(key, "scales") == 0;
}

static void print_json(ken_buffer *out, const ken_safetensors *file, const char *path, size_t size)
{
    ken_buffer_text(out, "{\"file\":");
    ken_json_string(out, path, strlen(path));
    ken_buffer_format(out, ",\"numbers\":%zu,\"checked\":%s,\"notes\":{", size,
                      file->checked ? "true" : "false");
    const char *between = "";
    for (size_t i = 0; i < file->note_count; i++) {
        const struct ken_note *note = &file->notes[i];
        if (is_long(note->key)) continue;
        ken_buffer_text(out, between);
        ken_json_string(out, note->key, strlen(note->key));
        ken_buffer_text(out, ":");
        if (is_json(note->key)) ken_buffer_text(out, note->value);
        else ken_json_string(out, note->value, strlen(note->value));
        between = ",";
    }
    ken_buffer_text(out, "},\"tensors\":{");
    for (size_t i = 0; i < file->count; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_string(out, file->tensors[i].name, strlen(file->tensors[i].name));
        ken_buffer_text(out, ":[");
        print_shape(out, &file->tensors[i], ",");
        ken_buffer_text(out, "]");
    }
    ken_buffer_text(out, "}}\n");
}

static void print_text(ken_buffer *out, const ken_safetensors *file, const char *path, size_t size)
{
    ken_buffer_format(out, "%s: %zu tensors, %zu numbers, %s\n", path, file->count, size,
                      file->checked ? "checksum right" : "no checksum");
    for (size_t i = 0; i < file->note_count; i++) {
        const struct ken_note *note = &file->notes[i];
        if (is_long(note->key) || note->value[0] == '\0' || strcmp(note->key, "recipe") == 0)
            continue;
        ken_buffer_format(out, "%-14s %s\n", note->key, note->value);
    }
    for (size_t i = 0; i < file->count; i++) {
        ken_buffer_format(out, "%-44s ", file->tensors[i].name);
        print_shape(out, &file->tensors[i], " x ");
        ken_buffer_text(out, "\n");
    }
    const char *recipe = ken_safetensors_note(file, "recipe");
    if (recipe) ken_buffer_format(out, "\n%s", recipe);
}

ken_status ken_info(const char *path, int json, ken_text_fn *write, void *user)
{
    ken_safetensors file;
    ken_buffer out = { 0 };
    size_t size = 0;
    KEN_TRY(ken_safetensors_read(&file, path));
    for (size_t i = 0; i < file.count; i++) size += numbers_in(&file.tensors[i]);
    if (json) print_json(&out, &file, path, size);
    else print_text(&out, &file, path, size);
    ken_status status = ken_buffer_status(&out);
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&out);
    ken_safetensors_release(&file);
    return status;
}
