/* training.c - a run in its folder: data, model, loop, and what is written on the way.
 *   recipe          all keys, as resolved; itself a recipe
 *   model.ken       the best model so far
 *   last.ckpt       whole state; previous.ckpt the one before it
 *   metrics.jsonl   one object for each evaluation
 *   log.txt         the same in words
 *   lock            while a process works here */
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"
#include "task/evaluate.h"
#include "task/store.h"
#include "task/warm.h"
#include "train/loop.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <stdio.h>
#include <time.h>

struct run {
    ken_task *task;
    ken_task *old; /* what it goes on from, while it is set up; or NULL */
    struct ken_taken taken;
    ken_buffer from;            /* the same in words; empty: nothing was taken now */
    struct ken_learned learned; /* with train.from only                    */
    const char *folder;
    ken_corpus dev;
    bool has_dev;
    char dev_data[KEN_SHA256_HEX]; /* of dev, as ids; "": there is none */
    ken_dataset dataset;
    size_t left_out;
    ken_trainer *trainer;
    struct ken_loop loop;
    struct ken_scores scores; /* of the last evaluation */
    uint64_t epoch_steps;
    double started, started_step;
    ken_progress_fn *progress;
    void *user;
    ken_buffer words;
    ken_status failed; /* writing the log failed, in these words: */
    char failure[256];
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what the loop calls --------------------------------------------------------------------- */

/* On dev, with the averaged weights. Of sets the threshold is chosen anew each time: the model that
 * is kept has the one that it was measured with. */
static ken_status measure(void *user, double *metric)
{
    struct run *run = user;
    *metric = NAN;
    run->scores.count = 0;
    if (!run->has_dev) return KEN_OK;
    KEN_TRY(ken_task_measure(run->task, &run->scores, &run->dev, false, true, NULL));
    *metric = ken_scores_find(&run->scores, ken_choice_name(run->task));
    if (!isnan(*metric)) return KEN_OK;
    return ken_metric_fail(run->task, KEN_KEY_TRAIN_CHOOSE);
}

static ken_status keep(void *user)
{
    struct run *run = user;
    ken_buffer json = { 0 }, path = { 0 };
    ken_scores_json(&run->scores, &json);
    ken_status status = ken_buffer_status(&json);
    if (!status) status = ken_path_join(&path, run->folder, "model.ken");
    if (!status) {
        ken_memory_free(run->task->metrics);
        run->task->metrics = json.data; /* which now owns it */
        json = (ken_buffer){ 0 };
        status = ken_task_save(run->task, path.data);
    }
    ken_buffer_release(&json);
    ken_buffer_release(&path);
    return status;
}

/* One line in metrics.jsonl and one in log.txt. */
static ken_status log_evaluation(struct run *run, const ken_progress *p)
{
    ken_buffer line = { 0 }, path = { 0 };
    ken_buffer_format(&line, "{\"step\":%" PRIu64 ",\"epoch\":", p->step);
    ken_json_number(&line, p->epoch);
    ken_buffer_text(&line, ",\"loss\":");
    ken_json_number(&line, p->loss);
    ken_buffer_text(&line, ",\"rate\":");
    ken_json_number(&line, p->rate);
    ken_buffer_text(&line, ",\"rows_per_second\":");
    ken_json_number(&line, round(p->rows_per_second));
    ken_buffer_text(&line, ",\"dev\":");
    ken_scores_json(&run->scores, &line);
    ken_buffer_text(&line, "}\n");
    ken_status status = ken_buffer_status(&line);
    if (!status) status = ken_path_join(&path, run->folder, "metrics.jsonl");
    if (!status) status = ken_file_append(path.data, line.data, line.size);
    if (!status) status = ken_path_join(&path, run->folder, "log.txt");
    ken_buffer_clear(&line);
    ken_buffer_format(&line, "%s\n", p->words);
    if (!status) status = ken_buffer_status(&line);
    if (!status) status = ken_file_append(path.data, line.data, line.size);
    ken_buffer_release(&line);
    ken_buffer_release(&path);
    return status;
}

static void word_progress(struct run *run, const ken_progress *p)
{
    ken_buffer *words = &run->words;
    ken_buffer_clear(words);
    ken_buffer_format(words, "step %" PRIu64 "/%" PRIu64 "  epoch %.2f  loss %.4f", p->step,
                      p->steps, p->epoch, p->loss);
    if (p->moment == KEN_AT_EVALUATION && run->has_dev)
        ken_buffer_format(words, "  dev %s %.4f%s", p->metric, p->dev, p->improved ? " *" : "");
    ken_buffer_format(words, "  rate %.3g  %.0f rows/s", p->rate, p->rows_per_second);
}

/* A log that cannot be written stops the run, as asking for it would. */
static int told(void *user, const struct ken_loop *loop, ken_moment moment)
{
    struct run *run = user;
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
    };
    word_progress(run, &p);
    p.words = ken_buffer_string(&run->words);
    if (moment == KEN_AT_EVALUATION) {
        run->failed = log_evaluation(run, &p);
        if (run->failed) {
            snprintf(run->failure, sizeof run->failure, "%s", ken_last_error());
            return 1;
        }
    }
    return run->progress ? run->progress(run->user, &p) : 0;
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* The weights of train.from (those of a checkpoint come later), and what checkpoints keep of it. */
static ken_status take_over(struct run *run)
{
    ken_status status = KEN_OK;
    if (!run->old) return KEN_OK;
    if (run->old->model) {
        status = ken_warm_take(&run->taken, run->task, run->old);
        if (!status) ken_warm_words(&run->from, run->task, &run->taken);
        if (!status) status = ken_buffer_status(&run->from);
    }
    if (!status) status = ken_learned_write(&run->learned, run->task);
    ken_task_free(run->old); /* a whole model, and no longer needed */
    run->old = NULL;
    return status;
}

static ken_status read_data(struct run *run)
{
    ken_task *task = run->task;
    const ken_recipe *recipe = task->recipe;
    size_t context = ken_task_reads(task) ? 0 : ken_recipe_size(recipe, KEN_KEY_DATA_CONTEXT);
    ken_corpus train = { 0 };
    ken_status status = ken_part_read(&train, recipe, KEN_KEY_DATA_TRAIN, NULL, NULL);
    if (!status) status = ken_task_learn(task, &train, run->old);
    if (!status && context > 0)
        status = ken_task_encode_stream(task, &run->dataset, &train, context, context);
    else if (!status)
        status = ken_task_encode(task, &run->dataset, &train, true, ken_settings_longest(recipe),
                                 &run->left_out);
    if (!status && run->dataset.count == 0)
        status = ken_recipe_fail(recipe, KEN_KEY_DATA_LONGEST,
                                 "all %zu training examples have more rows", run->left_out);
    if (!status) status = ken_labels_check(task, &run->dataset, train.path);
    ken_corpus_release(&train);
    KEN_TRY(status);
    ken_dataset_hash(&run->dataset, task->data);
    run->has_dev = ken_recipe_value(recipe, KEN_KEY_DATA_DEV)[0] != '\0';
    if (!run->has_dev) return KEN_OK;
    KEN_TRY(ken_part_read(&run->dev, recipe, KEN_KEY_DATA_DEV, NULL, NULL));
    ken_dataset check = { 0 }; /* its labels must be known before an epoch is spent */
    status = ken_task_encode(task, &check, &run->dev, true, SIZE_MAX, NULL);
    if (!status) ken_dataset_hash(&check, run->dev_data);
    if (!status) status = ken_labels_check(task, &check, run->dev.path);
    ken_dataset_release(&check);
    return status;
}

/* What a run needs on the disk at the same time, in numbers for each weight: three checkpoints, the
 * last, the one before it and the one that is being written, of 4 (value, two moments, average);
 * and two models. And 1 MB for headers and logs. */
static ken_status check_space(const struct run *run)
{
    uint64_t room,
        need = 14 * sizeof(float) * (uint64_t)ken_model_size(run->task->model) + (1 << 20);
    KEN_TRY(ken_path_space(&room, run->folder));
    if (room >= need) return KEN_OK;
    return ken_fail(KEN_ERR_SPACE, "%s: %" PRIu64 " MB free, the run's files need %" PRIu64,
                    run->folder, room >> 20, (need >> 20) + 1);
}

/* An epoch is as many batches as epoch 0 has; other orders are cut into about as many. */
static ken_status set_up_loop(struct run *run)
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
        .told = told,
        .state.best = NAN,
        .loss = NAN,
        .dev = NAN,
    };
    KEN_TRY(ken_loop_batches(&run->epoch_steps, loop));
    uint64_t epoch = ken_size_max(1, run->epoch_steps / loop->accumulate);
    loop->steps = ken_recipe_size(recipe, KEN_KEY_TRAIN_STEPS);
    if (loop->steps == 0)
        loop->steps = ken_size_max(1, run->epoch_steps *
                                          ken_recipe_size(recipe, KEN_KEY_TRAIN_EPOCHS) /
                                          loop->accumulate);
    if (loop->evaluate == 0) loop->evaluate = epoch;
    if (loop->checkpoint == 0) loop->checkpoint = loop->evaluate;
    ken_training training = ken_settings_training(recipe, loop->steps);
    training.warm_up = ken_size_min(training.warm_up, loop->steps / 4); /* of few data few */
    KEN_TRY(ken_trainer_new(&run->trainer, run->task->model, &training));
    loop->trainer = run->trainer;
    return KEN_OK;
}

