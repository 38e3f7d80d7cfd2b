/* vmatmul.c - packs operands and multiplies one block. kernel/matmul.c cuts products into blocks
 * and distributes them to threads. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"

/* Short names for the functions of this instruction set. */
#define pack_transposed KEN_SIMD(pack_transposed)
#define pack_straight KEN_SIMD(pack_straight)

/* The depth of one pass is such that a panel of the right operand, TILE_COLS wide, stays in the
 * first-level cache (16 kB of 32), and a block of the left operand in the second-level cache. */
enum { DEPTH = 256, LEFT_PANEL = DEPTH * TILE_ROWS + 16 };

/* Packs most of the depth, four k at a time; returns the number of k that it packed. */
INLINE size_t pack_by_fours(float *panel, const float *source, size_t stride, const size_t lines,
                            size_t depth)
{
    size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
        UNROLL
        for (size_t i = 0; i < TILE_COLS; i += 4) {
            v4 block[4] = { 0 };
            if (i < lines) transpose_4x4(block, source + i * stride + k, stride, lines - i);
            UNROLL
            for (size_t t = 0; t < 4; t++) *(v4 *)(panel + (k + t) * TILE_COLS + i) = block[t];
        }
    }
    return k;
}

void pack_transposed(float *panel, const float *source, size_t stride, size_t lines, size_t depth)
{
    size_t k = lines == TILE_COLS ? pack_by_fours(panel, source, stride, TILE_COLS, depth)
                                  : pack_by_fours(panel, source, stride, lines, depth);
    for (; k < depth; k++)
        for (size_t i = 0; i < TILE_COLS; i++)
            panel[k * TILE_COLS + i] = i < lines ? source[i * stride + k] : 0;
}

INLINE void copy_lines(float *panel, const float *source, size_t lines, const size_t width)
{
    if (lines == width) memcpy(panel, source, width * sizeof *panel); /* a fixed size: no loop */
    else
        for (size_t i = 0; i < width; i++) panel[i] = i < lines ? source[i] : 0;
}

void pack_straight(float *panels, const float *source, size_t stride, size_t lines, size_t depth,
                   size_t width, size_t panel_size)
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

struct place {
    size_t i, j, rows, cols; /* where a tile begins within the block, and its size */
};

static struct place place_at(const struct ken_matmul_block *block, size_t i, size_t j)
{
    return (struct place){ i, j, ken_size_min(block->rows - i, TILE_ROWS),
                           ken_size_min(block->cols - j, TILE_COLS) };
}

/* Copies a tile of c to the work space, or back. */
static void copy_tile(float *to, size_t to_stride, const float *from, size_t from_stride,
                      struct place at)
{
    for (size_t r = 0; r < at.rows; r++) {
        if (at.cols == TILE_COLS)
            memcpy(to + r * to_stride, from + r * from_stride, TILE_COLS * sizeof *to);
        else memcpy(to + r * to_stride, from + r * from_stride, at.cols * sizeof *to);
    }
}

/* Writes sums to c: c = act(sums + bias) if they are complete. Bias and activation are applied in
 * the work space, because the rows of c are often a power of two apart, where a load soon after a
 * store would have to wait for stores to other rows. */
static void finish_tile(const struct ken_matmul_block *block, float *sums, struct place at)
{
    size_t here = at.i * block->c_stride + at.j;
    if (block->last && block->bias) {
        float bias[TILE_COLS] = { 0 };
        memcpy(bias, block->bias + at.j, at.cols * sizeof *bias);
        for (size_t r = 0; r < at.rows; r++)
            for (size_t c = 0; c < TILE_COLS; c += LANES)
                v_store(sums + r * TILE_COLS + c,
                        v_load(sums + r * TILE_COLS + c) + v_load(bias + c));
    }
    if (block->last && block->pre)
        copy_tile(block->pre + here, block->c_stride, sums, TILE_COLS, at);
    if (block->last && block->activation != KEN_ACT_NONE)
        KEN_SIMD(activation_forward)(sums, sums, at.rows * TILE_COLS, block->activation);
    copy_tile(block->c + here, block->c_stride, sums, TILE_COLS, at);
}

