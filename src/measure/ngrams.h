/* ngrams.h - what BLEU and chrF have in common: a line is a list of units (tokens or characters),
 * and lines are compared by their runs of n units. Not here: what a unit is, or what a score is. */
#ifndef MEASURE_NGRAMS_H
#define MEASURE_NGRAMS_H

#include "base/buffer.h"

#include <stdint.h>

/* Runs of n > 0 units, each place counted. */
size_t ken_ngrams_count(const ken_strings *units, size_t n);

/* How many of the answer's runs of n are in the reference, none more often than it is there. */
ken_status ken_ngrams_match(uint64_t *match, const ken_strings *answer,
                            const ken_strings *reference, size_t n);

/* White space at `text` as Python's str.split() sees it, which the figures of sacreBLEU rest on:
 * Unicode's, and the separators U+001C to U+001F. Its bytes, or 0. length > 0. */
size_t ken_ngrams_space(const char *text, size_t length);

#endif
