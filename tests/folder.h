/* folder.h - a folder for the files of one test program, gone at its end. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stddef.h>

/* Set-up and tear-down of a group of tests. */
int folder_make(void **state);
int folder_remove(void **state);

const char *folder_name(void);

/* The path of `name` in the folder; up to 32 results are valid at a time. */
const char *folder_path(const char *name);

size_t folder_entries(void);   /* files, directories ... now in the folder      */
size_t open_descriptors(void); /* of this process: equal before and after, or a leak */

#endif
