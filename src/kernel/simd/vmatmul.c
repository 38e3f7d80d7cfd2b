/* vmatmul.c - packs operands and multiplies one block. kernel/matmul.c cuts products into blocks
 * and distributes them to threads. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"

/* Short names for the functions of this instruction set. */
#define pack_transposed KEN_SIMD(pack_transposed)
#define pack_straight KEN_SIMD(pack_straight)

/* A block goes through k in one pass if its left operand and two panels of the right operand fit
 * the second-level cache together; otherwise each pass handles DEPTH of k. */
enum { DEPTH = 256, ONE_PASS = 40 * 1024, LEFT_PANEL = DEPTH * TILE_ROWS + 16 };

/* Packs a panel by transposing squares of 4 x 4 numbers. Returns how much of k it packed: `depth`
 * rounded down to a multiple of 4. */
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
    /* the size is a constant, so the compiler makes no loop */
    if (lines == width) memcpy(panel, source, width * sizeof *panel);
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
    size_t i, j, rows, cols; /* first row and column of a tile in its block; size of the tile */
};

/* Returns the number of rows of a tile. All tiles have about the same height, because a low tile at
 * the end would have too few independent sums to keep the processor busy. If the left operand is
 * packed, tiles have TILE_ROWS rows. */
static size_t tile_height(const struct ken_matmul_block *block)
{
    size_t tiles = ken_size_groups(block->rows, TILE_ROWS);
    return block->a_columns ? TILE_ROWS : ken_size_groups(block->rows, tiles);
}

static struct place place_at(const struct ken_matmul_block *block, size_t i, size_t j,
                             size_t height)
{
    return (struct place){ i, j, ken_size_min(block->rows - i, height),
                           ken_size_min(block->cols - j, TILE_COLS) };
}

/* Copies a tile of c to the work space, or from the work space to c. */
static void copy_tile(float *to, size_t to_stride, const float *from, size_t from_stride,
                      struct place at)
{
    for (size_t r = 0; r < at.rows; r++) {
        if (at.cols == TILE_COLS)
            memcpy(to + r * to_stride, from + r * from_stride, TILE_COLS * sizeof *to);
        else memcpy(to + r * to_stride, from + r * from_stride, at.cols * sizeof *to);
    }
}

/* Stores the sums of a tile in c: c = act(sums) if block->last (bias included), else the partial
 * sums. The activation runs in the work space and not in c: rows of c are often a power of two
 * apart, so a read of c soon after the writes would falsely depend on stores to other rows. */
static void finish_tile(const struct ken_matmul_block *block, float *sums, struct place at)
{
    size_t here = at.i * block->c_stride + at.j;
    if (block->last && block->pre)
        copy_tile(block->pre + here, block->c_stride, sums, TILE_COLS, at);
    if (block->last && block->activation != KEN_ACT_NONE)
        KEN_SIMD(activation_forward)(sums, sums, at.rows * TILE_COLS, block->activation);
    copy_tile(block->c + here, block->c_stride, sums, TILE_COLS, at);
}

/* Returns the bias of the TILE_COLS columns from column j on; NULL if there is no bias, or if the
 * sums are not complete yet. If fewer columns are left, the bias is copied to `room`. */
static const float *bias_at(float room[TILE_COLS], const struct ken_matmul_block *block, size_t j)
{
    if (!block->last || !block->bias) return NULL;
    if (block->cols - j >= TILE_COLS) return block->bias + j;
    memset(room, 0, TILE_COLS * sizeof *room);
    memcpy(room, block->bias + j, (block->cols - j) * sizeof *room);
    return room;
}

/* Packs k .. k + depth - 1 of the left operand into panels, if it is stored transposed. Each block
 * packs its own part, so that the panels stay in the second-level cache. */
