/* training_resume.c - a training run continues from its checkpoint. */
#include "task/training.h"

#include <string.h>

/* Checks that the data is the data the run began with, by its hash in a note of the checkpoint.
 * With other data the run would compare new values of the metric with a best value that was
 * measured on something else. */
static ken_status same_data(const ken_safetensors *file, const char *path, const char *note,
                            const char *hash, const char *part)
{
    const char *was = ken_safetensors_note(file, note);
    if (was && strcmp(was, hash) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STATE, "%s: the %s data is not what this run began with", path, part);
}

static ken_status take_up(struct ken_training_run *run, const ken_safetensors *file,
                          const char *path)
{
    KEN_TRY(same_data(file, path, "data.sha256", run->task->data, "training"));
    KEN_TRY(same_data(file, path, "dev.sha256", run->dev_data, "dev"));
    return ken_loop_restore(&run->loop, file, path);
}

ken_status ken_training_restore(struct ken_training_run *run)
{
    ken_safetensors file;
    ken_buffer path = { 0 };
    bool found = false;
    ken_status status = ken_loop_open(&file, &found, &path, run->folder);
    if (!status && found) {
        status = take_up(run, &file, path.data);
        ken_safetensors_release(&file);
    }
    ken_buffer_release(&path);
    KEN_TRY(status);
    run->started_step = (double)run->trainer->optimiser.step;
    return found ? ken_training_log_cut(run) : ken_training_save_first(run);
}
