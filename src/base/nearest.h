/* nearest.h - finds the known word closest to a mistyped word, for messages like "did you mean
 * ...?". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Returns the edit distance: the least number of single-letter edits (insert, delete, replace, swap
 * two neighbours) that turn `a` into `b`. SIZE_MAX if `a` or `b` is longer than 63 letters. */
size_t ken_nearest_distance(const char *a, const char *b);

/* Returns the name closest to `word`, the first one on a tie; NULL if no name is close enough for a
 * typing mistake. A name is close enough if at most a third of its letters would have to change; in
 * a name of up to five letters, one letter may change. */
const char *ken_nearest(const char *word, const char *const *names, size_t count);

#endif
