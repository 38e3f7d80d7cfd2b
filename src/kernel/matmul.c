/* matmul.c - cuts a product into blocks, packs the operands, shares the blocks out.
 * How it is cut decides speed alone: each result is one chain of multiply-adds over k, whatever
 * the cut (simd/tile.h). Work space is the team's shared memory; nothing here can fail. */
#include "kernel/matmul.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

enum {
    A_SPACE = 2 << 20,     /* floats for the packed left operand                      */
    B_SPACE = 3 << 20,     /* and for the right one                                   */
    DEEPEST = 2048,        /* k that is packed at once                                */
    BLOCK_ROWS = 96,       /* with 256 of k: 96 kB, a fraction of a second-level cache */
    BLOCKS_AT_LEAST = 16,  /* so that threads finish together                         */
    PACK_AT_LEAST = 1 << 15 /* floats per packing task                                */
};
_Static_assert(A_SPACE + B_SPACE <= KEN_TEAM_SHARED, "operands must fit the shared memory");

/* The part of the job that is packed and multiplied in one go. */
struct step {
    const struct ken_matmul *job;
    const struct ken_kernels *kernels;
    float *a, *b;                      /* packed                               */
    size_t b_depth;                    /* of a panel of b: depth, or all of k  */
    size_t m0, n0, k0, rows, cols, depth;
    size_t a_groups, b_groups;         /* packing tasks                        */
    size_t a_per_group, b_per_group;   /* panels in each                       */
    size_t block_rows, block_cols;     /* multiplying tasks                    */
};

static size_t or_dense(size_t stride, size_t dense)
{
    return stride ? stride : dense;
}

static void pack_panels(const struct step *step, float *panels, const float *source, size_t stride,
                        bool transposed, size_t first, size_t count, size_t lines, size_t width)
{
    const struct ken_kernels *kernels = step->kernels;
    for (size_t p = first; p < first + count && p * width < lines; p++) {
        size_t here = ken_size_min(lines - p * width, width);
        float *panel = panels + p * width * step->depth;
        if (transposed)
            kernels->pack_transposed(panel, source + p * width * stride, stride, here, step->depth,
                                     width);
        else
            kernels->pack_straight(panel, source + p * width, stride, here, step->depth, width);
    }
}

static void pack_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    const struct ken_matmul *job = step->job;
    (void)scratch;
    if (task < step->a_groups) {
        bool by_rows = job->layout != KEN_TN;
        size_t stride = or_dense(job->a_stride, by_rows ? job->k : job->m);
        const float *source = job->a + (by_rows ? step->m0 * stride + step->k0
                                                : step->k0 * stride + step->m0);
        pack_panels(step, step->a, source, stride, by_rows, task * step->a_per_group,
                    step->a_per_group, step->rows, step->kernels->tile_rows);
        return;
    }
    task -= step->a_groups;
    bool by_rows = job->layout == KEN_NT;
    size_t stride = or_dense(job->b_stride, by_rows ? job->k : job->n);
    const float *source = job->b + (by_rows ? step->n0 * stride + step->k0
                                            : step->k0 * stride + step->n0);
    pack_panels(step, step->b, source, stride, by_rows, task * step->b_per_group,
                step->b_per_group, step->cols, step->kernels->tile_cols);
}

static void block_task(void *context, size_t task, float *scratch)
{
    const struct step *step = context;
    const struct ken_matmul *job = step->job;
    (void)scratch;
    size_t across = ken_size_groups(step->cols, step->block_cols);
    size_t i = task / across * step->block_rows;
    size_t j = task % across * step->block_cols;
    size_t c_stride = or_dense(job->c_stride, job->n);
    size_t at = (step->m0 + i) * c_stride + step->n0 + j;
    struct ken_matmul_block block = {
        .c = job->c + at,
        .pre = job->pre ? job->pre + at : NULL,
        .c_stride = c_stride,
        .a = step->a + i * step->depth,
        .b = step->b + j * step->b_depth,
        .a_panel = step->depth * step->kernels->tile_rows,
        .b_panel = step->b_depth * step->kernels->tile_cols,
        .rows = ken_size_min(step->rows - i, step->block_rows),
        .cols = ken_size_min(step->cols - j, step->block_cols),
        .depth = step->depth,
        .add = job->add || step->k0 > 0,
        .last = step->k0 + step->depth == job->k,
        .bias = job->bias ? job->bias + step->n0 + j : NULL,
        .activation = job->activation,
    };
    step->kernels->matmul_block(&block);
}

