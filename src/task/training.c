/* training.c - a training run from its recipe to its end: sets up data, model and loop, and reports
 * progress. Other files read the data (training_data.c), write the logs (training_log.c), continue
 * from a checkpoint (training_resume.c) and do the steps (train/loop.c). */
#include "task/training.h"

#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"
#include "task/run_folder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what the loop calls --------------------------------------------------------------------- */

/* Measures the model on the dev data, with the averaged weights. For sets of labels the threshold
 * is chosen at each evaluation, so the best model is saved with the threshold that gave its
 * score. */
static ken_status measure(void *user, double *metric)
{
    struct ken_training_run *run = user;
    *metric = NAN;
    run->scores.count = 0;
    if (!run->has_dev) return KEN_OK;
    KEN_TRY(ken_examples_measure(run->task, &run->scores, &run->examples, false, true, NULL));
    *metric = ken_scores_find(&run->scores, ken_choice_name(run->task));
    if (!isnan(*metric)) return KEN_OK;
    return ken_metric_fail(run->task, KEN_KEY_TRAIN_CHOOSE);
}

static ken_status keep(void *user)
{
    struct ken_training_run *run = user;
    ken_buffer json = { 0 }, path = { 0 };
    ken_scores_json(&run->scores, &json);
    ken_status status = ken_buffer_status(&json);
    if (!status) status = ken_path_join(&path, run->folder, "model.ken");
    if (!status) {
        ken_memory_free(run->task->metrics);
        /* `metrics` owns the text now; `json` must not be released */
        run->task->metrics = json.data;
        json = (ken_buffer){ 0 };
        status = ken_task_save(run->task, path.data);
    }
    ken_buffer_release(&json);
    ken_buffer_release(&path);
    return status;
}

/* Reports the state of the run to the caller: at its start and end, after a step or an evaluation.
 * An evaluation is first written to the logs. */
