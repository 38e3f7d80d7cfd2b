/* dataset.h - examples as ids and numbers, in memory, and the batches that training takes of them.
 *
 * Nothing is padded, so a batch is any set of examples whose rows add up to the budget; sorting by
 * length has no use. The order of epoch e is a function of (seed, e) alone. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "base/buffer.h"

#include <stdint.h>

/* Sequences under construction: append to `ids` (or numbers) and end each sequence. */
struct ken_column {
    ken_buffer ids;     /* int32_t each, or                                                 */
    ken_buffer numbers; /* float each, `width` to a row                                     */
    ken_buffer ends;    /* size_t each: rows before the end of sequence i                   */
    size_t width;       /* of numbers; 0 when there are ids                                 */
};

typedef struct ken_dataset {
    size_t count;
    struct ken_column input;   /* empty for a language model                                */
    struct ken_column letters; /* or indices: one sequence for each input row; or empty     */
    struct ken_column links;   /* of graphs: two ids for each link; or empty                */
    struct ken_column link_numbers;
    struct ken_column target; /* each: a row for every input row; whole: one row; else any */
} ken_dataset;

void ken_column_end(struct ken_column *column); /* the current sequence ends here */
size_t ken_column_count(const struct ken_column *column);
size_t ken_column_start(const struct ken_column *column, size_t i); /* rows before sequence i */

ken_status ken_dataset_status(const ken_dataset *dataset);
void ken_dataset_release(ken_dataset *dataset);

/* Rows of example i that go through a model, input and target of a generator together. */
size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates);

/* A batch, in arrays that are reused; { 0 } at first. */
typedef struct ken_gathered {
    ken_sequences input, letters, target; /* input.letters points to `letters` when there are any */
    ken_links links;                      /* and input.links to these                             */
    ken_buffer memory[5][3];              /* ids, numbers and starts of each                      */
} ken_gathered;

ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count);
void ken_gathered_release(ken_gathered *batch);

/* The batches of an epoch. */
typedef struct ken_batches {
    size_t *order; /* (examples) shuffled, or as they are                            */
    size_t *ends;  /* (count): batch b is order[ends[b - 1]] .. order[ends[b] - 1]   */
    size_t count;
} ken_batches;

/* Cuts so that a batch has at most `budget` rows, or one example. With `shuffled` in the order of
 * (seed, epoch), else in that of the file. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch);
void ken_batches_release(ken_batches *batches);

#endif
