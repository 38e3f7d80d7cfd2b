/* output.c - writes results to standard output, and checks that all of them could be written. */
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_error; /* errno of the first write in output.c that failed; 0 = none failed */

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

/* Returns whether standard output is a pipe whose reader has gone, as in `ken ... | head -1`. */
static bool reader_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Flushes standard output and chooses the exit code. If an earlier printf() failed, its errno is
 * lost. So a test of the pipe shows whether its reader has gone, and any other cause is reported as
 * EIO. */
int cli_finish_output(int code)
{
    if (cli_flush()) return code;
    if (reader_gone()) return code ? code : CLI_FAILED;
    fprintf(stderr, "ken: cannot write to standard output: %s\n",
            strerror(write_error ? write_error : EIO));
    return CLI_RESOURCES;
}
