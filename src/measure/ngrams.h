/* ngrams.h - the code that BLEU and chrF share: a line is a list of units (tokens or characters),
 * and lines are compared by their n-grams, runs of n units. */
#ifndef MEASURE_NGRAMS_H
#define MEASURE_NGRAMS_H

#include "base/buffer.h"

#include <stdint.h>

/* The number of n-grams, n > 0; equal ones are counted separately. */
size_t ken_ngrams_count(const ken_strings *units, size_t n);

/* The number of the answer's n-grams that are in the reference, each counted at most as often as it
 * occurs there. */
ken_status ken_ngrams_match(uint64_t *match, const ken_strings *answer,
                            const ken_strings *reference, size_t n);

/* The number of bytes of the white space at `text`, or 0 if there is none. White space is that of
 * Python's str.split(), which sacreBLEU uses: that of Unicode, and the separators U+001C to U+001F.
 * length > 0. */
size_t ken_ngrams_space(const char *text, size_t length);

#endif
