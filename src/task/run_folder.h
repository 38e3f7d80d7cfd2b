/* run_folder.h - the folder of a training run or of a comparison: whether it may be used, which
 * process works in it, and its small files by name. Not here: what the files mean. */
#ifndef TASK_RUN_FOLDER_H
#define TASK_RUN_FOLDER_H

#include "base/buffer.h"
#include "base/io.h"

/* Checks that the folder does not exist yet or is empty. Otherwise the call fails, and the message
 * says that `what` ("run" or "comparison") may be in the folder and could be resumed. */
ken_status ken_folder_check(const char *folder, const char *what);

/* Creates the folder if it does not exist and locks it for this process; the caller frees *lock.
 * Unless the caller resumes, the folder is checked again (ken_folder_check()), since it may have
 * been filled while the caller read its data. */
ken_status ken_folder_take(ken_lock **lock, const char *folder, const char *what, bool resumes);

/* Sets *there to whether the folder has a regular file called `name`. */
ken_status ken_folder_has(bool *there, const char *folder, const char *name);

/* Replaces the file `name` as a whole, or appends to it. A buffer that failed is reported, not
 * written. */
ken_status ken_folder_write(const char *folder, const char *name, const ken_buffer *content);
ken_status ken_folder_append(const char *folder, const char *name, const ken_buffer *content);

#endif
