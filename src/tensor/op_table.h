/* op_table.h - the table of operations, which op_table.c defines: one row for each operation. */
#ifndef TENSOR_OP_TABLE_H
#define TENSOR_OP_TABLE_H

#include "tensor/tape.h"

typedef ken_status ken_op_fn(ken_tape *tape, struct ken_node *node);

struct ken_op_row {
    const char *name;
    ken_op_fn *forward;  /* computes out[] from in[] and options                */
    ken_op_fn *backward; /* adds to the gradients of in[]; reads those of out[] */
};

extern const struct ken_op_row ken_ops[KEN_OP_COUNT];

/* Forward and backward of each operation; both are in the operation's op_*.c file. */
ken_op_fn ken_add_forward, ken_add_backward;
ken_op_fn ken_add_row_forward, ken_add_row_backward;
ken_op_fn ken_scale_forward, ken_scale_backward;
ken_op_fn ken_dot_forward, ken_dot_backward;
ken_op_fn ken_attend_op_forward, ken_attend_op_backward;
ken_op_fn ken_head_dot_op_forward, ken_head_dot_op_backward;
ken_op_fn ken_head_mean_op_forward, ken_head_mean_op_backward;
ken_op_fn ken_linear_forward, ken_linear_backward;
ken_op_fn ken_activate_forward, ken_activate_backward;
ken_op_fn ken_glu_op_forward, ken_glu_op_backward;
ken_op_fn ken_norm_op_forward, ken_norm_op_backward;
ken_op_fn ken_dropout_op_forward, ken_dropout_op_backward;
ken_op_fn ken_embed_op_forward, ken_embed_op_backward;
ken_op_fn ken_bag_op_forward, ken_bag_op_backward;
ken_op_fn ken_add_position_forward, ken_add_position_backward;
ken_op_fn ken_pick_op_forward, ken_pick_op_backward;
ken_op_fn ken_quadratic_op_forward, ken_quadratic_op_backward;
ken_op_fn ken_flow_op_forward, ken_flow_op_backward;
ken_op_fn ken_project_loss_forward, ken_project_loss_backward;
ken_op_fn ken_class_loss_forward, ken_class_loss_backward;
ken_op_fn ken_label_loss_op_forward, ken_label_loss_op_backward;
ken_op_fn ken_conv_op_forward, ken_conv_op_backward;
ken_op_fn ken_conv_depth_op_forward, ken_conv_depth_op_backward;
ken_op_fn ken_recur_op_forward, ken_recur_op_backward;
ken_op_fn ken_pool_op_forward, ken_pool_op_backward;
ken_op_fn ken_rotate_op_forward, ken_rotate_op_backward;
ken_op_fn ken_features_op_forward, ken_features_op_backward;
ken_op_fn ken_linear_attend_op_forward, ken_linear_attend_op_backward;
ken_op_fn ken_landmarks_op_forward, ken_landmarks_op_backward;

#endif
