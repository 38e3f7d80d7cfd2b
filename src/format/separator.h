/* separator.h - finds the character that separates the columns of a file, by its first lines. */
#ifndef FORMAT_SEPARATOR_H
#define FORMAT_SEPARATOR_H

#include "format/lines.h"

/* What is known in advance about the separator of a file. */
struct ken_separation {
    /* possible separators, one character each; the first one is the default */
    const char *separators;
    char only;        /* separator, if it is given; 0 = the separator must be found */
    bool quoted_tabs; /* whether fields may be in quotes even if tabs separate them */
    /* whether the columns are numbers, so that a comma may be a decimal comma */
    bool numbers;
    bool no_commas; /* whether commas are known to be decimal commas */
};

/* Finds the separator of a file. Must be called before any line has been read. It chooses the
 * separator with which the first line has several columns, and most of the next lines have as many.
 * Fails with KEN_ERR_FORMAT if two separators fit equally well, or if a given separator yields one
 * column and another one yields several. */
ken_status ken_separator_find(char *separator, const ken_lines *lines,
                              const struct ken_separation *how);

/* Returns the name of a separator in recipes, also used in messages: "comma", "semicolon" or
 * "tab". */
const char *ken_separator_word(char separator);

#endif
