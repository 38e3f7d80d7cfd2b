/* progress.h - what the commands that train share: a line that changes while they work, and the
 * wish to stop. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* How progress is shown on standard error. */
struct cli_screen {
    bool live;    /* a terminal: one line that changes */
    double shown; /* when, in seconds of the run       */
    bool dirty;   /* a live line stands there          */
};

struct cli_screen cli_screen(void);
void cli_screen_clear(struct cli_screen *screen); /* takes the live line away */

/* Whether it is time for another line; `seconds` is now. On a terminal several a second, else one
 * every half minute. */
bool cli_screen_due(struct cli_screen *screen, double seconds);

/* Shows `words` and how long it will still take: in place on a terminal, else as a line. */
void cli_screen_show(struct cli_screen *screen, const char *words, double seconds_left);

/* From now on Ctrl-C and SIGTERM are only noted, so that a run can save its state; a second one
 * ends the process at once. What is ignored already stays so: Ctrl-C of a script's other commands
 * does not mean a job in its background. */
void cli_stop_politely(void);
bool cli_stop_wanted(void);

#endif
