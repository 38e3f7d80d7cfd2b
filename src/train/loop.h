/* loop.h - the one training loop: batches, updates, a look at dev now and then, saves.
 *
 * It knows neither tasks nor files of data: what is evaluated, how the best model is saved and who
 * is told are the caller's functions. Its state is a handful of numbers, kept in every checkpoint;
 * everything else (the order of examples, dropout, the learning rate) follows from (seed, step), so
 * a run that is taken up again gives the bits of one that never stopped. */
#ifndef TRAIN_LOOP_H
#define TRAIN_LOOP_H

#include "data/dataset.h"
#include "train/checkpoint.h"

/* How far a run has come. */
struct ken_loop_state {
    uint64_t epoch;     /* from 0                                              */
    uint64_t batch;     /* next of this epoch                                  */
    double best;        /* value of the metric; NaN: none yet                  */
    uint64_t best_step; /* when it was reached                                 */
    uint64_t stale;     /* evaluations since                                   */
    bool done;
};

struct ken_loop {
    ken_trainer *trainer;
    const ken_dataset *dataset;
    bool generates;
    size_t budget, accumulate;
    uint64_t seed;
    uint64_t steps;               /* in all                                             */
    uint64_t evaluate;            /* steps between two looks at dev                     */
    uint64_t checkpoint;          /* steps between two saves                            */
    uint64_t patience;            /* 0: never stops early                               */
    bool falls;                   /* the lower the metric the better                    */
    const char *folder;           /* of last.ckpt and previous.ckpt                     */
    const struct ken_note *notes; /* of the caller, kept in every checkpoint   */
    size_t note_count;

    /* The caller's. evaluate gives the metric, NaN when there is nothing to measure on; keep saves
     * the model as it is now; told after each step and evaluation, anything but 0 stops. All see
     * the averaged weights, if there are any, except `told` after a step. */
    void *user;
    ken_status (*measure)(void *user, double *metric);
    ken_status (*keep)(void *user);
    int (*told)(void *user, const struct ken_loop *loop, ken_moment moment);

    struct ken_loop_state state;
    double loss; /* moving mean; NaN at first                                  */
    double rows; /* through the model since the start of this process          */
    double dev;  /* last value of the metric                                   */
    bool improved;
    ken_report report; /* of the last step */
};

/* Runs from `state` to the end. KEN_ERR_STOPPED: asked to stop, the state is saved. On any failure
 * the last checkpoint is intact. */
ken_status ken_loop_run(struct ken_loop *loop);

/* Batches of an epoch, so that a caller can turn epochs into steps. */
ken_status ken_loop_batches(uint64_t *batches, const struct ken_loop *loop);

/* Where a checkpoint is read and written. Resuming takes last.ckpt or, if a crash left none,
 * previous.ckpt; *found is false when there is neither. The caller releases *file. */
ken_status ken_loop_save(const struct ken_loop *loop);
ken_status ken_loop_open(ken_safetensors *file, bool *found, ken_buffer *path, const char *folder);
ken_status ken_loop_restore(struct ken_loop *loop, const ken_safetensors *file, const char *path);

#endif
