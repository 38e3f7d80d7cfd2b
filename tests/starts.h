/* starts.h - tasks (models with their recipe and vocabularies) that are set up from a few lines of
 * data, some of them starting from another model. */
#ifndef TESTS_STARTS_H
#define TESTS_STARTS_H

#include "task/warm.h"
#include "tensor/tensor.h"

/* Makes a task with a small model for `data`, which is written to a file; `keys` are the recipe's
 * lines after data.train, `from` is train.from or "". */
ken_status start_new(ken_task **task, const char *data, const char *keys, const char *from);

/* Loads the data, learns vocabularies, builds the model and takes weights from the old one, as a
 * run does. `labels`, unless NULL, gives the order of the labels. */
ken_status start_set_up(ken_task *task, struct ken_taken *taken, const char *const *labels);

/* Does both; fails the test on an error. */
ken_task *start_made(struct ken_taken *taken, const char *data, const char *keys, const char *from,
                     const char *const *labels);

/* Makes a task whose weights are all different, even those that start as 0, and saves it under
 * `name`. */
ken_task *start_old(const char *data, const char *keys, const char *name);

const ken_tensor *start_tensor(const ken_task *task, const char *name);

/* Checks that row i of a tensor of `a` has the bits of row j of the same tensor of `b`. */
void start_check_row(const ken_task *a, const ken_task *b, const char *name, size_t i, size_t j);

#endif
