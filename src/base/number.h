/* number.h - reads numbers from text in the same way in every locale. It is stricter than strtod():
 * no spaces around the number, no "inf", "nan" or hexadecimal, and no other text after the
 * number. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_NUMBER_LONGEST = 1024 }; /* maximum length of a number in bytes */

/* Reads a decimal number, with optional sign, point and exponent ("-1.5e-3", ".5", "7."), as the
 * nearest double. For any other text, and for numbers too large for a double, it returns false and
 * leaves *number unchanged. */
bool ken_number_read(double *number, const char *text, size_t length);

/* Reads a whole number that consists of digits only. Returns false if the text is anything else or
 * the number exceeds `most`. */
bool ken_number_whole(uint64_t *number, const char *text, size_t length, uint64_t most);

#endif
