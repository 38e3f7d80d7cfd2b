/* plain.h - puts the calling thread into the "C" locale for a moment, where the decimal point is
 * ".". The program that uses ken may have chosen a locale whose decimal point is a comma or has two
 * bytes; the program's other threads keep that locale. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ken_plain {
    locale_t plain, before;
};

/* Switch the calling thread alone to the "C" locale (enter) and back (leave). If ken_plain_enter()
 * returns false, nothing was changed and ken_plain_leave() must not be called. It returns false
 * only if the system has no static "C" locale and memory is short. */
bool ken_plain_enter(struct ken_plain *plain);
void ken_plain_leave(struct ken_plain *plain);

/* ken_plain_print() and ken_plain_vprint() print like snprintf() and vsnprintf(), but always in the
 * "C" locale. */
int ken_plain_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ken_plain_vprint(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
