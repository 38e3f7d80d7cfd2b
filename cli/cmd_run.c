/* cmd_run.c - ken run: a trained model answers the examples of files or of standard input. */
#include "cli/command.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_MOST = 1 << 30 }; /* maximum bytes of a file, unpacked if it is gzipped */

/* The arguments of the command line, and how far the answers have come. */
struct asked {
    ken_task *task;
    const char *format; /* NULL = not given                                       */
    uint64_t best;      /* results per example                                    */
    bool scores;        /* print a score after each answer                        */
    bool node_lines;    /* each node gets its own line                            */
    size_t answered;    /* examples answered so far                               */
    int code;           /* exit code of a failure that was already reported, or 0 */
    ken_buffer line;
};

static bool is_set(const ken_task *task, const char *key, const char *value)
{
    return strcmp(ken_task_get(task, key), value) == 0;
}

static const char *between(const struct asked *asked)
{
    if (asked->best > 1 || asked->node_lines) return "\n";
    return is_set(asked->task, "output.kind", "each") ? " " : ",";
}

/* Prints an answer as plain text. The labels of the rows of a sequence are separated by blanks, the
 * labels of a set by commas. Each result of a generator with --best, and each node of a graph with
 * its name, gets its own line. */
static ken_status print_plain(struct asked *asked, const ken_answer *answer)
{
    ken_buffer *line = &asked->line;
    ken_buffer_clear(line);
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(line, between(asked));
        if (asked->node_lines) ken_buffer_format(line, "%s\t", answer->tokens[i]);
        if (asked->best > 1) ken_buffer_format(line, "%zu\t%.4f\t", i + 1, answer->scores[i]);
        if (answer->labels) ken_buffer_text(line, answer->labels[i]);
        else ken_buffer_format(line, "%.7g", answer->scores[i]);
        if (asked->scores && asked->best <= 1 && answer->labels)
            ken_buffer_format(line, "\t%.4f", answer->scores[i]);
    }
    ken_buffer_text(line, "\n");
    KEN_TRY(ken_buffer_status(line));
    cli_print(NULL, line->data, line->size);
    return KEN_OK;
}

/* Prints an answer. Returns non-zero, which stops the run, if the answer cannot be printed, for
 * instance because the reader of a pipe is gone. A failure other than that of standard output is
 * reported here; see finish(). */
static int print_answer(void *user, const ken_answer *answer)
{
    struct asked *asked = user;
    asked->answered = answer->index + 1;
    ken_status status = cli_flags.json ? ken_answer_json(answer, cli_print, NULL)
                                       : print_plain(asked, answer);
    if (status) asked->code = cli_fail(status);
    return status || ferror(stdout);
}

/* Answers all examples of a text. Examples are numbered across all files, and across all pieces of
 * standard input. */
