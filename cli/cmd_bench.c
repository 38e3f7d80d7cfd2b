/* cmd_bench.c - ken bench: selects the benchmarks to run. The benchmarks themselves are in
 * bench/. */
#include "cli/command.h"

#include "base/size.h"
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 512 };

static void print_list(void)
{
    for (size_t g = 0; g < bench_group_count(); g++) {
        const struct bench_group *group = bench_group_at(g);
        if (!cli_flags.json) printf("%s  %s\n", group->name, group->about);
        for (size_t i = 0; i < group->count; i++) {
            struct bench_case info;
            group->describe(&info, i);
            if (cli_flags.json) printf("{\"case\":\"%s\",\"unit\":\"%s\"}\n", info.name, info.unit);
            else printf("    %s\n", info.name);
        }
    }
}

/* Returns whether the name `wish` selects at least one benchmark. All names are checked before
 * anything is measured. */
static bool known(const char *wish)
{
    for (size_t g = 0; g < bench_group_count(); g++)
        for (size_t i = 0; i < bench_group_at(g)->count; i++) {
            struct bench_case info;
            bench_group_at(g)->describe(&info, i);
            if (bench_matches(wish, info.name)) return true;
        }
    return false;
}

/* Fails because no benchmark or group has the name `wish`; the message suggests the nearest
 * name. */
static int unknown(const char *wish)
{
    static struct bench_case cases[MOST_NAMES];
    static const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t g = 0; g < bench_group_count(); g++) names[count++] = bench_group_at(g)->name;
    for (size_t g = 0; g < bench_group_count(); g++)
        for (size_t i = 0; i < bench_group_at(g)->count && count < MOST_NAMES; i++) {
            bench_group_at(g)->describe(&cases[count], i);
            names[count] = cases[count].name;
            count++;
        }
    return cli_unknown("benchmark", wish, names, count);
}

/* The values of the command line of ken bench. */
struct asked {
    bool list, quick;
    const char *svg;
};

static const struct cli_flag flags[] = {
    { "--list", NULL, "print the names of all groups and cases", CLI_ON(struct asked, list) },
    { "--quick", NULL, "two short rounds per case: to see that it works, not how fast it is",
      CLI_ON(struct asked, quick) },
    { "--svg", "FOLDER", "write charts of the groups that show growth with size",
      CLI_WORD(struct asked, svg) },
};

static int run(int argc, char **argv)
{
    struct asked asked = { 0 };
    struct cli_line line;
    int code = cli_read(&line, &cli_bench, &asked, argc, argv);
    if (code) return code;
    for (int i = 0; i < line.count; i++)
        if (!known(line.words[i])) return unknown(line.words[i]);
    if (asked.list) {
        print_list();
        return CLI_OK;
    }
    struct bench_options options = {
        .wishes = (const char **)line.words,
        .count = (size_t)line.count,
        .folder = asked.svg,
        .quick = asked.quick,
        .seed = cli_flags.seed,
        .json = cli_flags.json,
        .quiet = cli_flags.quiet,
    };
    ken_status status = bench_main(&options);
    return status ? cli_fail(status) : CLI_OK;
}

const struct cli_command cli_bench = {
    .name = "bench",
    .run = run,
    .arguments = "[NAME...] [--list] [--quick] [--svg FOLDER]",
    .about = "measure the speed of ken beside its peers",
    .details = "NAME is a group, a case, or the beginning of a case up to a slash. Without a NAME "
               "all run.\n"
               "KEN_PEER_PYTHON names a Python that has torch, for the cases beside PyTorch.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
};
