/* tile.h - the innermost loop of every matrix product in ken, including those of attention:
 *
 *     c[i][j] += sum over k of a(i, k) * b(k, j),    i < rows <= TILE_ROWS,  j < TILE_COLS
 *
 * Invariant: each result is one chain of multiply-adds in the order of k, which starts from 0 or
 * from the value in c. So a sum may be cut into pieces along k, and the matrix into tiles of any
 * size, without changing a bit: the product of a row does not depend on its neighbours, on how many
 * there are, or on which thread computes it.
 *
 * a(i, k) is a.data[i * a.row + k * a.step]. Callers pass the constant 1 as row or as step, and the
 * compiler specialises the loop for it. */
#ifndef KERNEL_SIMD_TILE_H
#define KERNEL_SIMD_TILE_H

#include "kernel/simd/simd.h"

#include <stdbool.h>

enum { LINE = 16 }; /* floats per cache line */

struct operand {
    const float *data;
    size_t row;  /* for a: floats from one i to the next; for b: not used */
    size_t step; /* floats from one k to the next                         */
    /* For b: the address of numbers that will be needed soon, or NULL. With each k, the next
     * `ahead_step` floats from that address are prefetched into the second-level cache. Prefetches
     * are spread evenly, because a processor can load only about twenty cache lines at the same
     * time. */
    const float *ahead;
    size_t ahead_step;
    const float *bias; /* for b: TILE_COLS numbers to add to the complete sums; or NULL */
};

/* Computes a tile whose number of rows is a compile-time constant: for i < rows and j < TILE_COLS,
 * c[i][j] = sum over k < depth of a(i, k) b(k, j). With `add`, the old c[i][j] is added; if b.bias
 * is set, b.bias[j] is added. The sums stay in registers until all of k is done. */
INLINE void tile_fixed(float *c, size_t c_row, struct operand a, struct operand b, size_t depth,
                       bool add, const size_t rows)
{
    vf sum[TILE_ROWS][2];
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        sum[i][0] = add ? v_load(c + i * c_row) : v_splat(0);
        sum[i][1] = add ? v_load(c + i * c_row + LANES) : v_splat(0);
    }
    /* If rows of a are a.row floats apart, each group of four rows gets a pointer: then all
     * addresses are a register plus a small multiple of a.row. With a single pointer for all rows,
     * the multiples would need more registers than there are. The assembly statement hides the
     * origin of the pointers from the compiler, which would otherwise merge them again. */
    const size_t own = __builtin_constant_p(a.row) && a.row == 1 ? TILE_ROWS : 4;
    const float *pa[3] = { a.data, a.data, a.data };
    UNROLL
    for (size_t i = own; i < rows; i += own) {
        pa[i / own] += i * a.row;
        __asm__("" : "+r"(pa[i / own]));
    }
    const float *pb = b.data, *next = b.ahead;
    for (size_t k = 0; k < depth; k++, pb += b.step) {
        vf b0 = v_load(pb);
        vf b1 = v_load(pb + LANES);
        if (b.ahead) {
            __builtin_prefetch(next, 0, 2);
            if (b.ahead_step > LINE) __builtin_prefetch(next + LINE, 0, 2);
            next += b.ahead_step;
        }
        UNROLL
        for (size_t i = 0; i < rows; i++) {
            vf x = v_splat(pa[i / own][i % own * a.row]);
            sum[i][0] += x * b0;
            sum[i][1] += x * b1;
        }
        UNROLL
        for (size_t i = 0; i < rows; i += own) pa[i / own] += a.step;
    }
    if (b.bias) {
        vf bias0 = v_load(b.bias), bias1 = v_load(b.bias + LANES);
        UNROLL
        for (size_t i = 0; i < rows; i++) {
            sum[i][0] += bias0;
            sum[i][1] += bias1;
        }
    }
    UNROLL
    for (size_t i = 0; i < rows; i++) {
        v_store(c + i * c_row, sum[i][0]);
        v_store(c + i * c_row + LANES, sum[i][1]);
    }
}

/* Computes a tile as tile_fixed() does, for any number of rows from 1 to TILE_ROWS, by calling
 * tile_fixed() with a constant. For 0 rows it does nothing. */
INLINE void tile(float *c, size_t c_row, struct operand a, struct operand b, size_t depth, bool add,
                 size_t rows)
{
    switch (rows) {
    case 1: tile_fixed(c, c_row, a, b, depth, add, 1); break;
    case 2: tile_fixed(c, c_row, a, b, depth, add, 2); break;
    case 3: tile_fixed(c, c_row, a, b, depth, add, 3); break;
    case 4: tile_fixed(c, c_row, a, b, depth, add, 4); break;
#if TILE_HEIGHT > 4
    case 5: tile_fixed(c, c_row, a, b, depth, add, 5); break;
    case 6: tile_fixed(c, c_row, a, b, depth, add, 6); break;
#endif
#if TILE_HEIGHT > 6
    case 7: tile_fixed(c, c_row, a, b, depth, add, 7); break;
    case 8: tile_fixed(c, c_row, a, b, depth, add, 8); break;
    case 9: tile_fixed(c, c_row, a, b, depth, add, 9); break;
    case 10: tile_fixed(c, c_row, a, b, depth, add, 10); break;
    case 11: tile_fixed(c, c_row, a, b, depth, add, 11); break;
    case 12: tile_fixed(c, c_row, a, b, depth, add, 12); break;
#endif
    default: break;
    }
}

/* Computes a tile as tile() does, but writes only the first `cols` <= TILE_COLS columns of c; b
 * must still have TILE_COLS readable columns. */
INLINE void tile_edge(float *c, size_t c_row, struct operand a, struct operand b, size_t depth,
                      bool add, size_t rows, size_t cols)
{
    if (cols == TILE_COLS) {
        if (rows == TILE_ROWS) tile_fixed(c, c_row, a, b, depth, add, TILE_ROWS);
        else tile(c, c_row, a, b, depth, add, rows);
        return;
    }
    float full[TILE_ROWS * TILE_COLS];
    for (size_t r = 0; add && r < rows; r++)
        memcpy(full + r * TILE_COLS, c + r * c_row, cols * sizeof *c);
    tile(full, TILE_COLS, a, b, depth, add, rows);
    for (size_t r = 0; r < rows; r++) memcpy(c + r * c_row, full + r * TILE_COLS, cols * sizeof *c);
}

#endif
