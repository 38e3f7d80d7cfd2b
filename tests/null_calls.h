/* null_calls.h - a call of every public function that takes pointers, with NULL in the place of one
 * of the pointers. */
#ifndef TESTS_NULL_CALLS_H
#define TESTS_NULL_CALLS_H

#include "ken.h"

/* The number of the pointer that is NULL in the next call, from 0; -1 = no pointer. */
extern int null;

/* A public function. `needed` pointers, among them those in structs, must be given; their numbers
 * are 0 to needed - 1. The next `optional` pointers may be NULL. `call` returns the status of the
 * function; if it returns no status, KEN_ERR_ARGUMENT if its result is 0 or NULL. */
struct null_function {
    const char *name;
    int needed, optional;
    ken_status (*call)(void);
};
extern const struct null_function null_functions[];
extern const size_t null_function_count;

/* Set-up and tear-down of a group of tests: the objects that the calls use. */
int null_calls_make(void **state);
int null_calls_remove(void **state);
extern ken_model *tagger, *writer;

/* Callbacks that do nothing. */
void null_write(void *user, const char *text, size_t length);
int null_take(void *user, const ken_answer *answer);

#endif
