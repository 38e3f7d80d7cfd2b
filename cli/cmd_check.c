/* cmd_check.c - ken check: reads the data of a recipe and reports on it, without training. */
#include "cli/cli.h"

int ken_cli_check(int argc, char **argv)
{
    ken_recipe *recipe = NULL;
    struct cli_keys keys = { 0 };
    if (argc < 2) return cli_usage("check needs a recipe; see ken help check");
    if (argv[1][0] == '-') return cli_unknown("flag", argv[1], (const char *[]){ "--json" }, 1);
    for (int i = 2, code; i < argc; i++)
        if ((code = cli_keys_add(&keys, argv[i]))) return code;
    ken_status status = cli_open_recipe(&recipe, argv[1], &keys);
    if (!status) status = ken_check(recipe, cli_flags.json, cli_print, NULL);
    int code = status ? cli_fail(status) : CLI_OK;
    ken_recipe_free(recipe);
    return code;
}
