/* cmd_eval.c - ken eval: measures a model on data. */
#include "cli/command.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

struct asked {
    const char *words[3]; /* path of the model, and one or two data files */
    size_t count;
    char joined[4096]; /* room for the last file with its part (split): "FILE @PART" */
};

/* Appends the part (split) of the data to the last file: "FILE @PART", as it is written in a
 * recipe. */
static int add_part(struct asked *asked, const char *part)
{
    const char **last = &asked->words[asked->count - 1];
    int length = snprintf(asked->joined, sizeof asked->joined, "%s %s", *last, part);
    if (length < 0 || (size_t)length >= sizeof asked->joined)
        return cli_usage("\"%s %s\": the path is too long, at most %zu bytes", *last, part,
                         sizeof asked->joined - 1);
    *last = asked->joined;
    return CLI_OK;
}

static int take(struct asked *asked, char *word)
{
    if (word[0] == '@' && asked->count > 1) return add_part(asked, word);
    if (asked->count == 3)
        return cli_usage("eval takes a model and at most two files; unexpected argument \"%s\"",
                         word);
    asked->words[asked->count++] = word;
    return CLI_OK;
}

static const struct cli_flag flags[] = { CLI_READING_FLAGS };

static int run(int argc, char **argv)
{
    struct asked asked = { .count = 0 };
    struct cli_line line;
    ken_task *task = NULL;
    int code = cli_read(&line, &cli_eval, NULL, argc, argv);
    for (int i = 0; i < line.count && !code; i++) code = take(&asked, line.words[i]);
    if (code) return code;
    if (asked.count < 2) return cli_usage("eval needs a model and data; see ken help eval");
    ken_status status = cli_open_task(&task, asked.words[0], &line.keys);
    if (!status)
        status = ken_task_evaluate(task, asked.words[1], asked.words[2], cli_flags.json, cli_print,
                                   NULL);
    code = status ? cli_fail(status) : CLI_OK;
    ken_task_free(task);
    return code;
}

const struct cli_command cli_eval = {
    .name = "eval",
    .run = run,
    .arguments = "MODEL DATA [DATA2] [generate.key=value...]",
    .about = "measure a model on data in the format of its recipe",
    .details = "DATA2 is the second file of formats that have two (parallel, npy, nodes). Append "
               "@PART to use only that part of the data (see data.split).",
    .generates = true,
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .keys = "generate.",
};
