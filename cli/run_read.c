/* run_read.c - reads the examples of ken run from files or standard input and passes them to the
 * model. */
#include "cli/run.h"

#include "base/io.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sizes in bytes. INPUT_MOST is the maximum size of a file (after decompression), or of standard
 * input, that is read as a whole. LINE_KEPT is how much of a long line is kept: more than the
 * library accepts, so that the line is refused without taking more memory. PIECE is the size of a
 * read. */
enum { INPUT_MOST = 1 << 30, LINE_KEPT = 1 << 21, PIECE = 1 << 20 };

/* Answers all examples of a text. Examples are numbered through all files and all pieces of
 * standard input. */
static ken_status answer_text(struct run *run, const char *name, const char *format,
                              const char *text, size_t size, size_t first_line)
{
    ken_request request = { .text = text,
                            .size = size,
                            .name = name,
                            .first_line = first_line,
                            .format = format,
                            .best = (size_t)run->best,
                            .first = run->answered,
                            .keep_going = 1,
                            .samples = (size_t)run->samples,
                            .stream = run->stream ? run_stream : NULL };
    return ken_task_run(run->task, &request, run_print, run);
}

/* Chooses the format of a text, unless the command line gives it. `file` is NULL for standard
 * input. If the format was recognised by the first lines, a line on standard error says so. */
