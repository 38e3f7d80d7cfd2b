/* progress.c - the progress line, and the handling of signals, of commands that run for a long
 * time. */
#include "cli/progress.h"

#include "base/text.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* Records a signal. A second Ctrl-C or SIGTERM ends the process. A second SIGHUP does not, because
 * the shell and the kernel may each send one when a terminal closes, while the run is still saving
 * its state. */
static void interrupt(int number)
{
    interrupted = 1;
    if (number != SIGHUP) signal(number, SIG_DFL);
}

static void heed(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN) return;
    signal(number, interrupt);
}

void cli_stop_politely(void)
{
    heed(SIGINT);
    heed(SIGTERM);
    heed(SIGHUP);
}

bool cli_stop_wanted(void)
{
    return interrupted != 0;
}

struct cli_screen cli_screen(void)
{
    return (struct cli_screen){ .live = isatty(STDERR_FILENO) };
}

void cli_screen_clear(struct cli_screen *screen)
{
    if (screen->dirty) fputs("\r\033[K", stderr);
    screen->dirty = false;
}

bool cli_screen_due(struct cli_screen *screen, double seconds)
{
    double every = screen->live ? 0.2 : 30; /* seconds between two progress lines */
    if (seconds >= screen->shown && seconds - screen->shown < every) return false;
    screen->shown = seconds;
    return true;
}

static void time_left(char *out, size_t size, double seconds)
{
    if (!isfinite(seconds)) snprintf(out, size, "-");
    else if (seconds < 100) snprintf(out, size, "%.0f s", seconds);
    else if (seconds < 6000) snprintf(out, size, "%.0f min", seconds / 60);
    else snprintf(out, size, "%.1f h", seconds / 3600);
}

/* Returns how many bytes of `words` fit on a terminal line before `rest`. The line must not wrap,
 * because a wrapped line cannot be erased. */
static int bytes_that_fit(const char *words, const char *rest)
{
    struct winsize window = { 0 };
    size_t length = strlen(words), bytes = 0;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
    if (columns == 0) return (int)length;
    int room = columns - 1 - (int)strlen(rest);
    for (; bytes < length && room > 0; room--)
        bytes += ken_text_step(words + bytes, length - bytes);
    return (int)bytes;
}

void cli_screen_show(struct cli_screen *screen, const char *words, double seconds_left)
{
    char left[32], rest[48];
    cli_screen_clear(screen);
    time_left(left, sizeof left, seconds_left);
    snprintf(rest, sizeof rest, "  %s left", left);
    fprintf(stderr, "%.*s%s%s", screen->live ? bytes_that_fit(words, rest) : (int)strlen(words),
            words, rest, screen->live ? "" : "\n");
    fflush(stderr);
    screen->dirty = screen->live;
}
