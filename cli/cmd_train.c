/* cmd_train.c - ken train: trains a model as a recipe says, or resumes a run. */
#include "cli/cli.h"

#include "base/json.h"
#include "base/size.h"
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

static int show(void *user, const ken_progress *p)
{
    struct cli_screen *screen = user;
    if (!cli_flags.quiet) switch (p->moment) {
        case KEN_AT_START:
            fprintf(stderr, "%zu examples, %zu parameters, %llu steps, %zu threads\n", p->examples,
                    p->parameters, (unsigned long long)p->steps, ken_threads());
            if (p->left_out > 0)
                fprintf(stderr,
                        "%zu more examples are left out: they have more rows than data.longest\n",
                        p->left_out);
            if (p->from) fprintf(stderr, "%s\n", p->from);
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

static int finish(ken_status status, const char *folder, struct cli_screen *screen)
{
    cli_screen_clear(screen);
    if (!status) {
        if (!cli_flags.json) printf("%s/model.ken\n", folder);
        else status = print_json(folder);
    }
    if (!status) return CLI_OK;
    int code = cli_fail(status);
    if (status == KEN_ERR_STOPPED)
        fprintf(stderr, "ken: continue with: ken train --resume %s\n", folder);
    if (status == KEN_ERR_DIVERGED)
        fprintf(stderr, "ken: the last good state is in %s/last.ckpt; try a lower train.rate\n",
                folder);
    return code;
}

/* The arguments of the command line. */
struct asked {
    const char *recipe, *folder, *resumed;
    struct cli_keys keys;
};

static int train(const struct asked *asked)
{
    ken_recipe *recipe = NULL;
    struct cli_screen screen = cli_screen();
    ken_status status = cli_open_recipe(&recipe, asked->recipe, &asked->keys);
    int code = status ? cli_fail(status)
                      : finish(ken_train(recipe, asked->folder, show, &screen), asked->folder,
                               &screen);
    ken_recipe_free(recipe);
    return code;
}

static int resume(const struct asked *asked)
{
    struct cli_screen screen = cli_screen();
    if (!asked->resumed[0]) return cli_usage("--resume needs the folder of a run");
    if (asked->recipe || asked->folder || asked->keys.count > 0)
        return cli_usage("--resume takes the folder of a run and nothing else");
    return finish(ken_resume(asked->resumed, show, &screen), asked->resumed, &screen);
}

static int take(struct asked *asked, int argc, char **argv)
{
    static const char *const names[] = { "-o",        "--resume", "--seed",
                                         "--threads", "--quiet",  "--json" };
    for (int i = 1, code = CLI_OK; i < argc; i++) {
        const char *value;
        if ((value = cli_value("-o", argv, argc, &i))) asked->folder = value;
        else if ((value = cli_value("--resume", argv, argc, &i))) asked->resumed = value;
        else if (argv[i][0] == '-') return cli_unknown("flag", argv[i], names, KEN_COUNT(names));
        else if (!asked->recipe) asked->recipe = argv[i];
        else if (strchr(argv[i], '=')) code = cli_keys_add(&asked->keys, argv[i]);
        else
            return cli_usage("train takes one recipe; unexpected argument \"%s\" (a change is "
                             "section.key=value)",
                             argv[i]);
        if (code) return code;
    }
    return CLI_OK;
}

int ken_cli_train(int argc, char **argv)
{
    struct asked asked = { 0 };
    int code = take(&asked, argc, argv);
    if (code) return code;
    cli_stop_politely();
    if (asked.resumed) return resume(&asked);
    if (!asked.recipe) return cli_usage("train needs a recipe; see ken help train");
    if (!asked.folder || !asked.folder[0])
        return cli_usage("train needs -o FOLDER for the files of the run");
    return train(&asked);
}
