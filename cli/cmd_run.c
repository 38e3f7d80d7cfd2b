/* cmd_run.c - ken run: a trained model answers what files or standard input ask. */
#include "cli/cli.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_MOST = 1 << 30 }; /* bytes of a file, unpacked */

/* What was asked for on the command line. */
struct asked {
    ken_task *task;
    const char *format;
    size_t best;
    bool scores;     /* beside each answer          */
    bool node_lines; /* each node in a line of its own */
    size_t answered; /* examples                    */
    ken_buffer line;
};

static bool is_set(const ken_task *task, const char *key, const char *value)
{
    return strcmp(ken_task_get(task, key), value) == 0;
}

static void print_strings(ken_buffer *line, const char *name, const char *const *strings,
                          size_t count)
{
    ken_buffer_format(line, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ken_buffer_text(line, ",");
        ken_json_string(line, strings[i], strlen(strings[i]));
    }
    ken_buffer_text(line, "]");
}

static void print_json(struct asked *asked, const ken_answer *answer)
{
    ken_buffer *line = &asked->line;
    ken_buffer_format(line, "{\"index\":%zu", answer->index);
    if (answer->tokens) print_strings(line, "tokens", answer->tokens, answer->count);
    if (answer->labels) print_strings(line, "answers", answer->labels, answer->count);
    ken_buffer_format(line, ",\"%s\":[", answer->labels ? "scores" : "answers");
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) ken_buffer_text(line, ",");
        ken_json_number(line, answer->scores[i]);
    }
    ken_buffer_text(line, "]}\n");
}

static const char *between(const struct asked *asked)
{
    if (asked->best > 1 || asked->node_lines) return "\n";
    return is_set(asked->task, "output.kind", "each") ? " " : ",";
}

/* Labels of the rows of a sequence with blanks between; results of a generator, and nodes with
 * their names, a line each; labels of a set with commas; numbers as they are. */
static void print_plain(struct asked *asked, const ken_answer *answer)
{
    ken_buffer *line = &asked->line;
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
}

static void print_answer(void *user, const ken_answer *answer)
{
    struct asked *asked = user;
    asked->answered = answer->index + 1;
    ken_buffer_clear(&asked->line);
    if (cli_flags.json) print_json(asked, answer);
    else print_plain(asked, answer);
    fwrite(ken_buffer_string(&asked->line), 1, asked->line.size, stdout);
}

/* Examples are numbered through all files, and through all that comes by a pipe. */
static ken_status answer_text(struct asked *asked, const char *name, const char *format,
                              const char *text, size_t size, size_t first_line)
{
    ken_request request = { .text = text,
                            .size = size,
                            .name = name,
                            .first_line = first_line,
                            .format = format,
                            .best = asked->best,
                            .first = asked->answered };
    return ken_task_run(asked->task, &request, print_answer, asked);
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* How much of the text can be answered now, of which `fresh` bytes have just arrived: whole lines,
 * or nothing before the end. */
static size_t complete(const ken_buffer *text, size_t fresh, bool line_by_line)
{
    size_t whole = text->size;
    if (fresh == 0) return whole;
    if (!line_by_line) return 0;
    while (whole > text->size - fresh && text->data[whole - 1] != '\n') whole--;
    return whole > text->size - fresh ? whole : 0;
}

/* Whatever whole lines have arrived are answered at once where each is an example, so that a
 * program at the other end of a pipe can wait for each answer. */
static ken_status answer_input(struct asked *asked)
{
    enum { PIECE = 1 << 20 };
    ken_buffer text = { 0 };
    char *piece = ken_memory_new(PIECE, 1);
    bool line_by_line = ken_task_line_by_line(asked->task, asked->format);
    size_t first_line = 1;
    ssize_t got = 1;
    ken_status status = piece ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory to read");
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
        fflush(stdout);
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

/* One graph: a file of nodes and one of links. */
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

/* So many results need as many hypotheses. */
static ken_status widen_beam(struct asked *asked)
{
    char beam[64];
    if (asked->best <= strtoull(ken_task_get(asked->task, "generate.beam"), NULL, 10))
        return KEN_OK;
    snprintf(beam, sizeof beam, "generate.beam=%zu", asked->best);
    return ken_task_set(asked->task, beam);
}

static int run(const char *model, struct asked *asked, char **files, int count, char **keys,
               int key_count)
{
    ken_status status = ken_task_load(&asked->task, model);
    if (!status && cli_flags.seeded) {
        char seed[64];
        snprintf(seed, sizeof seed, "generate.seed=%llu", (unsigned long long)cli_flags.seed);
        status = ken_task_set(asked->task, seed);
    }
    for (int i = 0; i < key_count && !status; i++) status = ken_task_set(asked->task, keys[i]);
    if (!status) status = widen_beam(asked);
    if (!status) status = answer_files(asked, files, count);
    int code = status ? cli_fail(status) : CLI_OK;
    ken_buffer_release(&asked->line);
    ken_task_free(asked->task);
    return code;
}

int ken_cli_run(int argc, char **argv)
{
    enum { KEYS_MOST = 64 };
    struct asked asked = { .best = 1 };
    const char *model = NULL;
    char **files = argv, *keys[KEYS_MOST]; /* files are moved to the front of argv */
    int count = 0, key_count = 0;
    for (int i = 1; i < argc; i++) {
        const char *value;
        uint64_t number;
        if ((value = cli_value("--format", argv, argc, &i))) asked.format = value;
        else if ((value = cli_value("--best", argv, argc, &i))) {
            if (!cli_number(&number, value) || number == 0 || number > 1024)
                return cli_usage("--best wants a number from 1 to 1024, not \"%s\"", value);
            asked.best = (size_t)number;
        } else if (strcmp(argv[i], "--scores") == 0) asked.scores = true;
        else if (argv[i][0] == '-' && argv[i][1]) {
            const char *names[] = { "--format", "--best", "--scores", "--json", "--threads" };
            return cli_unknown("flag", argv[i], names, 5);
        } else if (!model) model = argv[i];
        else if (strncmp(argv[i], "generate.", 9) == 0) {
            if (key_count == KEYS_MOST) return cli_usage("more than %d keys", KEYS_MOST);
            keys[key_count++] = argv[i];
        } else files[count++] = argv[i];
    }
    if (!model) return cli_usage("run wants a model; see ken help run");
    return run(model, &asked, files, count, keys, key_count);
}
