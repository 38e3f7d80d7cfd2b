/* message.c - prints error messages, and chooses the exit code for an error. */
#include "cli/cli.h"

#include "base/nearest.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

void cli_put(FILE *stream, const char *text)
{
    char shown[KEN_TEXT_SHOWN];
    for (size_t i = 0, length = strlen(text); i < length;) {
        i += ken_text_escaped(shown, text + i, length - i, "\\");
        fputs(shown, stream);
    }
}

static void say(const char *format, va_list arguments)
{
    char words[2048];
    vsnprintf(words, sizeof words, format, arguments);
    fputs("ken: ", stderr);
    cli_put(stderr, words);
    fputs("\n", stderr);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int cli_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_unknown(const char *what, const char *word, const char *const *names, size_t count)
{
    const char *nearest = ken_nearest(word, names, count);
    if (nearest) return cli_usage("unknown %s \"%s\", did you mean \"%s\"?", what, word, nearest);
    return cli_usage("unknown %s \"%s\"; see ken help", what, word);
}

int cli_fail(ken_status status)
{
    cli_say("%s", ken_last_error());
    switch (status) { /* scripts can distinguish these causes */
    case KEN_ERR_ARGUMENT: return CLI_USAGE;
    case KEN_ERR_IO:
    case KEN_ERR_FORMAT: return CLI_INPUT;
    case KEN_ERR_DIVERGED: return CLI_DIVERGED;
    case KEN_ERR_SPACE:
    case KEN_ERR_MEMORY: return CLI_RESOURCES;
    case KEN_ERR_STOPPED: return CLI_INTERRUPTED;
    default: return CLI_FAILED;
    }
}
