/* run.h - shared by the files of ken run: cmd_run.c (the command), run_read.c (reads the examples),
 * run_print.c (prints the answers). */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/command.h"

#include "base/buffer.h"

/* The arguments of the command line, and how far the answers have come. */
struct run {
    ken_task *task;
    const char *format; /* NULL = not given                                       */
    const char *prompt; /* the text of the only example; NULL = read the examples */
    uint64_t best;      /* results or labels per example; 0 = not given           */
    uint64_t samples;   /* texts drawn per example; 0 = not given                 */
    bool scores;        /* print a score after each answer                        */
    bool columns;       /* each row gets its own line                             */
    bool stream;        /* print texts while they are written                     */
    bool raw;           /* print texts as they are, without escapes               */
    bool node_lines;    /* each node gets its own line                            */
    bool midway;        /* with `stream`: the text on the current line goes on    */
    size_t answered;    /* examples answered so far                               */
    bool failed;        /* a file or an example was bad; it was reported          */
    int code;           /* exit code of a failure that was already reported, or 0 */
    ken_buffer line;
};

/* Returns whether a key of the model's recipe has this value. */
bool run_is_set(const ken_task *task, const char *key, const char *value);

/* Answers the examples of files, or of standard input if there are no files. A file that cannot be
 * read is reported, and the next file is answered. */
ken_status run_files(struct run *run, char **files, int count);

/* Answers the text of --prompt, which is one line. */
ken_status run_prompt(struct run *run);

/* The line that is printed in place of the answer to a bad example. */
#define RUN_ERROR_LINE "#error"

/* Prints an answer; a ken_answer_fn whose `user` is a struct run. Returns non-zero, which stops the
 * run, if the answer cannot be printed, for instance because the reader of a pipe is gone. A
 * failure other than that of standard output is reported here and its exit code kept. */
int run_print(void *user, const ken_answer *answer);

/* Prints a piece of text at once; a ken_fragment_fn whose `user` is a struct run. Returns non-zero
 * like run_print(). */
int run_stream(void *user, const ken_fragment *fragment);

#endif
