/* cmd_info.c - ken info: describes a model or checkpoint file. */
#include "cli/cli.h"

int ken_cli_info(int argc, char **argv)
{
    if (argc != 2) return cli_usage("info needs one file; see ken help info");
    if (argv[1][0] == '-') return cli_unknown("flag", argv[1], (const char *[]){ "--json" }, 1);
    ken_status status = ken_info(argv[1], cli_flags.json, cli_print, NULL);
    return status ? cli_fail(status) : CLI_OK;
}
