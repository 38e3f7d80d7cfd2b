/* table.h - declares the kernels of this instruction set, so that the table can name them and the
 * compiler checks their types. */
#ifndef KERNEL_SIMD_TABLE_H
#define KERNEL_SIMD_TABLE_H

#include "kernel/kernels.h"
#include "kernel/simd/simd.h"

ken_pack_transposed_fn KEN_SIMD(pack_transposed);
ken_pack_straight_fn KEN_SIMD(pack_straight);
ken_matmul_block_fn KEN_SIMD(matmul_block);
ken_product_fn KEN_SIMD(product);
ken_attend_forward_fn KEN_SIMD(attend_forward);
ken_attend_weights_fn KEN_SIMD(attend_weights);
ken_attend_backward_fn KEN_SIMD(attend_backward);
ken_attend_edges_forward_fn KEN_SIMD(attend_edges_forward);
ken_attend_edges_queries_fn KEN_SIMD(attend_edges_queries);
ken_attend_edges_keys_fn KEN_SIMD(attend_edges_keys);
ken_array_combine_fn KEN_SIMD(array_combine);
ken_array_scale_fn KEN_SIMD(array_scale);
ken_array_column_sums_fn KEN_SIMD(array_column_sums);
ken_array_dot_fn KEN_SIMD(array_dot);
ken_row_sums_fn KEN_SIMD(row_sums);
ken_row_dots_fn KEN_SIMD(row_dots);
ken_row_adds_fn KEN_SIMD(row_adds);
ken_array_affine_fn KEN_SIMD(array_affine);
ken_softmax_most_fn KEN_SIMD(softmax_most);
ken_softmax_exp_fn KEN_SIMD(softmax_exp);
ken_column_dots_fn KEN_SIMD(column_dots);
ken_cell_forward_fn KEN_SIMD(lstm_forward), KEN_SIMD(gru_forward), KEN_SIMD(rnn_forward);
ken_cell_backward_fn KEN_SIMD(lstm_backward), KEN_SIMD(gru_backward), KEN_SIMD(rnn_backward);
ken_rotate_head_fn KEN_SIMD(rotate_head);
ken_feature_elu_fn KEN_SIMD(feature_elu);
ken_feature_elu_backward_fn KEN_SIMD(feature_elu_backward);
ken_map_fn KEN_SIMD(map);
ken_activation_forward_fn KEN_SIMD(activation_forward);
ken_activation_backward_fn KEN_SIMD(activation_backward);
ken_glu_forward_fn KEN_SIMD(glu_forward);
ken_glu_backward_fn KEN_SIMD(glu_backward);
ken_norm_forward_fn KEN_SIMD(norm_forward);
ken_norm_backward_fn KEN_SIMD(norm_backward);
ken_dropout_rows_fn KEN_SIMD(dropout_rows);
ken_adam_fn KEN_SIMD(adam);
ken_peak_fma_fn KEN_SIMD(peak_fma);
ken_peak_read_fn KEN_SIMD(peak_read);

extern const struct ken_kernels KEN_SIMD(kernels);

#endif
