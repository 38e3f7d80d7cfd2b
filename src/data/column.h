/* column.h - a column: a list of sequences, of ids or of rows of numbers, stored in their smallest
 * form.
 *
 * Ids are appended as int32_t; when a sequence ends, its ids are packed into 1, 2 or 4 bytes each,
 * as few as all ids of the column need. Numbers are kept as floats. Appending does not report
 * failures: call ken_column_status() when an example is complete. */
#ifndef DATA_COLUMN_H
#define DATA_COLUMN_H

#include "base/buffer.h"
#include "base/sha256.h"

#include <stdint.h>

struct ken_column {
    ken_buffer ids;     /* array of int32_t: ids of the sequence that has not ended yet           */
    ken_buffer numbers; /* array of floats: rows of all sequences, `width` numbers per row        */
    ken_buffer packed;  /* ids of all ended sequences, stored as id - lowest in `item` bytes each */
    ken_buffer ends;    /* array of size_t: ends[i] = total number of rows in sequences 0 .. i    */
    size_t width;       /* numbers per row; 0 = the column holds ids instead of numbers           */
    size_t item;        /* bytes per packed id: 1, 2 or 4; 0 = no id is packed yet                */
    int32_t lowest;     /* lowest id so far: 0, or -1 if an unknown label (-1) was stored         */
    int32_t highest;    /* highest id so far, at least 0                                          */
};

void ken_column_end(struct ken_column *column); /* ends the current sequence */

/* Ends a sequence of `rows` rows without storing the rows: the dataset makes them when a batch
 * needs them. */
void ken_column_skip(struct ken_column *column, size_t rows);

size_t ken_column_count(const struct ken_column *column); /* returns the number of sequences */
/* ken_column_start() returns the number of rows before sequence i. */
size_t ken_column_start(const struct ken_column *column, size_t i);
/* Returns the number of rows of sequence i; 0 if the column has no sequences. */
size_t ken_column_rows(const struct ken_column *column, size_t i);

/* ken_column_id() returns the id of row r. ken_column_unpack() appends the ids of rows first ..
 * last - 1 to a buffer of int32_t. */
int32_t ken_column_id(const struct ken_column *column, size_t r);
void ken_column_unpack(const struct ken_column *column, ken_buffer *ids, size_t first, size_t last);

/* Removes the last sequence of the column. */
void ken_column_drop(struct ken_column *column);

ken_status ken_column_status(const struct ken_column *column);
void ken_column_clear(struct ken_column *column); /* removes all rows; keeps the memory */
void ken_column_release(struct ken_column *column);

/* Adds all ids (as int32_t), numbers and ends of the column to a hash. The hash does not depend on
 * the number of bytes per packed id. */
void ken_column_hash(const struct ken_column *column, ken_sha256 *sha);

#endif
