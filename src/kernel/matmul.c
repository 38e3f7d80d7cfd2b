/* matmul.c - cuts a product into blocks, packs the operands and distributes the blocks to threads.
 * The right operand is packed once for all blocks. The left operand is packed only for KEN_TN,
 * where it is stored transposed; each block packs its own part of it. The cut changes the speed but
 * no bit of the result: each result is one chain of multiply-adds over k (simd/tile.h). The work
 * space is the team's shared memory, so no function here can fail. */
#include "kernel/matmul.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

enum {
    B_SPACE = 1 << 20,    /* floats for the packed right operand                                 */
    DEPTH_STEP = 256,     /* the depth (k) packed at a time is rounded down to multiples of this */
    DEPTH_LEAST = 512,    /* minimum depth (k) packed at a time, for fewer passes over c         */
    DEPTH_MOST = 2048,    /* maximum depth (k) packed at a time: operands fit the cache          */
    BLOCK_ROWS = 96,      /* rows of a block: with depth 256, 96 kB of an L2 cache               */
    WIDEST = 4096,        /* maximum columns of a block: its sums fit the scratch space          */
    BLOCKS_AT_LEAST = 16, /* minimum blocks at a time, so that threads finish together           */
    /* Minimum multiply-adds per block: about five microseconds of work, many times the cost of
     * starting a task. It takes precedence over BLOCKS_AT_LEAST. */
    BLOCK_WORK = 1 << 18,
    ROWS_AT_LEAST = 8,       /* a block of fewer rows takes as long as one of 8: it waits for b */
    PACK_AT_LEAST = 1 << 15, /* minimum floats per packing task                                 */
    /* Floats between panels: panels whose distance is a power of two would evict each other from
     * the cache. */
    PAD = 16
};
_Static_assert(BLOCK_ROWS *(WIDEST + 2 * DEPTH_STEP) <= KEN_TEAM_SCRATCH,
               "the sums of a block and its left operand must fit");
_Static_assert((size_t)B_SPACE <= KEN_TEAM_SHARED, "the operand must fit the shared memory");

/* A step: the part of the job that is packed and multiplied at one time. */
struct step {
    const struct ken_matmul *job;
    const struct ken_kernels *kernels;
    float *b;       /* packed right operand                   */
    size_t b_panel; /* floats from one panel of b to the next */
    size_t n0, k0, cols, depth;
    size_t block_rows, block_cols; /* size of the block that a task multiplies */
};

static size_t or_dense(size_t stride, size_t dense)
{
    return stride ? stride : dense;
}

/* The right operand of a step: `lines` rows or columns of `depth` numbers, to be packed into panels
 * of `width` lines. */
struct operand {
    float *panels;
    const float *source;
    size_t stride, lines, depth, width, panel_size;
    bool transposed; /* true: lines are rows of the source; false: columns */
};

static struct operand right_of(const struct step *step)
{
    const struct ken_matmul *job = step->job;
    bool rows = job->layout == KEN_NT;
    size_t stride = or_dense(job->b_stride, rows ? job->k : job->n);
    size_t at = rows ? step->n0 * stride + step->k0 : step->k0 * stride + step->n0;
    return (struct operand){ step->b,       job->b + at, stride,
                             step->cols,    step->depth, step->kernels->tile_cols,
                             step->b_panel, rows };
}

/* Returns the number of pieces into which packing is cut; a task packs some pieces. If lines are
 * rows, a piece is a panel; if lines are columns, a piece is one row of the source, which has
 * numbers of all panels. */
static size_t pieces(const struct operand *operand)
{
    return operand->transposed ? ken_size_groups(operand->lines, operand->width) : operand->depth;
}

static size_t pieces_per_task(const struct operand *operand)
{
    size_t floats = operand->transposed ? operand->depth * operand->width : operand->lines;
    return ken_size_max(1, PACK_AT_LEAST / (floats + 1));
}

