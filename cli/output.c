/* output.c - standard output: where results go, and whether they arrived. */
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_error; /* errno of the first write that failed in this file, or 0 */

static void record(bool good)
{
    if (!good && write_error == 0) write_error = errno;
}

void cli_print(void *user, const char *text, size_t length)
{
    (void)user;
    record(fwrite(text, 1, length, stdout) == length);
}

bool cli_flush(void)
{
    record(fflush(stdout) == 0);
    return !ferror(stdout);
}

/* Returns whether standard output is a pipe without a reader, as in `ken ... | head -1`. */
static bool reader_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Flushes and chooses the exit code. A write that failed elsewhere, in printf(), may be long past
 * and its errno gone. So the pipe itself is asked whether it has a reader, and an unknown cause is
 * reported as EIO. */
int cli_finish_output(int code)
{
    if (cli_flush()) return code;
    if (reader_gone()) return code ? code : CLI_FAILED;
    fprintf(stderr, "ken: cannot write to standard output: %s\n",
            strerror(write_error ? write_error : EIO));
    return CLI_RESOURCES;
}
