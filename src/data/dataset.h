/* dataset.h - examples in memory, in their smallest form, and the batches that are gathered from
 * them.
 *
 *   a word            1, 2 or 4 bytes for its id; with letters as many again, for where they are
 *   a label           1, 2 or 4 bytes; a number 4
 *   a row of numbers  4 bytes per number
 *   an example        8 bytes in each of its columns, for where it ends
 *
 * Rows that would take much more room than the file they come from (atoms; pixels or sound) are not
 * kept. Instead the dataset keeps the bytes that they are made from, or the name of the file, and
 * makes the rows when a batch is gathered (`late`).
 *
 * Nothing is padded, so a batch is any set of examples whose rows add up to the budget, and sorting
 * by length has no benefit. The order of epoch e is a function of (seed, e) alone. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "data/column.h"
#include "ken.h"
#include "unit/vocabulary.h"

struct ken_dataset;

/* Appends one example to `out`, its input and links, made from the bytes that are kept of it. It
 * must give the same rows each time. */
typedef ken_status ken_late_fn(const void *side, struct ken_dataset *out, const char *kept,
                               size_t size);

typedef struct ken_dataset {
    size_t count;
    struct ken_column input;   /* empty for a language model                       */
    struct ken_column letters; /* letters of words, or bags of indices; else empty */
    struct ken_column spelled; /* one id for each input row: the number of its sequence in
                                * `letters`. Empty = sequence r of `letters` belongs to row r */
    struct ken_column links;   /* graphs: two ids for each link; else empty */
    struct ken_column link_numbers;
    struct ken_column target; /* each: a row for every input row; whole: one row; generate: any
                               * number */
    ken_vocabulary words;     /* finds a word's sequence in `letters`, so that each word is kept
                               * once */

    /* If `late` is not NULL, input, links and link_numbers have only ends, and `late` makes the
     * rows from `kept`, the bytes of each example, and from `late_side`, which must outlive the
     * dataset. NULL = all rows are stored. */
    ken_late_fn *late;
    const void *late_side;
    ken_strings kept;
} ken_dataset;

ken_status ken_dataset_status(const ken_dataset *dataset);
void ken_dataset_clear(ken_dataset *dataset); /* makes it empty; keeps its memory */
void ken_dataset_release(ken_dataset *dataset);

/* Removes the last example, which is not counted yet. */
void ken_dataset_drop(ken_dataset *dataset);

/* The number of rows of example i that go through a model; for a generator, input and target
 * together. */
size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates);

/* SHA-256 of all examples as int32_t ids, floats and ends; how they are stored does not matter. */
ken_status ken_dataset_hash(const ken_dataset *dataset, char hex[KEN_SHA256_HEX]);

/* ---- gather.c -------------------------------------------------------------------------------- */

/* A batch, in arrays that are reused. Begins as { 0 }. */
typedef struct ken_gathered {
    ken_sequences input, letters, target; /* input.letters points to `letters` if there are any */
    ken_links links;                      /* input.links points to these                        */
    ken_buffer memory[5][3];              /* ids, numbers and starts of each                    */
    ken_dataset made;                     /* examples whose rows are made late                  */
} ken_gathered;

/* The sequences point into the batch's own memory and are valid until the next call with this
 * batch. */
ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count);
void ken_gathered_release(ken_gathered *batch);

/* ---- epoch.c --------------------------------------------------------------------------------- */

/* The batches of an epoch. */
typedef struct ken_batches {
    size_t *order; /* (examples) shuffled, or in the order of the file             */
    size_t *ends;  /* (count): batch b is order[ends[b - 1]] .. order[ends[b] - 1] */
    size_t count;
} ken_batches;

/* Cuts the examples into batches of at most `budget` rows, or of one example if it has more. If
 * `shuffled`, the order depends on (seed, epoch), else it is that of the file. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch);
void ken_batches_release(ken_batches *batches);

#endif