static size_t pack_tasks(const struct operand *operand)
{
    return ken_size_groups(pieces(operand), pieces_per_task(operand));
}

static void pack_part(const struct operand *o, size_t task, const struct ken_kernels *kernels)
{
    size_t first = task * pieces_per_task(o);
    size_t end = ken_size_min(first + pieces_per_task(o), pieces(o));
    if (!o->transposed) {
        kernels->pack_straight(o->panels + first * o->width, o->source + first * o->stride,
                               o->stride, o->lines, end - first, o->width, o->panel_size);
        return;
    }
    for (size_t p = first; p < end; p++)
        kernels->pack_transposed(o->panels + p * o->panel_size,
                                 o->source + p * o->width * o->stride, o->stride,
                                 ken_size_min(o->lines - p * o->width, o->width), o->depth);
}

static void pack_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    (void)scratch;
    struct operand right = right_of(step);
    pack_part(&right, task, step->kernels);
}

static void block_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    const struct ken_matmul *job = step->job;
    size_t across = ken_size_groups(step->cols, step->block_cols);
    size_t i = task / across * step->block_rows;
    size_t j = task % across * step->block_cols;
    const float *b = step->b + j / step->kernels->tile_cols * step->b_panel;
    const float *after = j + step->block_cols < step->cols
                             ? b + step->block_cols / step->kernels->tile_cols * step->b_panel
                             : NULL;
    size_t c_stride = or_dense(job->c_stride, job->n);
    size_t at = i * c_stride + step->n0 + j;
    bool columns = job->layout == KEN_TN;
    size_t a_stride = or_dense(job->a_stride, columns ? job->m : job->k);
    struct ken_matmul_block block = {
        .c = job->c + at,
        .pre = job->pre ? job->pre + at : NULL,
        .c_stride = c_stride,
        .a = job->a + (columns ? step->k0 * a_stride + i : i * a_stride + step->k0),
        .a_stride = a_stride,
        .a_columns = columns,
        .b = b,
        .b_panel = step->b_panel,
        .b_after = after,
        .rows = ken_size_min(job->m - i, step->block_rows),
        .cols = ken_size_min(step->cols - j, step->block_cols),
        .depth = step->depth,
        .add = job->add || step->k0 > 0,
        .last = step->k0 + step->depth == job->k,
        .bias = job->bias ? job->bias + step->n0 + j : NULL,
        .activation = job->activation,
    };
    step->kernels->matmul_block(&block, scratch);
}

/* Cuts a step (the part that is packed at one time) into blocks of nearly equal size, in whole
 * tiles. If blocks pack their left operand, more blocks are made by halving their height and not
 * their width, because a narrow block uses its packed operand less often. */
static void cut_blocks(struct step *step)
{
    size_t tile_cols = step->kernels->tile_cols, m = step->job->m;
    size_t panels = ken_size_groups(step->cols, tile_cols);
    bool packs = step->job->layout == KEN_TN, low = packs && m < BLOCKS_AT_LEAST * BLOCK_ROWS;
    step->block_rows = low ? BLOCK_ROWS / 2 : BLOCK_ROWS;
    size_t down = ken_size_groups(m, step->block_rows);
    if (!packs) step->block_rows = ken_size_groups(m, down);
    size_t across = ken_size_groups(low ? BLOCKS_AT_LEAST / 2 : BLOCKS_AT_LEAST, down);
    size_t panel_work = ken_size_max(step->block_rows, ROWS_AT_LEAST) * tile_cols *
                        ken_size_max(step->depth, 1);
    size_t wide = ken_size_max(ken_size_groups(panels, across),
                               ken_size_groups(BLOCK_WORK, panel_work));
    wide = ken_size_min(wide, WIDEST / tile_cols);
    wide = ken_size_groups(panels, ken_size_groups(panels, wide));
    step->block_cols = wide * tile_cols;
}

