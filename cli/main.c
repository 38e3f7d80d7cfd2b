/* main.c - the ken command: takes the common flags, finds the subcommand and calls it; prints help.
 * Not here: what a command does (each has its own file), messages about errors (message.c). */
#include "cli/cli.h"

#include "base/size.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_flags cli_flags;

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *about;
    const char *details; /* more lines for `ken help NAME`, or NULL */
} commands[] = {
    { "bench", ken_cli_bench, "[NAME...] [--list] [--quick] [--svg FOLDER]",
      "measure the speed of ken beside its peers",
      "NAME is a group, a case, or the beginning of a case up to a slash. Without a NAME all run.\n"
      "  --list        print the names of all groups and cases\n"
      "  --quick       two short rounds per case: to see that it works, not how fast it is\n"
      "  --svg FOLDER  write charts of the groups that show growth with size\n"
      "KEN_PEER_PYTHON names a Python that has torch, for the cases beside PyTorch.\n" },
    { "check", ken_cli_check, "RECIPE [section.key=value...]",
      "check the data of a recipe before training",
      "Reports counts, lengths, labels, duplicates, examples that are both in train and test, and\n"
      "every bad line.\n" },
    { "compare", ken_cli_compare,
      "RECIPE section.key=a,b,c... [section.key=value...] [--seeds N] [--tests LIST] -o FOLDER | "
      "--resume FOLDER",
      "train variants of a recipe and measure them side by side",
      "Every combination of the listed values is trained with the same data, seeds and budget. "
      "Its\n"
      "best model is measured by the recipe's metric on data.test, or on data.dev if there is no\n"
      "test. Write \\, for a comma that belongs to a value.\n"
      "  --seeds N        runs per variant, with train.seed, train.seed + 1 ...; default 1\n"
      "  --tests LIST     also measure each model on these data: a,b,c, each written as in\n"
      "                   data.test; distances (1000@1,1000@8,1000@64) give a line chart\n"
      "  --resume FOLDER  continue a comparison that was stopped, with the same result\n"
      "FOLDER gets compare.md, compare.svg, compare.json and all runs; the table is also printed.\n"
      "A variant that fails does not stop the others; the exit code is then 1.\n" },
    { "demo", ken_cli_demo, "", "learn to read dates, in about a minute, and show the result",
      NULL },
    { "eval", ken_cli_eval, "MODEL DATA [DATA2] [generate.key=value...]",
      "measure a model on data in the format of its recipe",
      "DATA2 is the second file of formats that have two (parallel, npy, nodes). Append @PART to\n"
      "use only that part of the data (see data.split).\n" },
    { "info", ken_cli_info, "FILE", "print what is in a model or checkpoint file", NULL },
    { "look", ken_cli_look, "MODEL INPUT [--layer L] [--head H] [generate.key=value...]",
      "draw the attention weights of a model on one example",
      "INPUT is a text, or a file if the model reads numbers; - is standard input.\n"
      "  --file F       read the input from a file: its first example, or number N with\n"
      "                 --example N\n"
      "  --format F     the format of that file, as with run; default: one example per line\n"
      "  --target TEXT  make a generator write this instead of its own answer\n"
      "  --which W      encoder, decoder or cross (from what is written to the input)\n"
      "  --layer L, --head H  one layer or head, from 1. Default: all of them; in the terminal\n"
      "                 the mean of the last layer\n"
      "  --mean         the mean of all heads\n"
      "  --rollout      attention followed through all layers (or up to L) down to the input\n"
      "  --relative     each weight times the number of tokens that its row may attend to: 1 is\n"
      "                 uniform attention\n"
      "  --svg F, --html F, --npy F, --json  write a picture, a page, an array, an object;\n"
      "                 F may be - for standard output (not for npy)\n"
      "  --positions    draw the positions that are added at the input, instead of attention;\n"
      "                 --rows N draws N of them\n" },
    { "run", ken_cli_run, "MODEL [FILE...] [generate.key=value...]",
      "let a model answer the examples of files, or of standard input",
      "Reads one example per line, unless --format names another format, and prints one answer "
      "per\n"
      "line. A graph is a line of JSON; a model that was trained on nodes takes a file of nodes "
      "and\n"
      "a file of links.\n"
      "  --format F  the format of the input, see below; default: that of the recipe if the file\n"
      "              name ends like it (x.tsv, x.conllu.gz), else one example per line\n"
      "  --best N    N results of a generator for each example, with rank and score; default 1\n"
      "  --scores    print the probability after each answer\n" },
    { "train", ken_cli_train, "RECIPE [section.key=value...] -o FOLDER | --resume FOLDER",
      "train a model as a recipe says",
      "FOLDER gets model.ken, checkpoints and logs. Ctrl-C saves the state and stops; --resume\n"
      "continues, with the same result as if the run had never stopped.\n"
      "The keys of recipes are in docs/RECIPES.md; recipes to start from are in recipes/.\n" },
    { "version", run_version, "", "print the version", NULL },
    { "help", run_help, "[COMMAND|recipe]", "explain a command or the keys of recipes, or list all",
      NULL },
};

