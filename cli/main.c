/* main.c - the ken command: takes the common flags, finds the subcommand, hands over.
 * Not here: what a command does (its own file), or how errors are worded (message.c). */
#include "cli/cli.h"

#include "base/size.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cli_flags cli_flags;

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *about;
    const char *details; /* more lines for ken help NAME, or NULL */
} commands[] = {
    { "bench", ken_cli_bench, "[NAME...] [--list] [--quick] [--svg FOLDER]",
      "measure ken beside its peers",
      "NAME is a group, a case or the beginning of one up to a slash; without any, all run.\n"
      "  --list   names of all groups and cases\n"
      "  --quick  two short rounds a case: to see that it works, not how fast\n"
      "  --svg F  pictures of groups that show growth with size, into folder F\n"
      "KEN_PEER_PYTHON names a python that has torch, for the cases measured beside PyTorch.\n" },
    { "check", ken_cli_check, "RECIPE [section.key=value...]",
      "look at a recipe's data before training",
      "Counts, lengths, labels, duplicates, overlap of train and test, every bad line.\n" },
    { "compare", ken_cli_compare,
      "RECIPE section.key=a,b,c... [section.key=value...] [--seeds N] [--tests LIST] -o FOLDER | "
      "--resume FOLDER",
      "train variants of a recipe side by side and measure them",
      "Every combination of the listed values trains with the same data, seeds and budget; its "
      "best\n"
      "model is measured by the recipe's metric on data.test, or data.dev when there is no test.\n"
      "A comma that belongs to a value is written \\, .\n"
      "  --seeds N        so many runs of each variant, with train.seed, train.seed + 1 ...\n"
      "  --tests LIST     measure each model on these as well: a,b,c, each as data.test is "
      "written;\n"
      "                   of distances (1000@1,1000@8,1000@64) a chart of lines is drawn\n"
      "  --resume FOLDER  go on with a comparison that was stopped, with the same result\n"
      "FOLDER gets compare.md, compare.svg, compare.json and all runs; the table is printed, too.\n"
      "A variant that fails does not stop the others; the exit code is then 1.\n" },
    { "demo", ken_cli_demo, "", "learn to read dates, in about a minute, and show it", NULL },
    { "eval", ken_cli_eval, "MODEL DATA [DATA2] [generate.key=value...]",
      "measure a model on data in its recipe's format",
      "DATA2 is the second file of formats that have two (parallel, npy, nodes). Behind the files "
      "may\n"
      "stand @PART, a part as data.split says.\n" },
    { "info", ken_cli_info, "FILE", "tell what is in a model or checkpoint file", NULL },
    { "look", ken_cli_look, "MODEL INPUT [--layer L] [--head H] [generate.key=value...]",
      "draw what a model looks at in one example",
      "INPUT is a text; of a model that reads numbers, a file; - reads standard input.\n"
      "  --file F       the input is the first example of a file, or number N with --example N\n"
      "  --format F     of that file, as with run; without it a line is an example\n"
      "  --target TEXT  a generator writes this instead of what it would write\n"
      "  --which W      encoder, decoder or cross (from what is written to the input)\n"
      "  --layer L, --head H  one of them, from 1; without, each (on a terminal the last layer's "
      "mean)\n"
      "  --mean         the mean of all heads\n"
      "  --rollout      followed through all layers (or up to L) down to the input\n"
      "  --svg F, --html F, --npy F, --json  a picture, a page, an array, an object; F may be - "
      "(not npy)\n"
      "  --positions    instead of attention, the positions that are added at the input;\n"
      "                 --rows N of them\n" },
    { "run", ken_cli_run, "MODEL [FILE...] [generate.key=value...]",
      "let a model answer files, or standard input",
      "One example a line, unless another format is named; one answer a line. Graphs: JSON, or\n"
      "with a model of one graph a file of nodes and a file of links.\n"
      "  --format F  of the input: conllu, columns, tsv, csv, fasttext, vectors, npy, lines, "
      "graphs,\n"
      "              nodes\n"
      "  --best N    so many results of a generator, with rank and score\n"
      "  --scores    the probability behind each answer\n" },
    { "train", ken_cli_train, "RECIPE [section.key=value...] -o FOLDER | --resume FOLDER",
      "train a model as a recipe says",
      "FOLDER gets model.ken, checkpoints and logs. Ctrl-C saves and stops; --resume goes on, "
      "with\n"
      "the same result as if nothing had happened.\n"
      "Keys of recipes: docs/RECIPES.md; recipes to start from: recipes/.\n" },
    { "version", run_version, "", "print the version", NULL },
    { "help", run_help, "[COMMAND|recipe]", "explain a command or the keys of recipes, or list all",
      NULL },
};

