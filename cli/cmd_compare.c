/* cmd_compare.c - ken compare: trains variants of a recipe and measures them side by side. */
#include "cli/command.h"

#include "base/buffer.h"
#include "base/size.h"
#include "base/text.h"
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The values of the command line of ken compare. */
struct asked {
    const char *folder, *resumed, *tests;
    uint64_t seeds; /* --seeds N: number of runs of each variant; 0 = not given */
    /* the recipe, and assignments "section.key=a,b,c" that list values to compare */
    struct cli_line line;
};

struct shown {
    struct cli_screen screen;
    size_t failures, runs;
};

/* ---- progress -------------------------------------------------------------------------------- */

static void show_training(struct shown *shown, const ken_compare_progress *p)
{
    const ken_progress *run = p->training;
    ken_buffer words = { 0 };
    if (!cli_screen_due(&shown->screen, run->seconds)) return;
    ken_buffer_format(&words, "%zu/%zu ", p->variant + 1, p->variants);
    ken_text_escape(&words, p->name, strlen(p->name), "\\");
    ken_buffer_format(&words, "  seed %llu  step %llu/%llu  loss %.4f", (unsigned long long)p->seed,
                      (unsigned long long)run->step, (unsigned long long)run->steps, run->loss);
    if (run->metric && !isnan(run->best)) ken_buffer_format(&words, "  dev %.4f", run->best);
    cli_screen_show(&shown->screen, ken_buffer_string(&words), p->seconds_left);
    ken_buffer_release(&words);
}

static void show_end(struct shown *shown, const ken_compare_progress *p)
{
    cli_screen_clear(&shown->screen);
    fprintf(stderr, "%zu/%zu ", p->variant + 1, p->variants);
    cli_put(stderr, p->name);
    fprintf(stderr, "  seed %llu  ", (unsigned long long)p->seed);
    if (p->failed) {
        fputs("failed: ", stderr);
        cli_put(stderr, p->failed);
        fputs("\n", stderr);
    } else fprintf(stderr, "%s %.4f\n", p->metric, p->value);
}

static int show(void *user, const ken_compare_progress *p)
{
    struct shown *shown = user;
    shown->failures = p->failures;
    shown->runs = p->runs;
    if (p->moment == KEN_COMPARE_TRAINS && p->training->moment == KEN_AT_START &&
        p->training->recovered)
        fprintf(stderr, "ken: %s\n", p->training->recovered);
    if (p->moment == KEN_COMPARE_DONE) {
        cli_screen_clear(&shown->screen);
        fputs(cli_flags.json ? p->json : p->table, stdout);
    } else if (!cli_flags.quiet) {
        if (p->moment == KEN_COMPARE_TRAINS && p->training->moment != KEN_AT_START)
            show_training(shown, p);
        if (p->moment == KEN_COMPARE_ENDS) show_end(shown, p);
    }
    return cli_stop_wanted();
}

