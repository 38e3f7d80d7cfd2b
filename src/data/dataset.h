/* dataset.h - a dataset holds examples in memory in their smallest form, and gathers batches from
 * them.
 *
 * Memory that is needed:
 *   a word            1, 2 or 4 bytes for its id; with letters as many again, for where they are
 *   a label           1, 2 or 4 bytes; a number 4
 *   a row of numbers  4 bytes per number
 *   an example        8 bytes in each of its columns, for where it ends
 *
 * Rows that would take much more room than the file they come from (atoms; pixels or sound) are not
 * stored. Instead the dataset keeps the bytes that such rows are made from, or the name of the
 * file, and makes the rows when a batch is gathered (field `late`).
 *
 * Nothing is padded, so a batch is any set of examples whose rows add up to the budget, and sorting
 * by length has no benefit. The order of the examples in epoch e is a function of (seed, e)
 * alone. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "data/column.h"
#include "ken.h"
#include "unit/vocabulary.h"

struct ken_dataset;

/* A function that appends one example, its input and its links, to `out`, made from the `size`
 * bytes `kept` that the dataset stores for the example. It must make the same rows each time. */
typedef ken_status ken_late_fn(const void *side, struct ken_dataset *out, const char *kept,
                               size_t size);

typedef struct ken_dataset {
    size_t count;
    struct ken_column input;   /* input rows; empty for a language model */
    struct ken_column letters; /* letters of words, or bags of indices; otherwise empty */
    /* Says where the letters of each row are: one id for each input row, the number of a sequence
     * in `letters`. Empty = the letters of row r are sequence r of `letters`. */
    struct ken_column spelled;
    struct ken_column links; /* graphs: two ids for each link; otherwise empty */
    struct ken_column link_numbers;
    /* The targets. Rows per example by output.kind: each = one for every input row; whole = one;
     * generate = any number. */
    struct ken_column target;
    /* The words whose letters are stored; finds a word's sequence in `letters`, so that the letters
     * of each word are stored only once. */
    ken_vocabulary words;

    /* If `late` is not NULL, the columns input, links and link_numbers store only where sequences
     * end, and `late` makes the rows of an example from its bytes in `kept` and from `late_side`,
     * which must outlive the dataset. NULL = all rows are stored. */
    ken_late_fn *late;
    const void *late_side;
    ken_strings kept;
} ken_dataset;

ken_status ken_dataset_status(const ken_dataset *dataset);
void ken_dataset_clear(ken_dataset *dataset); /* removes all examples; keeps the memory */
void ken_dataset_release(ken_dataset *dataset);

/* Removes the last example, which must not be counted in `count` yet. */
void ken_dataset_drop(ken_dataset *dataset);

/* Returns the number of rows of example i that go through a model; for a generator, rows of input
 * and target together. */
size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates);

/* Computes the SHA-256 of all examples as int32_t ids, floats and ends; it does not depend on how
 * the examples are stored. */
ken_status ken_dataset_hash(const ken_dataset *dataset, char hex[KEN_SHA256_HEX]);

/* ---- gather.c -------------------------------------------------------------------------------- */

/* A batch, in arrays that are reused for the next batch. Initialise it with { 0 }. */
typedef struct ken_gathered {
    /* The columns of the batch; input.letters points to `letters` if there are letters. */
    ken_sequences input, letters, target;
    ken_links links; /* input.links points to `links` if there are links */
    /* Memory of the five columns input, letters, target, links and link numbers: ids, numbers and
     * starts of each. */
    ken_buffer memory[5][3];
    ken_dataset made; /* examples whose rows are made for this batch */
} ken_gathered;

/* Gathers a batch of `count` examples. The sequences of the batch point into its own memory and are
 * valid until the next call with the same batch. */
ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count);
void ken_gathered_release(ken_gathered *batch);

/* ---- epoch.c --------------------------------------------------------------------------------- */

/* The batches of one epoch. */
typedef struct ken_batches {
    size_t *order; /* (examples): indices of examples, shuffled or as in the file */
    /* (count): batch b is order[ends[b - 1]] .. order[ends[b] - 1]; batch 0 starts at order[0] */
    size_t *ends;
    size_t count;
} ken_batches;

/* Cuts the examples into batches of at most `budget` rows each; an example with more rows is a
 * batch of its own. If `shuffled`, the order of the examples depends on (seed, epoch), otherwise it
 * is the order of the file. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch);
void ken_batches_release(ken_batches *batches);

#endif
