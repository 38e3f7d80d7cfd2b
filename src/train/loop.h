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
    uint64_t epoch;     /* number of the current epoch, from 0      */
    uint64_t batch;     /* index of the next batch in this epoch    */
    double best;        /* best value of the metric; NaN = none yet */
    uint64_t best_step; /* the step after which `best` was measured */
    uint64_t stale;     /* number of evaluations since best_step    */
    bool done;
};

struct ken_loop {
    ken_trainer *trainer;
    const ken_dataset *dataset;
    bool generates;               /* the model has a decoder, which writes the target     */
    size_t budget;                /* maximum rows of a batch                              */
    size_t accumulate;            /* number of batches per update (gradient accumulation) */
    uint64_t seed;                /* seed for the order of examples                       */
    uint64_t steps;               /* number of updates of the whole run                   */
    uint64_t evaluate;            /* steps between two evaluations on dev                 */
    uint64_t checkpoint;          /* steps between two checkpoints                        */
    uint64_t patience;            /* stop after this many evaluations without a new best;
                                     0 = never                                          */
    bool falls;                   /* for the metric, lower is better              */
    const char *folder;           /* directory of last.ckpt and previous.ckpt     */
    const struct ken_note *notes; /* the caller's notes, kept in every checkpoint */
    size_t note_count;

    /* The caller's functions; each gets `user`. `measure` computes the metric, or NaN if there is
     * nothing to measure on; `keep` saves the model as it is now. While these two run, the model
     * has the averaged weights, if there are any. `progress` is called after each step and
     * evaluation, with the trained weights. If it returns a status other than KEN_OK, the state is
     * saved and the run ends with that status; but KEN_ERR_STOPPED, which asks the run to stop, is
     * no failure if the run is done anyway. */
    void *user;
    ken_status (*measure)(void *user, double *metric);
    ken_status (*keep)(void *user);
    ken_status (*progress)(void *user, const struct ken_loop *loop, ken_moment moment);

    struct ken_loop_state state;
    double loss; /* moving mean of the training loss; NaN before the first step */
    double rows; /* number of rows (tokens) computed since this process started */
    double dev;  /* last value of the metric on dev                             */
    bool improved;
    ken_report report; /* report on the last step */
};

/* Runs the loop from loop->state to the end. KEN_ERR_STOPPED means that `progress` asked the run to
 * stop and the state is saved. After any failure the last checkpoint is intact. */
ken_status ken_loop_run(struct ken_loop *loop);

/* Computes the number of batches in an epoch, so that a caller can turn epochs into steps. */
ken_status ken_loop_batches(uint64_t *batches, const struct ken_loop *loop);

/* ---- loop_save.c: checkpoints ---------------------------------------------------------------- */

/* Saves the state of the loop to last.ckpt; the checkpoint that was last.ckpt becomes
 * previous.ckpt. After a failure both files are as before. */
ken_status ken_loop_save(const struct ken_loop *loop);

/* A checkpoint to resume from. Initialise the struct with { 0 }. */
struct ken_opened {
    bool found;           /* false = the folder has neither last.ckpt nor previous.ckpt        */
    ken_safetensors file; /* the content of the checkpoint, whose checksum is right            */
    ken_buffer path;      /* path of the checkpoint                                            */
    ken_buffer unusable;  /* if the checkpoint is previous.ckpt, a clause that says why        *
                           * last.ckpt cannot be used: it is missing or damaged; else empty    */
};

/* Opens last.ckpt or, if last.ckpt is missing or damaged, previous.ckpt. A file is damaged if it is
 * incomplete or its checksum is wrong. KEN_ERR_FORMAT: neither file can be used, and the message
 * says why for both. The caller releases *opened, also after a failure. */
ken_status ken_loop_open(struct ken_opened *opened, const char *folder);
void ken_opened_release(struct ken_opened *opened);

/* Sets the loop and its trainer to the state in the checkpoint. If the checkpoint is previous.ckpt,
 * a damaged last.ckpt is then removed, so that the next save cannot rename it to previous.ckpt. */
ken_status ken_loop_restore(struct ken_loop *loop, const struct ken_opened *opened);

#endif
