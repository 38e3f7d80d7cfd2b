/* cmd_train.c - ken train: a recipe and data become a model; or a run goes on. */
#include "cli/cli.h"

#include "base/json.h"
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 160 };

static int show(void *user, const ken_progress *p)
{
    struct cli_screen *screen = user;
    if (!cli_flags.quiet) switch (p->moment) {
        case KEN_AT_START:
            fprintf(stderr, "%zu examples, %zu parameters, %llu steps, %zu threads\n", p->examples,
                    p->parameters, (unsigned long long)p->steps, ken_threads());
            if (p->left_out > 0)
                fprintf(stderr, "%zu more are left out: they have more rows than data.longest\n",
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
        fprintf(stderr, "ken: go on with: ken train --resume %s\n", folder);
    if (status == KEN_ERR_DIVERGED)
        fprintf(stderr, "ken: the last good state is in %s/last.ckpt; try a lower train.rate\n",
                folder);
    return code;
}

static int train(const char *path, const char *folder, char **assignments, int count)
{
    ken_recipe *recipe;
    struct cli_screen screen = cli_screen();
    ken_status status = ken_recipe_read(&recipe, path);
    if (status) return cli_fail(status);
    if (cli_flags.seeded) {
        char seed[LINE];
        snprintf(seed, sizeof seed, "train.seed=%llu", (unsigned long long)cli_flags.seed);
        status = ken_recipe_set(recipe, seed);
    }
    for (int i = 0; i < count && !status; i++) status = ken_recipe_set(recipe, assignments[i]);
    if (status) {
        ken_recipe_free(recipe);
        return cli_fail(status);
    }
    status = ken_train(recipe, folder, show, &screen);
    ken_recipe_free(recipe);
    return finish(status, folder, &screen);
}

int ken_cli_train(int argc, char **argv)
{
    const char *recipe = NULL, *folder = NULL, *resumed = NULL;
    char *assignments[LINE];
    int count = 0;
    for (int i = 1; i < argc; i++) {
        const char *value;
        if ((value = cli_value("-o", argv, argc, &i))) folder = value;
        else if ((value = cli_value("--resume", argv, argc, &i))) resumed = value;
        else if (argv[i][0] == '-') {
            const char *names[] = { "-o", "--resume", "--seed", "--threads", "--quiet", "--json" };
            return cli_unknown("flag", argv[i], names, 6);
        } else if (strchr(argv[i], '=') && recipe) {
            if (count == LINE) return cli_usage("more than %d changes to a recipe", LINE);
            assignments[count++] = argv[i];
        } else if (recipe)
            return cli_usage("train takes one recipe; \"%s\" is one more, or lacks =value",
                             argv[i]);
        else recipe = argv[i];
    }
    cli_stop_politely();
    if (resumed) {
        struct cli_screen screen = cli_screen();
        if (!resumed[0]) return cli_usage("--resume wants the folder of a run");
        if (recipe || folder || count > 0)
            return cli_usage("--resume takes the folder of a run and nothing else");
        return finish(ken_resume(resumed, show, &screen), resumed, &screen);
    }
    if (!recipe) return cli_usage("train wants a recipe; see ken help train");
    if (!folder || !folder[0]) return cli_usage("train wants -o FOLDER for the run's files");
    return train(recipe, folder, assignments, count);
}
