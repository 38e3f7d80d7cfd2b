/* plain.h - puts the calling thread into the "C" locale for a moment, because there decimals have a
 * point. The program that uses ken may have chosen a locale with a comma or with a point of two
 * bytes, and its other threads keep that locale. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ken_plain {
    locale_t plain, before;
};

/* Changes the locale of this thread alone, from enter to leave. If enter returns false, nothing was
 * changed and leave must not be called; this happens only if the system has no static "C" locale
 * and memory is short. */
bool ken_plain_enter(struct ken_plain *plain);
void ken_plain_leave(struct ken_plain *plain);

/* snprintf() and vsnprintf() in the "C" locale. */
int ken_plain_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ken_plain_vprint(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
