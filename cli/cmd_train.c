/* cmd_train.c - ken train: trains a model as a recipe says, or resumes a run. */
#include "cli/command.h"

#include "base/json.h"
#include "base/size.h"
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

struct shown {
    struct cli_screen screen;
    bool begun; /* whether the run has written its first checkpoint, so that it can be resumed */
};

static int show(void *user, const ken_progress *p)
{
    struct shown *shown = user;
    struct cli_screen *screen = &shown->screen;
    shown->begun = true;
    /* The message is a warning, not progress, so it is printed with --quiet too. */
    if (p->moment == KEN_AT_START && p->recovered) fprintf(stderr, "ken: %s\n", p->recovered);
    if (!cli_flags.quiet) switch (p->moment) {
        case KEN_AT_START:
            fprintf(stderr, "%zu example%s, %zu parameters, %llu step%s, %zu thread%s\n",
                    p->examples, ken_plural(p->examples), p->parameters,
                    (unsigned long long)p->steps, ken_plural(p->steps), ken_threads(),
                    ken_plural(ken_threads()));
            if (p->left_out > 0)
                fprintf(stderr, "left out: %zu more example%s with more rows than data.longest\n",
                        p->left_out, ken_plural(p->left_out));
            if (p->from) cli_put(stderr, p->from);
            if (p->from) fputs("\n", stderr);
            break;
        case KEN_AT_STEP:
            if (cli_screen_due(screen, p->seconds))
                cli_screen_show(screen, p->words, p->seconds_left);
            break;
        case KEN_AT_EVALUATION:
            cli_screen_clear(screen);
            fprintf(stderr, "%s\n", p->words);
            break;
        case KEN_AT_END:
            cli_screen_clear(screen);
            fprintf(stderr, "done in %.0f s", p->seconds);
            if (p->metric) fprintf(stderr, ", best dev %s %.4f", p->metric, p->best);
            fputs("\n", stderr);
        }
    return cli_stop_wanted();
}

static ken_status print_json(const char *folder)
{
    ken_buffer path = { 0 }, line = { 0 };
    ken_buffer_format(&path, "%s/model.ken", folder);
    ken_buffer_text(&line, "{\"model\":");
    ken_json_string(&line, ken_buffer_string(&path), path.size);
    ken_status status = ken_buffer_status(&path);
    if (!status) status = ken_buffer_status(&line);
    if (!status) printf("%s}\n", line.data);
    ken_buffer_release(&path);
    ken_buffer_release(&line);
    return status;
}

static int finish(ken_status status, const char *folder, struct shown *shown)
{
    cli_screen_clear(&shown->screen);
    if (!status) {
        if (!cli_flags.json) printf("%s/model.ken\n", folder);
        else status = print_json(folder);
    }
    if (!status) return CLI_OK;
    int code = cli_fail(status);
    if (status == KEN_ERR_STOPPED || (status == KEN_ERR_SPACE && shown->begun))
        cli_say("continue with: ken train --resume %s", folder);
    if (status == KEN_ERR_DIVERGED)
        cli_say("the last good state is in %s/last.ckpt; try a lower train.rate", folder);
    return code;
}

/* The values of the command line of ken train. */
struct asked {
    const char *folder, *resumed;
    struct cli_line line;
};

static int train(const struct asked *asked)
{
    ken_recipe *recipe = NULL;
    struct shown shown = { .screen = cli_screen() };
    ken_status status = cli_open_recipe(&recipe, asked->line.words[0], &asked->line.keys);
    int code = status
                   ? cli_fail(status)
                   : finish(ken_train(recipe, asked->folder, show, &shown), asked->folder, &shown);
    ken_recipe_free(recipe);
    return code;
}

static int resume(const struct asked *asked)
{
    struct shown shown = { .screen = cli_screen() };
    if (!asked->resumed[0]) return cli_usage("--resume needs the folder of a run");
    if (asked->line.count > 0 || asked->folder || asked->line.keys.count > 0)
        return cli_usage("--resume takes the folder of a run and nothing else");
    return finish(ken_resume(asked->resumed, show, &shown), asked->resumed, &shown);
}

static const struct cli_flag flags[] = {
    { "-o", "FOLDER", "the folder for the files of the run", CLI_WORD(struct asked, folder) },
    { "--resume", "FOLDER",
      "continue a run that was stopped, with the same result as if it had never stopped",
      CLI_WORD(struct asked, resumed) },
};

static int run(int argc, char **argv)
{
    struct asked asked = { 0 };
    int code = cli_read(&asked.line, &cli_train, &asked, argc, argv);
    if (!code) code = cli_at_most(&asked.line, &cli_train, 1);
    if (code) return code;
    cli_stop_politely();
    if (asked.resumed) return resume(&asked);
    if (asked.line.count == 0) return cli_usage("train needs a recipe; see ken help train");
    if (!asked.folder || !asked.folder[0])
        return cli_usage("train needs -o FOLDER for the files of the run");
    return train(&asked);
}

const struct cli_command cli_train = {
    .name = "train",
    .run = run,
    .arguments = "RECIPE [section.key=value...] -o FOLDER | --resume FOLDER",
    .about = "train a model as a recipe says",
    .details = "FOLDER gets model.ken, checkpoints and logs. Ctrl-C saves the state and stops.\n"
               "The keys of recipes are in docs/RECIPES.md; recipes to start from are in recipes/.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .keys = "",
};
