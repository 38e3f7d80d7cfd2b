/* op_sequence.h - code that the operations on ragged batches share. */
#ifndef TENSOR_OP_SEQUENCE_H
#define TENSOR_OP_SEQUENCE_H

#include "kernel/embed.h"
#include "tensor/op_table.h"

/* Checks that the sequences of `ragged` cover exactly the rows of x. If they do not, records a
 * failure on the tape and returns false. */
static inline bool ken_op_covers(ken_tape *tape, const char *op, const ken_tensor *x,
                                 ken_ragged ragged)
{
    if (ragged.start[ragged.count] == x->rows) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: sequences of %zu rows in all, input %zu x %zu", op,
                  ragged.start[ragged.count], x->rows, x->cols);
    return false;
}

/* Takes memory for `count` row numbers on the tape; the caller fills them in. */
static inline ken_status ken_op_take_ids(ken_tape *tape, int32_t **ids, size_t count)
{
    *ids = ken_arena_take(&tape->arena, count, sizeof **ids);
    if (!*ids) ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu row numbers", count);
    return tape->status;
}

/* Computes the place of each row (its position within its sequence) on the tape. */
static inline ken_status ken_op_places(ken_tape *tape, int32_t **places, ken_ragged ragged,
                                       const size_t *offset)
{
    KEN_TRY(ken_op_take_ids(tape, places, ragged.start[ragged.count]));
    ken_embed_places(*places, ragged.start, offset, ragged.count);
    return KEN_OK;
}

#endif
