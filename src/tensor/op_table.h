/* op_table.h - the table of operations: one row each, in op_table.c. */
#ifndef TENSOR_OP_TABLE_H
#define TENSOR_OP_TABLE_H

#include "tensor/tape.h"

typedef ken_status ken_op_fn(ken_tape *tape, struct ken_node *node);

struct ken_op_row {
    const char *name;
    ken_op_fn *forward;  /* fills out[] from in[] and options                    */
    ken_op_fn *backward; /* adds to the gradients of in[] from those of out[]    */
};

extern const struct ken_op_row ken_ops[KEN_OP_COUNT];

/* Defined beside each other in the op_*.c files. */
ken_op_fn ken_add_forward, ken_add_backward;
ken_op_fn ken_scale_forward, ken_scale_backward;
ken_op_fn ken_dot_forward, ken_dot_backward;
ken_op_fn ken_linear_forward, ken_linear_backward;

#endif
