/* dataset.h - a dataset holds examples in memory in their smallest form, and gathers batches from
 * them.
 *
 * Memory that is needed:
 *   a word            1, 2 or 4 bytes for its id; with letters, 1, 2 or 4 more to find the letters
 *   a label           1, 2 or 4 bytes; if it is a number, 4
 *   a row of numbers  4 bytes per number
 *   an example        8 bytes in each of its columns, for the end of its rows
 *
 * Some rows would take much more room than their source: atoms, pixels and sound. They are not
 * stored; the dataset keeps the source (bytes or the name of a file) and makes the rows whenever a
 * batch is gathered (see `late`).
 *
 * Batches are not padded, so a batch is any set of examples whose rows add up to the budget, and
 * sorting by length has no benefit. The order of the examples in epoch e depends only on (seed,
 * e). */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "data/column.h"
#include "ken.h"
#include "unit/vocabulary.h"

struct ken_dataset;

/* A function that makes one example (input rows and links) and appends it to `out`. It makes the
 * example from `kept`, the `size` bytes that the dataset stores for the example, and must give the
 * same rows each time. */
typedef ken_status ken_late_fn(const void *side, struct ken_dataset *out, const char *kept,
                               size_t size);

typedef struct ken_dataset {
    size_t count;
    struct ken_column input;   /* input rows; empty for a language model                        */
    struct ken_column letters; /* letters of words, or bags of indices; empty if there are none */
    /* One id for each input row: the number of the sequence in `letters` that holds the letters of
     * the row. If `spelled` is empty, the letters of row r are sequence r. */
    struct ken_column spelled;
    /* In graphs: two ids for each link, the numbers of the two rows that it joins. Otherwise
     * empty. */
    struct ken_column links;
    struct ken_column link_numbers;
    /* The targets. An example has one target row for each input row (output.kind=each), one target
     * row (whole), or any number of them (generate). */
    struct ken_column target;
    /* The words whose letters are stored. The id of a word is the number of its sequence in
     * `letters`, so that the letters of each word are stored only once. */
    ken_vocabulary words;

    /* If `late` is NULL, the dataset stores all rows. Otherwise the columns input, links and
     * link_numbers store only where sequences end. `late` then makes the rows of an example from
     * the bytes of the example in `kept` and from `late_side`, which must outlive the dataset. */
    ken_late_fn *late;
    const void *late_side;
    ken_strings kept;
} ken_dataset;

ken_status ken_dataset_status(const ken_dataset *dataset);
void ken_dataset_clear(ken_dataset *dataset); /* removes all examples; keeps the memory */
void ken_dataset_release(ken_dataset *dataset);

/* Removes an example that was appended to the columns, but is not counted in `count` yet. */
void ken_dataset_drop(ken_dataset *dataset);

/* Returns how many rows of example i go through a model. For a generator, these are the rows of
 * input and target. */
size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates);

/* Computes the SHA-256 of all examples: ids (as int32_t), floats and ends of sequences. The hash
 * does not depend on how the examples are stored. */
ken_status ken_dataset_hash(const ken_dataset *dataset, char hex[KEN_SHA256_HEX]);

/* ---- gather.c -------------------------------------------------------------------------------- */

/* A batch, in arrays that are reused for the next batch. Initialise it with { 0 }. */
typedef struct ken_gathered {
    /* The sequences of the batch. If there are letters, input.letters points to `letters`. */
    ken_sequences input, letters, target;
    ken_links links; /* links of the batch; input.links points to them if there are any */
    /* Memory of the batch: ids, numbers and starts (3 buffers) of each of 5 columns: input,
     * letters, target, links and link numbers. */
    ken_buffer memory[5][3];
    ken_dataset made; /* examples whose rows are not stored but made for this batch */
} ken_gathered;

/* Gathers a batch of `count` examples. The sequences of the batch point into its own memory and are
 * valid until the next call with the same batch. */
ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count);
void ken_gathered_release(ken_gathered *batch);

/* ---- epoch.c --------------------------------------------------------------------------------- */

/* The batches of one epoch: an order of the examples, cut into pieces. */
typedef struct ken_batches {
    size_t *order; /* indices of all examples, shuffled or in the order of the file */
    /* Batch b has the examples order[ends[b - 1]] .. order[ends[b] - 1]; batch 0 begins at
     * order[0]. */
    size_t *ends;
    size_t count;
} ken_batches;

/* Cuts the examples into batches of at most `budget` rows; an example with more rows is a batch of
 * its own. If `shuffled`, the order of the examples depends on (seed, epoch); otherwise it is the
 * order of the file. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch);
void ken_batches_release(ken_batches *batches);

#endif
