/* plain.h - a moment in the "C" locale, where decimals have a point. The library is a guest: its
 * host may have chosen a comma, or a point of two bytes, and other threads keep what it chose. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ken_plain {
    locale_t plain, before;
};

/* This thread alone, from enter to leave. False, and nothing to leave, when there is no such
 * locale: that can only be for want of memory, where the system does not keep one ready. */
bool ken_plain_enter(struct ken_plain *plain);
void ken_plain_leave(struct ken_plain *plain);

/* snprintf() and vsnprintf() there. */
int ken_plain_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ken_plain_vprint(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
