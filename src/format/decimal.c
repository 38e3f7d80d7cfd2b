/* decimal.c - reads numbers with a decimal point or a decimal comma. A comma in a number is read as
 * a decimal comma, which is wrong if the comma separates thousands. Therefore a file is refused at
 * its end if each of its commas may separate thousands, as in "1,234". */
#include "format/decimal.h"

#include "base/number.h"
#include "base/size.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool ken_piece_missing(struct ken_piece text)
{
    static const char *const words[] = { "", "?", "na", "nan", "null" };
    char lower[8] = "";
    text = ken_piece_trim(text);
    if (text.length >= sizeof lower) return false;
    for (size_t i = 0; i < text.length; i++) lower[i] = (char)tolower((unsigned char)text.text[i]);
    for (size_t i = 0; i < KEN_COUNT(words); i++)
        if (strcmp(lower, words[i]) == 0) return true;
    return false;
}

/* Reads the text as a number whose decimal mark is `mark`. If `grouped` is set, the other mark
 * (point or comma) may separate thousands and is skipped. */
static bool read_as(double *number, struct ken_piece text, char mark, bool grouped)
{
    char copy[KEN_NUMBER_LONGEST];
    char other = mark == ',' ? '.' : ',';
    size_t length = 0;
    if (text.length > sizeof copy) return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if (c == other && !grouped) return false;
        if (c != other) copy[length++] = c == mark ? '.' : c;
    }
    return ken_number_read(number, copy, length);
}

/* Returns whether exactly three digits are between any two marks (points or commas) of the text, as
 * in "1.234.567,8". */
static bool has_thousands(struct ken_piece text)
{
    size_t last = SIZE_MAX, marks = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] != ',' && text.text[i] != '.') continue;
        if (marks++ > 0 && i - last != 4) return false;
        last = i;
    }
    return marks > 1;
}

bool ken_decimal_comma(struct ken_piece text)
{
    double number;
    text = ken_piece_trim(text);
    if (!memchr(text.text, ',', text.length)) return false;
    if (read_as(&number, text, ',', false)) return true;
    return has_thousands(text) &&
           (read_as(&number, text, ',', true) || read_as(&number, text, '.', true));
}

/* Returns whether the comma in a number with one comma may separate thousands: it does if one to
 * three digits, not beginning with 0, come before the comma and three digits after it. */
static bool may_be_thousand(struct ken_piece text)
{
    size_t sign = text.length > 0 && strchr("+-", text.text[0]);
    const char *digits = text.text + sign;
    size_t length = text.length - sign;
    return length >= 5 && length <= 7 && digits[0] != '0' && digits[length - 4] == ',';
}

/* Fails because the text cannot be read as a number. If the text has marks between thousands, the
 * message gives the numbers that it may mean. */
static ken_status refuse(ken_lines *where, struct ken_piece text, struct ken_piece column)
{
    double point, comma;
    char prefix[64] = "", values[96] = "";
    bool marks = has_thousands(text);
    bool as_point = marks && read_as(&point, text, '.', true);
    bool as_comma = marks && read_as(&comma, text, ',', true);
    if (column.length > 0)
        snprintf(prefix, sizeof prefix, "column %.*s: ", ken_piece_shown(column), column.text);
    if (as_point && as_comma)
        snprintf(values, sizeof values,
                 "it could be %.10g (decimal point) or %.10g (decimal comma)", point, comma);
    else if (as_point || as_comma)
        snprintf(values, sizeof values, "it could be %.10g", as_point ? point : comma);
    if (values[0])
        return ken_lines_bad(where, "%s\"%.*s\" has marks between thousands: %s; remove them",
                             prefix, ken_piece_shown(text), text.text, values);
    return ken_lines_bad(where, "%s\"%.*s\" is not a number", prefix, ken_piece_shown(text),
                         text.text);
}

/* Checks that the decimal mark of the number `text` is the mark that the file has used so far. */
static ken_status check_mark(struct ken_decimals *decimals, ken_lines *where, struct ken_piece text,
                             bool comma)
{
    static const char *const names[] = { "point", "comma" };
    size_t *line = comma ? &decimals->comma : &decimals->point;
    size_t other = comma ? decimals->point : decimals->comma;
    int shown = ken_piece_shown(text);
    if (decimals->only && (decimals->only == ',') != comma)
        return ken_lines_bad(where, "\"%.*s\" has a decimal %s, but data.decimal is %s (--decimal)",
                             shown, text.text, names[comma], names[!comma]);
    if (other > 0)
        return ken_lines_bad(where,
                             "\"%.*s\" has a decimal %s, but a number in line %zu has a decimal %s",
                             shown, text.text, names[comma], other, names[!comma]);
    if (*line == 0) {
        *line = where->number;
        if (comma && may_be_thousand(text))
            snprintf(decimals->thousand, sizeof decimals->thousand, "%.*s", shown, text.text);
    }
    if (comma && !may_be_thousand(text)) decimals->sure = true;
    return KEN_OK;
}

ken_status ken_decimal_read(struct ken_decimals *decimals, ken_lines *where, float *value,
                            struct ken_piece text, struct ken_piece column)
{
    double number = NAN;
    text = ken_piece_trim(text);
    bool missing = ken_piece_missing(text), comma = memchr(text.text, ',', text.length) != NULL;
    bool point = memchr(text.text, '.', text.length) != NULL;
    bool good = missing || read_as(&number, text, comma ? ',' : '.', false);
    *value = (float)number;
    /* *value is infinite if the number is too large for a float */
    if (!good || isinf(*value)) return refuse(where, text, column);
    return point || comma ? check_mark(decimals, where, text, comma) : KEN_OK;
}

ken_status ken_decimal_end(const struct ken_decimals *decimals, const ken_lines *where, char *mark)
{
    double point = 0, comma = 0;
    struct ken_piece text = { decimals->thousand, strlen(decimals->thousand) };
    *mark = decimals->comma > 0 ? ',' : decimals->point > 0 ? '.' : '\0';
    if (decimals->comma == 0 || decimals->sure || decimals->only) return KEN_OK;
    read_as(&point, text, '.', true);
    read_as(&comma, text, ',', false);
    return ken_fail(KEN_ERR_FORMAT,
                    "%s:%zu: \"%s\" could be %.10g or %.10g, and no other number shows which; set "
                    "data.decimal=comma, or remove the marks between thousands",
                    where->source->name, decimals->comma, decimals->thousand, comma, point);
}
