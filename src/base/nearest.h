/* nearest.h - what the user probably meant: the known word closest to a mistyped one. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Single-letter changes (insert, delete, replace, swap of two neighbours) that turn a into b.
 * Words longer than 63 letters count as infinitely far: the result is then SIZE_MAX. */
size_t ken_nearest_distance(const char *a, const char *b);

/* The closest of `names`, the first one on a tie; NULL when none is close enough to be a typing
 * mistake: when more than about a third of its letters would have to change. */
const char *ken_nearest(const char *word, const char *const *names, size_t count);

#endif
