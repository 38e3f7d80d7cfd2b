/* table.c - one row of the dispatch: all kernels of one instruction set. */
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
    .tile_rows = TILE_ROWS,
    .tile_cols = TILE_COLS,
    .pack_transposed = KEN_SIMD(pack_transposed),
    .pack_straight = KEN_SIMD(pack_straight),
    .matmul_block = KEN_SIMD(matmul_block),
    .array_combine = KEN_SIMD(array_combine),
    .array_scale = KEN_SIMD(array_scale),
    .array_column_sums = KEN_SIMD(array_column_sums),
    .array_dot = KEN_SIMD(array_dot),
};
