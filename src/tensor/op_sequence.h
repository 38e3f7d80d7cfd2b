/* op_sequence.h - what the operations on ragged batches have in common. */
#ifndef TENSOR_OP_SEQUENCE_H
#define TENSOR_OP_SEQUENCE_H

#include "kernel/embed.h"
#include "tensor/op_table.h"

/* Do the sequences cover the rows of x? Else the operation fails. */
static inline bool ken_op_covers(ken_tape *tape, const char *op, const ken_tensor *x,
                                 ken_ragged ragged)
{
    if (ragged.start[ragged.count] == x->rows) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: sequences of %zu rows in all, input %zu x %zu", op,
                  ragged.start[ragged.count], x->rows, x->cols);
    return false;
}

/* The place of each row within its sequence, on the tape. */
static inline ken_status ken_op_places(ken_tape *tape, int32_t **places, ken_ragged ragged,
                                       const size_t *offset)
{
    float *memory;
    KEN_TRY(ken_tape_take(tape, &memory, ragged.start[ragged.count]));
    *places = (int32_t *)memory; /* of the same size and alignment */
    ken_embed_places(*places, ragged.start, offset, ragged.count);
    return KEN_OK;
}

#endif
