/* loop_save.c - writes the state of the loop to a checkpoint and reads it back. A save first
 * renames last.ckpt to previous.ckpt, then writes the new last.ckpt as a whole: at every instant at
 * least one of the two files is complete. */
#include "train/loop.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { NOTES_MOST = 16 }; /* maximum number of notes: the loop's and the caller's */

/* Writes the state of the loop as JSON. A metric that was never measured is NaN and becomes null.
 * The loss is saved only so that a resumed run goes on reporting its moving mean. */
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

/* Saves a checkpoint. Between renaming and writing there is no last.ckpt; ken_loop_open() then
 * finds previous.ckpt. */
static ken_status save_at(const struct ken_loop *loop, const char *last, const char *previous,
                          const char *json)
{
    enum ken_path_kind kind;
    struct ken_note notes[NOTES_MOST] = { { "loop", json } };
    KEN_TRY(ken_path_kind(&kind, last));
    if (kind == KEN_PATH_FILE) KEN_TRY(ken_file_rename(last, previous));
    for (size_t i = 0; i < loop->note_count; i++) notes[i + 1] = loop->notes[i];
    return ken_checkpoint_save(loop->trainer, last, notes, loop->note_count + 1);
}

ken_status ken_loop_save(const struct ken_loop *loop)
{
    ken_buffer last = { 0 }, previous = { 0 }, json = { 0 };
    ken_status status = KEN_OK;
    if (loop->note_count + 1 > NOTES_MOST)
        status = ken_fail(KEN_ERR_ARGUMENT, "a checkpoint holds at most %d notes", NOTES_MOST);
    if (!status) status = ken_path_join(&last, loop->folder, "last.ckpt");
    if (!status) status = ken_path_join(&previous, loop->folder, "previous.ckpt");
    write_state(&json, loop);
    if (!status) status = ken_buffer_status(&json);
    if (!status) status = save_at(loop, last.data, previous.data, json.data);
    ken_buffer_release(&last);
    ken_buffer_release(&previous);
    ken_buffer_release(&json);
    return status;
}

/* Opens the newest checkpoint. Falls back to previous.ckpt only if there is no last.ckpt. A
 * last.ckpt that cannot be read is an error: a save never leaves such a file, so something else
 * damaged it and the user should know. */
ken_status ken_loop_open(ken_safetensors *file, bool *found, ken_buffer *path, const char *folder)
{
    static const char *const names[] = { "last.ckpt", "previous.ckpt" };
    for (size_t i = 0; i < 2; i++) {
        enum ken_path_kind kind;
        KEN_TRY(ken_path_join(path, folder, names[i]));
        KEN_TRY(ken_path_kind(&kind, path->data));
        *found = kind == KEN_PATH_FILE;
        if (*found) return ken_safetensors_read(file, path->data);
    }
    return KEN_OK;
}

static bool read_count(uint64_t *count, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *count = (uint64_t)json_integer_value(value);
    return true;
}

/* Reads the state of the loop from JSON. Returns false if anything is missing, also if `object` is
 * NULL or not a JSON object. */
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

ken_status ken_loop_restore(struct ken_loop *loop, const ken_safetensors *file, const char *path)
{
    const char *text = ken_safetensors_note(file, "loop");
    json_t *object = text ? ken_json_read(text, strlen(text), 0, NULL) : NULL;
    bool good = read_state(loop, object);
    json_decref(object);
    if (!good)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: not a checkpoint of a training run: it has no valid state of the loop",
                        path);
    return ken_checkpoint_load(loop->trainer, file, path);
}
