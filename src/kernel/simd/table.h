/* table.h - names of this instruction set's kernels, for the table and for the compiler's checks. */
#ifndef KERNEL_SIMD_TABLE_H
#define KERNEL_SIMD_TABLE_H

#include "kernel/kernels.h"
#include "kernel/simd/simd.h"

ken_pack_fn KEN_SIMD(pack_transposed), KEN_SIMD(pack_straight);
ken_matmul_block_fn KEN_SIMD(matmul_block);
ken_array_combine_fn KEN_SIMD(array_combine);
ken_array_scale_fn KEN_SIMD(array_scale);
ken_array_column_sums_fn KEN_SIMD(array_column_sums);
ken_array_dot_fn KEN_SIMD(array_dot);

extern const struct ken_kernels KEN_SIMD(kernels);

#endif
