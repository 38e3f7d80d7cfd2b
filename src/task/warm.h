/* warm.h - training that continues from another model (key train.from; warm start, fine-tuning).
 * The other model's ids, scales and labels are taken over before its weights, because weights
 * belong to certain ids and labels.
 *
 * Order of calls: ken_warm_open(); ken_task_learn() with the task that it returns;
 * ken_task_build(); ken_warm_take(). A resumed run has everything in its own checkpoint and does
 * not need the other model. */
#ifndef TASK_WARM_H
#define TASK_WARM_H

#include "task/task.h"

/* Counts of the tensors and numbers that a new model has taken over from an old one. */
struct ken_taken {
    size_t tensors; /* number of tensors of the new model */
    size_t taken;   /* number of tensors that were copied, wholly or partly */
    size_t partly;  /* number of tensors that were copied only partly */
    size_t numbers; /* how many single numbers were copied */
};

/* Loads the model that train.from names; *old is NULL if the recipe does not have this key. Fails
 * if an option of the recipe would change the meaning of that model's ids; the message names the
 * option. The caller frees *old. */
ken_status ken_warm_load(ken_task **old, const ken_task *task);

/* Loads the task that a run continues from (train.from). `folder` is NULL, or the folder of a run
 * that is resumed. For a resumed run, *old comes from the run's checkpoint and has no model. It has
 * all that is needed to extend the vocabularies exactly as at the start of the run, even if the
 * model of train.from has since been changed or deleted. */
ken_status ken_warm_open(ken_task **old, const ken_task *task, const char *folder);

/* Copies weights of the old model into the new one, by the name and shape of tensors. Rows of a
 * tensor that belong to an id are found by the id, rows that belong to a label by the label's name.
 * All other weights keep their initial random values. Fails with KEN_ERR_ARGUMENT or KEN_ERR_FORMAT
 * (see ken_recipe_fail()) if nothing can be copied. */
ken_status ken_warm_take(struct ken_taken *taken, ken_task *task, const ken_task *old);

/* Describes in words how much was copied, for example "from old.ken: 43 of 45 tensors, 2 of them in
 * part". */
void ken_warm_words(ken_buffer *words, const ken_task *task, const struct ken_taken *taken);

#endif
