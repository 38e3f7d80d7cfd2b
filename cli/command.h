/* command.h - describes a command in one table row: its name, help and flags. Reading the command
 * line, help, manual pages and completion all use this description.
 * A command is one file cmd_NAME.c, which defines its description and its function, and one row in
 * the list of commands in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>

/* What a flag does with its value. */
enum cli_flag_kind {
    CLI_FLAG_ON,     /* there is no value; sets a bool            */
    CLI_FLAG_WORD,   /* sets a const char * to the value          */
    CLI_FLAG_NUMBER, /* sets a uint64_t to a number within limits */
    CLI_FLAG_KEY     /* sets a key of the recipe to the value     */
};

/* A flag of a command. Everything after `help` is written with one of the macros below. */
struct cli_flag {
    const char *name;  /* with its dashes: "--best", "-o"                              */
    const char *value; /* word for the value in the help, e.g. "N"; NULL = takes none  */
    const char *help;  /* what the flag does, with its default; lines are wrapped      */
    enum cli_flag_kind kind;
    size_t at;            /* where the value goes: bytes from the start of the struct */
    uint64_t least, most; /* limits of a number                                       */
    const char *key;      /* the key that CLI_FLAG_KEY sets                           */
};

#define CLI_ON(type, field) .kind = CLI_FLAG_ON, .at = offsetof(type, field)
#define CLI_WORD(type, field) .kind = CLI_FLAG_WORD, .at = offsetof(type, field)
#define CLI_NUMBER(type, field, low, high)                                                         \
    .kind = CLI_FLAG_NUMBER, .at = offsetof(type, field), .least = (low), .most = (high)
#define CLI_KEY(name) .kind = CLI_FLAG_KEY, .key = (name)

/* The flags of all commands that read data for a trained model. */
#define CLI_READING_FLAGS                                                                          \
    { "--separator", "S",                                                                          \
      "columns of csv and vectors are separated by S: comma, semicolon, tab or auto; default: as " \
      "in training",                                                                               \
      CLI_KEY("data.separator") },                                                                 \
    {                                                                                              \
        "--decimal", "D",                                                                          \
            "decimal mark of numbers: point, comma or auto; default: as in training",              \
            CLI_KEY("data.decimal")                                                                \
    }

/* A command. */
struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code             */
    const char *arguments;             /* the arguments after the name, for the line "usage:"    */
    const char *about;                 /* one line for the list of commands                      */
    const char *details;               /* paragraphs for `ken help NAME`, or NULL                */
    const struct cli_flag *flags;      /* the command's own flags, or NULL                       */
    size_t flag_count;
    bool generates;     /* the command also has the flags of generation (generation.c)           */
    const char *keys;   /* which assignments the command line may have: NULL = none, "" = of all *
                         * sections, "generate. run." = of these sections                       */
    const char *alias;  /* a second name, or NULL                                                */
    bool lists_formats; /* the help ends with the names of all data formats                      */
};

/* The commands in the order of the overview; NULL after the last one. */
const struct cli_command *cli_command_at(size_t i);

/* The flags of every command; their values go to cli_flags. */
extern const struct cli_flag cli_common_flags[];
extern const size_t cli_common_flag_count;

/* The flags of commands with `generates`; each sets a key of section [generate]. */
extern const struct cli_flag cli_generation_flags[];
extern const size_t cli_generation_flag_count;

/* Returns flag i, counted from 0, of a command: its own flags, then those of generation, then the
 * common ones; NULL after the last. */
const struct cli_flag *cli_flag_at(const struct cli_command *command, size_t i);

/* The assignments "section.key=value" of the command line. */
enum { CLI_KEYS_MOST = 160 };
struct cli_keys {
    const char *list[CLI_KEYS_MOST];
    size_t count;
    char made[2048]; /* the text of assignments that flags make, one after another */
    size_t used;     /* bytes of `made` in use                                     */
};

/* The arguments of a command without its flags. */
struct cli_line {
    char **words; /* files, texts and names, in order; they are in argv */
    int count;
    struct cli_keys keys;
};

/* Reads the arguments of a command: flags set the fields of *asked (cli_flags for the common ones),
 * assignments and words go to *line. After "--" every argument is a word. Sets the number of
 * threads of the process. Returns an exit code; anything but CLI_OK was reported. */
int cli_read(struct cli_line *line, const struct cli_command *command, void *asked, int argc,
             char **argv);

/* Reads the common flags at the start of argv and returns their number of arguments in *taken. */
int cli_read_common(int *taken, int argc, char **argv);

/* Returns an exit code: CLI_USAGE with a message if there are more than `most` words. */
int cli_at_most(const struct cli_line *line, const struct cli_command *command, int most);

/* ---- help.c ---------------------------------------------------------------------------------- */

void cli_help_overview(FILE *out); /* prints all commands and the common flags */
void cli_help_command(const struct cli_command *command);

/* ---- manual.c, completion.c ------------------------------------------------------------------ */

/* Prints the manual page of a command, or of the whole program if `command` is NULL. */
void cli_manual(const struct cli_command *command);

/* Prints the completion script for a shell: bash, zsh or fish. Returns an exit code. */
int cli_completion(const char *shell);

/* ---- the commands ---------------------------------------------------------------------------- */

extern const struct cli_command cli_bench, cli_check, cli_compare, cli_demo, cli_eval, cli_info,
    cli_look, cli_run, cli_train;

#endif
