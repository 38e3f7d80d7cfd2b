/* epoch.c - the order of the examples in an epoch, and how they are cut into batches. */
#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"

/* The random key of this file: it makes the random numbers for shuffling differ from all other
 * random numbers with the same seed. */
static const uint64_t family = UINT64_C(0x62617463686573); /* "batches" in ASCII */

/* Fills `order` with 0 .. count - 1; if `shuffled`, by the inside-out Fisher-Yates shuffle: each
 * new element is placed at a random index, and the element that was there moves to the end. */
static void make_order(size_t *order, size_t count, bool shuffled, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = shuffled ? (size_t)ken_random_below(key, i, i + 1) : i;
        if (j != i) order[i] = order[j];
        order[j] = i;
    }
}

/* Cuts the examples into batches greedily: each batch takes the next examples until one more would
 * exceed the budget. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch)
{
    size_t count = dataset->count, rows = 0;
    /* no batch is empty, so there are at most `count` batches */
    *batches = (ken_batches){ .order = ken_memory_new(count, sizeof(size_t)),
                              .ends = ken_memory_new(count, sizeof(size_t)) };
    if (!batches->order || !batches->ends) {
        ken_batches_release(batches);
        return ken_fail(KEN_ERR_MEMORY, "no memory for the order of %zu examples", count);
    }
    make_order(batches->order, count, shuffled,
               ken_random_key(ken_random_key(seed, family), epoch));
    for (size_t i = 0; i < count; i++) {
        size_t more = ken_dataset_rows(dataset, batches->order[i], generates);
        /* a single example may have more rows than the budget, so `rows` may exceed `budget`
         * already */
        bool fits = rows <= budget && more <= budget - rows;
        if (i > 0 && !fits) {
            batches->ends[batches->count++] = i;
            rows = 0;
        }
        rows += more;
    }
    if (count > 0) batches->ends[batches->count++] = count;
    return KEN_OK;
}

void ken_batches_release(ken_batches *batches)
{
    ken_memory_free(batches->order);
    ken_memory_free(batches->ends);
    *batches = (ken_batches){ 0 };
}
