/* trainer.h - what the rest of train/ and task/ see of a trainer: its state, and updates that are
 * made of several batches. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "model/pass.h"
#include "train/optimiser.h"
#include "train/schedule.h"

struct ken_trainer {
    ken_model *model;
    ken_training training;
    ken_schedule schedule;
    ken_optimiser optimiser; /* its `step` is the number of updates made              */
    float *average;          /* (optimiser.size), parameters in order; NULL: none     */
    bool learns;             /* the model has gradients for it                        */
    bool swapped;            /* the model holds the average, `average` the weights    */
    ken_tape tape;
    struct ken_pass pass; /* on that tape */
    ken_report report;    /* that ken_trainer_step() hands out */
};

/* Examples as ken_trainer_step() takes them. */
struct ken_pair {
    const ken_sequences *input, *target;
};

/* One update from `count` batches, as if they were one, up to rounding: each counts by the answers
 * in it. For what would not fit into memory at once; only one batch is in it at a time. The report
 * is about all of them. */
ken_status ken_trainer_update(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              ken_report *report);

#endif