/* Panels per packing task such that a task moves PACK_AT_LEAST floats or more. */
static size_t panels_per_group(size_t depth, size_t width)
{
    return ken_size_max(1, PACK_AT_LEAST / (depth * width + 1));
}

static void run_step(struct step *step, struct ken_team *team, bool pack_b)
{
    size_t tile_rows = step->kernels->tile_rows;
    size_t tile_cols = step->kernels->tile_cols;
    step->a_per_group = panels_per_group(step->depth, tile_rows);
    step->b_per_group = panels_per_group(step->depth, tile_cols);
    step->a_groups = ken_size_groups(ken_size_groups(step->rows, tile_rows), step->a_per_group);
    step->b_groups = pack_b ? ken_size_groups(ken_size_groups(step->cols, tile_cols),
                                              step->b_per_group)
                            : 0;
    ken_team_run(team, step->a_groups + step->b_groups, pack_task, step);

    step->block_rows = BLOCK_ROWS;
    size_t down = ken_size_groups(step->rows, BLOCK_ROWS);
    size_t across = ken_size_groups(BLOCKS_AT_LEAST, down);
    size_t panels = ken_size_groups(step->cols, tile_cols);
    step->block_cols = ken_size_max(ken_size_groups(panels, across), 4) * tile_cols;
    ken_team_run(team, down * ken_size_groups(step->cols, step->block_cols), block_task, step);
}

void ken_matmul(const struct ken_matmul *job)
{
    if (job->m == 0 || job->n == 0) return;
    struct ken_team *team = ken_team_enter();
    struct step step = { .job = job, .kernels = ken_kernels() };
    float *shared = ken_team_shared(team);
    /* whole blocks of rows of the left operand must fit, also where b is packed in one piece */
    size_t deepest = ken_size_min(job->k, job->packed ? A_SPACE / BLOCK_ROWS : DEEPEST);
    deepest = ken_size_max(deepest, 1);
    size_t most_rows = A_SPACE / deepest / BLOCK_ROWS * BLOCK_ROWS;
    size_t most_cols = B_SPACE / deepest / step.kernels->tile_cols * step.kernels->tile_cols;
    if (job->packed) most_cols = job->n;
    step.a = shared;
    for (step.n0 = 0; step.n0 < job->n; step.n0 += most_cols) {
        step.cols = ken_size_min(job->n - step.n0, most_cols);
        step.k0 = 0;
        do {
            step.depth = ken_size_min(job->k - step.k0, deepest);
            step.b_depth = job->packed ? job->k : step.depth;
            step.b = job->packed ? (float *)job->packed + step.k0 * step.kernels->tile_cols
                                 : shared + A_SPACE;
            for (step.m0 = 0; step.m0 < job->m; step.m0 += most_rows) {
                step.rows = ken_size_min(job->m - step.m0, most_rows);
                run_step(&step, team, !job->packed && step.m0 == 0);
            }
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
    struct step step = { .job = &job, .kernels = ken_kernels(), .b = packed, .cols = n, .depth = k };
    step.b_per_group = panels_per_group(k, step.kernels->tile_cols);
    step.b_groups = ken_size_groups(ken_size_groups(n, step.kernels->tile_cols), step.b_per_group);
    ken_parallel(step.b_groups, pack_task, &step);
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
