/* warm.h - training that continues from another model (train.from; warm start, fine-tuning). The
 * meanings of its ids, scales and labels are taken over before its weights, because otherwise the
 * weights would belong to other words and labels.
 *
 * Order of calls: ken_warm_open(); ken_task_learn() with its result; ken_task_build();
 * ken_warm_take(). A run that is resumed has all of it in its own checkpoint and no longer needs
 * the model. */
#ifndef TASK_WARM_H
#define TASK_WARM_H

#include "task/task.h"

/* What a new model has taken over from the old one. */
struct ken_taken {
    size_t tensors; /* tensors of the new model                       */
    size_t taken;   /* how many of them were copied, wholly or partly */
    size_t partly;  /* how many of them only partly                   */
    size_t numbers; /* numbers that were copied                       */
};

/* Loads the model of train.from; *old is NULL if the recipe has none. Options that would change the
 * meaning of its ids are refused, and the message names the key. The caller frees *old. */
ken_status ken_warm_load(ken_task **old, const ken_task *task);

/* The same for a run. `folder` is the folder of a run that is resumed, else NULL. For a resumed run
 * *old comes from its checkpoint, without a model: with the same data the vocabularies are extended
 * exactly as they were from the model, which may have changed or been deleted since. */
ken_status ken_warm_open(ken_task **old, const ken_task *task, const char *folder);

/* Copies weights into the new model by name and shape; rows that belong to an id by the id, and
 * those that belong to a label by the label's name. All other weights keep their initial random
 * values. KEN_ERR_ARGUMENT or KEN_ERR_FORMAT (see ken_recipe_fail()) if nothing fits. */
ken_status ken_warm_take(struct ken_taken *taken, ken_task *task, const ken_task *old);

/* "from old.ken: 43 of 45 tensors, 2 of them in part" */
void ken_warm_words(ken_buffer *words, const ken_task *task, const struct ken_taken *taken);

#endif
