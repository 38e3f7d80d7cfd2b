/* main.c - the program `ken`: finds the command that argv names and calls it. Each command is in
 * cmd_NAME.c; arguments.c reads its arguments, help.c prints help, message.c prints errors. */
#include "cli/command.h"

#include "base/size.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct cli_command cli_help, cli_version;
static const struct cli_command *const commands[] = {
    &cli_bench, &cli_check, &cli_compare, &cli_demo,    &cli_eval, &cli_info,
    &cli_look,  &cli_run,   &cli_train,   &cli_version, &cli_help,
};

const struct cli_command *cli_command_at(size_t i)
{
    return i < KEN_COUNT(commands) ? commands[i] : NULL;
}

static const struct cli_command *find(const char *name)
{
    for (size_t i = 0; i < KEN_COUNT(commands); i++) {
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
        if (commands[i]->alias && strcmp(name, commands[i]->alias) == 0) return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[KEN_COUNT(commands)];
    for (size_t i = 0; i < KEN_COUNT(commands); i++) names[i] = commands[i]->name;
    return cli_unknown("command", name, names, KEN_COUNT(commands));
}

/* The values of the command line of ken help. */
struct asked {
    bool man;
    const char *shell;
};

static const struct cli_flag help_flags[] = {
    { "--man", NULL, "print a manual page for man(1), of the program or of COMMAND",
      CLI_ON(struct asked, man) },
    { "--completion", "SHELL", "print the completion script for bash, zsh or fish",
      CLI_WORD(struct asked, shell) },
};

static int run_help(int argc, char **argv)
{
    struct cli_line line;
    struct asked asked = { 0 };
    int code = cli_read(&line, &cli_help, &asked, argc, argv);
    if (!code) code = cli_at_most(&line, &cli_help, 1);
    if (code) return code;
    if (asked.shell) return cli_completion(asked.shell);
    const char *subject = line.count > 0 ? line.words[0] : NULL;
    if (subject && (strncmp(subject, "recipe", 6) == 0 || strcmp(subject, "keys") == 0)) {
        ken_status status = ken_recipe_keys(cli_print, NULL);
        return status ? cli_fail(status) : CLI_OK;
    }
    const struct cli_command *command = subject ? find(subject) : NULL;
    if (subject && !command) return unknown_command(subject);
    if (asked.man) cli_manual(command);
    else if (command) cli_help_command(command);
    else cli_help_overview(stdout);
    return CLI_OK;
}

static int run_version(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_read(&line, &cli_version, NULL, argc, argv);
    if (!code) code = cli_at_most(&line, &cli_version, 0);
    if (code) return code;
    if (cli_flags.json) printf("{\"version\":\"%s\"}\n", ken_version());
    else printf("ken %s\n", ken_version());
    return CLI_OK;
}

static const struct cli_command cli_version = {
    .name = "version",
    .run = run_version,
    .arguments = "",
    .about = "print the version; also --version and -V",
};

static const struct cli_command cli_help = {
    .name = "help",
    .run = run_help,
    .arguments = "[COMMAND|recipe]",
    .about = "explain a command or the keys of recipes, or list all",
    .flags = help_flags,
    .flag_count = KEN_COUNT(help_flags),
};

/* Returns whether --help or -h is among the arguments of a command. */
static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int run_command(int argc, char **argv)
{
    if (argc == 0) {
        cli_help_overview(cli_flags.help ? stdout : stderr);
        return cli_flags.help ? CLI_OK : CLI_USAGE;
    }
    const char *name = argv[0];
    if (strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const struct cli_command *command = find(name);
    if (!command) return unknown_command(name);
    if (!cli_flags.help && !wants_help(argc, argv)) return command->run(argc, argv);
    cli_help_command(command);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    /* writing to a closed pipe then fails with EPIPE instead of ending the process */
    signal(SIGPIPE, SIG_IGN);
    /* exceeding the limit of file sizes then fails with EFBIG instead of ending the process */
    signal(SIGXFSZ, SIG_IGN);
    int taken = 0;
    int code = argc > 0 ? cli_read_common(&taken, argc - 1, argv + 1) : CLI_OK;
    if (!code) code = run_command(argc - 1 - taken, argv + 1 + taken);
    return cli_finish_output(code);
}
