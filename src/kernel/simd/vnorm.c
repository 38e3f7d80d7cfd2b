/* vnorm.c - normalises a range of rows. A row fits the first-level cache, so several passes over it
 * read memory only once. Each loop first handles whole vectors, whose number of lanes is a
 * constant, so that the compiler makes code without branches. Then it handles the rest of the row.
 * */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vdropout.h"

#include <math.h>

/* One row of x, branch and their sum, and the dropout mask of that row. */
struct branch_row {
    float *sum;
    const float *x, *branch;
    struct mask mask;
    bool drops; /* true: the mask is used */
};

INLINE void add_branch_at(const struct branch_row *row, size_t j, const size_t count)
{
    vf branch = v_load_some(row->branch + j, count);
    if (row->drops) branch *= mask_at(&row->mask, j);
    v_store_some(row->sum + j, v_load_some(row->x + j, count) + branch, count);
}

/* Computes row r of sum = x + mask . branch. */
static void add_branch(const struct ken_norm *job, size_t r)
{
    size_t n = job->n, j = 0;
    const struct branch_row row = { job->sum + r * n, job->x + r * n, job->branch + r * n,
                                    mask_of_row(job->dropout, r), job->dropout.p > 0 };
    for (; j + LANES <= n; j += LANES) add_branch_at(&row, j, LANES);
    if (j < n) add_branch_at(&row, j, n - j);
}

/* Returns the sum over a row of z - shift or, with `squares`, of (z - shift)^2. Four partial sums
 * are used, because each addition to a single sum would wait for the one before. */
INLINE float sum_shifted(const float *z, size_t n, float shift, const bool squares)
{
    vf sum[4] = { 0 };
    size_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES) {
        UNROLL
        for (size_t k = 0; k < 4; k++) {
            vf d = v_load(z + j + k * LANES) - shift;
            sum[k] += squares ? d * d : d;
        }
    }
    for (; j < n; j += LANES) {
        vf d = (n - j >= LANES ? v_load(z + j) : v_load_part(z + j, n - j, shift)) - shift;
        sum[0] += squares ? d * d : d;
    }
    return v_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* One row, forward and backward: h = (z - mean) rstd, y = gain . h + bias, t = dy . gain. */
struct row {
    const float *z, *dy, *gain, *bias;
    float *y;
    float mean, rstd;
    float mean_t, mean_th; /* means of t and of t . h, which backward subtracts */
};

/* Returns h = (z - mean) rstd for the `count` <= LANES numbers from number j on. */
INLINE vf normal_at(const struct row *row, size_t j, const size_t count)
{
    return (v_load_some(row->z + j, count) - row->mean) * row->rstd;
}

INLINE void forward_at(const struct row *row, size_t j, const size_t count)
{
    vf y = normal_at(row, j, count);
    if (row->gain) y *= v_load_some(row->gain + j, count);
    if (row->bias) y += v_load_some(row->bias + j, count);
    v_store_some(row->y + j, y, count);
}

static void forward_row(const struct ken_norm *job, size_t r)
{
    size_t n = job->n, j = 0;
    const float *z = (job->branch ? job->sum : job->x) + r * n;
    float mean = 0, width = (float)n;
    /* the mean is summed relative to the first number: so it is exact if all numbers are equal */
    if (job->kind == KEN_NORM_LAYER) mean = z[0] + sum_shifted(z, n, z[0], false) / width;
    float rstd = 1 / sqrtf(sum_shifted(z, n, mean, true) / width + job->eps);
    const struct row row = { .z = z,
                             .gain = job->gain,
                             .bias = job->bias,
                             .y = job->y + r * n,
                             .mean = mean,
                             .rstd = rstd };
    for (; j + LANES <= n; j += LANES) forward_at(&row, j, LANES);
    if (j < n) forward_at(&row, j, n - j);
    if (job->rstd) {
        job->mean[r] = mean;
        job->rstd[r] = rstd;
    }
}

void KEN_SIMD(norm_forward)(const struct ken_norm *job, size_t first, size_t rows)
{
    for (size_t r = first; r < first + rows; r++) {
        if (job->branch) add_branch(job, r);
        forward_row(job, r);
    }
}

