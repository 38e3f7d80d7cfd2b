/* op_table.c - the table of all operations. A new operation needs a name in ops.h, a row in this
 * table, a file op_*.c with forward and backward, and test cases of its gradients in a file
 * tests/cases_*.c (tests/tensor/test_ops.c fails without them). */
#include "tensor/op_table.h"

const struct ken_op_row ken_ops[KEN_OP_COUNT] = {
    [KEN_OP_ADD] = { "add", ken_add_forward, ken_add_backward },
    [KEN_OP_ADD_ROW] = { "add_row", ken_add_row_forward, ken_add_row_backward },
    [KEN_OP_SCALE] = { "scale", ken_scale_forward, ken_scale_backward },
    [KEN_OP_DOT] = { "dot", ken_dot_forward, ken_dot_backward },
    [KEN_OP_ATTEND] = { "attend", ken_attend_op_forward, ken_attend_op_backward },
    [KEN_OP_HEAD_DOT] = { "head_dot", ken_head_dot_op_forward, ken_head_dot_op_backward },
    [KEN_OP_HEAD_MEAN] = { "head_mean", ken_head_mean_op_forward, ken_head_mean_op_backward },
    [KEN_OP_LINEAR] = { "linear", ken_linear_forward, ken_linear_backward },
    [KEN_OP_ACTIVATE] = { "activate", ken_activate_forward, ken_activate_backward },
    [KEN_OP_GLU] = { "glu", ken_glu_op_forward, ken_glu_op_backward },
    [KEN_OP_NORM] = { "norm", ken_norm_op_forward, ken_norm_op_backward },
    [KEN_OP_RESIDUAL_NORM] = { "residual norm", ken_norm_op_forward, ken_norm_op_backward },
    [KEN_OP_DROPOUT] = { "dropout", ken_dropout_op_forward, ken_dropout_op_backward },
    [KEN_OP_EMBED] = { "embed", ken_embed_op_forward, ken_embed_op_backward },
    [KEN_OP_BAG] = { "bag", ken_bag_op_forward, ken_bag_op_backward },
    [KEN_OP_ADD_POSITION] = { "add_position", ken_add_position_forward, ken_add_position_backward },
    [KEN_OP_PICK] = { "pick", ken_pick_op_forward, ken_pick_op_backward },
    [KEN_OP_QUADRATIC] = { "quadratic", ken_quadratic_op_forward, ken_quadratic_op_backward },
    [KEN_OP_FLOW] = { "flow", ken_flow_op_forward, ken_flow_op_backward },
    [KEN_OP_PROJECT_LOSS] = { "project_loss", ken_project_loss_forward, ken_project_loss_backward },
    [KEN_OP_CLASS_LOSS] = { "class_loss", ken_class_loss_forward, ken_class_loss_backward },
    [KEN_OP_LABEL_LOSS] = { "label_loss", ken_label_loss_op_forward, ken_label_loss_op_backward },
    [KEN_OP_CONV] = { "conv", ken_conv_op_forward, ken_conv_op_backward },
    [KEN_OP_CONV_IMAGE] = { "conv_image", ken_conv_op_forward, ken_conv_op_backward },
    [KEN_OP_CONV_DEPTH] = { "conv_depth", ken_conv_depth_op_forward, ken_conv_depth_op_backward },
    [KEN_OP_RECUR] = { "recur", ken_recur_op_forward, ken_recur_op_backward },
    [KEN_OP_POOL] = { "pool", ken_pool_op_forward, ken_pool_op_backward },
    [KEN_OP_ROTATE] = { "rotate", ken_rotate_op_forward, ken_rotate_op_backward },
    [KEN_OP_FEATURES] = { "features", ken_features_op_forward, ken_features_op_backward },
    [KEN_OP_LINEAR_ATTEND] = { "linear_attend", ken_linear_attend_op_forward,
                               ken_linear_attend_op_backward },
    [KEN_OP_LANDMARKS] = { "landmarks", ken_landmarks_op_forward, ken_landmarks_op_backward },
};
