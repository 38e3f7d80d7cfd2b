/* warm.h - training that goes on from a model (train.from): what its ids, scales and labels mean is
 * taken over before its weights are, or they would belong to other words and labels.
 *
 * Order: ken_warm_open(); ken_task_learn() with what that found; ken_task_build(); ken_warm_take().
 * A run that is resumed has it all in its own checkpoint, and no longer needs the model. */
#ifndef TASK_WARM_H
#define TASK_WARM_H

#include "task/task.h"

/* What a new model has from the old one. */
struct ken_taken {
    size_t tensors; /* of the new model                         */
    size_t taken;   /* of them, whole or in part                */
    size_t partly;  /* of those, the latter                     */
    size_t numbers; /* in what was taken                        */
};

/* The model of train.from; *old is NULL when the recipe has none. Options that would give its ids
 * another meaning are refused, by their key. The caller frees *old. */
ken_status ken_warm_load(ken_task **old, const ken_task *task);

/* The same for a run. When it is taken up again, `folder` is where (else NULL), and *old is what
 * its checkpoint has of it, without a model: the same data gives the same vocabularies behind these
 * as it gave behind those of the model, which may have changed since, or be gone. */
ken_status ken_warm_open(ken_task **old, const ken_task *task, const char *folder);

/* Copies weights into the new model: by name and shape; what belongs to an id by its id, and what
 * belongs to a label by the label's name. All others stay as they were drawn. KEN_ERR_ARGUMENT or
 * KEN_ERR_FORMAT (see ken_recipe_fail()) when nothing fits. */
ken_status ken_warm_take(struct ken_taken *taken, ken_task *task, const ken_task *old);

/* "from old.ken: 43 of 45 tensors, 2 of them in part" */
void ken_warm_words(ken_buffer *words, const ken_task *task, const struct ken_taken *taken);

#endif
