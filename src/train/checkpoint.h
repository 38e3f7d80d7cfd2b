/* checkpoint.h - the whole state of a training run as a file, to go on from: weights, both moments
 * of the optimiser, the moving mean of the weights and the number of steps. What is random in a
 * step follows from (seed, step), so a resumed run gives the bits of one that never stopped, as
 * long as the training options and the data are the same; to see to that is the caller's, who may
 * put what he needs into notes.
 * The container is a safetensors file with tensors "weight.X", "adam.m.X", "adam.v.X" and, if there
 * is one, "average.X", for every parameter X of the model. */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "model/safetensors.h"
#include "train/trainer.h"

/* Atomic. Keys that begin with "ken." are taken. */
ken_status ken_checkpoint_save(const ken_trainer *trainer, const char *path,
                               const struct ken_note *notes, size_t count);

/* Sets the trainer, and its model, to the state in the file, whose path is for messages. A file of
 * another model, or with something missing, is KEN_ERR_FORMAT, and the trainer is as before. */
ken_status ken_checkpoint_load(ken_trainer *trainer, const ken_safetensors *file, const char *path);

#endif
