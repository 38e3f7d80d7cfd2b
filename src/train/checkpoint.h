/* checkpoint.h - the whole state of a trainer as a file, from which a run can be resumed: weights,
 * both moments of the optimiser, the moving average of the weights and the number of steps. A
 * resumed run gives the same bits as a run that never stopped, because all random numbers of a step
 * follow from (seed, step). This needs unchanged training options and data: the caller has to check
 * them, and can store what the check needs as notes (metadata) in the file.
 *
 * The file is a safetensors file with tensors "weight.X", "adam.m.X", "adam.v.X" and, if there is a
 * moving average, "average.X", for every parameter X of the model. */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "model/safetensors.h"
#include "train/trainer.h"

/* Saves the state of a trainer, all or nothing. Keys of notes must not begin with "ken.", because
 * this prefix is reserved for the trainer's own notes. */
ken_status ken_checkpoint_save(const ken_trainer *trainer, const char *path,
                               const struct ken_note *notes, size_t count);

/* Sets the trainer and its model to the state in the file; `path` is used in messages. If the file
 * belongs to another model or lacks something, the function returns KEN_ERR_FORMAT and does not
 * change the trainer. */
ken_status ken_checkpoint_load(ken_trainer *trainer, const ken_safetensors *file, const char *path);

#endif
