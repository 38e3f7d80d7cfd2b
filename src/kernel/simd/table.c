/* table.c - the table of all kernels of one instruction set; kernel/dispatch.c chooses one of these
 * tables. */
#include "kernel/simd/table.h"

const struct ken_kernels KEN_SIMD(kernels) = {
#if defined(KEN_ISA_avx512)
    .name = "avx512",
#elif defined(KEN_ISA_avx2)
    .name = "avx2",
#else
    .name = "generic",
#endif
    .lanes = LANES,
    .tile_cols = TILE_COLS,
    .pack_transposed = KEN_SIMD(pack_transposed),
    .pack_straight = KEN_SIMD(pack_straight),
    .matmul_block = KEN_SIMD(matmul_block),
    .product = KEN_SIMD(product),
    .attend_forward = KEN_SIMD(attend_forward),
    .attend_weights = KEN_SIMD(attend_weights),
    .attend_backward = KEN_SIMD(attend_backward),
    .attend_edges_forward = KEN_SIMD(attend_edges_forward),
    .attend_edges_queries = KEN_SIMD(attend_edges_queries),
    .attend_edges_keys = KEN_SIMD(attend_edges_keys),
    .array_combine = KEN_SIMD(array_combine),
    .array_scale = KEN_SIMD(array_scale),
    .array_column_sums = KEN_SIMD(array_column_sums),
    .array_dot = KEN_SIMD(array_dot),
    .row_sums = KEN_SIMD(row_sums),
    .row_dots = KEN_SIMD(row_dots),
    .row_adds = KEN_SIMD(row_adds),
    .array_affine = KEN_SIMD(array_affine),
    .softmax_most = KEN_SIMD(softmax_most),
    .softmax_exp = KEN_SIMD(softmax_exp),
    .column_dots = KEN_SIMD(column_dots),
    .cell_forward = { KEN_SIMD(lstm_forward), KEN_SIMD(gru_forward), KEN_SIMD(rnn_forward) },
    .cell_backward = { KEN_SIMD(lstm_backward), KEN_SIMD(gru_backward), KEN_SIMD(rnn_backward) },
    .rotate_head = KEN_SIMD(rotate_head),
    .feature_elu = KEN_SIMD(feature_elu),
    .feature_elu_backward = KEN_SIMD(feature_elu_backward),
    .map = KEN_SIMD(map),
    .activation_forward = KEN_SIMD(activation_forward),
    .activation_backward = KEN_SIMD(activation_backward),
    .glu_forward = KEN_SIMD(glu_forward),
    .glu_backward = KEN_SIMD(glu_backward),
    .norm_forward = KEN_SIMD(norm_forward),
    .norm_backward = KEN_SIMD(norm_backward),
    .dropout_rows = KEN_SIMD(dropout_rows),
    .adam = KEN_SIMD(adam),
    .peak_fma = KEN_SIMD(peak_fma),
    .peak_read = KEN_SIMD(peak_read),
};
