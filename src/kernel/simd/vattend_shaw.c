/* vattend_shaw.c - Shaw's vectors, which depend on i - j alone, for a panel of queries and a tile
 * of keys. Pairs with the same offset i - j share a vector, and there are fewer offsets than keys
 * and lanes together, so Shaw's terms are small matrix products like those with keys and values. */
#include "kernel/simd/vattend.h"

/* Returns the offset i - j, where i is the first query of panel p and j the first key of the
 * tile. */
static ptrdiff_t corner(const struct block *block, size_t p, size_t j0)
{
    size_t i = block->i0 + p * TILE_COLS + block->S;
    return (ptrdiff_t)i - (ptrdiff_t)(block->T + j0);
}

static struct offsets offsets_of(ptrdiff_t i, size_t span, struct meeting m)
{
    size_t first = ken_attend_bias_at(i - (ptrdiff_t)m.b + 1, span);
    size_t last = ken_attend_bias_at(i + TILE_COLS - 1 - (ptrdiff_t)m.a, span);
    return (struct offsets){ first, last - first + 1 };
}

void attend_add_by_offset(float *scores, size_t row, const struct block *block, size_t p,
                          const float *x, const float *table, size_t width, size_t j0,
                          struct meeting m)
{
    float products[OFFSETS * TILE_COLS];
    size_t span = block->job->span;
    ptrdiff_t i = corner(block, p, j0);
    if (m.a == m.b) return;
    struct offsets o = offsets_of(i, span, m);
    struct operand lanes = { x, 0, TILE_COLS };
    for (size_t r = 0; r < o.count; r += TILE_ROWS)
        tile(products + r * TILE_COLS, TILE_COLS,
             (struct operand){ table + (o.first + r) * width, width, 1 }, lanes, width, false,
             ken_size_min(o.count - r, TILE_ROWS));
    for (size_t j = m.a; j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c++) {
            size_t at = ken_attend_bias_at(i + (ptrdiff_t)c - (ptrdiff_t)j, span) - o.first;
            scores[j * row + c] += products[at * TILE_COLS + c];
        }
}

struct offsets attend_fold(float *folded, const float *weights, size_t row,
                           const struct block *block, size_t p, size_t j0, struct meeting m)
{
    size_t span = block->job->span;
    ptrdiff_t i = corner(block, p, j0);
    struct offsets o = offsets_of(i, span, m);
    memset(folded, 0, o.count * TILE_COLS * sizeof *folded);
    for (size_t j = m.a; j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c++) {
            size_t at = ken_attend_bias_at(i + (ptrdiff_t)c - (ptrdiff_t)j, span) - o.first;
            folded[at * TILE_COLS + c] += weights[j * row + c];
        }
    return o;
}
