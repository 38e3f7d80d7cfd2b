/* nearest.h - finds the known word that is closest to a mistyped one, for "did you mean ...?". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The least number of single-letter changes (insert, delete, replace, swap of two neighbours) that
 * turn a into b. If a word is longer than 63 letters, the result is SIZE_MAX. */
size_t ken_nearest_distance(const char *a, const char *b);

/* The closest of `names`, the first one on a tie. NULL if none is close enough to be a typing
 * mistake, that is if more than about a third of its letters would have to change. */
const char *ken_nearest(const char *word, const char *const *names, size_t count);

#endif
