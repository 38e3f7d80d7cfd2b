/* draw.c - draws pictures on standard output, with the width and the colours of the terminal. */
#include "cli/draw.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static ken_terminal colours(void)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM"), *more = getenv("COLORTERM");
    if (!isatty(STDOUT_FILENO) || (no && *no)) return KEN_TERMINAL_PLAIN;
    if (kind && strcmp(kind, "dumb") == 0) return KEN_TERMINAL_PLAIN;
    if (more && (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0))
        return KEN_TERMINAL_FULL;
    return KEN_TERMINAL_256;
}

/* Returns the width to draw in, in terminal columns: the environment variable COLUMNS if it is set,
 * otherwise the width of the terminal; 0 (no limit) if standard output is not a terminal. */
static size_t width(void)
{
    struct winsize size;
    uint64_t number;
    const char *wish = getenv("COLUMNS");
    if (wish && cli_number(&number, wish) && number < 10000) return (size_t)number;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

ken_status cli_draw(const ken_picture *picture)
{
    return ken_picture_text(picture, width(), colours(), cli_print, NULL);
}
