/* cmd_eval.c - ken eval: measures a model on data. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

struct asked {
    const char *words[3]; /* the model, and one or two data files */
    size_t count;
    char joined[4096]; /* the last file with its part: "FILE @PART" */
    struct cli_keys keys;
};

/* Appends "@PART", which selects a part of the data, to the last file: "FILE @PART", as in a
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
    static const char *const flags[] = { "--json", "--seed", "--threads" };
    if (word[0] == '-' && word[1]) return cli_unknown("flag", word, flags, 3);
    if (strncmp(word, "generate.", 9) == 0) return cli_keys_add(&asked->keys, word);
    if (word[0] == '@' && asked->count > 1) return add_part(asked, word);
    if (asked->count == 3)
        return cli_usage("eval takes a model and at most two files; unexpected argument \"%s\"",
                         word);
    asked->words[asked->count++] = word;
    return CLI_OK;
}

int ken_cli_eval(int argc, char **argv)
{
    struct asked asked = { .count = 0 };
    ken_task *task = NULL;
    for (int i = 1, code; i < argc; i++)
        if ((code = take(&asked, argv[i]))) return code;
    if (asked.count < 2) return cli_usage("eval needs a model and data; see ken help eval");
    ken_status status = cli_open_task(&task, asked.words[0], &asked.keys);
    if (!status)
        status = ken_task_evaluate(task, asked.words[1], asked.words[2], cli_flags.json, cli_print,
                                   NULL);
    int code = status ? cli_fail(status) : CLI_OK;
    ken_task_free(task);
    return code;
}
