/* info.c - describes the content of a model file, a checkpoint or any other safetensors file. No
 * model is made, so the file may contain tensors that do not belong to a model of ken. */
#include "base/json.h"
#include "base/size.h"
#include "base/text.h"
#include "model/safetensors.h"
#include "task/task.h"

#include <string.h>

/* Returns how many numbers a tensor has. The product of the tensor's dimensions cannot overflow,
 * because the reader has checked that the file contains all numbers of the tensor. */
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

/* Returns whether a note (metadata entry) is JSON, so that it can be copied into the report
 * unchanged. The text itself is checked, because other programs may use the same names for notes
 * that are not JSON. */
static bool is_json(const struct ken_note *note)
{
    static const char *const keys[] = { "labels", "metrics", "ken.config", "loop" };
    bool named = false;
    for (size_t i = 0; i < KEN_COUNT(keys); i++) named |= strcmp(note->key, keys[i]) == 0;
    if (!named) return false;
    json_t *value = ken_json_read(note->value, strlen(note->value), 0, NULL);
    json_decref(value);
    return value != NULL;
}

/* Appends text from the file. Control characters other than line ends are escaped, because the file
 * may come from anywhere. */
static void add_plain(ken_buffer *out, const char *text)
{
    ken_text_escape(out, text, strlen(text), "\\\n");
}

/* Appends text from the file like add_plain(), pads it with spaces to `width`, and adds one more
 * space. */
static void add_padded(ken_buffer *out, const char *text, size_t width)
{
    size_t end = out->size + width;
    add_plain(out, text);
    ken_buffer_format(out, "%*s", end > out->size ? (int)(end - out->size) + 1 : 1, "");
}

/* Returns whether a note (metadata entry) is too long to print, as vocabularies are. */
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
        if (is_json(note)) ken_buffer_text(out, note->value);
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

/* Describes in words the input that the model of the file reads; NULL if the file has no readable
 * recipe. */
static const char *input_words(const ken_safetensors *file)
{
    const char *text = ken_safetensors_note(file, "recipe"), *words = NULL;
    ken_recipe *recipe = NULL;
    if (!text || ken_recipe_parse(&recipe, text, "recipe")) return NULL;
    const struct ken_input_kind *kind = ken_settings_input(recipe);
    if (kind) words = kind->reads;
    else if (ken_settings_format(recipe)->carries == KEN_CARRIES_NOTHING)
        words = "nothing: it continues a text";
    ken_recipe_free(recipe);
    return words;
}

static void print_text(ken_buffer *out, const ken_safetensors *file, const char *path, size_t size)
{
    ken_text_escape(out, path, strlen(path), "\\");
    ken_buffer_format(out, ": %zu tensor%s, %zu number%s, %s\n", file->count,
                      ken_plural(file->count), size, ken_plural(size),
                      file->checked ? "checksum ok" : "no checksum");
    const char *input = input_words(file);
    if (input) {
        add_padded(out, "reads", 14);
        ken_buffer_format(out, "%s\n", input);
    }
    for (size_t i = 0; i < file->note_count; i++) {
        const struct ken_note *note = &file->notes[i];
        if (is_long(note->key) || note->value[0] == '\0' || strcmp(note->key, "recipe") == 0)
            continue;
        add_padded(out, note->key, 14);
        add_plain(out, note->value);
        ken_buffer_text(out, "\n");
    }
    for (size_t i = 0; i < file->count; i++) {
        add_padded(out, file->tensors[i].name, 44);
        print_shape(out, &file->tensors[i], " x ");
        ken_buffer_text(out, "\n");
    }
    const char *recipe = ken_safetensors_note(file, "recipe");
    if (recipe) ken_buffer_text(out, "\n");
    if (recipe) add_plain(out, recipe);
}

ken_status ken_info(const char *path, int json, ken_text_fn *write, void *user)
{
    ken_safetensors file;
    ken_buffer out = { 0 };
    size_t size = 0;
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(KEN_GIVEN(write));
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
