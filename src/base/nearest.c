/* nearest.c - computes the edit distance of two words, where swapping two neighbours counts as one
 * edit (optimal string alignment). Three rows of the usual table are enough. The callers word the
 * message "did you mean ...?" themselves. */
#include "base/nearest.h"

#include "base/size.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 63 };

size_t ken_nearest_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) return SIZE_MAX;
    /* rows[i % 3][j]: the distance between the first i letters of a and the first j letters of b */
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = ken_size_min(best, before[j] + 1);
            best = ken_size_min(best, now[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = ken_size_min(best, earlier[j - 2] + 1);
            now[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

const char *ken_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = ken_nearest_distance(word, names[i]);
        /* the hyphens of flags are not letters */
        size_t word_length = strlen(word + strspn(word, "-"));
        size_t name_length = strlen(names[i] + strspn(names[i], "-"));
        size_t letters = ken_size_max(word_length, name_length);
        /* Accepts one edit in words of up to five letters, two in words of up to eight, and so on.
         * More edits make another word ("look" for "foo"). So does an edit of every letter ("y" for
         * "x"). */
        if (distance >= least || distance > ken_size_max(letters / 3, 1)) continue;
        if (distance >= ken_size_min(word_length, name_length)) continue;
        nearest = names[i];
        least = distance;
    }
    return nearest;
}
