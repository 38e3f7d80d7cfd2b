/* vproduct.c - small products in one thread. Panels of the right operand are packed one after
 * another into the layout that tile.h reads, unless b has that layout already. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/tile.h"

/* Returns the columns of b from column j on, in the layout that tile.h reads; packs them into
 * `panel` if b has another layout. */
static struct operand right(const struct ken_product *job, size_t j, float *panel)
{
    size_t lines = ken_size_min(job->cols - j, TILE_COLS);
    switch (job->b_side) {
    case KEN_B_PADDED: return (struct operand){ job->b + j, 0, job->b_stride };
    case KEN_B_ROWS:
        KEN_SIMD(pack_straight)
        (panel, job->b + j, job->b_stride, lines, job->depth, TILE_COLS, 0);
        break;
    case KEN_B_COLUMNS:
        KEN_SIMD(pack_transposed)
        (panel, job->b + j * job->b_stride, job->b_stride, lines, job->depth);
        break;
    }
    return (struct operand){ panel, 0, TILE_COLS };
}

void KEN_SIMD(product)(const struct ken_product *job, float *panel)
{
    size_t stride = job->a_stride;
    for (size_t j = 0; j < job->cols; j += TILE_COLS) {
        struct operand b = right(job, j, panel);
        size_t cols = ken_size_min(job->cols - j, TILE_COLS);
        for (size_t i = 0; i < job->rows; i += TILE_ROWS) {
            size_t rows = ken_size_min(job->rows - i, TILE_ROWS);
            float *c = job->c + i * job->c_stride + j;
            if (job->a_columns)
                tile_edge(c, job->c_stride, (struct operand){ job->a + i, 1, stride }, b,
                          job->depth, job->add, rows, cols);
            else
                tile_edge(c, job->c_stride, (struct operand){ job->a + i * stride, stride, 1 }, b,
                          job->depth, job->add, rows, cols);
        }
    }
}
