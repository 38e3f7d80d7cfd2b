/* decimal.h - reads the numbers of a text file as people write them: with a decimal point or a
 * decimal comma. A number may also be missing. A file has one kind of decimal mark; marks between
 * thousands are never read, because "1,234" is 1.234 in one country and 1234 in another. */
#ifndef FORMAT_DECIMAL_H
#define FORMAT_DECIMAL_H

#include "format/lines.h"

/* The decimal marks that the numbers of a file have had so far. Initialise with { 0 }, and set
 * `only` if the mark is known. */
struct ken_decimals {
    /* the only decimal mark that is allowed, '.' or ','; 0 = either, but the same in all numbers */
    char only;
    size_t point; /* line of the first number with a point; 0 = none yet */
    size_t comma; /* line of the first number with a comma; 0 = none yet */
    bool sure;    /* whether a number such as "3,14" has shown that commas are decimal commas */
    /* text of the number in line `comma`, if its comma may separate thousands, as in "1,234" */
    char thousand[16];
};

/* Returns whether a cell has no value: it is empty or blank, or it is "?", NA, NaN or null, in
 * upper or lower case. */
bool ken_piece_missing(struct ken_piece text);

/* Returns whether the text is a number with a comma: "3,14", "1.234,5" or "1,234,567". */
bool ken_decimal_comma(struct ken_piece text);

/* Reads a number as a float; NaN if the number is missing. Fails with ken_lines_bad() about the
 * current line of `where` if the text is not a finite number, or if its decimal mark is not that of
 * the file. `column` is the column's name for messages; length 0 = no name. */
ken_status ken_decimal_read(struct ken_decimals *decimals, ken_lines *where, float *value,
                            struct ken_piece text, struct ken_piece column);

/* Returns in *mark the decimal mark of a file that has been read to its end; 0 if no number of the
 * file has one. Fails if the commas of the file may separate thousands. */
ken_status ken_decimal_end(const struct ken_decimals *decimals, const ken_lines *where, char *mark);

#endif
