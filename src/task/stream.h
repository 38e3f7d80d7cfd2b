/* stream.h - streaming: gives the text of a generator to the caller in pieces, each as soon as it
 * is written. */
#ifndef TASK_STREAM_H
#define TASK_STREAM_H

#include "task/evaluate.h"

/* Generates how->samples texts for example i of the dataset, one after another, and passes them to
 * `write` piece by piece. The whole texts and their log probabilities are appended to `texts` and
 * `scores`. The number of the example, for the caller and for random draws, is how->first + i. */
ken_status ken_stream_example(ken_task *task, ken_strings *texts, ken_buffer *scores,
                              const ken_dataset *dataset, size_t i, const ken_generation *how,
                              ken_fragment_fn *write, void *user);

#endif
