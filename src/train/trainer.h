/* trainer.h - the state of a trainer, private to train/ and task/, and updates from several
 * batches. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "model/pass.h"
#include "train/optimiser.h"
#include "train/schedule.h"

struct ken_trainer {
    ken_model *model;
    ken_training training;
    ken_schedule schedule;
    ken_optimiser optimiser; /* optimiser.step is the number of updates made                 */
    float *average;          /* (optimiser.size), moving average of the weights; NULL = none */
    bool learns;             /* the model's gradients were allocated and must be freed       */
    bool swapped;            /* the model holds the average, and `average` the weights       */
    ken_tape tape;
    struct ken_pass pass; /* forward pass, on `tape`                                   */
    ken_report report;    /* report on the last step, which ken_trainer_step() returns */
};

/* One batch of examples: the arguments `input` and `target` of ken_trainer_step(). */
struct ken_pair {
    const ken_sequences *input, *target;
};

/* Makes one update from `count` batches (gradient accumulation). Up to rounding it equals an update
 * from one large batch, because each batch is weighed by its number of answers; but only one batch
 * at a time is in memory. The report covers all batches. */
ken_status ken_trainer_update(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              ken_report *report);

#endif
