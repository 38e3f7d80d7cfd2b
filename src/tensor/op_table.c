/* op_table.c - every operation ken knows. To add one: a name in ops.h, a row here, a kernel file
 * with forward and backward, and a case in tests/test_ops.c (which fails until there is one). */
#include "tensor/op_table.h"

const struct ken_op_row ken_ops[KEN_OP_COUNT] = {
    [KEN_OP_ADD] = { "add", ken_add_forward, ken_add_backward },
    [KEN_OP_SCALE] = { "scale", ken_scale_forward, ken_scale_backward },
    [KEN_OP_DOT] = { "dot", ken_dot_forward, ken_dot_backward },
    [KEN_OP_LINEAR] = { "linear", ken_linear_forward, ken_linear_backward },
};
