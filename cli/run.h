/* run.h - shared by the files of ken run: cmd_run.c (the command), run_read.c (reads the examples),
 * run_print.c (prints the answers). */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/command.h"

#include "base/buffer.h"

/* The values of the command line of ken run, and the state of the answering. */
struct run {
    ken_task *task;
    const char *format; /* --format: format of the examples; NULL = not given */
    /* --prompt: text of the only example; NULL = the examples are read from files */
    const char *prompt;
    uint64_t best;    /* --best: number of results or labels per example; 0 = not given */
    uint64_t samples; /* --samples: number of texts drawn per example; 0 = not given */
    bool scores;      /* --scores: print a score with each answer */
    bool columns;     /* whether each row of an example is printed on a line of its own */
    bool stream;      /* whether texts are printed while they are generated */
    bool raw;         /* --raw: print texts unchanged, without escapes */
    bool node_lines;  /* whether each node of a graph is printed on a line of its own */
    bool midway;      /* with `stream`: whether the text on the current line is incomplete */
    size_t answered;  /* number of examples answered so far */
    bool failed;      /* whether a file or an example was bad (and was reported) */
    int code;         /* exit code of a failure that was already reported; 0 = none */
    ken_buffer line;
};

/* Returns whether the key `key` of the model's recipe has the value `value`. */
bool run_is_set(const ken_task *task, const char *key, const char *value);

/* Answers the examples of files, or of standard input if there are no files. A file that cannot be
 * read is reported, and the following files are still answered. */
ken_status run_files(struct run *run, char **files, int count);

/* Answers the text of --prompt, which is one example. */
ken_status run_prompt(struct run *run);

/* The line that is printed in place of the answer to a bad example. */
#define RUN_ERROR_LINE "#error"

/* Prints an answer. It is a ken_answer_fn whose `user` is a struct run. Returns non-zero, which
 * stops the run, if the answer cannot be printed, for instance because the reader of a pipe has
 * gone. Failures of standard output are reported by main(); any other failure is reported here, and
 * run->code is set. */
int run_print(void *user, const ken_answer *answer);

/* Prints a piece of generated text at once. It is a ken_fragment_fn whose `user` is a struct run.
 * Like run_print(), it returns non-zero if it cannot print. */
int run_stream(void *user, const ken_fragment *fragment);

#endif