static const char common_flags[] =
    "Flags of every command:\n"
    "  --threads N  threads to use; 0: one per processor (or KEN_THREADS)\n"
    "  --seed N     where random numbers start\n"
    "  --json       results as one JSON object a line\n"
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
    printf("\n%s", common_flags);
}

static void print_text(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

static int run_help(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stdout);
        return CLI_OK;
    }
    if (strncmp(argv[1], "recipe", 6) == 0 || strcmp(argv[1], "keys") == 0) {
        ken_status status = ken_recipe_keys(print_text, NULL);
        return status ? cli_fail(status) : CLI_OK;
    }
    const struct command *command = find(argv[1]);
    if (!command) return unknown_command(argv[1]);
    print_command(command);
    return CLI_OK;
}

static int run_version(int argc, char **argv)
{
    if (argc > 1) return cli_usage("version takes no argument, \"%s\" given", argv[1]);
    if (cli_flags.json) printf("{\"version\":\"%s\"}\n", ken_version());
    else printf("ken %s\n", ken_version());
    return CLI_OK;
}

const char *cli_value(const char *name, char **argv, int argc, int *i)
{
    size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0) return NULL;
    if (argv[*i][length] == '=') return argv[*i] + length + 1;
    if (argv[*i][length] != '\0') return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

/* Takes the common flags out of argv; what stays is in *argc and argv. After "--" nothing is a
 * flag. Returns an exit code. */
static int take_flags(int *argc, char **argv)
{
    int kept = 1, i = 1;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        uint64_t number;
        const char *value;
        if (strcmp(argv[i], "--quiet") == 0) cli_flags.quiet = true;
        else if (strcmp(argv[i], "--json") == 0) cli_flags.json = true;
        else if ((value = cli_value("--threads", argv, *argc, &i))) {
            if (!cli_number(&number, value) || number > SIZE_MAX)
                return cli_usage("--threads wants a number, not \"%s\"", value);
            cli_flags.threads = (size_t)number;
        } else if ((value = cli_value("--seed", argv, *argc, &i))) {
            if (!cli_number(&cli_flags.seed, value))
                return cli_usage("--seed wants a number, not \"%s\"", value);
            cli_flags.seeded = true;
        } else argv[kept++] = argv[i];
    }
    for (; i < *argc; i++) argv[kept++] = argv[i];
    *argc = kept;
    argv[kept] = NULL;
    return CLI_OK;
}

/* Threads are set once, before any command: by the flag, else by KEN_THREADS, which the library
 * reads by itself but forgives; here a misspelt value is an error. */
static int set_threads(void)
{
    uint64_t number;
    const char *wish = getenv("KEN_THREADS");
    if (wish && *wish && !cli_number(&number, wish))
        return cli_usage("KEN_THREADS wants a number, not \"%s\"", wish);
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

/* Whether standard output is a pipe that nobody reads any more, as behind `| head -1`. */
static bool reader_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* A full disk must not end in success; a reader that went away is no error of ours to report.
 * The write that failed may be long past and its errno gone, so the pipe itself is asked. */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (reader_gone()) return code ? code : CLI_FAILED;
    fprintf(stderr, "ken: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
    return CLI_RESOURCES;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a write then fails with EPIPE and is handled like any other */
    int code = take_flags(&argc, argv);
    if (!code) code = run_command(argc, argv);
    return finish_output(code);
}
