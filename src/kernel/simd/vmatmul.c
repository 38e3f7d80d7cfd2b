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
        UNROLL
        for (size_t i = 0; i + 4 <= width; i += 4) {
            v4 block[4];
            transpose_4x4(block, source + i * stride + k, stride, 4);
            UNROLL
            for (size_t t = 0; t < 4; t++) {
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

INLINE void copy_lines(float *panel, const float *source, size_t lines, const size_t width)
{
    if (lines == width) memcpy(panel, source, width * sizeof *panel); /* a fixed size: no loop */
    else
        for (size_t i = 0; i < width; i++) panel[i] = i < lines ? source[i] : 0;
}

void KEN_SIMD(pack_straight)(float *panels, const float *source, size_t stride, size_t lines,
                             size_t depth, size_t width, size_t panel_size)
{
    for (size_t k = 0; k < depth; k++, panels += width, source += stride) {
        float *panel = panels;
        for (size_t i = 0; i < lines; i += width, panel += panel_size) {
            size_t here = ken_size_min(lines - i, width);
            if (width == TILE_COLS) copy_lines(panel, source + i, here, TILE_COLS);
            else copy_lines(panel, source + i, here, TILE_ROWS);
        }
    }
}

/* c = act(c + bias) on a tile that has just been computed and is still in the cache. */
static void finish_tile(const struct ken_matmul_block *block, size_t i0, size_t j0, size_t rows,
                        size_t cols)
{
    bool due = block->bias || block->pre || block->activation != KEN_ACT_NONE;
    if (!block->last || !due) return;
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

struct place {
    size_t i, j, rows, cols; /* of a tile within the block, and its size */
};

static struct place place_at(const struct ken_matmul_block *block, size_t i, size_t j)
{
    return (struct place){ i, j, ken_size_min(block->rows - i, TILE_ROWS),
                           ken_size_min(block->cols - j, TILE_COLS) };
}

/* Adds the products of k .. k + depth - 1 to the tile. */
INLINE void multiply(float *c, size_t stride, const struct ken_matmul_block *block, struct place at,
                     size_t cols, size_t k, size_t depth, bool add)
{
    struct operand b = { block->b + at.j / TILE_COLS * block->b_panel + k * TILE_COLS, 0,
                         TILE_COLS };
    if (block->a_stride) {
        struct operand a = { block->a + at.i * block->a_stride + k, block->a_stride, 1 };
        tile_edge(c, stride, a, b, depth, add, at.rows, cols);
    } else {
        struct operand a = { block->a + at.i / TILE_ROWS * block->a_panel + k * TILE_ROWS, 1,
                             TILE_ROWS };
        tile_edge(c, stride, a, b, depth, add, at.rows, cols);
    }
}

/* One pass: straight into c. */
static void shallow_block(const struct ken_matmul_block *block)
{
    for (size_t j = 0; j < block->cols; j += TILE_COLS)
        for (size_t i = 0; i < block->rows; i += TILE_ROWS) {
            struct place at = place_at(block, i, j);
            multiply(block->c + i * block->c_stride + j, block->c_stride, block, at, at.cols, 0,
                     block->depth, block->add);
            finish_tile(block, at.i, at.j, at.rows, at.cols);
        }
}

/* Between a tile of c and its copy in the work space. */
static void copy_tile(float *to, size_t to_stride, const float *from, size_t from_stride,
                      struct place at)
{
    for (size_t r = 0; r < at.rows; r++) {
        if (at.cols == TILE_COLS)
            memcpy(to + r * to_stride, from + r * from_stride, TILE_COLS * sizeof *to);
        else memcpy(to + r * to_stride, from + r * from_stride, at.cols * sizeof *to);
    }
}

/* Several passes: the sums stay in work space between them, tile after tile. In c they would lie
 * a row apart, often a power of two, and throw each other out of the cache. */
static void deep_block(const struct ken_matmul_block *block, float *work)
{
    const size_t size = TILE_ROWS * TILE_COLS;
    for (size_t k = 0; k < block->depth; k += DEPTH) {
        size_t depth = ken_size_min(block->depth - k, DEPTH);
        float *sums = work;
        for (size_t j = 0; j < block->cols; j += TILE_COLS)
            for (size_t i = 0; i < block->rows; i += TILE_ROWS, sums += size) {
                struct place at = place_at(block, i, j);
                float *c = block->c + i * block->c_stride + j;
                if (k == 0 && block->add) copy_tile(sums, TILE_COLS, c, block->c_stride, at);
                multiply(sums, TILE_COLS, block, at, TILE_COLS, k, depth, block->add || k > 0);
                if (k + depth < block->depth) continue;
                copy_tile(c, block->c_stride, sums, TILE_COLS, at);
                finish_tile(block, i, j, at.rows, at.cols);
            }
    }
}

void KEN_SIMD(matmul_block)(const struct ken_matmul_block *block, float *scratch)
{
    if (block->depth > DEPTH) deep_block(block, scratch);
    else shallow_block(block);
}
