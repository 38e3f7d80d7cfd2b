/* loop.h - the one training loop: batches, updates, evaluations on dev, checkpoints.
 *
 * The loop knows neither tasks nor data files: functions of the caller measure the model, save the
 * best model and report progress. The state of the loop is a handful of numbers, which every
 * checkpoint keeps. The order of examples, dropout and the learning rate follow from (seed, step),
 * so a resumed run gives the same bits as a run that never stopped. */
#ifndef TRAIN_LOOP_H
#define TRAIN_LOOP_H

#include "data/dataset.h"
#include "train/checkpoint.h"

/* The progress of a training run, as every checkpoint keeps it. */
struct ken_loop_state {
    uint64_t epoch;     /* number of the current epoch, from 0                        */
    uint64_t batch;     /* index, in the current epoch, of the batch to train on next */
    double best;        /* best value of the metric so far; NaN = not measured yet    */
    uint64_t best_step; /* number of the step after which `best` was measured         */
    uint64_t stale;     /* number of evaluations since step `best_step`               */
    bool done;
};

struct ken_loop {
    ken_trainer *trainer;
    const ken_dataset *dataset;
    bool generates;      /* whether the model has a decoder, which is trained to write the target */
    size_t budget;       /* maximum number of rows (tokens) in a batch                            */
    size_t accumulate;   /* number of batches per update (gradient accumulation)                  */
    uint64_t seed;       /* seed for the order of examples                                        */
    uint64_t steps;      /* number of updates of the whole run                                    */
    uint64_t evaluate;   /* number of steps between two evaluations on dev                        */
    uint64_t checkpoint; /* number of steps between two checkpoints                               */
    /* Early stopping: the run ends after `patience` evaluations without a new best; 0 = never. */
    uint64_t patience;
    bool falls;                   /* whether a lower value of the metric is better */
    const char *folder;           /* directory of last.ckpt and previous.ckpt      */
    const struct ken_note *notes; /* the caller's notes, kept in every checkpoint  */
    size_t note_count;

    /* Functions of the caller; each of them receives `user`. `measure` computes the metric, or NaN
     * if there is nothing to measure on; `keep` saves the model. While `measure` or `keep` runs,
     * the model has the averaged weights, if an average is kept.
     * `progress` is called after each step and each evaluation, with the trained weights in the
     * model. If `progress` returns a status other than KEN_OK, the loop saves a checkpoint and ends
     * with that status. An exception is KEN_ERR_STOPPED (a request to stop) after the last step:
     * the run has ended anyway, and the loop returns KEN_OK. */
    void *user;
    ken_status (*measure)(void *user, double *metric);
    ken_status (*keep)(void *user);
    ken_status (*progress)(void *user, const struct ken_loop *loop, ken_moment moment);

    struct ken_loop_state state;
    double loss; /* moving mean of the training loss; NaN before the first step */
    double rows; /* number of rows (tokens) computed since this process started */
    double dev;  /* value of the metric on dev at the last evaluation           */
    bool improved;
    ken_report report; /* loss, norm and rate of the last step */
};

/* Runs the loop from loop->state to the end. KEN_ERR_STOPPED means that `progress` asked the loop
 * to stop and that a checkpoint was saved. After any failure the last checkpoint is intact. */
ken_status ken_loop_run(struct ken_loop *loop);

/* Computes the number of batches in an epoch, so that a caller can turn epochs into steps. */
ken_status ken_loop_batches(uint64_t *batches, const struct ken_loop *loop);

/* ---- loop_save.c: checkpoints ---------------------------------------------------------------- */

/* Saves the state of the loop to last.ckpt; the former last.ckpt becomes previous.ckpt. If the
 * write fails, both files stay as they were. */
ken_status ken_loop_save(const struct ken_loop *loop);

/* A checkpoint to resume from. Initialise the struct with { 0 }. */
struct ken_opened {
    bool found;           /* whether the folder has a checkpoint that can be used */
    ken_safetensors file; /* content of the checkpoint; its checksum was verified */
    ken_buffer path;      /* path of the checkpoint                               */
    /* Why last.ckpt is not used (it is missing or damaged), if the checkpoint is previous.ckpt;
     * else empty. */
    ken_buffer unusable;
};

/* Opens last.ckpt or, if last.ckpt is missing or damaged, previous.ckpt. A file is damaged if it is
 * incomplete or its checksum is wrong. Returns KEN_ERR_FORMAT if a file exists but none can be
 * used; the message gives the reason for each file. The caller releases *opened, also after a
 * failure. */
ken_status ken_loop_open(struct ken_opened *opened, const char *folder);
void ken_opened_release(struct ken_opened *opened);

/* Sets the loop and its trainer to the state in the checkpoint. If the checkpoint is previous.ckpt,
 * then removes a damaged last.ckpt, so that the next save does not rename it to previous.ckpt. */
ken_status ken_loop_restore(struct ken_loop *loop, const struct ken_opened *opened);

#endif
