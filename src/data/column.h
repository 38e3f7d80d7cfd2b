/* column.h - sequences of ids, or of rows of numbers, in their smallest form.
 *
 * Ids are appended as int32_t; when their sequence ends, they are packed into 1, 2 or 4 bytes each,
 * as few as all ids of the column need. Numbers are kept as floats. Appending does not report
 * failures: call ken_column_status() when an example is complete. */
#ifndef DATA_COLUMN_H
#define DATA_COLUMN_H

#include "base/buffer.h"
#include "base/sha256.h"

#include <stdint.h>

struct ken_column {
    ken_buffer ids;     /* int32_t each: the sequence that has not ended yet             */
    ken_buffer numbers; /* float each, `width` per row: all sequences                    */
    ken_buffer packed;  /* the sequences that have ended: id - lowest, `item` bytes each */
    ken_buffer ends;    /* size_t each: number of rows before the end of sequence i      */
    size_t width;       /* numbers per row; 0 = the column has ids                       */
    size_t item;        /* bytes per id: 1, 2 or 4; 0 = nothing is packed yet            */
    int32_t lowest;     /* the lowest id so far, at most 0: -1 once a label is unknown    */
    int32_t highest;    /* the highest id so far, at least 0                             */
};

void ken_column_end(struct ken_column *column); /* the current sequence ends here */

/* Ends a sequence of `rows` rows that are not kept here but made when they are needed. */
void ken_column_skip(struct ken_column *column, size_t rows);

size_t ken_column_count(const struct ken_column *column);           /* number of sequences */
size_t ken_column_start(const struct ken_column *column, size_t i); /* rows before sequence i */
size_t ken_column_rows(const struct ken_column *column, size_t i);  /* 0 if the column is empty */

/* The id of row r; and the ids of rows first .. last - 1, appended to a buffer of int32_t. */
int32_t ken_column_id(const struct ken_column *column, size_t r);
void ken_column_unpack(const struct ken_column *column, ken_buffer *ids, size_t first, size_t last);

/* Removes the last sequence. */
void ken_column_drop(struct ken_column *column);

ken_status ken_column_status(const struct ken_column *column);
void ken_column_clear(struct ken_column *column); /* makes it empty; keeps its memory */
void ken_column_release(struct ken_column *column);

/* Adds the column's ids as int32_t, its numbers and its ends to a hash; the number of bytes per id
 * does not matter. */
void ken_column_hash(const struct ken_column *column, ken_sha256 *sha);

#endif
