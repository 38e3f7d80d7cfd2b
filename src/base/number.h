/* number.h - numbers in text, read alike in every locale and without the leniency of strtod():
 * no blanks around, no "inf", "nan" or hexadecimal, nothing left over. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_NUMBER_LONGEST = 1024 }; /* characters of a number; more are refused */

/* Sign, digits with a point, exponent: "-1.5e-3", ".5", "7." - as the nearest double. False, and
 * *number untouched, for anything else and for what is too large for a double. */
bool ken_number_read(double *number, const char *text, size_t length);

/* Digits only, and not more than `most`. */
bool ken_number_whole(uint64_t *number, const char *text, size_t length, uint64_t most);

#endif
