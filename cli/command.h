/* command.h - the description of a command: its name, help and flags. Reading the command line,
 * help, manual pages and shell completion all use this description. Each command is a file
 * cmd_NAME.c, which defines its description and its function. The list of commands is in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>

/* What is done with the value of a flag. */
enum cli_flag_kind {
    CLI_FLAG_ON,     /* a flag without a value: sets a bool to true */
    CLI_FLAG_WORD,   /* sets a const char * to the value */
    CLI_FLAG_NUMBER, /* sets a uint64_t to a number within limits */
    CLI_FLAG_KEY     /* sets a key of the recipe to the value */
};

/* The description of a flag. The fields after `help` are written with one of the macros CLI_ON,
 * CLI_WORD, CLI_NUMBER and CLI_KEY. */
struct cli_flag {
    const char *name; /* name of the flag with its dashes: "--best", "-o" */
    /* placeholder of the value in the help, such as "N"; NULL = the flag has no value */
    const char *value;
    /* what the flag does, and its default; long text is wrapped when it is printed */
    const char *help;
    enum cli_flag_kind kind;
    /* byte offset, in the struct of the command's values, of the field that is set */
    size_t at;
    uint64_t least, most; /* range of the value of CLI_FLAG_NUMBER */
    const char *key;      /* recipe key that CLI_FLAG_KEY sets */
};

#define CLI_ON(type, field) .kind = CLI_FLAG_ON, .at = offsetof(type, field)
#define CLI_WORD(type, field) .kind = CLI_FLAG_WORD, .at = offsetof(type, field)
#define CLI_NUMBER(type, field, low, high)                                                         \
    .kind = CLI_FLAG_NUMBER, .at = offsetof(type, field), .least = (low), .most = (high)
#define CLI_KEY(name) .kind = CLI_FLAG_KEY, .key = (name)

/* The flags that are common to all commands that read data for a trained model. */
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

/* The description of a command. */
struct cli_command {
    const char *name;
    /* runs the command; argv[0] is its name; returns the exit code */
    int (*run)(int argc, char **argv);
    /* arguments after the command's name, as the line "usage:" of the help shows them */
    const char *arguments;
    /* one line about the command, for the list of all commands */
    const char *about;
    const char *details;          /* paragraphs that `ken help NAME` prints; NULL = none */
    const struct cli_flag *flags; /* flags of this command alone; NULL = none */
    size_t flag_count;
    /* whether the command also has the flags in generation.c, which set [generate] keys */
    bool generates;
    /* Sections of the recipe whose keys may be assigned on the command line, such as "generate.
     * run."; "" = all sections, NULL = none. */
    const char *keys;
    const char *alias;  /* second name of the command, or NULL */
    bool lists_formats; /* whether the help ends with the names of all data formats */
};

/* Returns command i in the order of the overview; NULL after the last one. */
const struct cli_command *cli_command_at(size_t i);

/* The flags that every command has. Their values are stored in cli_flags. */
extern const struct cli_flag cli_common_flags[];
extern const size_t cli_common_flag_count;

/* The flags of commands whose field `generates` is set. Each flag sets a key of section
 * [generate]. */
extern const struct cli_flag cli_generation_flags[];
extern const size_t cli_generation_flag_count;

/* Returns flag i of a command, counted from 0; NULL after the last flag. The command's own flags
 * come first, then the flags of generation, then the common flags. */
const struct cli_flag *cli_flag_at(const struct cli_command *command, size_t i);

/* The assignments "section.key=value" of the command line. */
enum { CLI_KEYS_MOST = 160 };
struct cli_keys {
    const char *list[CLI_KEYS_MOST];
    size_t count;
    char made[2048]; /* text of the assignments that were made from flags, one after another */
    size_t used;     /* number of bytes of `made` in use */
};

/* The arguments of a command that are not flags. */
struct cli_line {
    char **words; /* files, texts and names in their order; stored in argv */
    int count;
    struct cli_keys keys;
};

/* Reads the arguments of a command. Common flags are stored in cli_flags, other flags in *asked,
 * assignments and words in *line. After "--" every argument is a word. Also sets the number of
 * threads of the process. Returns an exit code. Unless it is CLI_OK, the failure has already been
 * reported. */
int cli_read(struct cli_line *line, const struct cli_command *command, void *asked, int argc,
             char **argv);

/* Reads the common flags at the start of argv. *taken receives the number of arguments that they
 * use. */
int cli_read_common(int *taken, int argc, char **argv);

/* Fails with a message and returns CLI_USAGE if the command line has more than `most` words;
 * returns CLI_OK otherwise. */
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
