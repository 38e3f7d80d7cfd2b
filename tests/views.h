/* views.h - small models, trained for a few steps, and views of them. */
#ifndef TESTS_VIEWS_H
#define TESTS_VIEWS_H

#include "look/look.h"

/* A tagger, a classifier with learned positions, a generator of letters, a language model of bytes,
 * and a tagger of one layer whose weights a test may set. The others have two layers of 3 heads and
 * width 12. */
enum kind { TAGS, MOODS, TURNED, STORY, KNOWN, KINDS };
extern ken_task *tasks[KINDS];

/* Set-up and tear-down of a group of tests; files are in the folder of tests/folder.h, models in
 * "NAME.run/model.ken". */
int views_make(void **state);
int views_remove(void **state);

ken_view *view_of(enum kind kind, const char *text, const char *target);

/* The same for one more model, trained for a few steps on these lines. `keys` are the recipe's
 * lines after data.train, and their last section is [model]. The caller owns the task. */
ken_task *task_of(const char *name, const char *data, const char *keys);
ken_view *view_by(ken_task *task, const char *text, const char *target);

void must(ken_status status);                              /* fails the test on an error */
void collect(void *user, const char *text, size_t length); /* appends to a ken_buffer    */

#endif
