/* status.c - keeps the text of the last error, one for each thread.
 * Invariant: recording an error never allocates, so lack of memory can be reported too. */
#include "base/status.h"

#include "base/plain.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

/* Prints a message. Text that the message quotes from files or arguments may contain control
 * characters. They are escaped, so that every message is one line that a terminal can show. */
static void record(const char *format, va_list arguments, const char *reason)
{
    char words[sizeof last_error + 1], shown[KEN_TEXT_SHOWN];
    size_t used = 0;
    int length = ken_plain_vprint(words, sizeof words, format, arguments);
    if (reason && length >= 0 && (size_t)length < sizeof words)
        snprintf(words + length, sizeof words - (size_t)length, ": %s", reason);
    for (size_t i = 0, all = length < 0 ? 0 : strlen(words); i < all;) {
        i += ken_text_escaped(shown, words + i, all - i, "\\");
        if (used + strlen(shown) >= sizeof last_error) break;
        memcpy(last_error + used, shown, strlen(shown));
        used += strlen(shown);
    }
    last_error[used] = '\0';
}

ken_status ken_fail(ken_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(format, arguments, NULL);
    va_end(arguments);
    return status;
}

/* Records a new message followed by the previous message, which is the reason. The reason is copied
 * first, because the new message overwrites its memory. */
ken_status ken_fail_because(ken_status status, const char *format, ...)
{
    char reason[sizeof last_error];
    memcpy(reason, last_error, sizeof reason);
    va_list arguments;
    va_start(arguments, format);
    record(format, arguments, reason);
    va_end(arguments);
    return status;
}

ken_status ken_given(bool given, const char *function, const char *name)
{
    return given ? KEN_OK : ken_fail(KEN_ERR_ARGUMENT, "%s: %s is NULL", function, name);
}

const char *ken_last_error(void)
{
    return last_error;
}

const char *ken_status_name(ken_status status)
{
    static const char *const names[] = {
        [KEN_OK] = "KEN_OK",
        [KEN_ERR_ARGUMENT] = "KEN_ERR_ARGUMENT",
        [KEN_ERR_SHAPE] = "KEN_ERR_SHAPE",
        [KEN_ERR_MEMORY] = "KEN_ERR_MEMORY",
        [KEN_ERR_IO] = "KEN_ERR_IO",
        [KEN_ERR_FORMAT] = "KEN_ERR_FORMAT",
        [KEN_ERR_DIVERGED] = "KEN_ERR_DIVERGED",
        [KEN_ERR_STATE] = "KEN_ERR_STATE",
        [KEN_ERR_SPACE] = "KEN_ERR_SPACE",
        [KEN_ERR_STOPPED] = "KEN_ERR_STOPPED",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

const char *ken_version(void)
{
    return KEN_VERSION;
}
