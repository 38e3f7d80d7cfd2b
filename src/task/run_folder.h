/* run_folder.h - the folder of a training run or of a comparison: whether it may be used, which
 * process works in it, and access to its small files by name. The meaning of the files is defined
 * elsewhere. */
#ifndef TASK_RUN_FOLDER_H
#define TASK_RUN_FOLDER_H

#include "base/buffer.h"
#include "base/io.h"

/* Fails if the folder exists and is not empty. The message says that the folder may hold a `what`
 * ("run" or "comparison") that could be resumed. */
ken_status ken_folder_check(const char *folder, const char *what);

/* Creates the folder if it does not exist, and locks it for this process; the caller frees *lock.
 * Unless the caller resumes, ken_folder_check() is repeated, because another process may have
 * filled the folder since the caller's own check. */
ken_status ken_folder_take(ken_lock **lock, const char *folder, const char *what, bool resumes);

/* Sets *there to whether the folder has a regular file called `name`. */
ken_status ken_folder_has(bool *there, const char *folder, const char *name);

/* Replaces the content of the file `name`, or appends to the file. If the buffer has a sticky
 * error, that error is returned and nothing is written. */
ken_status ken_folder_write(const char *folder, const char *name, const ken_buffer *content);
ken_status ken_folder_append(const char *folder, const char *name, const ken_buffer *content);

#endif