static ken_status choose_format(const struct run *run, const char **format, const char *file,
                                const char *text, size_t size)
{
    *format = run->format;
    if (run->format) return KEN_OK;
    KEN_TRY(ken_task_recognise(run->task, format, file, text, size));
    if (*format && !(file && ken_task_format(run->task, file)) && !cli_flags.quiet)
        fprintf(stderr,
                "ken: %s: read as %s, which it looks like; --format lines reads plain lines\n",
                file ? file : "standard input", *format);
    return KEN_OK;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* Returns how many bytes of the text can be answered now. `fresh` is the number of bytes at the end
 * of the text that have just arrived; 0 means the end of the input, where all bytes can be
 * answered. Before the end, only complete lines can be answered, or nothing if an example may have
 * several lines. */
static size_t complete(const ken_buffer *text, size_t fresh, bool line_by_line)
{
    size_t whole = text->size;
    if (fresh == 0) return whole;
    if (!line_by_line) return 0;
    while (whole > text->size - fresh && text->data[whole - 1] != '\n') whole--;
    return whole > text->size - fresh ? whole : 0;
}

/* The state of reading standard input. */
struct input {
    ken_buffer text;    /* bytes that have arrived and are not answered yet */
    char *piece;        /* buffer for the next read */
    size_t first_line;  /* number, from 1, of the line with which `text` begins */
    bool chosen;        /* whether `format` has been chosen */
    const char *format; /* format of the examples; NULL = the usual format of the model */
    bool line_by_line;  /* whether each line is an example */
};

/* Reads the bytes that arrive next. *got receives their number; 0 at the end of the input. */
static ken_status read_piece(struct input *input, size_t *got)
{
    ssize_t bytes;
    do bytes = read(STDIN_FILENO, input->piece, PIECE);
    while (bytes < 0 && errno == EINTR);
    *got = bytes > 0 ? (size_t)bytes : 0;
    if (bytes < 0) return ken_fail(KEN_ERR_IO, "cannot read standard input: %s", strerror(errno));
    ken_buffer_append(&input->text, input->piece, *got);
    KEN_TRY(ken_buffer_status(&input->text));
    if (!input->line_by_line && input->text.size > INPUT_MOST)
        return ken_fail(KEN_ERR_FORMAT, "standard input: more than %d bytes", INPUT_MOST);
    return KEN_OK;
}

/* Answers the examples in the first `whole` bytes of the input, and removes these bytes. */
static ken_status answer_part(struct run *run, struct input *input, size_t whole)
{
    ken_buffer *text = &input->text;
    ken_status status = answer_text(run, "standard input", input->format, text->data, whole,
                                    input->first_line);
    input->first_line += count_lines(text->data, whole);
    memmove(text->data, text->data + whole, text->size - whole);
    text->size -= whole;
    if (status) return status;
    return cli_flush() ? KEN_OK : ken_fail(KEN_ERR_STOPPED, "cannot write to standard output");
}

/* Reads and answers the next part of standard input; *got is 0 at the end of the input. The format
 * is chosen from the complete lines that arrive first. */
static ken_status answer_next(struct run *run, struct input *input, size_t *got)
{
    ken_buffer *text = &input->text;
    KEN_TRY(read_piece(input, got));
    size_t whole = complete(text, *got, true);
    if (!input->chosen && whole > 0) {
        KEN_TRY(choose_format(run, &input->format, NULL, text->data, whole));
        input->line_by_line = ken_task_line_by_line(run->task, input->format);
        input->chosen = true;
    }
    whole = complete(text, *got, input->line_by_line);
    if (whole > 0) KEN_TRY(answer_part(run, input, whole));
    if (input->line_by_line && text->size > LINE_KEPT) text->size = LINE_KEPT;
    return KEN_OK;
}

/* Answers the examples of standard input. If each line is an example, complete lines are answered
 * as soon as they arrive, so that a program at the other end of a pipe can wait for each answer. */
static ken_status answer_input(struct run *run)
{
    struct input input = { .piece = ken_memory_new(PIECE, 1), .first_line = 1 };
    size_t got = 1;
    input.line_by_line = ken_task_line_by_line(run->task, run->format);
    ken_status status = input.piece ? KEN_OK
                                    : ken_fail(KEN_ERR_MEMORY, "no memory to read standard input");
    while (got > 0 && !status) status = answer_next(run, &input, &got);
    ken_memory_free(input.piece);
    ken_buffer_release(&input.text);
    return status;
}

static ken_status answer_file(struct run *run, const char *file)
{
    char *text;
    size_t size;
    if (strcmp(file, "-") == 0) return answer_input(run);
    const char *format;
    KEN_TRY(ken_file_read(&text, &size, file, INPUT_MOST));
    ken_status status = choose_format(run, &format, file, text, size);
    if (!status) status = answer_text(run, file, format, text, size, 1);
    ken_memory_free(text);
    return status;
}

/* Answers one graph, which is in two files: nodes and links. */
static ken_status answer_graph(struct run *run, const char *nodes, const char *links)
{
    char *text = NULL, *other = NULL;
    ken_request request = { .name = nodes,
                            .links_name = links,
                            .format = run->format,
                            .best = (size_t)run->best };
    ken_status status = ken_file_read(&text, &request.size, nodes, INPUT_MOST);
    if (!status) status = ken_file_read(&other, &request.links_size, links, INPUT_MOST);
    request.text = text;
    request.links = other;
    run->node_lines = true;
    if (!status) status = ken_task_run(run->task, &request, run_print, run);
    ken_memory_free(text);
    ken_memory_free(other);
    return status;
}

ken_status run_prompt(struct run *run)
{
    ken_buffer text = { 0 };
    /* the line end makes even an empty text one line, that is one example */
    ken_buffer_format(&text, "%s\n", run->prompt);
    ken_status status = ken_buffer_status(&text);
    if (!status) status = answer_text(run, "--prompt", run->format, text.data, text.size, 1);
    ken_buffer_release(&text);
    return status;
}

ken_status run_files(struct run *run, char **files, int count)
{
    bool nodes = run->format ? strcmp(run->format, "nodes") == 0
                             : run_is_set(run->task, "data.format", "nodes");
    if (nodes && count == 2) return answer_graph(run, files[0], files[1]);
    if (count == 0) return answer_input(run);
    for (int i = 0; i < count; i++) {
        ken_status status = answer_file(run, files[i]);
        if (status != KEN_ERR_IO && status != KEN_ERR_FORMAT) KEN_TRY(status);
        else run->failed = cli_fail(status) != CLI_OK;
    }
    return KEN_OK;
}