static const char common_flags[] =
    "Flags of every command:\n"
    "  --threads N  number of threads; 0 = one per processor, or KEN_THREADS (default)\n"
    "  --seed N     seed of the random numbers\n"
    "  --json       print results as JSON objects, one per line\n"
    "  --quiet      no progress on standard error\n";

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < KEN_COUNT(commands); i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[KEN_COUNT(commands)];
    for (size_t i = 0; i < KEN_COUNT(commands); i++) names[i] = commands[i].name;
    return cli_unknown("command", name, names, KEN_COUNT(commands));
}

static void print_overview(FILE *out)
{
    fputs("usage: ken COMMAND [ARGUMENT...]\n\n", out);
    for (size_t i = 0; i < KEN_COUNT(commands); i++)
        fprintf(out, "  %-8s  %s\n", commands[i].name, commands[i].about);
    fprintf(out, "\n%s", common_flags);
}

static void print_command(const struct command *command)
{
    printf("usage: ken %s %s\n\n%s\n", command->name, command->arguments, command->about);
    if (command->details) fputs(command->details, stdout);
    if (command->run == ken_cli_run || command->run == ken_cli_look) {
        printf("Formats:");
        for (size_t i = 0; ken_format_word(i); i++) printf(" %s", ken_format_word(i));
        printf("\n");
    }
    printf("\n%s", common_flags);
}

static int run_help(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stdout);
        return CLI_OK;
    }
    if (strncmp(argv[1], "recipe", 6) == 0 || strcmp(argv[1], "keys") == 0) {
        ken_status status = ken_recipe_keys(cli_print, NULL);
        return status ? cli_fail(status) : CLI_OK;
    }
    const struct command *command = find(argv[1]);
    if (!command) return unknown_command(argv[1]);
    print_command(command);
    return CLI_OK;
}

static int run_version(int argc, char **argv)
{
    if (argc > 1)
        return cli_usage("version takes no arguments; unexpected argument \"%s\"", argv[1]);
    if (cli_flags.json) printf("{\"version\":\"%s\"}\n", ken_version());
    else printf("ken %s\n", ken_version());
    return CLI_OK;
}

/* Sets the number of threads once, before any command, from --threads or KEN_THREADS. The library
 * reads KEN_THREADS itself and ignores a value that is not a number; in the command such a value is
 * an error. */
static int set_threads(void)
{
    uint64_t number;
    const char *wish = getenv("KEN_THREADS");
    if (wish && *wish && !cli_number(&number, wish))
        return cli_usage("KEN_THREADS must be a number, not \"%s\"", wish);
    if (cli_flags.threads == 0) return CLI_OK;
    ken_status status = ken_threads_set(cli_flags.threads);
    return status ? cli_fail(status) : CLI_OK;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const struct command *command = find(name);
    if (!command) return unknown_command(name);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        print_command(command);
        return CLI_OK;
    }
    int code = set_threads();
    return code ? code : command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a write to a closed pipe then fails with EPIPE */
    int code = cli_take_flags(&argc, argv);
    if (!code) code = run_command(argc, argv);
    return cli_finish_output(code);
}
