/* cmd_info.c - ken info: describes a model or checkpoint file. */
#include "cli/command.h"

static int run(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_read(&line, &cli_info, NULL, argc, argv);
    if (!code) code = cli_at_most(&line, &cli_info, 1);
    if (code) return code;
    if (line.count == 0) return cli_usage("info needs one file; see ken help info");
    ken_status status = ken_info(line.words[0], cli_flags.json, cli_print, NULL);
    return status ? cli_fail(status) : CLI_OK;
}

const struct cli_command cli_info = {
    .name = "info",
    .run = run,
    .arguments = "FILE",
    .about = "print what is in a model or checkpoint file",
};
