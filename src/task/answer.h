/* answer.h - writes a model's answers as JSON. */
#ifndef TASK_ANSWER_H
#define TASK_ANSWER_H

#include "base/buffer.h"

/* Appends the JSON members "answers", "scores" (unless the answers are numbers) and "probabilities"
 * (if answer->best_count > 0), without a comma before the first member. To write a whole JSON
 * object, use ken_answer_json(). */
void ken_answer_members(ken_buffer *out, const ken_answer *answer);

#endif
