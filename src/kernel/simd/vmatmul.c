/* vmatmul.c - packing of operands and the product of one block. Cut and shared out by
 * kernel/matmul.c. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"
#include "kernel/simd/vactivation.h"

/* Depth of one pass: a panel of the right operand, TILE_COLS wide, stays in the first-level cache
 * (16 kB of 32), and a block of the left one in the second. */
enum { DEPTH = 256 };

/* The first part of the depth, four k at a time, of a panel without missing lines; returns how far
 * it came. Where the width ends within a group of four, the group is stored all the same: what
 * spills into the next k is overwritten by it, and the last four k are left out so that nothing
 * spills beyond the panel. */
INLINE size_t pack_by_fours(float *panel, const float *source, size_t stride, size_t depth,
                            const size_t width)
{
    const size_t last = width % 4 ? 8 : 4;
    size_t k = 0;
    for (; k + last <= depth; k += 4) {
        v4 rest[4];
        if (width % 4)
            transpose_4x4(rest, source + (width - width % 4) * stride + k, stride, width % 4);
        UNROLL for (size_t i = 0; i + 4 <= width; i += 4) {
            v4 block[4];
            transpose_4x4(block, source + i * stride + k, stride, 4);
            UNROLL for (size_t t = 0; t < 4; t++) {
                *(v4 *)(panel + (k + t) * width + i) = block[t];
                if (width % 4 && i + 8 > width) /* the last whole group of this k: now the rest */
                    *(v4 *)(panel + (k + t) * width + i + 4) = rest[t];
            }
        }
    }
    return k;
}

void KEN_SIMD(pack_transposed)(float *panel, const float *source, size_t stride, size_t lines,
                               size_t depth, size_t width)
{
    size_t k = 0;
    if (lines == TILE_COLS && width == TILE_COLS)
        k = pack_by_fours(panel, source, stride, depth, TILE_COLS);
    else if (lines == TILE_ROWS && width == TILE_ROWS)
        k = pack_by_fours(panel, source, stride, depth, TILE_ROWS);
    for (; k < depth; k++)
        for (size_t i = 0; i < width; i++)
            panel[k * width + i] = i < lines ? source[i * stride + k] : 0;
}

void KEN_SIMD(pack_straight)(float *panel, const float *source, size_t stride, size_t lines,
                             size_t depth, size_t width)
{
    for (size_t k = 0; k < depth; k++, panel += width, source += stride) {
        if (lines == TILE_COLS) {
            v_store(panel, v_load(source));
            v_store(panel + LANES, v_load(source + LANES));
            continue;
        }
        if (lines == TILE_ROWS && width == TILE_ROWS) { /* a fixed size: no loop is left */
            memcpy(panel, source, TILE_ROWS * sizeof *panel);
            continue;
        }
        for (size_t i = 0; i < width; i++) panel[i] = i < lines ? source[i] : 0;
    }
}

/* c = act(c + bias) on a tile that has just been computed and is still in the cache. */
static void finish_tile(const struct ken_matmul_block *block, size_t i0, size_t j0, size_t rows,
                        size_t cols)
{
    for (size_t i = i0; i < i0 + rows; i++) {
        float *c = block->c + i * block->c_stride + j0;
        float *pre = block->pre ? block->pre + i * block->c_stride + j0 : NULL;
        for (size_t j = 0; j < cols; j += LANES) {
            size_t count = ken_size_min(cols - j, LANES);
            vf x = v_load_some(c + j, count);
            if (block->bias) x += v_load_some(block->bias + j0 + j, count);
            if (pre) v_store_some(pre + j, x, count);
            v_store_some(c + j, v_activate(block->activation, x), count);
        }
    }
}

/* The sums of the next tile down, which lie a whole row apart: no hardware guesses them. */
INLINE void prefetch_below(const struct ken_matmul_block *block, size_t i, size_t j)
{
    const float *c = block->c + (i + TILE_ROWS) * block->c_stride + j;
    if (i + 2 * TILE_ROWS > block->rows) return;
    UNROLL for (size_t r = 0; r < TILE_ROWS; r++) __builtin_prefetch(c + r * block->c_stride, 1, 3);
}

static void one_tile(const struct ken_matmul_block *block, size_t i, size_t j, size_t k,
                     size_t depth)
{
    size_t rows = ken_size_min(block->rows - i, TILE_ROWS);
    size_t cols = ken_size_min(block->cols - j, TILE_COLS);
    struct operand a = { block->a + i / TILE_ROWS * block->a_panel + k * TILE_ROWS, 1, TILE_ROWS };
    struct operand b = { block->b + j / TILE_COLS * block->b_panel + k * TILE_COLS, 0, TILE_COLS };
    prefetch_below(block, i, j);
    tile_edge(block->c + i * block->c_stride + j, block->c_stride, a, b, depth,
              block->add || k > 0, rows, cols);
    bool finish = block->bias || block->pre || block->activation != KEN_ACT_NONE;
    if (finish && block->last && k + depth == block->depth) finish_tile(block, i, j, rows, cols);
}

void KEN_SIMD(matmul_block)(const struct ken_matmul_block *block)
{
    size_t k = 0;
    do { /* at least once: a product over nothing is 0, plus bias */
        size_t depth = ken_size_min(block->depth - k, DEPTH);
        for (size_t j = 0; j < block->cols; j += TILE_COLS)
            for (size_t i = 0; i < block->rows; i += TILE_ROWS) one_tile(block, i, j, k, depth);
        k += DEPTH;
    } while (k < block->depth);
}
