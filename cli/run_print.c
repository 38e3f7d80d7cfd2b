/* run_print.c - prints the answers of ken run: as JSON, as plain text, or piece by piece while a
 * generator writes. Texts are printed without control characters, because those could command the
 * terminal. docs/RUN.md describes every form of the output. */
#include "cli/run.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool run_is_set(const ken_task *task, const char *key, const char *value)
{
    return strcmp(ken_task_get(task, key), value) == 0;
}

static bool writes_text(const struct run *run)
{
    return run_is_set(run->task, "output.kind", "generate");
}

/* Appends a label or a token. Control characters are escaped. A backslash is not escaped, because
 * it may itself be a word of the text. */
static void add_name(struct run *run, const char *name)
{
    ken_text_escape(&run->line, name, strlen(name), "\\");
}

/* Appends generated text. The text is escaped, so that it takes one line and can be restored from
 * that line; with --raw it is appended unchanged. */
static void add_text(struct run *run, const char *text, size_t length)
{
    if (run->raw) ken_buffer_append(&run->line, text, length);
    else ken_text_escape(&run->line, text, length, "");
}

static void add_label(struct run *run, const ken_answer *answer, size_t i)
{
    if (!answer->labels) ken_buffer_format(&run->line, "%.7g", answer->scores[i]);
    else if (writes_text(run)) add_text(run, answer->labels[i], answer->lengths[i]);
    else add_name(run, answer->labels[i]);
}

static void add_score(struct run *run, double score)
{
    if (run->scores) ken_buffer_format(&run->line, "\t%.4f", score);
}

/* Appends the text of a row or the name of a node. If rows are numbers, the number of the row,
 * counted from 1, is appended instead. */
static void add_token(struct run *run, const ken_answer *answer, size_t row)
{
    if (answer->tokens) add_name(run, answer->tokens[row]);
    else ken_buffer_format(&run->line, "%zu", row + 1);
}

/* Returns whether an empty line follows each answer. It does if each word has its own line, but not
 * in the format nodes, where there is only one answer. */
static bool ends_with_empty_line(const struct run *run)
{
    bool lines = run->columns || (run->best > 1 && run_is_set(run->task, "output.kind", "each"));
    return lines && !run->node_lines;
}

/* Appends the most likely labels. For output whole there is a line "rank TAB probability TAB label"
 * for each label; for output each there is a line "word TAB label TAB probability TAB label ..."
 * for each row. */
static void add_best_labels(struct run *run, const ken_answer *answer)
{
    ken_buffer *line = &run->line;
    bool each = run_is_set(run->task, "output.kind", "each");
    for (size_t row = 0; row < answer->rows; row++) {
        const float *probability = answer->probabilities + row * answer->class_count;
        const int32_t *best = answer->best + row * answer->best_count;
        if (each) add_token(run, answer, row);
        for (size_t k = 0; k < answer->best_count; k++) {
            double p = (double)probability[best[k]];
            if (!each) ken_buffer_format(line, "%zu\t%.4f", k + 1, p);
            ken_buffer_text(line, "\t");
            add_name(run, answer->classes[best[k]]);
            if (each) ken_buffer_format(line, "\t%.4f", p);
            else ken_buffer_text(line, "\n");
        }
        if (each) ken_buffer_text(line, "\n");
    }
    if (ends_with_empty_line(run)) ken_buffer_text(line, "\n");
}

/* Appends a line "word TAB label" for each row; with --scores the probability is added. */
static void add_columns(struct run *run, const ken_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        add_token(run, answer, i);
        ken_buffer_text(&run->line, "\t");
        add_label(run, answer, i);
        if (answer->labels) add_score(run, answer->scores[i]);
        ken_buffer_text(&run->line, "\n");
    }
    if (ends_with_empty_line(run)) ken_buffer_text(&run->line, "\n");
}

/* Appends the results of a generator, one per line: "rank TAB log probability TAB text" with
 * --best, otherwise "text"; with --scores the log probability is added. With --raw, an empty line
 * separates samples, because a text may have several lines. */
static void add_texts(struct run *run, const ken_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        if (run->raw && run->samples > 1 && i > 0) ken_buffer_text(&run->line, "\n");
        if (run->best > 1) ken_buffer_format(&run->line, "%zu\t%.4f\t", i + 1, answer->scores[i]);
        add_label(run, answer, i);
        if (run->best <= 1) add_score(run, answer->scores[i]);
        ken_buffer_text(&run->line, "\n");
    }
}

/* Appends all labels or numbers of an answer on one line. The labels or numbers of the rows of a
 * sequence are separated by spaces, the labels of a set by commas. */
static void add_line(struct run *run, const ken_answer *answer)
{
    const char *between = run_is_set(run->task, "output.kind", "each") ? " " : ",";
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(&run->line, between);
        add_label(run, answer, i);
        if (answer->labels) add_score(run, answer->scores[i]);
    }
    ken_buffer_text(&run->line, "\n");
}

static ken_status print_line(struct run *run)
{
    KEN_TRY(ken_buffer_status(&run->line));
    cli_print(NULL, run->line.data, run->line.size);
    return KEN_OK;
}

/* Appends the line that is printed in place of the answer to a bad example, so that answer i still
 * belongs to example i. If a text was being streamed, its line is ended first. */
static void add_error(struct run *run)
{
    if (run->midway) ken_buffer_text(&run->line, "\n");
    run->midway = false;
    ken_buffer_text(&run->line, RUN_ERROR_LINE "\n");
    if (ends_with_empty_line(run)) ken_buffer_text(&run->line, "\n");
}

static ken_status print_plain(struct run *run, const ken_answer *answer)
{
    ken_buffer_clear(&run->line);
    if (answer->error) add_error(run);
    /* nothing to add, because run_stream() has already printed the text */
    else if (run->stream) return KEN_OK;
    else if (writes_text(run)) add_texts(run, answer);
    else if (run->best > 1 && answer->class_count > 0) add_best_labels(run, answer);
    else if (run->columns || run->node_lines) add_columns(run, answer);
    else add_line(run, answer);
    return print_line(run);
}

/* Reports a bad example on standard error, and remembers that there was one. */
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

int run_stream(void *user, const ken_fragment *fragment)
{
    struct run *run = user;
    ken_buffer_clear(&run->line);
    if (run->raw && fragment->sample > 0 && !run->midway) ken_buffer_text(&run->line, "\n");
    run->midway = !fragment->last;
    add_text(run, fragment->text, fragment->length);
    if (fragment->last) {
        add_score(run, fragment->score);
        ken_buffer_text(&run->line, "\n");
    }
    ken_status status = print_line(run);
    if (status) run->code = cli_fail(status);
    return status || !cli_flush();
}
