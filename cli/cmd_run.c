/* cmd_run.c - ken run: a trained model answers the examples of files or of standard input. */
#include "cli/run.h"

#include "base/size.h"

#include <stdio.h>
#include <stdlib.h>

/* Sets generate.beam to at least the number of results, because N results need at least N
 * hypotheses. */
static ken_status widen_beam(struct run *run)
{
    char beam[64];
    if (run->best <= strtoull(ken_task_get(run->task, "generate.beam"), NULL, 10)) return KEN_OK;
    snprintf(beam, sizeof beam, "generate.beam=%llu", (unsigned long long)run->best);
    return ken_task_set(run->task, beam);
}

/* Returns the exit code for the status of a run: CLI_INPUT if all went well but some files or
 * examples were bad. KEN_ERR_STOPPED means that run_print() could not print; if standard output is
 * the reason, main() reports it. */
static int finish(ken_status status, const struct run *run)
{
    if (status == KEN_ERR_STOPPED) return run->code ? run->code : CLI_FAILED;
    if (status) return cli_fail(status);
    return run->failed ? CLI_INPUT : CLI_OK;
}

static const struct cli_flag flags[] = {
    { "--format", "F",
      "the format of the input, see below; default: that of the recipe if the file name ends like "
      "it (x.tsv, X.CSV, x.conllu.gz) or the first lines are in it, else one example per line",
      CLI_WORD(struct run, format) },
    { "--best", "N", "N results of a generator for each example, with rank and score; default 1",
      CLI_NUMBER(struct run, best, 1, 1024) },
    { "--longest", "N",
      "maximum rows (tokens) of an example; a longer one gets an error. 0 = no limit; default "
      "100000, or run.longest of the recipe",
      CLI_KEY("run.longest") },
    { "--scores", NULL, "print the probability after each answer", CLI_ON(struct run, scores) },
    CLI_READING_FLAGS,
};

static int run(int argc, char **argv)
{
    struct run asked = { .best = 1 };
    struct cli_line line;
    int code = cli_read(&line, &cli_run, &asked, argc, argv);
    if (code) return code;
    if (line.count == 0) return cli_usage("run needs a model; see ken help run");
    ken_status status = cli_open_task(&asked.task, line.words[0], &line.keys);
    if (!status) status = widen_beam(&asked);
    if (!status) status = run_files(&asked, line.words + 1, line.count - 1);
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
    .details = "Reads one example per line and prints one answer per line. A graph is a line of "
               "JSON; a model that was trained on nodes takes a file of nodes and a file of "
               "links.\n\n"
               "A file or pipe is read in the recipe's format instead if its first lines are "
               "unmistakably in it: CoNLL-U, a header with the recipe's column names, columns with "
               "labels that the model knows, __label__. A line on standard error says so. If the "
               "first lines may be one format or another, the input is refused: name the format "
               "with --format.\n\n"
               "A bad example (wrong number of columns, not UTF-8, too long ...) is reported on "
               "standard error as FILE:LINE, and the line " RUN_ERROR_LINE
               " stands in place of its "
               "answer; with --json an object with \"error\". All other examples are answered, and "
               "the exit code is 3.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .keys = "generate. run.",
    .lists_formats = true,
    .alias = "predict",
};
