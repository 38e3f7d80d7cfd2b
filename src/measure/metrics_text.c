/* metrics_text.c - edit distance and error rates. The edit distance of two sequences takes memory
 * proportional to the length of the shorter one, and time proportional to the product of the
 * lengths. */
#include "measure/metrics.h"

#include "base/memory.h"
#include "base/size.h"

/* Computes the edit distance d of all beginnings (i elements of a, j elements of b) by
 * Levenshtein's recurrence:
 *
 *   d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + (a[i-1] != b[j-1]))
 *
 * One array `row` is enough: while j grows, the entries before j already hold d(i, ...) and the
 * others still hold d(i-1, ...). Only d(i-1, j-1) is overwritten too early; it is kept in
 * `corner`. */
static size_t fill_rows(size_t *row, const int32_t *a, size_t a_count, const int32_t *b,
                        size_t b_count)
{
    for (size_t j = 0; j <= b_count; j++) row[j] = j;
    for (size_t i = 1; i <= a_count; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_count; j++) {
            size_t replaced = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = ken_size_min(replaced, ken_size_min(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_count];
}

size_t ken_edit_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count)
{
    /* Swaps a and b, because memory is proportional to the length of b. The distance is
     * symmetric. */
    if (a_count < b_count) return ken_edit_distance(b, b_count, a, a_count);
    size_t *row = ken_memory_new(b_count + 1, sizeof *row);
    if (!row) return SIZE_MAX;
    size_t distance = fill_rows(row, a, a_count, b, b_count);
    ken_memory_free(row);
    return distance;
}

ken_status ken_errors_add(ken_errors *errors, struct ken_units answer,
                          const struct ken_units *right, size_t rights)
{
    size_t least = SIZE_MAX, closest = 0;
    if (rights == 0) return ken_fail(KEN_ERR_ARGUMENT, "no right answer to compare with");
    for (size_t r = 0; r < rights; r++) {
        size_t edits = ken_edit_distance(answer.ids, answer.count, right[r].ids, right[r].count);
        if (edits == SIZE_MAX)
            return ken_fail(KEN_ERR_MEMORY, "no memory to compare %zu units with %zu", answer.count,
                            right[r].count);
        if (edits >= least) continue;
        least = edits;
        closest = r;
    }
    errors->edits += least;
    errors->units += right[closest].count;
    errors->wrong += least > 0;
    errors->wholes++;
    return KEN_OK;
}
