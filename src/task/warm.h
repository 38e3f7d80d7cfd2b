/* warm.h - training that continues from another model (train.from; warm start, fine-tuning). The
 * meanings of the model's ids, scales and labels are taken over before its weights, because
 * otherwise the weights would belong to other words and labels.
 *
 * Order of calls: ken_warm_open(); ken_task_learn() with the task it gives; ken_task_build();
 * ken_warm_take(). A run that is resumed has the meanings and weights in its own checkpoint and no
 * longer needs the other model. */
#ifndef TASK_WARM_H
#define TASK_WARM_H

#include "task/task.h"

/* Counts of what a new model has taken over from the old one. */
struct ken_taken {
    size_t tensors; /* tensors of the new model                   */
    size_t taken;   /* tensors that were copied, wholly or partly */
    size_t partly;  /* tensors that were copied only partly       */
    size_t numbers; /* numbers that were copied                   */
};

/* Loads the model of train.from; *old is NULL if the recipe has none. Options that would change the
 * meaning of the model's ids are refused, and the message names the key. The caller frees *old. */
ken_status ken_warm_load(ken_task **old, const ken_task *task);

/* Loads the task that a run continues from (train.from). `folder` is the folder of a run that is
 * resumed, else NULL. For a resumed run *old comes from the run's checkpoint and has no model: with
 * the same data the vocabularies are extended exactly as they were from the model of train.from,
 * which may have changed or been deleted since. */
ken_status ken_warm_open(ken_task **old, const ken_task *task, const char *folder);

/* Copies weights of the old model into the new one, by the name and shape of tensors; rows that
 * belong to an id are found by the id, rows that belong to a label by the label's name. All other
 * weights keep their initial random values. KEN_ERR_ARGUMENT or KEN_ERR_FORMAT (see
 * ken_recipe_fail()) if nothing fits. */
ken_status ken_warm_take(struct ken_taken *taken, ken_task *task, const ken_task *old);

/* Describes what was copied, e.g. "from old.ken: 43 of 45 tensors, 2 of them in part". */
void ken_warm_words(ken_buffer *words, const ken_task *task, const struct ken_taken *taken);

#endif
