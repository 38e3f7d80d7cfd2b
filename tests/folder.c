/* folder.c - temporary files of the tests. */
#define _GNU_SOURCE
#include "tests/folder.h"

#include "tests/unit.h"

#include <dirent.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];

int folder_make(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ken-test-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

int folder_make_fast(void **state)
{
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    return folder_make(state);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

int folder_remove(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *folder_name(void)
{
    return folder;
}

const char *folder_path(const char *name)
{
    static char paths[32][512];
    static size_t next;
    char *path = paths[next++ % 32];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void file_of(const char *path, const void *data, size_t size)
{
    remove(path); /* some file systems sync a file that is truncated and written again */
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(data, 1, size, file) == size;
    if (!file || fclose(file) || !good) fail_msg("cannot write %s", path);
}

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    while (directory && readdir(directory)) count++;
    if (directory) closedir(directory);
    return count - 2; /* "." and ".." */
}

size_t folder_entries(void)
{
    return count_entries(folder);
}

size_t open_descriptors(void)
{
    return count_entries("/proc/self/fd");
}