static int finish(ken_status status, const char *folder, struct shown *shown)
{
    cli_screen_clear(&shown->screen);
    if (status) {
        int code = cli_fail(status);
        if (status == KEN_ERR_STOPPED || status == KEN_ERR_SPACE)
            cli_say("continue with: ken compare --resume %s", folder);
        return code;
    }
    if (shown->failures == 0) return CLI_OK;
    cli_say("%s%zu of %zu run%s failed",
            shown->failures == shown->runs ? "nothing to compare: " : "", shown->failures,
            shown->runs, ken_plural(shown->runs));
    return CLI_FAILED;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Adds a word to a command line, quoted for a shell if necessary. */
static void add_word(ken_buffer *command, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/%@";
    ken_buffer_text(command, " ");
    if (word[0] && word[strspn(word, plain)] == '\0') {
        ken_buffer_text(command, word);
        return;
    }
    ken_buffer_text(command, "'");
    for (; *word; word++)
        ken_buffer_append(command, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    ken_buffer_text(command, "'");
}

/* Writes the command line, with every argument that affects the result, for the report. */
static void word_command(ken_buffer *command, const struct asked *asked)
{
    ken_buffer_text(command, "ken compare");
    add_word(command, asked->line.words[0]);
    for (size_t i = 0; i < asked->line.keys.count; i++) add_word(command, asked->line.keys.list[i]);
    if (asked->seeds > 1)
        ken_buffer_format(command, " --seeds %llu", (unsigned long long)asked->seeds);
    if (asked->tests) {
        ken_buffer_text(command, " --tests");
        add_word(command, asked->tests);
    }
    if (cli_flags.seeded)
        ken_buffer_format(command, " --seed %llu", (unsigned long long)cli_flags.seed);
    if (cli_flags.threads > 0)
        ken_buffer_format(command, " --threads %llu", (unsigned long long)cli_flags.threads);
    ken_buffer_text(command, " -o");
    add_word(command, asked->folder);
}

static ken_status compare(const struct asked *asked, struct shown *shown)
{
    ken_recipe *recipe = NULL;
    ken_buffer command = { 0 };
    word_command(&command, asked);
    ken_status status = ken_buffer_status(&command);
    if (!status)
        status = cli_open_recipe(&recipe, asked->line.words[0], &(struct cli_keys){ .count = 0 });
    ken_comparison comparison = { .recipe = recipe,
                                  .changes = asked->line.keys.list,
                                  .change_count = asked->line.keys.count,
                                  .seeds = (size_t)asked->seeds,
                                  .command = command.data,
                                  .tests = asked->tests };
    if (!status) status = ken_compare(&comparison, asked->folder, show, shown);
    ken_recipe_free(recipe);
    ken_buffer_release(&command);
    return status;
}

static const struct cli_flag flags[] = {
    { "-o", "FOLDER", "the folder for the report and all runs", CLI_WORD(struct asked, folder) },
    { "--seeds", "N", "runs per variant, with train.seed, train.seed + 1 ...; default 1",
      CLI_NUMBER(struct asked, seeds, 1, 10000) },
    { "--tests", "LIST",
      "also measure each model on these data: a,b,c, each written as in data.test; distances "
      "(1000@1,1000@8,1000@64) give a line chart",
      CLI_WORD(struct asked, tests) },
    { "--resume", "FOLDER", "continue a comparison that was stopped, with the same result",
      CLI_WORD(struct asked, resumed) },
};

static int run(int argc, char **argv)
{
    struct asked asked = { 0 };
    struct shown shown = { .screen = cli_screen() };
    int code = cli_read(&asked.line, &cli_compare, &asked, argc, argv);
    if (!code) code = cli_at_most(&asked.line, &cli_compare, 1);
    if (code) return code;
    const struct cli_keys *changes = &asked.line.keys;
    cli_stop_politely();
    if (asked.resumed) {
        if (!asked.resumed[0]) return cli_usage("--resume needs the folder of a comparison");
        if (asked.line.count > 0 || asked.folder || changes->count > 0 || asked.seeds > 0 ||
            asked.tests)
            return cli_usage("--resume takes the folder of a comparison and nothing else");
        return finish(ken_compare_resume(asked.resumed, show, &shown), asked.resumed, &shown);
    }
    if (asked.line.count == 0) return cli_usage("compare needs a recipe; see ken help compare");
    if (changes->count == 0 && asked.seeds < 2)
        return cli_usage("compare needs a key with several values, e.g. model.width=64,128, or "
                         "--seeds N to run the recipe with several seeds");
    if (!asked.folder || !asked.folder[0])
        return cli_usage("compare needs -o FOLDER for the runs and results");
    return finish(compare(&asked, &shown), asked.folder, &shown);
}

const struct cli_command cli_compare = {
    .name = "compare",
    .run = run,
    .arguments = "RECIPE section.key=a,b,c... [section.key=value...] [--seeds N] [--tests LIST] "
                 "-o FOLDER | --resume FOLDER",
    .about = "train variants of a recipe and measure them side by side",
    .details = "Every combination of the listed values is trained with the same data, seeds and "
               "budget. Its best model is measured by the recipe's metric on data.test, or on "
               "data.dev if there is no test. Write \\, for a comma that belongs to a value.\n"
               "FOLDER gets compare.md, compare.svg, compare.json and all runs; the table is also "
               "printed. A variant that fails does not stop the others; the exit code is then 1.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .keys = "",
};
