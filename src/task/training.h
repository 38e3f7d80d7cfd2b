/* training.h - one training run in its folder, inside the library. The files of the folder:
 *   recipe          all keys with the values that are used; itself a recipe
 *   model.ken       the best model so far
 *   last.ckpt       the whole state of the run; previous.ckpt is the one before it
 *   metrics.jsonl   one JSON object for each evaluation
 *   log.txt         the same in words
 *   lock            exists while a process works in the folder */
#ifndef TASK_TRAINING_H
#define TASK_TRAINING_H

#include "task/evaluate.h"
#include "task/store.h"
#include "task/warm.h"
#include "train/loop.h"

/* Called when the run starts, after each step and evaluation, and at the end. KEN_ERR_STOPPED asks
 * the run to stop; its state is saved, and it returns KEN_ERR_STOPPED. Any other failure also ends
 * the run, which then returns that failure with its message. At the end of a run that is finished,
 * KEN_ERR_STOPPED is ignored. */
typedef ken_status ken_training_fn(void *user, const ken_progress *progress);

/* ken_train() and ken_resume(), with a callback that can fail. */
ken_status ken_training_start(const ken_recipe *recipe, const char *folder,
                              ken_training_fn *progress, void *user);
ken_status ken_training_resume(const char *folder, ken_training_fn *progress, void *user);

/* ---- What the files training*.c share -------------------------------------------------------- */

struct ken_training_run {
    const char *folder;
    ken_task *task;
    ken_task *old;          /* the model of train.from, only while the run is set up; else NULL */
    struct ken_taken taken; /* the tensors that were copied from it              */
    ken_buffer from;        /* the same in words; empty if nothing was copied    */
    struct ken_learned learned;   /* used with train.from only                         */
    ken_dataset dataset;          /* the training data                                 */
    size_t left_out;              /* examples with more rows than data.longest         */
    ken_corpus dev;               /* the dev data: what measuring needs of its text    */
    struct ken_examples examples; /* the same, encoded once                          */
    bool has_dev;
    char dev_data[KEN_SHA256_HEX]; /* hash of the dev data as ids; "" if there is none */
    ken_trainer *trainer;
    struct ken_loop loop;
    struct ken_scores scores;     /* of the last evaluation                          */
    uint64_t epoch_steps;         /* batches in an epoch                             */
    double started, started_step; /* when this process began, in seconds; at which step */
    ken_training_fn *progress;
    void *user;
    ken_buffer words; /* the line for the log about the current moment */
};

/* training_data.c: reads the training and dev data, learns vocabularies and labels from the
 * training data, and encodes it. Bad data is reported here, before any training. */
ken_status ken_training_read(struct ken_training_run *run);

/* training_log.c. The first line of log.txt says what was copied from train.from, if anything. */
ken_status ken_training_log_start(const struct ken_training_run *run);

/* One line in metrics.jsonl and one in log.txt. */
ken_status ken_training_log_evaluation(const struct ken_training_run *run, const ken_progress *p);

/* Removes from both logs the lines after the step that the run resumes from, since these steps
 * will be logged again, and an incomplete last line that a crash may have left. */
ken_status ken_training_log_cut(const struct ken_training_run *run);

/* Describes the moment in run->words. */
void ken_training_log_words(struct ken_training_run *run, const ken_progress *p);

/* training_resume.c: continues from the checkpoint in the folder; a run that ended before its first
 * checkpoint starts anew. Refuses data that differs from the data the run began with. */
ken_status ken_training_restore(struct ken_training_run *run);

/* training.c: writes the first checkpoint; from then on the run can be resumed. */
ken_status ken_training_save_first(const struct ken_training_run *run);

#endif