/* ---- resuming -------------------------------------------------------------------------------- */

/* Drops from a log, whose lines are `head` and a step, what came after the step that the run goes
 * on from, since it will be logged again, and a last line that a crash cut off. */
static ken_status cut_log(const struct run *run, const char *name, const char *head)
{
    ken_buffer path = { 0 }, kept = { 0 };
    char *text = NULL;
    size_t size = 0;
    ken_status status = ken_path_join(&path, run->folder, name);
    enum ken_path_kind kind = KEN_PATH_NONE;
    if (!status) status = ken_path_kind(&kind, path.data);
    if (!status && kind == KEN_PATH_FILE) status = ken_file_read(&text, &size, path.data, SIZE_MAX);
    for (char *rest = text, *line; !status && (line = strsep(&rest, "\n")) && rest;) {
        unsigned long long step = 0; /* a line without one is about the start */
        size_t prefix = strncmp(line, head, strlen(head)) == 0 ? strlen(head) : strlen(line);
        for (const char *digit = line + prefix; *digit >= '0' && *digit <= '9'; digit++)
            step = 10 * step + (unsigned)(*digit - '0');
        if (step <= run->trainer->optimiser.step) ken_buffer_format(&kept, "%s\n", line);
    }
    if (!status) status = ken_buffer_status(&kept);
    if (!status && text) status = ken_file_replace(path.data, ken_buffer_string(&kept), kept.size);
    ken_memory_free(text);
    ken_buffer_release(&path);
    ken_buffer_release(&kept);
    return status;
}

