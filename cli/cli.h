/* cli.h - shared by the files of the command `ken`: exit codes, the flags of every command,
 * messages, and opening models and recipes. command.h describes a command and its arguments.
 * Results go to standard output, everything else to standard error. A command returns its exit
 * code; main() then checks that all output could be written. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "ken.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,     /* the command line is invalid */
    CLI_INPUT = 3,     /* an input file is invalid, missing or unreadable */
    CLI_DIVERGED = 4,  /* a loss or gradient is not finite */
    CLI_RESOURCES = 5, /* no disk space or memory is left */
    CLI_INTERRUPTED = 130
};

/* The flags that every command accepts, anywhere on the command line. */
struct cli_flags {
    uint64_t threads; /* --threads N: number of threads; 0 = KEN_THREADS, or one per processor */
    uint64_t seed;    /* --seed N: seed of random numbers */
    bool seeded;      /* whether --seed was given */
    bool quiet;       /* --quiet: print no progress */
    bool json;        /* --json: print results as JSON objects, one per line */
    bool help;        /* --help: only explain the command */
};
extern struct cli_flags cli_flags; /* the flags of this process, which cli_read() sets */

/* ---- message.c ------------------------------------------------------------------------------- */

/* Prints a text of the data or of the command line, with control characters escaped (base/text.h),
 * so that the text cannot control the terminal. */
void cli_put(FILE *stream, const char *text);

/* Print "ken: ..." to standard error, escaped like cli_put(); cli_usage() returns CLI_USAGE. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports a word that is not among `names`, suggests the nearest name and returns CLI_USAGE. For
 * example, cli_unknown("command", ...) prints `ken: unknown command "bnch", did you mean
 * "bench"?`. */
int cli_unknown(const char *what, const char *word, const char *const *names, size_t count);

/* Prints ken_last_error() and returns the exit code for `status`. */
int cli_fail(ken_status status);

/* ---- arguments.c ----------------------------------------------------------------------------- */

/* Reads a number that consists of digits only. Returns false if the text has a sign, a space or any
 * other character, or if the number is too large. */
bool cli_number(uint64_t *out, const char *text);

/* ---- open.c ---------------------------------------------------------------------------------- */

struct cli_keys; /* the assignments "section.key=value" of the command line; see command.h */

/* cli_open_task() loads a model, cli_open_recipe() reads a recipe. If --seed was given, they set
 * generate.seed or train.seed; then they set the keys of the command line. The caller frees *task
 * or *recipe, also after a failure. */
ken_status cli_open_task(ken_task **task, const char *path, const struct cli_keys *keys);
ken_status cli_open_recipe(ken_recipe **recipe, const char *path, const struct cli_keys *keys);

/* ---- output.c -------------------------------------------------------------------------------- */

/* Prints text to standard output. It is a ken_text_fn, a callback of the library; `user` is
 * ignored. */
void cli_print(void *user, const char *text, size_t length);

/* Flushes standard output. Returns false if this or any earlier write to it failed. */
bool cli_flush(void);

/* Flushes standard output and returns the exit code of the process: `code`, or an error code if a
 * write to standard output has failed. The failure is reported, except if the reader of a pipe went
 * away. */
int cli_finish_output(int code);

#endif
