/* loop_save.c - writes the state of the loop to a checkpoint and reads it back. A save writes
 * next.ckpt, then renames last.ckpt to previous.ckpt and next.ckpt to last.ckpt. So a write that
 * fails (full disk) changes neither last.ckpt nor previous.ckpt, and at any time at least one of
 * the two is complete. */
#include "train/loop.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { NOTES_MOST = 16 }; /* maximum number of notes of the loop and the caller together */

/* The checkpoint files of a folder. A run can be resumed from LAST and PREVIOUS; NEXT is being
 * written. */
enum { LAST, PREVIOUS, NEXT, FILES };
static const char *const names[FILES] = { "last.ckpt", "previous.ckpt", "next.ckpt" };

/* Writes the state of the loop as JSON. A metric that was never measured is NaN and is written as
 * null. The moving mean of the loss is saved only for the progress reports of a resumed run. */
static void write_state(ken_buffer *json, const struct ken_loop *loop)
{
    const struct ken_loop_state *state = &loop->state;
    ken_buffer_format(json,
                      "{\"epoch\":%" PRIu64 ",\"batch\":%" PRIu64 ",\"best_step\":%" PRIu64
                      ",\"stale\":%" PRIu64 ",\"done\":%s",
                      state->epoch, state->batch, state->best_step, state->stale,
                      state->done ? "true" : "false");
    ken_json_member(json, "best", state->best);
    ken_json_member(json, "loss", loop->loss);
    ken_buffer_text(json, "}");
}

/* Saves a checkpoint. Between the two renames there is no last.ckpt; if the process dies at this
 * point, ken_loop_open() opens previous.ckpt. */
static ken_status save_at(const struct ken_loop *loop, const ken_buffer *paths, const char *json)
{
    enum ken_path_kind kind;
    struct ken_note notes[NOTES_MOST] = { { "loop", json } };
    for (size_t i = 0; i < loop->note_count; i++) notes[i + 1] = loop->notes[i];
    KEN_TRY(ken_checkpoint_save(loop->trainer, paths[NEXT].data, notes, loop->note_count + 1));
    KEN_TRY(ken_path_kind(&kind, paths[LAST].data));
    if (kind == KEN_PATH_FILE) KEN_TRY(ken_file_rename(paths[LAST].data, paths[PREVIOUS].data));
    return ken_file_rename(paths[NEXT].data, paths[LAST].data);
}

ken_status ken_loop_save(const struct ken_loop *loop)
{
    ken_buffer paths[FILES] = { 0 }, json = { 0 };
    ken_status status = KEN_OK;
    if (loop->note_count + 1 > NOTES_MOST)
        status = ken_fail(KEN_ERR_ARGUMENT, "a checkpoint holds at most %d notes", NOTES_MOST);
    for (size_t i = 0; i < FILES && !status; i++)
        status = ken_path_join(&paths[i], loop->folder, names[i]);
    write_state(&json, loop);
    if (!status) status = ken_buffer_status(&json);
    if (!status) status = save_at(loop, paths, json.data);
    for (size_t i = 0; i < FILES; i++) ken_buffer_release(&paths[i]);
    ken_buffer_release(&json);
    return status;
}

/* ---- resuming -------------------------------------------------------------------------------- */

/* Reads a checkpoint. Returns KEN_ERR_FORMAT if the file is missing or damaged. A file without a
 * checksum counts as damaged, because every checkpoint is written with one. Any other failure, such
 * as a missing read permission, does not mean that the file is damaged. */
static ken_status read_whole(ken_safetensors *file, bool *there, const char *path)
{
    enum ken_path_kind kind;
    KEN_TRY(ken_path_kind(&kind, path));
    *there = kind == KEN_PATH_FILE;
    if (!*there) return ken_fail(KEN_ERR_FORMAT, "%s is missing", path);
    KEN_TRY(ken_safetensors_read(file, path));
    if (file->checked) return KEN_OK;
    ken_safetensors_release(file);
    return ken_fail(KEN_ERR_FORMAT, "%s is damaged: it has no checksum", path);
}

ken_status ken_loop_open(struct ken_opened *opened, const char *folder)
{
    bool last, previous;
    KEN_TRY(ken_path_join(&opened->path, folder, names[LAST]));
    ken_status status = read_whole(&opened->file, &last, opened->path.data);
    opened->found = !status;
    if (status != KEN_ERR_FORMAT) return status;
    ken_buffer_text(&opened->unusable, ken_last_error());
    KEN_TRY(ken_buffer_status(&opened->unusable));
    KEN_TRY(ken_path_join(&opened->path, folder, names[PREVIOUS]));
    status = read_whole(&opened->file, &previous, opened->path.data);
    opened->found = !status;
    if (status != KEN_ERR_FORMAT) return status;
    if (!last && !previous) return KEN_OK;
    ken_buffer_format(&opened->unusable, "; %s", ken_last_error());
    KEN_TRY(ken_buffer_status(&opened->unusable));
    return ken_fail(status, "there is no checkpoint to resume from: %s", opened->unusable.data);
}

void ken_opened_release(struct ken_opened *opened)
{
    if (opened->found) ken_safetensors_release(&opened->file);
    ken_buffer_release(&opened->path);
    ken_buffer_release(&opened->unusable);
    *opened = (struct ken_opened){ 0 };
}

static bool read_count(uint64_t *count, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *count = (uint64_t)json_integer_value(value);
    return true;
}

/* Reads the state of the loop from JSON. Returns false if a value is missing or if `object` is NULL
 * or not a JSON object. */
static bool read_state(struct ken_loop *loop, const json_t *object)
{
    struct ken_loop_state *state = &loop->state;
    const json_t *done = json_object_get(object, "done");
    state->done = json_is_true(done);
    return json_is_boolean(done) && read_count(&state->epoch, object, "epoch") &&
           read_count(&state->batch, object, "batch") &&
           read_count(&state->best_step, object, "best_step") &&
           read_count(&state->stale, object, "stale") &&
           ken_json_read_member(&state->best, object, "best") &&
           ken_json_read_member(&loop->loss, object, "loss");
}

static ken_status remove_last(const char *folder)
{
    ken_buffer path = { 0 };
    ken_status status = ken_path_join(&path, folder, names[LAST]);
    if (!status) status = ken_file_remove(path.data);
    ken_buffer_release(&path);
    return status;
}

ken_status ken_loop_restore(struct ken_loop *loop, const struct ken_opened *opened)
{
    const char *path = opened->path.data, *text = ken_safetensors_note(&opened->file, "loop");
    json_t *object = text ? ken_json_read(text, strlen(text), 0, NULL) : NULL;
    bool good = read_state(loop, object);
    json_decref(object);
    if (!good)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: not a checkpoint of a training run: it has no valid state of the loop",
                        path);
    KEN_TRY(ken_checkpoint_load(loop->trainer, &opened->file, path));
    return opened->unusable.size > 0 ? remove_last(loop->folder) : KEN_OK;
}
