/* progress.h - the progress line, and stopping on Ctrl-C, for the commands that train. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* The state of the progress line on standard error. */
struct cli_screen {
    bool live;    /* whether standard error is a terminal, on which one line is rewritten */
    double shown; /* time of the last progress line, in seconds since the start of the run */
    /* whether a progress line is on the terminal and must be erased before other output */
    bool dirty;
};

struct cli_screen cli_screen(void);
void cli_screen_clear(struct cli_screen *screen); /* erases the progress line */

/* Returns whether another progress line is due; `seconds` is the time since the start of the run. A
 * terminal gets five lines per second, any other output one every 30 seconds. */
bool cli_screen_due(struct cli_screen *screen, double seconds);

/* Shows `words` and the estimated time left. On a terminal the line is rewritten; otherwise a new
 * line is printed. */
void cli_screen_show(struct cli_screen *screen, const char *words, double seconds_left);

/* Makes the process record Ctrl-C, SIGTERM and SIGHUP (closed terminal) instead of ending, so that
 * a run can save its state; a second Ctrl-C or SIGTERM ends the process at once. A signal that the
 * process already ignores stays ignored: background jobs of a script ignore Ctrl-C, and commands
 * under nohup ignore SIGHUP. */
void cli_stop_politely(void);
bool cli_stop_wanted(void);

#endif
