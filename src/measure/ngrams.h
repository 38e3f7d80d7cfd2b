/* ngrams.h - the code that BLEU and chrF share: a line is a list of units (tokens or characters),
 * and lines are compared by their n-grams, runs of n units. */
#ifndef MEASURE_NGRAMS_H
#define MEASURE_NGRAMS_H

#include "base/buffer.h"

#include <stdint.h>

/* Returns the number of n-grams of length n > 0; equal n-grams are counted separately. */
size_t ken_ngrams_count(const ken_strings *units, size_t n);

/* Counts the answer's n-grams that are in the reference, each at most as often as it occurs in the
 * reference. */
ken_status ken_ngrams_match(uint64_t *match, const ken_strings *answer,
                            const ken_strings *reference, size_t n);

/* Returns the number of bytes of the white space character at `text`, or 0 if there is none. White
 * space is what Python's str.split(), which sacreBLEU uses, takes as such: that of Unicode, and the
 * separators U+001C to U+001F. length > 0. */
size_t ken_ngrams_space(const char *text, size_t length);

#endif
