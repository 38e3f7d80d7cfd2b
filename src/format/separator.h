/* separator.h - finds the character that separates the columns of a file, by its first lines. */
#ifndef FORMAT_SEPARATOR_H
#define FORMAT_SEPARATOR_H

#include "format/lines.h"

/* How a file may be separated into columns. */
struct ken_separation {
    const char *separators; /* the possible separators; the first one is the default */
    char only;              /* the separator that is given; 0 = it is to be found */
    bool quoted_tabs;       /* fields may be in quotes even if tabs separate them */
    bool numbers;           /* the columns are numbers, so a comma may be a decimal comma */
    bool no_commas;         /* commas are known to be decimal commas */
};

/* Finds the separator of the lines that are about to be read, which must be those of a file from
 * its start. The separator is the one with which most of the first lines have as many columns as
 * the first line, which must be more than one. Fails with KEN_ERR_FORMAT if two separators do
 * equally well, or if the given one gives a single column and another one several. */
ken_status ken_separator_find(char *separator, const ken_lines *lines,
                              const struct ken_separation *how);

/* Returns the word of a separator for messages, which is its value in a recipe: "comma",
 * "semicolon" or "tab". */
const char *ken_separator_word(char separator);

#endif
