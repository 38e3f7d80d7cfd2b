/* training.h - one training run in its folder, inside the library. The files of the folder:
 *   recipe          all keys with the values that are used; itself a recipe
 *   model.ken       the best model so far
 *   last.ckpt       the whole state of the run; previous.ckpt is the checkpoint before it, and
 *                   next.ckpt one that is being saved
 *   metrics.jsonl   one JSON object for each evaluation
 *   log.txt         one line in words for each evaluation
 *   lock            exists while a process works in the folder */
#ifndef TASK_TRAINING_H
#define TASK_TRAINING_H

#include "task/evaluate.h"
#include "task/store.h"
#include "task/warm.h"
#include "train/loop.h"

/* A callback that is called when the run starts, after each step and evaluation, and at the end. If
 * it returns KEN_ERR_STOPPED, the run saves its state, stops and returns KEN_ERR_STOPPED. If it
 * returns another failure, the run ends with that failure and its message. At the end of a finished
 * run KEN_ERR_STOPPED is ignored. */
typedef ken_status ken_training_fn(void *user, const ken_progress *progress);

/* ken_training_start() starts a run as ken_train() does, and ken_training_resume() resumes a run as
 * ken_resume() does, but with a callback that can fail. */
ken_status ken_training_start(const ken_recipe *recipe, const char *folder,
                              ken_training_fn *progress, void *user);
ken_status ken_training_resume(const char *folder, ken_training_fn *progress, void *user);

/* ---- What the files training*.c share -------------------------------------------------------- */

struct ken_training_run {
    const char *folder;
    ken_task *task;
    /* model of train.from, kept only while the run is set up; otherwise NULL */
    ken_task *old;
    struct ken_taken taken; /* how many tensors were copied from `old` */
    ken_buffer from;        /* description of `taken` in words; empty if nothing was copied */
    /* notes (metadata) for the checkpoints; used only with train.from */
    struct ken_learned learned;
    ken_dataset dataset; /* the training data, encoded */
    /* number of examples left out because they have more rows than data.longest */
    size_t left_out;
    ken_corpus dev;               /* text of the dev data, as far as measuring needs it */
    struct ken_examples examples; /* the dev data, encoded once */
    bool has_dev;
    /* SHA-256 hash of the dev data after encoding; "" = no dev data */
    char dev_data[KEN_SHA256_HEX];
    ken_trainer *trainer;
    struct ken_loop loop;
    struct ken_scores scores; /* scores of the last evaluation */
    uint64_t epoch_steps;     /* number of batches in an epoch */
    /* time in seconds, and step, at which this process began to train */
    double started, started_step;
    ken_training_fn *progress;
    void *user;
    ken_buffer words; /* line of log.txt about the current state of the run */
    /* line that says why the run was resumed from previous.ckpt; empty = it was not */
    ken_buffer recovered;
};

/* Reads the training and dev data, learns vocabularies and labels from the training data, and
 * encodes the data. Mistakes in the data are reported here, before any training. */
ken_status ken_training_read(struct ken_training_run *run);

/* Starts the logs. If weights were copied from train.from, the first line of log.txt says so. */
ken_status ken_training_log_start(const struct ken_training_run *run);

/* Logs an evaluation: one line in metrics.jsonl and one in log.txt. */
ken_status ken_training_log_evaluation(const struct ken_training_run *run, const ken_progress *p);

/* Removes from metrics.jsonl and log.txt the lines after the step that the run resumes from,
 * because those steps will be logged again. An incomplete last line, left by a crash, is removed
 * too. */
ken_status ken_training_log_cut(const struct ken_training_run *run);

/* Writes a line that describes the progress `p` to run->words. */
void ken_training_log_words(struct ken_training_run *run, const ken_progress *p);

/* Continues from the checkpoint in the run's folder: last.ckpt or, if it is missing or damaged,
 * previous.ckpt. A run that ended before its first checkpoint starts again from the beginning.
 * Fails if the data differs from the data that the run began with. */
ken_status ken_training_restore(struct ken_training_run *run);

/* Writes the first checkpoint. From then on the run can be resumed. */
ken_status ken_training_save_first(const struct ken_training_run *run);

#endif
