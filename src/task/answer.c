/* answer.c - writes a model's answers as JSON, in one form for every command and program. */
#include "task/answer.h"

#include "base/json.h"

#include <string.h>

/* Appends the labels or texts of an answer as a JSON array of strings. */
static void add_labels(ken_buffer *out, const ken_answer *answer)
{
    ken_buffer_text(out, "[");
    for (size_t i = 0; i < answer->count; i++) {
        const char *label = answer->labels[i];
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_string(out, label, answer->lengths ? answer->lengths[i] : strlen(label));
    }
    ken_buffer_text(out, "]");
}

/* Appends the JSON member "probabilities": an array with one object per row, which has the most
 * likely labels and their probabilities. */
static void add_probabilities(ken_buffer *out, const ken_answer *answer)
{
    ken_buffer_text(out, ",\"probabilities\":[");
    for (size_t r = 0; r < answer->rows; r++) {
        const int32_t *best = answer->best + r * answer->best_count;
        const float *row = answer->probabilities + r * answer->class_count;
        ken_buffer_text(out, r > 0 ? ",{" : "{");
        for (size_t k = 0; k < answer->best_count; k++) {
            const char *name = answer->classes[best[k]];
            if (k > 0) ken_buffer_text(out, ",");
            ken_json_string(out, name, strlen(name));
            ken_buffer_text(out, ":");
            ken_json_float(out, row[best[k]]);
        }
        ken_buffer_text(out, "}");
    }
    ken_buffer_text(out, "]");
}

void ken_answer_members(ken_buffer *out, const ken_answer *answer)
{
    ken_buffer_text(out, "\"answers\":");
    if (answer->labels) {
        add_labels(out, answer);
        ken_buffer_text(out, ",\"scores\":");
    }
    ken_buffer_text(out, "[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_number(out, answer->scores[i]);
    }
    ken_buffer_text(out, "]");
    if (answer->best_count > 0) add_probabilities(out, answer);
}

ken_status ken_answer_json(const ken_answer *answer, ken_text_fn *write, void *user)
{
    ken_buffer line = { 0 };
    KEN_TRY(KEN_GIVEN(answer));
    KEN_TRY(KEN_GIVEN(write));
    if (answer->count > 0) KEN_TRY(KEN_GIVEN(answer->scores));
    ken_buffer_format(&line, "{\"index\":%zu,", answer->index);
    if (answer->error) {
        ken_buffer_text(&line, "\"error\":");
        ken_json_string(&line, answer->error, strlen(answer->error));
    }
    if (answer->tokens) {
        ken_buffer_text(&line, "\"tokens\":");
        ken_json_strings(&line, answer->tokens, answer->count);
        ken_buffer_text(&line, ",");
    }
    if (!answer->error) ken_answer_members(&line, answer);
    ken_buffer_text(&line, "}\n");
    ken_status status = ken_buffer_status(&line);
    if (!status) write(user, line.data, line.size);
    ken_buffer_release(&line);
    return status;
}