static ken_status report(void *user, const struct ken_loop *loop, ken_moment moment)
{
    struct ken_training_run *run = user;
    double seconds = now() - run->started;
    double made = (double)loop->trainer->optimiser.step;
    ken_progress p = {
        .moment = moment,
        .step = loop->trainer->optimiser.step,
        .steps = loop->steps,
        .epoch = made * (double)loop->accumulate / (double)run->epoch_steps,
        .loss = loop->loss,
        .rate = loop->report.rate,
        .rows_per_second = seconds > 0 ? loop->rows / seconds : 0,
        .seconds = seconds,
        .seconds_left = made > run->started_step
                            ? seconds / (made - run->started_step) * ((double)loop->steps - made)
                            : NAN,
        .parameters = ken_model_size(run->task->model),
        .examples = run->dataset.count,
        .left_out = run->left_out,
        .metric = run->has_dev ? ken_choice_name(run->task) : NULL,
        .dev = loop->dev,
        .best = loop->state.best,
        .improved = loop->improved,
        .peak_bytes = loop->report.peak_bytes,
        .from = run->from.size > 0 ? run->from.data : NULL,
        .tensors = run->task->model->parameters.count,
        .taken = run->taken.taken,
        .partly = run->taken.partly,
        .recovered = run->recovered.size > 0 ? run->recovered.data : NULL,
    };
    ken_training_log_words(run, &p);
    p.words = ken_buffer_string(&run->words);
    if (moment == KEN_AT_EVALUATION) KEN_TRY(ken_training_log_evaluation(run, &p));
    return run->progress(run->user, &p);
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* Copies the weights of the model train.from into the new model. A resumed run skips this and gets
 * its weights later, from its checkpoint. Also collects the vocabularies, labels and scales that
 * the checkpoints of this run must keep. */
static ken_status take_over(struct ken_training_run *run)
{
    ken_status status = KEN_OK;
    if (!run->old) return KEN_OK;
    if (run->old->model) {
        status = ken_warm_take(&run->taken, run->task, run->old);
        if (!status) ken_warm_words(&run->from, run->task, &run->taken);
        if (!status) status = ken_buffer_status(&run->from);
    }
    if (!status) status = ken_learned_write(&run->learned, run->task);
    /* free the other model at once, because a whole model takes much memory */
    ken_task_free(run->old);
    run->old = NULL;
    return status;
}

/* Checks that the disk has room for the files of the run, which need up to 14 numbers per weight:
 * three checkpoints (last, previous, and the one being written) with 4 numbers each (value, two
 * moments, average), and two model files with 1 each. 1 MB is added for headers and logs. */
static ken_status check_space(const struct ken_training_run *run)
{
    uint64_t room,
        need = 14 * sizeof(float) * (uint64_t)ken_model_size(run->task->model) + (1 << 20);
    KEN_TRY(ken_path_space(&room, run->folder));
    if (room >= need) return KEN_OK;
    return ken_fail(KEN_ERR_SPACE,
                    "%s: the files of the run need %" PRIu64 " MB of disk space, %" PRIu64
                    " MB are free",
                    run->folder, (need >> 20) + 1, room >> 20);
}

/* Sets the number of steps of the run. Every epoch is taken to have as many batches as epoch 0,
 * because the order of the examples hardly changes their number. */
static ken_status set_steps(struct ken_training_run *run)
{
    const ken_recipe *recipe = run->task->recipe;
    struct ken_loop *loop = &run->loop;
    KEN_TRY(ken_loop_batches(&run->epoch_steps, loop));
    uint64_t epoch = ken_size_max(1, run->epoch_steps / loop->accumulate);
    loop->steps = ken_recipe_size(recipe, KEN_KEY_TRAIN_STEPS);
    if (loop->steps == 0)
        loop->steps = ken_size_max(1, run->epoch_steps *
                                          ken_recipe_size(recipe, KEN_KEY_TRAIN_EPOCHS) /
                                          loop->accumulate);
    if (loop->evaluate == 0) loop->evaluate = epoch;
    if (loop->checkpoint == 0) loop->checkpoint = loop->evaluate;
    return KEN_OK;
}

static ken_status set_up_loop(struct ken_training_run *run)
{
    const ken_recipe *recipe = run->task->recipe;
    struct ken_loop *loop = &run->loop;
    *loop = (struct ken_loop){
        .dataset = &run->dataset,
        .generates = run->task->output == KEN_GENERATE,
        .budget = ken_recipe_size(recipe, KEN_KEY_TRAIN_BATCH),
        .accumulate = ken_recipe_size(recipe, KEN_KEY_TRAIN_ACCUMULATE),
        .seed = ken_recipe_size(recipe, KEN_KEY_TRAIN_SEED),
        .evaluate = ken_recipe_size(recipe, KEN_KEY_TRAIN_EVALUATE),
        .checkpoint = ken_recipe_size(recipe, KEN_KEY_TRAIN_CHECKPOINT),
        .patience = ken_recipe_size(recipe, KEN_KEY_TRAIN_PATIENCE),
        .falls = ken_metric_falls(ken_choice_name(run->task)),
        .folder = run->folder,
        .user = run,
        .measure = measure,
        .keep = keep,
        .progress = report,
        .state.best = NAN,
        .loss = NAN,
        .dev = NAN,
    };
    KEN_TRY(set_steps(run));
    ken_training training = ken_settings_training(recipe, loop->steps);
    /* a short run gets a shorter warm-up */
    training.warm_up = ken_size_min(training.warm_up, loop->steps / 4);
    ken_status status = ken_trainer_new(&run->trainer, run->task->model, &training);
    if (status == KEN_ERR_ARGUMENT) return ken_fail_because(status, "%s: [train]", recipe->name);
    KEN_TRY(status);
    loop->trainer = run->trainer;
    return KEN_OK;
}

/* Prepares the run up to its first step. Mistakes in the recipe or the data are found here, before
 * any file is written. */
static ken_status prepare(struct ken_training_run *run, const ken_recipe *recipe, bool resumes)
{
    KEN_TRY(ken_task_new(&run->task, recipe));
    KEN_TRY(ken_warm_open(&run->old, run->task, resumes ? run->folder : NULL));
    KEN_TRY(ken_training_read(run));
    KEN_TRY(ken_task_build(run->task));
    KEN_TRY(take_over(run));
    KEN_TRY(check_space(run));
    return set_up_loop(run);
}

/* ---- the run --------------------------------------------------------------------------------- */

ken_status ken_training_save_first(const struct ken_training_run *run)
{
    KEN_TRY(ken_training_log_start(run));
    return ken_loop_save(&run->loop);
}

static ken_status begin(struct ken_training_run *run)
{
    const char *text = ken_recipe_text(run->task->recipe);
    ken_buffer content = { 0 };
    if (!text) return ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    ken_buffer_text(&content, text);
    ken_status status = ken_folder_write(run->folder, "recipe", &content);
    ken_buffer_release(&content);
    return status ? status : ken_training_save_first(run);
}

/* Trains until the end of the run. If the run had already finished, only its start and its end are
 * reported. */
static ken_status work(struct ken_training_run *run, bool resumes)
{
    struct ken_note notes[KEN_LEARNED + 2] = { { "data.sha256", run->task->data },
                                               { "dev.sha256", run->dev_data } };
    memcpy(notes + 2, run->learned.notes, sizeof run->learned.notes);
    run->loop.notes = notes;
    run->loop.note_count = run->learned.notes[0].key ? KEN_LEARNED + 2 : 2;
    KEN_TRY(resumes ? ken_training_restore(run) : begin(run));
    run->started = now();
    bool done = run->loop.state.done;
    ken_status status = report(run, &run->loop, KEN_AT_START);
    if (status == KEN_ERR_STOPPED && !done)
        return ken_fail(status, "stopped before the next step; the state is saved");
    if (status != KEN_ERR_STOPPED) KEN_TRY(status);
    if (!done) KEN_TRY(ken_loop_run(&run->loop));
    status = report(run, &run->loop, KEN_AT_END);
    return status == KEN_ERR_STOPPED ? KEN_OK : status;
}

static ken_status run_recipe(const ken_recipe *recipe, const char *folder, bool resumes,
                             ken_training_fn *progress, void *user)
{
    struct ken_training_run run = { .folder = folder, .progress = progress, .user = user };
    ken_lock *lock = NULL;
    ken_status status = prepare(&run, recipe, resumes);
    if (!status) status = ken_folder_take(&lock, folder, "run", resumes);
    if (!status) status = work(&run, resumes);
    ken_lock_free(lock);
    ken_trainer_free(run.trainer);
    ken_dataset_release(&run.dataset);
    ken_examples_release(&run.examples);
    ken_corpus_release(&run.dev);
    ken_task_free(run.old);
    ken_task_free(run.task);
    ken_learned_release(&run.learned);
    ken_buffer_release(&run.from);
    ken_buffer_release(&run.words);
    ken_buffer_release(&run.recovered);
    return status;
}

ken_status ken_training_start(const ken_recipe *recipe, const char *folder,
                              ken_training_fn *progress, void *user)
{
    KEN_TRY(ken_folder_check(folder, "run"));
    return run_recipe(recipe, folder, false, progress, user);
}

ken_status ken_training_resume(const char *folder, ken_training_fn *progress, void *user)
{
    ken_recipe *recipe = NULL;
    ken_buffer path = { 0 };
    ken_status status = ken_path_join(&path, folder, "recipe");
    if (!status) status = ken_recipe_read(&recipe, path.data);
    if (!status) status = run_recipe(recipe, folder, true, progress, user);
    ken_recipe_free(recipe);
    ken_buffer_release(&path);
    return status;
}

/* ---- public calls ---------------------------------------------------------------------------- */

/* The callback of a program, a ken_progress_fn or NULL, with its argument. The struct exists
 * because the callback inside the library returns a ken_status instead of an int. */
struct listener {
    ken_progress_fn *progress;
    void *user;
};

static ken_status ask(void *user, const ken_progress *p)
{
    const struct listener *listener = user;
    if (!listener->progress || listener->progress(listener->user, p) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "the caller stopped the run");
}

ken_status ken_train(const ken_recipe *recipe, const char *folder, ken_progress_fn *progress,
                     void *user)
{
    KEN_TRY(KEN_GIVEN(recipe));
    KEN_TRY(KEN_GIVEN(folder));
    return ken_training_start(recipe, folder, ask, &(struct listener){ progress, user });
}

ken_status ken_resume(const char *folder, ken_progress_fn *progress, void *user)
{
    KEN_TRY(KEN_GIVEN(folder));
    return ken_training_resume(folder, ask, &(struct listener){ progress, user });
}
