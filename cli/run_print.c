/* run_print.c - prints the answers of ken run. */
#include "cli/run.h"

#include <stdio.h>
#include <string.h>

bool run_is_set(const ken_task *task, const char *key, const char *value)
{
    return strcmp(ken_task_get(task, key), value) == 0;
}

static const char *between(const struct run *run)
{
    if (run->best > 1 || run->node_lines) return "\n";
    return run_is_set(run->task, "output.kind", "each") ? " " : ",";
}

/* Prints an answer as plain text. The labels of the rows of a sequence are separated by blanks, the
 * labels of a set by commas. Each result of a generator with --best, and each node of a graph with
 * its name, gets its own line. */
static ken_status print_plain(struct run *run, const ken_answer *answer)
{
    ken_buffer *line = &run->line;
    ken_buffer_clear(line);
    if (answer->error) ken_buffer_text(line, RUN_ERROR_LINE);
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(line, between(run));
        if (run->node_lines) ken_buffer_format(line, "%s\t", answer->tokens[i]);
        if (run->best > 1) ken_buffer_format(line, "%zu\t%.4f\t", i + 1, answer->scores[i]);
        if (answer->labels) ken_buffer_text(line, answer->labels[i]);
        else ken_buffer_format(line, "%.7g", answer->scores[i]);
        if (run->scores && run->best <= 1 && answer->labels)
            ken_buffer_format(line, "\t%.4f", answer->scores[i]);
    }
    ken_buffer_text(line, "\n");
    KEN_TRY(ken_buffer_status(line));
    cli_print(NULL, line->data, line->size);
    return KEN_OK;
}

/* Reports a bad example on standard error. The line that run_print() prints in place of the answer
 * keeps answers and examples side by side. */
static void report(struct run *run, const ken_answer *answer)
{
    if (!answer->error) return;
    run->failed = true;
    fprintf(stderr, "ken: %s\n", answer->error);
}

int run_print(void *user, const ken_answer *answer)
{
    struct run *run = user;
    run->answered = answer->index + 1;
    report(run, answer);
    ken_status status = cli_flags.json ? ken_answer_json(answer, cli_print, NULL)
                                       : print_plain(run, answer);
    if (status) run->code = cli_fail(status);
    return status || ferror(stdout);
}
