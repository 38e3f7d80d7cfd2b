/* run_read.c - reads the examples of ken run from files or standard input and has them answered. */
#include "cli/run.h"

#include "base/io.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_MOST = 1 << 30 }; /* maximum bytes of a file, unpacked if it is gzipped */

/* Answers all examples of a text. Examples are numbered across all files, and across all pieces of
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
                            .first = run->answered };
    return ken_task_run(run->task, &request, run_print, run);
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
static ken_status answer_input(struct run *run)
{
    enum { PIECE = 1 << 20 };
    ken_buffer text = { 0 };
    char *piece = ken_memory_new(PIECE, 1);
    bool line_by_line = ken_task_line_by_line(run->task, run->format);
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
        status = answer_text(run, "standard input", run->format, text.data, whole, first_line);
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

static ken_status answer_file(struct run *run, const char *file)
{
    char *text;
    size_t size;
    if (strcmp(file, "-") == 0) return answer_input(run);
    KEN_TRY(ken_file_read(&text, &size, file, INPUT_MOST));
    const char *format = run->format ? run->format : ken_task_format(run->task, file);
    ken_status status = answer_text(run, file, format, text, size, 1);
    ken_memory_free(text);
    return status;
}

/* Answers for one graph, which is a file of nodes and a file of links. */
static ken_status answer_graph(struct run *run, const char *nodes, const char *links)
{
    char *text = NULL, *other = NULL;
    ken_request request = { .name = nodes, .links_name = links, .format = run->format };
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

ken_status run_files(struct run *run, char **files, int count)
{
    bool nodes = run->format ? strcmp(run->format, "nodes") == 0
                             : run_is_set(run->task, "data.format", "nodes");
    if (nodes && count == 2) return answer_graph(run, files[0], files[1]);
    if (count == 0) return answer_input(run);
    for (int i = 0; i < count; i++) KEN_TRY(answer_file(run, files[i]));
    return KEN_OK;
}
