/* bench.c - ken bench: which benchmarks to run, and how. The measuring itself is in bench/. */
#include "cli/cli.h"

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

/* Returns whether a name selects at least one benchmark. All names are checked before anything is
 * measured. */
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

/* Fails with a message that suggests the nearest name of a group or a single benchmark. */
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

int ken_cli_bench(int argc, char **argv)
{
    static const char *const flags[] = { "--list",  "--quick",   "--json", "--svg",
                                         "--quiet", "--threads", "--seed" };
    const char *wishes[MOST_NAMES];
    struct bench_options options = {
        .wishes = wishes,
        .seed = cli_flags.seed,
        .json = cli_flags.json,
        .quiet = cli_flags.quiet,
    };
    bool list = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) list = true;
        else if (strcmp(argv[i], "--quick") == 0) options.quick = true;
        else if (strcmp(argv[i], "--svg") == 0 && i + 1 < argc) options.folder = argv[++i];
        else if (argv[i][0] == '-') return cli_unknown("flag", argv[i], flags, KEN_COUNT(flags));
        else if (!known(argv[i])) return unknown(argv[i]);
        else if (options.count == MOST_NAMES) return cli_usage("at most %d names", MOST_NAMES);
        else wishes[options.count++] = argv[i];
    }
    if (list) {
        print_list();
        return CLI_OK;
    }
    ken_status status = bench_main(&options);
    return status ? cli_fail(status) : CLI_OK;
}
