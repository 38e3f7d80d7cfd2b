/* arguments.c - reading the command line: numbers, flags with values, the common flags. */
#include "cli/cli.h"

#include <string.h>

/* Reads a number. Unlike strtoull(), it refuses blanks and signs and fails on overflow. */
bool cli_number(uint64_t *out, const char *text)
{
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) return false;
    }
    *out = value;
    return true;
}

const char *cli_value(const char *name, char **argv, int argc, int *i)
{
    size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0) return NULL;
    if (argv[*i][length] == '=') return argv[*i] + length + 1;
    if (argv[*i][length] != '\0') return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

int cli_take_flags(int *argc, char **argv)
{
    int kept = 1, i = 1;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        uint64_t number;
        const char *value;
        if (strcmp(argv[i], "--quiet") == 0) cli_flags.quiet = true;
        else if (strcmp(argv[i], "--json") == 0) cli_flags.json = true;
        else if ((value = cli_value("--threads", argv, *argc, &i))) {
            if (!cli_number(&number, value) || number > SIZE_MAX)
                return cli_usage("--threads needs a number, not \"%s\"", value);
            cli_flags.threads = (size_t)number;
        } else if ((value = cli_value("--seed", argv, *argc, &i))) {
            if (!cli_number(&cli_flags.seed, value))
                return cli_usage("--seed needs a number below 2^64, not \"%s\"", value);
            cli_flags.seeded = true;
        } else argv[kept++] = argv[i];
    }
    for (; i < *argc; i++) argv[kept++] = argv[i];
    *argc = kept;
    argv[kept] = NULL;
    return CLI_OK;
}
