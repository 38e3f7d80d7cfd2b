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

/* Called when the run starts, after each step and evaluation, and at the end. If the callback
 * returns KEN_ERR_STOPPED, the run saves its state, stops and returns KEN_ERR_STOPPED. Any other
 * failure also ends the run, which then returns that failure with its message. At the end of a
 * finished run KEN_ERR_STOPPED is ignored. */
typedef ken_status ken_training_fn(void *user, const ken_progress *progress);

/* Start or resume a run like ken_train() and ken_resume(), but with a callback that can fail. */
ken_status ken_training_start(const ken_recipe *recipe, const char *folder,
                              ken_training_fn *progress, void *user);
ken_status ken_training_resume(const char *folder, ken_training_fn *progress, void *user);

/* ---- What the files training*.c share -------------------------------------------------------- */

struct ken_training_run {
    const char *folder;
    ken_task *task;
    ken_task *old;          /* the model of train.from, only while the run is set up; else NULL */
    struct ken_taken taken; /* counts of the tensors copied from `old`                          */
    ken_buffer from;        /* `taken` in words; empty if nothing was copied                    */
    struct ken_learned learned;   /* notes for the checkpoints; used only with train.from       */
    ken_dataset dataset;          /* the training data, encoded                                 */
    size_t left_out;              /* examples with more rows than data.longest                  */
    ken_corpus dev;               /* the dev data: the parts of its text that measuring needs   */
    struct ken_examples examples; /* the dev data, encoded once                                 */
    bool has_dev;
    char dev_data[KEN_SHA256_HEX]; /* hash of the dev data as ids; "" if there is none */
    ken_trainer *trainer;
    struct ken_loop loop;
    struct ken_scores scores;     /* scores of the last evaluation                          */
    uint64_t epoch_steps;         /* batches in an epoch                                    */
    double started, started_step; /* when this process began, in seconds, and at which step */
    ken_training_fn *progress;
    void *user;
    ken_buffer words;     /* the line for the log about the current moment                     */
    ken_buffer recovered; /* a line that says why the run was resumed from previous.ckpt; else *
                           * empty                                                             */
};

/* Reads the training and dev data, learns vocabularies and labels from the training data, and
 * encodes both. Bad data is reported here, before any training. In training_data.c. */
ken_status ken_training_read(struct ken_training_run *run);

/* Starts the logs. The first line of log.txt says what was copied from train.from, if anything. In
 * training_log.c. */
ken_status ken_training_log_start(const struct ken_training_run *run);

/* Logs an evaluation: one line in metrics.jsonl and one in log.txt. */
ken_status ken_training_log_evaluation(const struct ken_training_run *run, const ken_progress *p);

/* Removes from both logs the lines after the step that the run resumes from, since the steps after
 * it will be logged again, and an incomplete last line that a crash may have left. */
ken_status ken_training_log_cut(const struct ken_training_run *run);

/* Writes a line about the current moment to run->words. */
void ken_training_log_words(struct ken_training_run *run, const ken_progress *p);

/* Continues from the checkpoint in the folder: last.ckpt or, if it is missing or damaged,
 * previous.ckpt. A run that ended before its first checkpoint starts anew. Refuses data that
 * differs from the data the run began with. In training_resume.c. */
ken_status ken_training_restore(struct ken_training_run *run);

/* Writes the first checkpoint; from then on the run can be resumed. In training.c. */
ken_status ken_training_save_first(const struct ken_training_run *run);

#endif