static void run_step(struct step *step, struct ken_team *team)
{
    struct operand right = right_of(step);
    if (!step->job->packed) ken_team_run(team, pack_tasks(&right), pack_task, step);

    cut_blocks(step);
    size_t down = ken_size_groups(step->job->m, step->block_rows);
    ken_team_run(team, down * ken_size_groups(step->cols, step->block_cols), block_task, step);
}

/* Returns the depth (number of k) to pack at once: all of k if the columns are few enough. */
static size_t depth_of(const struct ken_matmul *job)
{
    size_t fits = B_SPACE / (job->n + PAD) / DEPTH_STEP * DEPTH_STEP;
    size_t depth = ken_size_min(ken_size_max(fits, DEPTH_LEAST), DEPTH_MOST);
    return ken_size_max(ken_size_min(depth, job->k), 1);
}

void ken_matmul(const struct ken_matmul *job)
{
    if (job->m == 0 || job->n == 0) return;
    struct ken_team *team = ken_team_enter();
    struct step step = { .job = job, .kernels = ken_kernels() };
    float *shared = ken_team_shared(team);
    size_t tile_cols = step.kernels->tile_cols;
    size_t deepest = depth_of(job);
    size_t most_cols = job->n;
    if (!job->packed) { /* pack all columns at once, or in equal parts */
        size_t parts = ken_size_groups(job->n, B_SPACE / (deepest + PAD) / tile_cols * tile_cols);
        most_cols = ken_size_round_up(ken_size_groups(job->n, parts), tile_cols);
    }
    for (step.n0 = 0; step.n0 < job->n; step.n0 += most_cols) {
        step.cols = ken_size_min(job->n - step.n0, most_cols);
        step.k0 = 0;
        do {
            step.depth = ken_size_min(job->k - step.k0, deepest);
            /* a panel packed by ken_matmul_pack() has all of k; this step uses a part of it */
            step.b_panel = job->packed ? job->k * tile_cols : step.depth * tile_cols + PAD;
            step.b = job->packed ? (float *)job->packed + step.k0 * tile_cols : shared;
            run_step(&step, team);
            step.k0 += deepest;
        } while (step.k0 < job->k);
    }
    ken_team_leave(team);
}

size_t ken_matmul_packed_size(size_t n, size_t k)
{
    return ken_size_round_up(n, ken_kernels()->tile_cols) * k;
}

void ken_matmul_pack(float *packed, const float *b, size_t n, size_t k, enum ken_layout layout)
{
    struct ken_matmul job = { .b = b, .n = n, .k = k, .layout = layout };
    struct step step = { .job = &job,
                         .kernels = ken_kernels(),
                         .b = packed,
                         .cols = n,
                         .depth = k };
    step.b_panel = k * step.kernels->tile_cols;
    struct operand right = right_of(&step);
    ken_parallel(pack_tasks(&right), pack_task, &step);
}

void ken_matmul_ref(const struct ken_matmul *job)
{
    bool a_across = job->layout == KEN_TN, b_across = job->layout == KEN_NT;
    size_t a_stride = or_dense(job->a_stride, a_across ? job->m : job->k);
    size_t b_stride = or_dense(job->b_stride, b_across ? job->k : job->n);
    size_t c_stride = or_dense(job->c_stride, job->n);
    for (size_t i = 0; i < job->m; i++) {
        for (size_t j = 0; j < job->n; j++) {
            double sum = job->add ? job->c[i * c_stride + j] : 0;
            for (size_t k = 0; k < job->k; k++)
                sum += (double)job->a[a_across ? k * a_stride + i : i * a_stride + k] *
                       job->b[b_across ? j * b_stride + k : k * b_stride + j];
            if (job->bias) sum += job->bias[j];
            if (job->pre) job->pre[i * c_stride + j] = (float)sum;
            job->c[i * c_stride + j] = (float)ken_activation_ref(job->activation, sum);
        }
    }
}
