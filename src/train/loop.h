/* loop.h - the one training loop: batches, updates, evaluations on dev, checkpoints.
 *
 * The loop knows neither tasks nor data files: the caller's functions measure, save the best model
 * and report progress. Its state is a handful of numbers, kept in every checkpoint. Everything else
 * (the order of examples, dropout, the learning rate) follows from (seed, step), so a resumed run
 * gives the same bits as one that never stopped. */
#ifndef TRAIN_LOOP_H
#define TRAIN_LOOP_H

#include "data/dataset.h"
#include "train/checkpoint.h"

/* How far a run has come. */
struct ken_loop_state {
    uint64_t epoch;     /* from 0                                              */
    uint64_t batch;     /* index of the next batch in this epoch               */
    double best;        /* best value of the metric; NaN: none yet             */
    uint64_t best_step; /* the step that reached it                            */
    uint64_t stale;     /* evaluations since then                              */
    bool done;
};

struct ken_loop {
    ken_trainer *trainer;
    const ken_dataset *dataset;
    bool generates;               /* the target is written by a decoder                 */
    size_t budget;                /* maximum rows of a batch                            */
    size_t accumulate;            /* batches of an update                               */
    uint64_t seed;                /* of the order of examples                           */
    uint64_t steps;               /* updates in all                                     */
    uint64_t evaluate;            /* steps between two evaluations on dev               */
    uint64_t checkpoint;          /* steps between two checkpoints                      */
    uint64_t patience;            /* stop after this many evaluations without a new best;
                                     0 = never                                          */
    bool falls;                   /* a lower value of the metric is better              */
    const char *folder;           /* where last.ckpt and previous.ckpt are              */
    const struct ken_note *notes; /* the caller's notes, kept in every checkpoint       */
    size_t note_count;

    /* The caller's functions. `measure` gives the metric, or NaN if there is nothing to measure
     * on; `keep` saves the model as it is now. Both see the averaged weights, if there are any.
     * `progress` is called after each step and evaluation and sees the trained weights. A status
     * other than KEN_OK from it ends the run; the state is saved first. With KEN_ERR_STOPPED,
     * which asks the run to stop, a run that is done anyway succeeds. */
    void *user;
    ken_status (*measure)(void *user, double *metric);
    ken_status (*keep)(void *user);
    ken_status (*progress)(void *user, const struct ken_loop *loop, ken_moment moment);

    struct ken_loop_state state;
    double loss; /* moving mean; NaN before the first step                        */
    double rows; /* rows through the model since this process started             */
    double dev;  /* last value of the metric                                      */
    bool improved;
    ken_report report; /* of the last step */
};

/* Runs from `state` to the end. KEN_ERR_STOPPED means that `progress` asked the run to stop and the
 * state is saved. After any failure the last checkpoint is intact. */
ken_status ken_loop_run(struct ken_loop *loop);

/* The number of batches in an epoch, so that a caller can turn epochs into steps. */
ken_status ken_loop_batches(uint64_t *batches, const struct ken_loop *loop);

/* Writing and reading checkpoints. Resuming opens last.ckpt or, if a crash left none,
 * previous.ckpt; *found is false if there is neither. The caller releases *file. */
ken_status ken_loop_save(const struct ken_loop *loop);
ken_status ken_loop_open(ken_safetensors *file, bool *found, ken_buffer *path, const char *folder);
ken_status ken_loop_restore(struct ken_loop *loop, const ken_safetensors *file, const char *path);

#endif
