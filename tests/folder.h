/* folder.h - a folder for the files of one test program, which is removed at its end. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stddef.h>

/* Set-up and tear-down of a group of tests. */
int folder_make(void **state);
int folder_make_fast(void **state); /* in memory if possible, for tests with thousands of saves */
int folder_remove(void **state);

const char *folder_name(void);

/* The path of `name` in the folder; up to 32 results are valid at a time. */
const char *folder_path(const char *name);

/* Writes a file of these bytes directly, without the care of ken_file_replace(). */
void file_of(const char *path, const void *data, size_t size);

size_t folder_entries(void);   /* number of files and directories in the folder */
size_t open_descriptors(void); /* of this process; if it grows, there is a leak */

#endif
