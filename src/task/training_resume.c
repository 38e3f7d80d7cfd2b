/* training_resume.c - continues a training run from its checkpoint. */
#include "task/training.h"

#include <inttypes.h>
#include <string.h>

/* Checks that the data has not changed since the run began: compares the hash of the data with a
 * note (metadata entry) of the checkpoint. With other data, new scores could not be compared with
 * the best score so far. */
static ken_status same_data(const ken_safetensors *file, const char *path, const char *note,
                            const char *hash, const char *part)
{
    const char *was = ken_safetensors_note(file, note);
    if (was && strcmp(was, hash) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STATE, "%s: the %s data is not what this run began with", path, part);
}

static ken_status take_up(struct ken_training_run *run, const struct ken_opened *opened)
{
    const char *path = opened->path.data;
    KEN_TRY(same_data(&opened->file, path, "data.sha256", run->task->data, "training"));
    KEN_TRY(same_data(&opened->file, path, "dev.sha256", run->dev_data, "dev"));
    KEN_TRY(ken_loop_restore(&run->loop, opened));
    if (opened->unusable.size == 0) return KEN_OK;
    ken_buffer_format(&run->recovered, "resumed from %s, step %" PRIu64 ", because %s", path,
                      run->trainer->optimiser.step, opened->unusable.data);
    return ken_buffer_status(&run->recovered);
}

ken_status ken_training_restore(struct ken_training_run *run)
{
    struct ken_opened opened = { 0 };
    ken_status status = ken_loop_open(&opened, run->folder);
    bool found = opened.found;
    if (!status && found) status = take_up(run, &opened);
    ken_opened_release(&opened);
    KEN_TRY(status);
    run->started_step = (double)run->trainer->optimiser.step;
    KEN_TRY(ken_training_log_cut(run));
    return found ? KEN_OK : ken_training_save_first(run);
}
