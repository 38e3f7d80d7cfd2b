/* cmd_run.c - ken run: a trained model answers the examples of files or of standard input. */
#include "cli/run.h"

#include "base/size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_flag flags[] = {
    { "--format", "F",
      "the format of the input, see below; default: that of the recipe if the file name ends like "
      "it (x.tsv, X.CSV, x.conllu.gz) or the first lines are in it, else one example per line",
      CLI_WORD(struct run, format) },
    { "--prompt", "TEXT",
      "answer this text, one line, instead of files: the beginning that a language model continues",
      CLI_WORD(struct run, prompt) },
    { "--best", "N",
      "the N most likely labels with their probabilities, or the N best texts of a generator with "
      "rank and log probability; default 1",
      CLI_NUMBER(struct run, best, 1, 1024) },
    { "--samples", "N",
      "N different texts for each example, one per line; needs --temperature; default 1",
      CLI_NUMBER(struct run, samples, 1, 1024) },
    { "--longest-input", "N",
      "maximum rows (tokens) of an example; a longer one gets an error. 0 = no limit; default "
      "100000, or run.longest of the recipe",
      CLI_KEY("run.longest") },
    { "--scores", NULL, "print the probability (of a text: its logarithm) after each answer",
      CLI_ON(struct run, scores) },
    { "--columns", NULL,
      "models with a label for each word: print one word per line, \"word TAB label\", and an "
      "empty "
      "line after each example",
      CLI_ON(struct run, columns) },
    { "--stream", NULL,
      "print the text of a generator while it is written; default if standard output is a terminal "
      "and no file is given",
      CLI_ON(struct run, stream) },
    { "--raw", NULL,
      "print the text of a generator as it is; default: line ends and control characters are "
      "escaped as \\n, \\t, \\u001b and so on, and a backslash as two",
      CLI_ON(struct run, raw) },
    CLI_READING_FLAGS,
};

/* ---- what goes together ---------------------------------------------------------------------- */

/* Returns the value of a numeric key of the model's recipe. */
static double number_of(const ken_task *task, const char *key)
{
    return strtod(ken_task_get(task, key), NULL);
}

/* Returns whether texts are printed while they are generated even without --stream. */
static bool streams_anyway(const struct run *run, int files)
{
    return !cli_flags.json && files == 0 && run->best <= 1 &&
           run_is_set(run->task, "output.kind", "generate") &&
           number_of(run->task, "generate.beam") <= 1 && isatty(STDOUT_FILENO);
}

static int check_flags(const struct run *run, int files)
{
    const char *plain = run->columns  ? "--columns"
                        : run->stream ? "--stream"
                        : run->raw    ? "--raw"
                                      : NULL;
    if (cli_flags.json && plain)
        return cli_usage("%s is for plain output; leave out %s or --json", plain, plain);
    if (run->best > 1 && run->samples > 1)
        return cli_usage("--best finds the most likely texts, --samples draws texts: use one of "
                         "them");
    if (run->stream && run->best > 1)
        return cli_usage("--stream and --best exclude each other: the best texts are known only at "
                         "the end");
    if (run->prompt && files > 0)
        return cli_usage("--prompt is the whole input; leave it out to read %s",
                         files == 1 ? "the file" : "the files");
    if (run->prompt && strpbrk(run->prompt, "\r\n"))
        return cli_usage("--prompt takes one line; the text has a line break");
    return CLI_OK;
}

/* Checks the flags that only some models support. --best, --samples and --stream are checked by the
 * library. */
static int check_model(const struct run *run)
{
    const char *kind = ken_task_get(run->task, "output.kind");
    if (run->columns && strcmp(kind, "each") != 0)
        return cli_usage("--columns needs a model with a label for each word (output.kind=each); "
                         "this one has output.kind=%s",
                         kind);
    if (run->raw && strcmp(kind, "generate") != 0)
        return cli_usage("--raw is for models that write text (output.kind=generate); this one has "
                         "output.kind=%s",
                         kind);
    if (run->prompt && !ken_task_reads_text(run->task))
        return cli_usage("--prompt is for models that read text; this one reads numbers from "
                         "files");
    return CLI_OK;
}

/* Makes generate.beam at least as large as the number of results, because beam search cannot give
 * more results than it has hypotheses. */
static int widen_beam(struct run *run)
{
    char beam[64];
    if (!run_is_set(run->task, "output.kind", "generate")) return CLI_OK;
    if ((double)run->best <= number_of(run->task, "generate.beam")) return CLI_OK;
    if (number_of(run->task, "generate.temperature") > 0)
        return cli_usage("--best finds the most likely texts by beam search, but "
                         "generate.temperature=%s: add --temperature 0, or use --samples",
                         ken_task_get(run->task, "generate.temperature"));
    snprintf(beam, sizeof beam, "generate.beam=%llu", (unsigned long long)run->best);
    ken_status status = ken_task_set(run->task, beam);
    return status ? cli_fail(status) : CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Returns the exit code for the status of a run. KEN_OK gives CLI_INPUT if some files or examples
 * were bad. KEN_ERR_STOPPED means that run_print() could not print; if standard output failed,
 * main() reports it. */
static int finish(ken_status status, const struct run *run)
{
    if (status == KEN_ERR_STOPPED) return run->code ? run->code : CLI_FAILED;
    if (status) return cli_fail(status);
    return run->failed ? CLI_INPUT : CLI_OK;
}

/* Answers the examples of standard input. If standard input is a terminal, a line on standard error
 * says what the command waits for; if the input is empty, a line says so. */
static ken_status answer_standard_input(struct run *run)
{
    bool lines = ken_task_line_by_line(run->task, run->format);
    const char *what = !lines ? "examples"
                       : ken_task_reads_text(run->task) &&
                               run_is_set(run->task, "model.encoder_blocks", "0")
                           ? "texts to continue, one per line"
                           : "examples, one per line";
    if (!cli_flags.quiet && isatty(STDIN_FILENO))
        fprintf(stderr, "ken: reading %s from standard input; Ctrl-D ends it\n", what);
    ken_status status = run_files(run, NULL, 0);
    if (!status && run->answered == 0 && !cli_flags.quiet)
        fprintf(stderr, "ken: standard input was empty; expected %s (or --prompt TEXT)\n", what);
    return status;
}

static int answer(struct run *run, char **files, int count)
{
    int code = check_model(run);
    if (!code) code = widen_beam(run);
    if (code) return code;
    if (streams_anyway(run, count)) run->stream = true;
    if (run->prompt) return finish(run_prompt(run), run);
    return finish(count > 0 ? run_files(run, files, count) : answer_standard_input(run), run);
}

static int run(int argc, char **argv)
{
    struct run asked = { 0 };
    struct cli_line line;
    int code = cli_read(&line, &cli_run, &asked, argc, argv);
    if (code) return code;
    if (line.count == 0) return cli_usage("run needs a model; see ken help run");
    code = check_flags(&asked, line.count - 1);
    if (code) return code;
    ken_status status = cli_open_task(&asked.task, line.words[0], &line.keys);
    code = status ? cli_fail(status) : answer(&asked, line.words + 1, line.count - 1);
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
    .generates = true,
    .keys = "generate. run.",
    .lists_formats = true,
    .alias = "predict",
};