static void pack_left(float *panels, const struct ken_matmul_block *block, size_t k, size_t depth)
{
    if (!block->a_columns) return;
    /* number of rows to prefetch at a time: rows are far apart, and only a short piece of each is
     * read */
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

/* Returns the packed panel of b that holds column j, starting at k. */
static const float *panel_at(const struct ken_matmul_block *block, size_t j, size_t k)
{
    return block->b + j / TILE_COLS * block->b_panel + k * TILE_COLS;
}

/* Returns the packed panel of b that will be read after the panel of column j; NULL if it is not
 * known. */
static const float *panel_after(const struct ken_matmul_block *block, size_t j, size_t k,
                                size_t depth)
{
    if (j + TILE_COLS < block->cols) return panel_at(block, j + TILE_COLS, k);
    return k + depth < block->depth ? panel_at(block, 0, k + depth) : block->b_after;
}

/* The three inner loops of the product. rows_tile() is for a left operand stored in rows,
 * rows_tile_ahead() does the same with prefetching, and columns_tile() is for a left operand stored
 * in columns. Each is a function that is not inlined, because each needs all registers. */
static NOINLINE void rows_tile(float *c, size_t stride, struct operand a, struct operand b,
                               size_t depth, bool add, size_t rows, size_t cols)
{
    a.step = 1;
    b.step = TILE_COLS;
    b.ahead = NULL;
    tile_edge(c, stride, a, b, depth, add, rows, cols);
}

static NOINLINE void rows_tile_ahead(float *c, size_t stride, struct operand a, struct operand b,
                                     size_t depth, bool add, size_t rows, size_t cols)
{
    a.step = 1;
    b.step = TILE_COLS;
    if (b.ahead) tile_edge(c, stride, a, b, depth, add, rows, cols);
}

static NOINLINE void columns_tile(float *c, size_t stride, struct operand a, struct operand b,
                                  size_t depth, bool add, size_t rows, size_t cols)
{
    a.row = 1;
    a.step = TILE_ROWS;
    b.step = TILE_COLS;
    b.ahead = NULL;
    tile_edge(c, stride, a, b, depth, add, rows, cols);
}

/* Sets which numbers are prefetched while the tile `at` is computed: the tiles of one column of
 * tiles share the next panel of b, and each prefetches one part of it. */
static void look_ahead(struct operand *b, const struct ken_matmul_block *block, struct place at,
                       size_t k, size_t depth)
{
    size_t height = tile_height(block);
    b->ahead = panel_after(block, at.j, k, depth);
    if (!b->ahead) return;
    b->ahead_step = ken_size_groups(TILE_COLS, ken_size_groups(block->rows, height));
    b->ahead += at.i / height * depth * b->ahead_step;
}

/* Adds the products of the inner indices k .. k + depth - 1 to a tile and, after the last k, the
 * bias. `panels` is the left operand as pack_left() packed it. */
static void multiply(float *c, size_t stride, const struct ken_matmul_block *block,
                     const float *panels, struct place at, size_t cols, size_t k, size_t depth)
{
    float room[TILE_COLS];
    bool add = block->add || k > 0;
    struct operand b = { panel_at(block, at.j, k) };
    struct operand a = { block->a + at.i * block->a_stride + k, block->a_stride };
    if (k + depth == block->depth) b.bias = bias_at(room, block, at.j);
    if (block->a_columns) {
        a.data = panels + at.i / TILE_ROWS * LEFT_PANEL;
        columns_tile(c, stride, a, b, depth, add, at.rows, cols);
        return;
    }
    look_ahead(&b, block, at, k, depth);
    if (b.ahead) rows_tile_ahead(c, stride, a, b, depth, add, at.rows, cols);
    else rows_tile(c, stride, a, b, depth, add, at.rows, cols);
}

/* Prefetches the cache lines of c that a tile will be written to, while the tile is computed. */
static void expect_tile(const struct ken_matmul_block *block, struct place at)
{
    for (size_t r = 0; r < at.rows; r++) {
        const float *c = block->c + (at.i + r) * block->c_stride + at.j;
        for (size_t i = 0; i < TILE_COLS; i += LINE) __builtin_prefetch(c + i, 1);
    }
}

/* Multiplies a block in one pass over k. Sums go directly to c, unless an activation follows. */
static void shallow_block(const struct ken_matmul_block *block, float *panels)
{
    bool due = block->last && (block->pre || block->activation != KEN_ACT_NONE);
    size_t height = tile_height(block);
    pack_left(panels, block, 0, block->depth);
    for (size_t j = 0; j < block->cols; j += TILE_COLS)
        for (size_t i = 0; i < block->rows; i += height) {
            struct place at = place_at(block, i, j, height);
            float *c = block->c + i * block->c_stride + j;
            expect_tile(block, at);
            if (!due) {
                multiply(c, block->c_stride, block, panels, at, at.cols, 0, block->depth);
                continue;
            }
            float sums[TILE_ROWS * TILE_COLS];
            if (block->add) copy_tile(sums, TILE_COLS, c, block->c_stride, at);
            multiply(sums, TILE_COLS, block, panels, at, TILE_COLS, 0, block->depth);
            finish_tile(block, sums, at);
        }
}

/* Multiplies a block in several passes over k. Between passes the sums stay in the work space, tile
 * after tile: in c the rows of a tile are often a power of two apart and would evict each other
 * from the cache. */
static void deep_block(const struct ken_matmul_block *block, float *panels, float *work)
{
    const size_t size = TILE_ROWS * TILE_COLS, height = tile_height(block);
    for (size_t k = 0; k < block->depth; k += DEPTH) {
        size_t depth = ken_size_min(block->depth - k, DEPTH);
        float *sums = work;
        pack_left(panels, block, k, depth);
        for (size_t j = 0; j < block->cols; j += TILE_COLS)
            for (size_t i = 0; i < block->rows; i += height, sums += size) {
                struct place at = place_at(block, i, j, height);
                float *c = block->c + i * block->c_stride + j;
                if (k == 0 && block->add) copy_tile(sums, TILE_COLS, c, block->c_stride, at);
                if (k + depth == block->depth) expect_tile(block, at);
                multiply(sums, TILE_COLS, block, panels, at, TILE_COLS, k, depth);
                if (k + depth == block->depth) finish_tile(block, sums, at);
            }
    }
}

void KEN_SIMD(matmul_block)(const struct ken_matmul_block *block, float *scratch)
{
    float *sums = scratch + ken_size_groups(block->rows, TILE_ROWS) * LEFT_PANEL;
    bool small = !block->a_columns && block->rows * block->depth <= ONE_PASS;
    if (block->depth <= DEPTH || small) shallow_block(block, scratch);
    else deep_block(block, scratch, sums);
}
