/* run_folder.c - the folder of a run: checks that it may be used, locks it, and reads and writes
 * its small files. */
#include "task/run_folder.h"

ken_status ken_folder_check(const char *folder, const char *what)
{
    enum ken_path_kind kind;
    bool empty = true;
    KEN_TRY(ken_path_kind(&kind, folder));
    if (kind == KEN_PATH_FILE || kind == KEN_PATH_OTHER)
        return ken_fail(KEN_ERR_ARGUMENT, "%s exists and is not a directory", folder);
    if (kind == KEN_PATH_DIRECTORY) KEN_TRY(ken_directory_empty(&empty, folder));
    if (empty) return KEN_OK;
    return ken_fail(KEN_ERR_STATE, "%s is not empty: resume the %s in it, or choose another folder",
                    folder, what);
}

ken_status ken_folder_take(ken_lock **lock, const char *folder, const char *what, bool resumes)
{
    ken_buffer path = { 0 };
    ken_status status = ken_directory_make(folder);
    if (!status && !resumes) status = ken_folder_check(folder, what);
    if (!status) status = ken_path_join(&path, folder, "lock");
    if (!status) status = ken_lock_take(lock, path.data);
    ken_buffer_release(&path);
    return status;
}

ken_status ken_folder_has(bool *there, const char *folder, const char *name)
{
    ken_buffer path = { 0 };
    enum ken_path_kind kind = KEN_PATH_NONE;
    ken_status status = ken_path_join(&path, folder, name);
    if (!status) status = ken_path_kind(&kind, path.data);
    *there = kind == KEN_PATH_FILE;
    ken_buffer_release(&path);
    return status;
}

typedef ken_status ken_save_fn(const char *path, const void *data, size_t size);

static ken_status save(ken_save_fn *how, const char *folder, const char *name,
                       const ken_buffer *content)
{
    ken_buffer path = { 0 };
    ken_status status = ken_buffer_status(content);
    if (!status) status = ken_path_join(&path, folder, name);
    if (!status) status = how(path.data, ken_buffer_string(content), content->size);
    ken_buffer_release(&path);
    return status;
}

ken_status ken_folder_write(const char *folder, const char *name, const ken_buffer *content)
{
    return save(ken_file_replace, folder, name, content);
}

ken_status ken_folder_append(const char *folder, const char *name, const ken_buffer *content)
{
    return save(ken_file_append, folder, name, content);
}
