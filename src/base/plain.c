/* plain.c - switches a thread to the "C" locale. newlocale() for "C" returns a static object of the
 * C library, so the call costs next to nothing, and freeing the object does nothing. */
#include "base/plain.h"

#include <stdio.h>

bool ken_plain_enter(struct ken_plain *plain)
{
    plain->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain->plain) return false;
    plain->before = uselocale(plain->plain);
    return true;
}

void ken_plain_leave(struct ken_plain *plain)
{
    uselocale(plain->before);
    freelocale(plain->plain);
}

/* Prints like vsnprintf() in the "C" locale. If that locale is not available, it prints in the
 * locale of the program: a text with another decimal point is better than none. */
int ken_plain_vprint(char *out, size_t size, const char *format, va_list arguments)
{
    struct ken_plain plain;
    bool entered = ken_plain_enter(&plain);
    int length = vsnprintf(out, size, format, arguments);
    if (entered) ken_plain_leave(&plain);
    return length;
}

int ken_plain_print(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = ken_plain_vprint(out, size, format, arguments);
    va_end(arguments);
    return length;
}
