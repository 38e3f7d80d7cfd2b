/* trainer.h - struct ken_trainer, private to train/ and task/, and updates from several batches. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "model/pass.h"
#include "train/optimiser.h"
#include "train/schedule.h"

struct ken_trainer {
    ken_model *model;
    ken_training training;
    ken_schedule schedule;
    ken_optimiser optimiser; /* optimiser.step is the number of updates made */
    float *average; /* moving average of the weights; optimiser.size entries; NULL = none     */
    bool learns;    /* whether the trainer allocated the model's gradients and must free them */
    bool swapped;   /* whether weights and average are exchanged: `average` holds the weights */
    ken_tape tape;
    struct ken_pass pass; /* forward pass of the model, recorded on `tape`           */
    ken_report report;    /* report on the last step, returned by ken_trainer_step() */
};

/* One batch of examples, as ken_trainer_step() takes it: inputs and their targets. */
struct ken_pair {
    const ken_sequences *input, *target;
};

/* Makes one update from `count` batches (gradient accumulation); only one batch at a time is in
 * memory. Each batch is weighted by its number of answers, so the update equals that of one large
 * batch up to rounding. The report covers all batches. */
ken_status ken_trainer_update(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              ken_report *report);

#endif