static ken_status cut_logs(const struct run *run)
{
    KEN_TRY(cut_log(run, "metrics.jsonl", "{\"step\":"));
    return cut_log(run, "log.txt", "step ");
}

/* Other data would go on with a best value that was measured on something else. */
static ken_status same_data(const ken_safetensors *file, const char *path, const char *note,
                            const char *hash, const char *part)
{
    const char *was = ken_safetensors_note(file, note);
    if (was && strcmp(was, hash) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STATE, "%s: the %s data is not what this run began with", path, part);
}

/* The first line of log.txt, which nothing else is in yet: what was taken from another model. */
static ken_status log_start(struct run *run)
{
    if (run->from.size == 0) return KEN_OK;
    ken_buffer path = { 0 }, line = { 0 };
    ken_buffer_format(&line, "%s\n", run->from.data);
    ken_status status = ken_buffer_status(&line);
    if (!status) status = ken_path_join(&path, run->folder, "log.txt");
    if (!status) status = ken_file_replace(path.data, line.data, line.size);
    ken_buffer_release(&path);
    ken_buffer_release(&line);
    return status;
}

static ken_status save_first(struct run *run)
{
    KEN_TRY(log_start(run));
    return ken_loop_save(&run->loop); /* from now on it can be resumed */
}

/* Takes the run up where its checkpoint is; one that was ended before the first, from the start. */
static ken_status restore(struct run *run)
{
    ken_safetensors file;
    ken_buffer path = { 0 };
    bool found = false;
    ken_status status = ken_loop_open(&file, &found, &path, run->folder);
    if (!status && found) {
        status = same_data(&file, path.data, "data.sha256", run->task->data, "training");
        if (!status) status = same_data(&file, path.data, "dev.sha256", run->dev_data, "dev");
        if (!status) status = ken_loop_restore(&run->loop, &file, path.data);
        ken_safetensors_release(&file);
    }
    ken_buffer_release(&path);
    KEN_TRY(status);
    run->started_step = (double)run->trainer->optimiser.step;
    return found ? cut_logs(run) : save_first(run);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Everything that can be wrong with recipe and data shows here, before anything is written. */
static ken_status prepare(struct run *run, const ken_recipe *recipe, bool resumes)
{
    KEN_TRY(ken_task_new(&run->task, recipe));
    KEN_TRY(ken_warm_open(&run->old, run->task, resumes ? run->folder : NULL));
    KEN_TRY(read_data(run));
    KEN_TRY(ken_task_build(run->task));
    KEN_TRY(take_over(run));
    KEN_TRY(check_space(run));
    return set_up_loop(run);
}

ken_status ken_folder_check(const char *folder, const char *what)
{
    enum ken_path_kind kind;
    bool empty = true;
    KEN_TRY(ken_path_kind(&kind, folder));
    if (kind == KEN_PATH_FILE || kind == KEN_PATH_OTHER)
        return ken_fail(KEN_ERR_ARGUMENT, "%s is there and not a folder", folder);
    if (kind == KEN_PATH_DIRECTORY) KEN_TRY(ken_directory_empty(&empty, folder));
    if (empty) return KEN_OK;
    return ken_fail(KEN_ERR_STATE, "%s is not empty: resume the %s in it, or choose another folder",
                    folder, what);
}

static ken_status write_recipe(const struct run *run)
{
    ken_buffer path = { 0 };
    const char *text = ken_recipe_text(run->task->recipe);
    ken_status status = text ? ken_path_join(&path, run->folder, "recipe")
                             : ken_fail(KEN_ERR_MEMORY, "no memory for a recipe");
    if (!status) status = ken_file_replace(path.data, text, strlen(text));
    ken_buffer_release(&path);
    return status;
}

static ken_status begin(struct run *run)
{
    KEN_TRY(write_recipe(run));
    return save_first(run);
}

/* A run that was over already is only told about: that it begins, and that it ends. */
static ken_status work(struct run *run, bool resumes)
{
    struct ken_note notes[KEN_LEARNED + 2] = { { "data.sha256", run->task->data },
                                               { "dev.sha256", run->dev_data } };
    memcpy(notes + 2, run->learned.notes, sizeof run->learned.notes);
    run->loop.notes = notes;
    run->loop.note_count = run->learned.notes[0].key ? KEN_LEARNED + 2 : 2;
    KEN_TRY(resumes ? restore(run) : begin(run));
    run->started = now();
    bool stop = told(run, &run->loop, KEN_AT_START) != 0;
    if (stop && !run->loop.state.done)
        return ken_fail(KEN_ERR_STOPPED, "stopped before the first step");
    ken_status status = run->loop.state.done ? KEN_OK : ken_loop_run(&run->loop);
    if (run->failed) return ken_fail(run->failed, "%s", run->failure);
    KEN_TRY(status);
    told(run, &run->loop, KEN_AT_END);
    return KEN_OK;
}

/* With the folder to itself. It was looked at before the data was read, which may have taken long:
 * so once more. */
static ken_status work_locked(struct run *run, bool resumes)
{
    ken_buffer path = { 0 };
    ken_lock *lock = NULL;
    ken_status status = ken_directory_make(run->folder);
    if (!status && !resumes) status = ken_folder_check(run->folder, "run");
    if (!status) status = ken_path_join(&path, run->folder, "lock");
    if (!status) status = ken_lock_take(&lock, path.data);
    if (!status) status = work(run, resumes);
    ken_lock_free(lock);
    ken_buffer_release(&path);
    return status;
}

static ken_status run_recipe(const ken_recipe *recipe, const char *folder, bool resumes,
                             ken_progress_fn *progress, void *user)
{
    struct run run = { .folder = folder, .progress = progress, .user = user };
    ken_status status = prepare(&run, recipe, resumes);
    if (!status) status = work_locked(&run, resumes);
    ken_trainer_free(run.trainer);
    ken_dataset_release(&run.dataset);
    ken_corpus_release(&run.dev);
    ken_task_free(run.old);
    ken_task_free(run.task);
    ken_learned_release(&run.learned);
    ken_buffer_release(&run.from);
    ken_buffer_release(&run.words);
    return status;
}

ken_status ken_train(const ken_recipe *recipe, const char *folder, ken_progress_fn *progress,
                     void *user)
{
    KEN_TRY(ken_folder_check(folder, "run"));
    return run_recipe(recipe, folder, false, progress, user);
}

ken_status ken_resume(const char *folder, ken_progress_fn *progress, void *user)
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