static ken_status answer_text(struct asked *asked, const char *name, const char *format,
                              const char *text, size_t size, size_t first_line)
{
    ken_request request = { .text = text,
                            .size = size,
                            .name = name,
                            .first_line = first_line,
                            .format = format,
                            .best = (size_t)asked->best,
                            .first = asked->answered };
    return ken_task_run(asked->task, &request, print_answer, asked);
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* Returns how many bytes of the text can be answered now: at the end of the input all of them;
 * before the end the complete lines, or none if an example may have several lines. `fresh` is the
 * number of bytes at the end of the text that have just arrived; 0 means the end of the input. */
static size_t complete(const ken_buffer *text, size_t fresh, bool line_by_line)
{
    size_t whole = text->size;
    if (fresh == 0) return whole;
    if (!line_by_line) return 0;
    while (whole > text->size - fresh && text->data[whole - 1] != '\n') whole--;
    return whole > text->size - fresh ? whole : 0;
}

/* Answers the examples of standard input. If each line is an example, the complete lines that have
 * arrived are answered at once, so that a program at the other end of a pipe can wait for each
 * answer. */
static ken_status answer_input(struct asked *asked)
{
    enum { PIECE = 1 << 20 };
    ken_buffer text = { 0 };
    char *piece = ken_memory_new(PIECE, 1);
    bool line_by_line = ken_task_line_by_line(asked->task, asked->format);
    size_t first_line = 1;
    ssize_t got = 1;
    ken_status status = piece ? KEN_OK
                              : ken_fail(KEN_ERR_MEMORY, "no memory to read standard input");
    while (got > 0 && !status) {
        do got = read(STDIN_FILENO, piece, PIECE);
        while (got < 0 && errno == EINTR);
        if (got > 0) ken_buffer_append(&text, piece, (size_t)got);
        status = got < 0 ? ken_fail(KEN_ERR_IO, "cannot read standard input: %s", strerror(errno))
                         : ken_buffer_status(&text);
        size_t whole = status ? 0 : complete(&text, (size_t)got, line_by_line);
        if (whole == 0) continue;
        status = answer_text(asked, "standard input", asked->format, text.data, whole, first_line);
        first_line += count_lines(text.data, whole);
        memmove(text.data, text.data + whole, text.size - whole);
        text.size -= whole;
        if (!status && !cli_flush())
            status = ken_fail(KEN_ERR_STOPPED, "cannot write to standard output");
    }
    ken_memory_free(piece);
    ken_buffer_release(&text);
    return status;
}

static ken_status answer_file(struct asked *asked, const char *file)
{
    char *text;
    size_t size;
    if (strcmp(file, "-") == 0) return answer_input(asked);
    KEN_TRY(ken_file_read(&text, &size, file, INPUT_MOST));
    const char *format = asked->format ? asked->format : ken_task_format(asked->task, file);
    ken_status status = answer_text(asked, file, format, text, size, 1);
    ken_memory_free(text);
    return status;
}

/* Answers for one graph, which is a file of nodes and a file of links. */
static ken_status answer_graph(struct asked *asked, const char *nodes, const char *links)
{
    char *text = NULL, *other = NULL;
    ken_request request = { .name = nodes, .links_name = links, .format = asked->format };
    ken_status status = ken_file_read(&text, &request.size, nodes, INPUT_MOST);
    if (!status) status = ken_file_read(&other, &request.links_size, links, INPUT_MOST);
    request.text = text;
    request.links = other;
    asked->node_lines = true;
    if (!status) status = ken_task_run(asked->task, &request, print_answer, asked);
    ken_memory_free(text);
    ken_memory_free(other);
    return status;
}

static ken_status answer_files(struct asked *asked, char **files, int count)
{
    bool nodes = asked->format ? strcmp(asked->format, "nodes") == 0
                               : is_set(asked->task, "data.format", "nodes");
    if (nodes && count == 2) return answer_graph(asked, files[0], files[1]);
    if (count == 0) return answer_input(asked);
    for (int i = 0; i < count; i++) KEN_TRY(answer_file(asked, files[i]));
    return KEN_OK;
}

/* Sets generate.beam to at least the number of results, because N results need at least N
 * hypotheses. */
static ken_status widen_beam(struct asked *asked)
{
    char beam[64];
    if (asked->best <= strtoull(ken_task_get(asked->task, "generate.beam"), NULL, 10))
        return KEN_OK;
    snprintf(beam, sizeof beam, "generate.beam=%llu", (unsigned long long)asked->best);
    return ken_task_set(asked->task, beam);
}

/* Returns the exit code for the status of a run. KEN_ERR_STOPPED means that print_answer() could
 * not print; if standard output is the reason, main() reports it. */
static int finish(ken_status status, const struct asked *asked)
{
    if (status == KEN_ERR_STOPPED) return asked->code ? asked->code : CLI_FAILED;
    return status ? cli_fail(status) : CLI_OK;
}

static const struct cli_flag flags[] = {
    { "--format", "F",
      "the format of the input, see below; default: that of the recipe if the file name ends like "
      "it (x.tsv, x.conllu.gz), else one example per line",
      CLI_WORD(struct asked, format) },
    { "--best", "N", "N results of a generator for each example, with rank and score; default 1",
      CLI_NUMBER(struct asked, best, 1, 1024) },
    { "--scores", NULL, "print the probability after each answer", CLI_ON(struct asked, scores) },
};

static int run(int argc, char **argv)
{
    struct asked asked = { .best = 1 };
    struct cli_line line;
    int code = cli_read(&line, &cli_run, &asked, argc, argv);
    if (code) return code;
    if (line.count == 0) return cli_usage("run needs a model; see ken help run");
    ken_status status = cli_open_task(&asked.task, line.words[0], &line.keys);
    if (!status) status = widen_beam(&asked);
    if (!status) status = answer_files(&asked, line.words + 1, line.count - 1);
    code = finish(status, &asked);
    ken_buffer_release(&asked.line);
    ken_task_free(asked.task);
    return code;
}

const struct cli_command cli_run = {
    .name = "run",
    .run = run,
    .arguments = "MODEL [FILE...] [generate.key=value...]",
    .about = "let a model answer the examples of files, or of standard input",
    .details = "Reads one example per line, unless --format names another format, and prints one "
               "answer per line. A graph is a line of JSON; a model that was trained on nodes "
               "takes a file of nodes and a file of links.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .keys = "generate.",
    .lists_formats = true,
    .alias = "predict",
};
