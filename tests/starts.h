/* starts.h - tasks that are set up from data in a few lines, some of them from another model. */
#ifndef TESTS_STARTS_H
#define TESTS_STARTS_H

#include "task/warm.h"
#include "tensor/tensor.h"

/* A task of a small model for some data, which goes to a file; `keys` are lines behind data.train,
 * `from` is train.from or "". */
ken_status start_new(ken_task **task, const char *data, const char *keys, const char *from);

/* Loads, learns, builds and takes as a run does. `labels`, if not NULL, are put into that order. */
ken_status start_set_up(ken_task *task, struct ken_taken *taken, const char *const *labels);

/* Both; fails the test if they do. */
ken_task *start_made(struct ken_taken *taken, const char *data, const char *keys, const char *from,
                     const char *const *labels);

/* One with weights that are all different, also those that begin as 0, saved under this name. */
ken_task *start_old(const char *data, const char *keys, const char *name);

const ken_tensor *start_tensor(const ken_task *task, const char *name);

/* Row i of a tensor of `a` has the bits of row j of that of `b`. */
void start_check_row(const ken_task *a, const ken_task *b, const char *name, size_t i, size_t j);

#endif
