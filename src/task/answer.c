/* answer.c - writes a model's answers as JSON, in one form for every command and program. */
#include "task/answer.h"

#include "base/json.h"

#include <string.h>

void ken_answer_members(ken_buffer *out, const ken_answer *answer)
{
    if (answer->labels) {
        ken_buffer_text(out, "\"answers\":");
        ken_json_strings(out, answer->labels, answer->count);
    }
    ken_buffer_text(out, answer->labels ? ",\"scores\":[" : "\"answers\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_number(out, answer->scores[i]);
    }
    ken_buffer_text(out, "]");
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
