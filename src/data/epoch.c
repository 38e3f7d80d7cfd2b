/* epoch.c - the order of the examples in an epoch, and the batches into which they are cut. */
#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"

/* Random key for shuffling. It makes the random numbers of this file differ from all others that
 * have the same seed. */
static const uint64_t family = UINT64_C(0x62617463686573); /* "batches" in ASCII */

/* Fills `order` with 0 .. count - 1. If `shuffled`, uses the inside-out Fisher-Yates shuffle: each
 * new element is put at a random index, and the element that was at this index moves to the end. */
static void make_order(size_t *order, size_t count, bool shuffled, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = shuffled ? (size_t)ken_random_below(key, i, i + 1) : i;
        if (j != i) order[i] = order[j];
        order[j] = i;
    }
}

/* Cuts the examples into batches: each batch takes the next examples until one more would exceed
 * the budget. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch)
{
    size_t count = dataset->count, rows = 0;
    /* `ends` has room for `count` batches, because no batch is empty. */
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
        /* If the batch is a single large example, `rows` may exceed `budget`. The first comparison
         * keeps the subtraction from wrapping around. */
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
