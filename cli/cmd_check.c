/* cmd_check.c - ken check: reads the data of a recipe and reports on it, without training. */
#include "cli/command.h"

static int run(int argc, char **argv)
{
    ken_recipe *recipe = NULL;
    struct cli_line line;
    int code = cli_read(&line, &cli_check, NULL, argc, argv);
    if (!code) code = cli_at_most(&line, &cli_check, 1);
    if (code) return code;
    if (line.count == 0) return cli_usage("check needs a recipe; see ken help check");
    ken_status status = cli_open_recipe(&recipe, line.words[0], &line.keys);
    if (!status) status = ken_check(recipe, cli_flags.json, cli_print, NULL);
    code = status ? cli_fail(status) : CLI_OK;
    ken_recipe_free(recipe);
    return code;
}

const struct cli_command cli_check = {
    .name = "check",
    .run = run,
    .arguments = "RECIPE [section.key=value...]",
    .about = "check the data of a recipe before training",
    .details = "Reports counts, lengths, labels, duplicates, examples that are both in train and "
               "test, and every bad line.",
    .keys = "",
};