/* Packs k .. k + depth - 1 of the left operand into panels if its lines are columns. Each block
 * does this for itself, not once for all blocks, so that the panels never leave the second-level
 * cache. */
static void pack_left(float *panels, const struct ken_matmul_block *block, size_t k, size_t depth)
{
    if (!block->a_columns) return;
    /* rows to prefetch: they are far apart, and only a short piece of each is read */
    enum { STEP = 8 };
    const float *source = block->a + k * block->a_stride;
    for (size_t d = 0; d < depth; d += STEP, source += STEP * block->a_stride) {
        for (size_t r = 0; r < STEP && d + STEP + r < depth; r++)
            for (size_t i = 0; i < block->rows; i += 16)
                __builtin_prefetch(source + (STEP + r) * block->a_stride + i);
        pack_straight(panels + d * TILE_ROWS, source, block->a_stride, block->rows,
                      ken_size_min(depth - d, STEP), TILE_ROWS, LEFT_PANEL);
    }
}

/* Adds the products of k .. k + depth - 1 to the tile; `panels` come from pack_left. */
INLINE void multiply(float *c, size_t stride, const struct ken_matmul_block *block,
                     const float *panels, struct place at, size_t cols, size_t k, size_t depth,
                     bool add)
{
    struct operand b = { block->b + at.j / TILE_COLS * block->b_panel + k * TILE_COLS, 0,
                         TILE_COLS };
    if (block->a_columns) {
        struct operand a = { panels + at.i / TILE_ROWS * LEFT_PANEL, 1, TILE_ROWS };
        tile_edge(c, stride, a, b, depth, add, at.rows, cols);
    } else {
        struct operand a = { block->a + at.i * block->a_stride + k, block->a_stride, 1 };
        tile_edge(c, stride, a, b, depth, add, at.rows, cols);
    }
}

/* A block that needs one pass: it writes directly to c, unless bias or activation are due. */
static void shallow_block(const struct ken_matmul_block *block, float *panels)
{
    bool due = block->last && (block->bias || block->pre || block->activation != KEN_ACT_NONE);
    pack_left(panels, block, 0, block->depth);
    for (size_t j = 0; j < block->cols; j += TILE_COLS)
        for (size_t i = 0; i < block->rows; i += TILE_ROWS) {
            struct place at = place_at(block, i, j);
            float *c = block->c + i * block->c_stride + j;
            if (!due) {
                multiply(c, block->c_stride, block, panels, at, at.cols, 0, block->depth,
                         block->add);
                continue;
            }
            float sums[TILE_ROWS * TILE_COLS];
            if (block->add) copy_tile(sums, TILE_COLS, c, block->c_stride, at);
            multiply(sums, TILE_COLS, block, panels, at, TILE_COLS, 0, block->depth, block->add);
            finish_tile(block, sums, at);
        }
}

/* A block that needs several passes: between these, the sums stay in work space, tile after tile.
 * In c the rows of a tile are often a power of two apart and would evict each other from the
 * cache. */
static void deep_block(const struct ken_matmul_block *block, float *panels, float *work)
{
    const size_t size = TILE_ROWS * TILE_COLS;
    for (size_t k = 0; k < block->depth; k += DEPTH) {
        size_t depth = ken_size_min(block->depth - k, DEPTH);
        float *sums = work;
        pack_left(panels, block, k, depth);
        for (size_t j = 0; j < block->cols; j += TILE_COLS)
            for (size_t i = 0; i < block->rows; i += TILE_ROWS, sums += size) {
                struct place at = place_at(block, i, j);
                float *c = block->c + i * block->c_stride + j;
                if (k == 0 && block->add) copy_tile(sums, TILE_COLS, c, block->c_stride, at);
                multiply(sums, TILE_COLS, block, panels, at, TILE_COLS, k, depth,
                         block->add || k > 0);
                if (k + depth == block->depth) finish_tile(block, sums, at);
            }
    }
}

void KEN_SIMD(matmul_block)(const struct ken_matmul_block *block, float *scratch)
{
    float *sums = scratch + ken_size_groups(block->rows, TILE_ROWS) * LEFT_PANEL;
    if (block->depth > DEPTH) deep_block(block, scratch, sums);
    else shallow_block(block, scratch);
}
