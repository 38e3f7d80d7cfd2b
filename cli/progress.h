/* progress.h - shared by the commands that train: a line about the progress, and stopping on
 * Ctrl-C. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* How progress is shown on standard error. */
struct cli_screen {
    bool live;    /* standard error is a terminal: one line is rewritten */
    double shown; /* when the last line was shown, in seconds of the run */
    bool dirty;   /* a progress line is on the terminal now              */
};

struct cli_screen cli_screen(void);
void cli_screen_clear(struct cli_screen *screen); /* erases the progress line */

/* Returns whether it is time for another progress line; `seconds` is the time now. A terminal gets
 * five lines per second, anything else one every 30 seconds. */
bool cli_screen_due(struct cli_screen *screen, double seconds);

/* Shows `words` and the estimated time left: rewrites the line on a terminal, otherwise prints a
 * new line. */
void cli_screen_show(struct cli_screen *screen, const char *words, double seconds_left);

/* From now on only records Ctrl-C, SIGTERM and SIGHUP (the terminal was closed), so that a run can
 * save its state; a second Ctrl-C or SIGTERM ends the process at once. A signal that the process
 * already ignores stays ignored: a script's background jobs ignore the Ctrl-C that is meant for its
 * other commands, and commands under nohup ignore SIGHUP. */
void cli_stop_politely(void);
bool cli_stop_wanted(void);

#endif
