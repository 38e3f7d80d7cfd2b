/* cli.h - what the files of the command share: exit codes, the flags of every command, messages,
 * and opening models and recipes. command.h describes a command and its arguments.
 * A command returns the exit code. Results go to standard output, everything else to standard
 * error. main() checks that standard output could be written. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "ken.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,     /* the command line is wrong              */
    CLI_INPUT = 3,     /* a file is wrong, missing or unreadable */
    CLI_DIVERGED = 4,  /* a loss or gradient is not finite       */
    CLI_RESOURCES = 5, /* no disk space or memory is left        */
    CLI_INTERRUPTED = 130
};

/* The common flags, which every command accepts anywhere on the command line. */
struct cli_flags {
    uint64_t threads; /* --threads N; 0 = KEN_THREADS, or one per processor */
    uint64_t seed;    /* --seed N                                           */
    bool seeded;      /* whether --seed was given                           */
    bool quiet;       /* --quiet: no progress                               */
    bool json;        /* --json: results as JSON objects, one per line      */
    bool help;        /* --help: explain the command and do nothing else    */
};
extern struct cli_flags cli_flags; /* set by cli_read() */

/* ---- message.c ------------------------------------------------------------------------------- */

/* Prints a text of the data or of the command line, with control characters escaped (base/text.h),
 * so that the text cannot control the terminal. */
void cli_put(FILE *stream, const char *text);

/* Print "ken: ..." to standard error, escaped like cli_put(); cli_usage() returns CLI_USAGE. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports a word that is not among `names`, suggests the nearest name and returns CLI_USAGE:
 * cli_unknown("command", ...) prints `ken: unknown command "bnch", did you mean "bench"?`. */
int cli_unknown(const char *what, const char *word, const char *const *names, size_t count);

/* Prints ken_last_error() and returns the exit code for `status`. */
int cli_fail(ken_status status);

/* ---- arguments.c ----------------------------------------------------------------------------- */

/* Reads a number that has only digits. Returns false if there is a sign, a blank or anything else,
 * or if the number is too large. */
bool cli_number(uint64_t *out, const char *text);

/* ---- open.c ---------------------------------------------------------------------------------- */

struct cli_keys; /* the assignments "section.key=value" of the command line; see command.h */

/* Load a model, or read a recipe; set generate.seed or train.seed if --seed was given, and then the
 * keys of the command line. The caller frees *task or *recipe, also after a failure. */
ken_status cli_open_task(ken_task **task, const char *path, const struct cli_keys *keys);
ken_status cli_open_recipe(ken_recipe **recipe, const char *path, const struct cli_keys *keys);

/* ---- output.c -------------------------------------------------------------------------------- */

/* Prints to standard output; a ken_text_fn that does not use `user`. */
void cli_print(void *user, const char *text, size_t length);

/* Flushes standard output. Returns false if any write to it failed, now or before. */
bool cli_flush(void);

/* Flushes standard output and returns the exit code of the command: `code`, unless a write failed,
 * now or before, which must not end in success. The failure is reported unless the reader of a pipe
 * went away. */
int cli_finish_output(int code);

#endif
