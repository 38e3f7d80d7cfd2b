/* number.h - reads numbers from text, the same way in every locale and more strictly than strtod():
 * no spaces around the number, no "inf", "nan" or hexadecimal, nothing after it. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_NUMBER_LONGEST = 1024 }; /* maximum number of characters */

/* Reads sign, digits with a point, and exponent ("-1.5e-3", ".5", "7.") as the nearest double.
 * Returns false and leaves *number unchanged for anything else and for numbers too large for a
 * double. */
bool ken_number_read(double *number, const char *text, size_t length);

/* Reads a whole number: digits only, and a value of at most `most`. */
bool ken_number_whole(uint64_t *number, const char *text, size_t length, uint64_t most);

#endif
