/* decimal.h - reads the numbers of a text file as people write them: with a decimal point or a
 * decimal comma, or missing. A file has one kind of decimal mark; marks between thousands are never
 * read, because "1,234" is 1.234 in one country and 1234 in another. */
#ifndef FORMAT_DECIMAL_H
#define FORMAT_DECIMAL_H

#include "format/lines.h"

/* The decimal marks that a file has shown so far. Before the first number it is { 0 } but for
 * `only`. */
struct ken_decimals {
    char only;    /* the only mark that numbers may have, '.' or ','; 0 = either, but one kind */
    size_t point; /* line of the first number with a point; 0 = none yet */
    size_t comma; /* line of the first number with a comma; 0 = none yet */
    bool sure;    /* a number has shown that the commas are decimal: "3,14" */
    char thousand[16]; /* the number in line `comma`, if it may be a thousand: "1,234" */
};

/* Returns whether a cell has no value: it is empty or blank, or it is "?", NA, NaN or null, in
 * upper or lower case. */
bool ken_piece_missing(struct ken_piece text);

/* Returns whether the text is a number with a comma: "3,14", "1.234,5" or "1,234,567". */
bool ken_decimal_comma(struct ken_piece text);

/* Reads a number as a float; NaN if it is missing. If the text is not a finite number, or if its
 * decimal mark is not that of the file, it fails with ken_lines_bad() about the current line of
 * `where`. `column` names the column in messages; its length is 0 if messages name none. */
ken_status ken_decimal_read(struct ken_decimals *decimals, ken_lines *where, float *value,
                            struct ken_piece text, struct ken_piece column);

/* Returns in *mark the decimal mark of the file at its end; 0 if no number has one. Fails if the
 * commas of the file may be marks between thousands. */
ken_status ken_decimal_end(const struct ken_decimals *decimals, const ken_lines *where, char *mark);

#endif
