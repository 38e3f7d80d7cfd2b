/* store.h - saves a task to files and reads it again: the model file, and the part of a task that a
 * checkpoint keeps. */
#ifndef TASK_STORE_H
#define TASK_STORE_H

#include "task/task.h"

ken_status ken_task_save(const ken_task *task, const char *path);
ken_status ken_task_from(ken_task **task, const ken_safetensors *file, const char *path);

/* Everything that a task learns from the data before training, as notes (metadata entries) of a
 * file: vocabularies, labels, scales, sizes, threshold. A note that the task does not need is
 * empty. */
enum { KEN_LEARNED = 6 };
struct ken_learned {
    struct ken_note notes[KEN_LEARNED];
    ken_buffer texts[KEN_LEARNED]; /* texts of the notes, to which `notes` points */
};

/* Writes everything that the task learned before training as notes. *learned must be { 0 } before
 * the call and must be released even after a failure. */
ken_status ken_learned_write(struct ken_learned *learned, const ken_task *task);
void ken_learned_release(struct ken_learned *learned);

/* Reads everything that a task learned before training from the notes of a file. `task` must be
 * new. */
ken_status ken_learned_read(ken_task *task, const ken_safetensors *file, const char *path);

#endif
