/* ngrams.h - n-grams, which BLEU and chrF share. A line is a list of units (tokens or characters),
 * and an n-gram is a run of n units. */
#ifndef MEASURE_NGRAMS_H
#define MEASURE_NGRAMS_H

#include "base/buffer.h"

#include <stdint.h>

/* Returns the number of n-grams of length n > 0 in a line, including repeated ones. */
size_t ken_ngrams_count(const ken_strings *units, size_t n);

/* Counts the n-grams of the answer that are in the reference too; each counts at most as often as
 * it occurs in the reference. */
ken_status ken_ngrams_match(uint64_t *match, const ken_strings *answer,
                            const ken_strings *reference, size_t n);

/* Returns the number of bytes of the white space character at `text`, or 0 if there is none;
 * requires length > 0. White space is defined as in Python's str.split(), which sacreBLEU uses:
 * white space of Unicode, and the separators U+001C to U+001F. */
size_t ken_ngrams_space(const char *text, size_t length);

#endif
