/* number.c - reads numbers: checks the syntax itself, and lets the C library compute the value in
 * the "C" locale. */
#include "base/number.h"

#include "base/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

static size_t sign(const char *text, size_t length)
{
    return length > 0 && (text[0] == '-' || text[0] == '+');
}

/* Returns whether the text is [sign] digits [. digits] [e [sign] digits], with a digit before or
 * after the point. */
static bool is_decimal(const char *text, size_t length)
{
    size_t at = sign(text, length);
    size_t whole = digits(text + at, length - at), behind = 0;
    at += whole;
    if (at < length && text[at] == '.') {
        behind = digits(text + at + 1, length - at - 1);
        at += 1 + behind;
    }
    if (whole + behind == 0) return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += sign(text + at, length - at);
        size_t exponent = digits(text + at, length - at);
        if (exponent == 0) return false;
        at += exponent;
    }
    return at == length;
}

bool ken_number_read(double *number, const char *text, size_t length)
{
    char copy[KEN_NUMBER_LONGEST + 1]; /* the text with a final 0, which strtod() needs */
    if (length > KEN_NUMBER_LONGEST || !is_decimal(text, length)) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    struct ken_plain plain;
    if (!ken_plain_enter(&plain)) return false;
    double value = strtod(copy, NULL);
    ken_plain_leave(&plain);
    /* 1e999 is refused because no finite double is near; 1e-999 is accepted as 0, its nearest
     * double */
    if (!isfinite(value)) return false;
    *number = value;
    return true;
}

bool ken_number_whole(uint64_t *number, const char *text, size_t length, uint64_t most)
{
    uint64_t value = 0;
    if (length == 0 || digits(text, length) != length) return false;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        /* refuses the number if 10 * value + digit would exceed `most` */
        if (digit > most || value > (most - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}
