/* cli.h - what the files of the command share: exit codes, flags of every command, messages.
 * A command is one function in one file: it gets its name and its own arguments, the common flags
 * already taken out, and returns the exit code. Results go to standard output, all else to
 * standard error; main() checks that standard output could be written. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "ken.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,     /* the command line is wrong            */
    CLI_INPUT = 3,     /* a file is wrong, missing, unreadable */
    CLI_DIVERGED = 4,  /* a loss or gradient is not finite     */
    CLI_RESOURCES = 5, /* no disk space or memory left         */
    CLI_INTERRUPTED = 130
};

/* Accepted anywhere on the command line, by every command. */
struct cli_flags {
    size_t threads; /* --threads N; 0: one per processor, or KEN_THREADS */
    uint64_t seed;  /* --seed N                                          */
    bool seeded;    /* it was given                                      */
    bool quiet;     /* --quiet: no progress                              */
    bool json;      /* --json: results as one object a line              */
};
extern struct cli_flags cli_flags; /* set by main() before the command runs */

/* Prints "ken: ..." and returns CLI_USAGE. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a word that is not among `names`, with the nearest one as a suggestion:
 * cli_unknown("command", ...) says `ken: unknown command "bnch", did you mean "bench"?`. */
int cli_unknown(const char *what, const char *word, const char *const *names, size_t count);

/* Prints ken_last_error() and returns the exit code that belongs to `status`. */
int cli_fail(ken_status status);

/* Digits only, no sign, no blanks; false when `text` is anything else or too large. */
bool cli_number(uint64_t *out, const char *text);

/* The value of flag `name` at argv[*i]: after "=" or the next argument, which is then used up.
 * NULL when argv[*i] is another flag, "" when the value is missing. */
const char *cli_value(const char *name, char **argv, int argc, int *i);

int ken_cli_bench(int argc, char **argv);
int ken_cli_check(int argc, char **argv);
int ken_cli_compare(int argc, char **argv);
int ken_cli_demo(int argc, char **argv);
int ken_cli_eval(int argc, char **argv);
int ken_cli_info(int argc, char **argv);
int ken_cli_look(int argc, char **argv);
int ken_cli_run(int argc, char **argv);
int ken_cli_train(int argc, char **argv);

#endif