/* Stores `value` at `to`, or adds it with `add`. */
INLINE void put(float *to, vf value, const size_t count, bool add)
{
    v_store_some(to, add ? v_load_some(to, count) + value : value, count);
}

/* The sums of backward's first pass, where h = (z - mean) rstd and t = dy . gain. Over the numbers
 * of a row: the sums of t and of t . h. For each column, over the rows of a group: the sums of
 * dy . h (for gain) and of dy (for bias). */
struct row_sums {
    vf t, th;
    float *gain, *bias; /* sums of dgain and dbias over the group's rows; or NULL */
};

INLINE void sum_at(struct row_sums *sums, const struct row *row, size_t j, const size_t count)
{
    vf h = normal_at(row, j, count), dy = v_load_some(row->dy + j, count);
    vf t = row->gain ? dy * v_load_some(row->gain + j, count) : dy;
    sums->t += t;
    sums->th += t * h; /* lanes after the end of the row have t = 0 */
    if (!sums->gain) return;
    put(sums->gain + j, dy * h, count, true);
    put(sums->bias + j, dy, count, true);
}

static void sum_row(struct row *to, float *shares, size_t n, enum ken_norm_kind kind)
{
    const struct row row = *to; /* a local copy: the compiler knows that no store can change it */
    struct row_sums sums = { v_splat(0), v_splat(0), shares, shares ? shares + n : NULL };
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) sum_at(&sums, &row, j, LANES);
    if (j < n) sum_at(&sums, &row, j, n - j);
    to->mean_t = kind == KEN_NORM_LAYER ? v_sum(sums.t) / (float)n : 0;
    to->mean_th = v_sum(sums.th) / (float)n;
}

/* Runs backward's second pass on up to LANES numbers: dz = dsum + (t - mean(t) - h mean(t . h))
 * rstd goes to dx and, times the dropout mask, to dbranch. If dx and dbranch are the same array,
 * the branch's part is added after that of x. */
INLINE void spread_at(const struct ken_norm_grad *grad, const struct row *row,
                      const struct mask *mask, size_t j, const size_t count)
{
    vf h = normal_at(row, j, count), t = v_load_some(row->dy + j, count);
    if (row->gain) t *= v_load_some(row->gain + j, count);
    vf dz = (t - row->mean_t - h * row->mean_th) * row->rstd;
    if (grad->dsum) dz += v_load_some(grad->dsum + j, count);
    if (grad->dx) put(grad->dx + j, dz, count, grad->add_to_dx);
    if (!grad->dbranch) return;
    if (mask) dz *= mask_at(mask, j);
    put(grad->dbranch + j, dz, count, grad->add_to_dbranch);
}

static void spread_row(const struct ken_norm *job, const struct ken_norm_grad *all,
                       const struct row *from, size_t r)
{
    size_t n = job->n, j = 0, at = r * n;
    const struct row row = *from;
    const struct mask mask = mask_of_row(job->dropout, r);
    const struct mask *drops = job->dropout.p > 0 ? &mask : NULL;
    const struct ken_norm_grad grad = { .dsum = all->dsum ? all->dsum + at : NULL,
                                        .dx = all->dx ? all->dx + at : NULL,
                                        .dbranch = all->dbranch ? all->dbranch + at : NULL,
                                        .add_to_dx = all->add_to_dx,
                                        .add_to_dbranch = all->add_to_dbranch };
    for (; j + LANES <= n; j += LANES) spread_at(&grad, &row, drops, j, LANES);
    if (j < n) spread_at(&grad, &row, drops, j, n - j);
}

void KEN_SIMD(norm_backward)(const struct ken_norm *job, const struct ken_norm_grad *grad,
                             float *sums, size_t first, size_t rows)
{
    size_t n = job->n;
    const float *z = job->branch ? job->sum : job->x;
    if (sums) memset(sums, 0, 2 * n * sizeof *sums);
    for (size_t r = first; r < first + rows; r++) {
        struct row row = { .z = z + r * n,
                           .dy = grad->dy + r * n,
                           .gain = job->gain,
                           .mean = job->mean[r],
                           .rstd = job->rstd[r] };
        sum_row(&row, sums, n, job->kind);
        if (grad->dx || grad->dbranch) spread_row(job, grad, &row, r);
    }
}
