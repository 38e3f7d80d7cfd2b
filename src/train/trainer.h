/* trainer.h - the state of a trainer, for train/ and task/, and updates from several batches. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "model/pass.h"
#include "train/optimiser.h"
#include "train/schedule.h"

struct ken_trainer {
    ken_model *model;
    ken_training training;
    ken_schedule schedule;
    ken_optimiser optimiser; /* its `step` is the number of updates made           */
    float *average;          /* (optimiser.size), parameters in order; NULL: none  */
    bool learns;             /* the model has arrays for gradients, to be freed    */
    bool swapped;            /* the model holds the average, `average` the weights */
    ken_tape tape;
    struct ken_pass pass; /* on that tape                               */
    ken_report report;    /* ken_trainer_step() returns a pointer to it */
};

/* One batch of examples, as ken_trainer_step() takes it. */
struct ken_pair {
    const ken_sequences *input, *target;
};

/* One update from `count` batches (gradient accumulation). Up to rounding it equals an update from
 * one large batch, because each batch counts by its number of answers; but only one batch at a time
 * is in memory. The report covers all of them. */
ken_status ken_trainer_update(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              ken_report *report);

#endif
