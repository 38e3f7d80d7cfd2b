/* answer.h - answers of a model as JSON. */
#ifndef TASK_ANSWER_H
#define TASK_ANSWER_H

#include "base/buffer.h"

/* Appends the members "answers" and, unless the answers are numbers, "scores", without a comma
 * before them. ken_answer_json() writes a whole object. */
void ken_answer_members(ken_buffer *out, const ken_answer *answer);

#endif
