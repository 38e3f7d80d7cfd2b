/* linear_chunk.c - the arithmetic of linear attention for one chunk of rows. Whole sequences and
 * sequences that grow row by row use the same functions, and so get the same bits. */
#include "kernel/linear_chunk.h"

#include "base/size.h"
#include "kernel/kernels.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = KEN_LINEAR_CHUNK,
    /* Number of queries that are multiplied with the same number of keys. It is a multiple of every
     * tile's height, and small enough to skip two thirds of the pairs that the causal mask
     * hides. */
    BLOCK = 24
};

size_t ken_linear_padded(size_t Ev)
{
    return ken_size_round_up(Ev, ken_kernels()->tile_cols);
}

struct ken_chunk ken_chunk_keys(const struct ken_linear_attend *job, size_t b, size_t kv, size_t j0)
{
    size_t row = job->k_start[b] + j0;
    return (struct ken_chunk){
        .k = job->k + row * job->k_stride + kv * job->M,
        .v = job->v + row * job->v_stride + kv * job->Ev,
        .scale = job->scale ? job->scale + row * job->KV + kv : NULL,
        .k_stride = job->k_stride,
        .v_stride = job->v_stride,
        .scale_stride = job->KV,
        .keys = ken_size_min(job->k_start[b + 1] - row, CHUNK),
        .M = job->M,
        .Ev = job->Ev,
        .Ep = ken_linear_padded(job->Ev),
    };
}

void ken_chunk_queries(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                       size_t h, size_t i0)
{
    size_t row = job->q_start[b] + i0;
    chunk->q = job->q + row * job->q_stride + h * job->M;
    chunk->q_stride = job->q_stride;
    chunk->first = 0;
    chunk->count = ken_size_min(job->q_start[b + 1] - row, CHUNK);
    chunk->out = job->out + row * job->out_stride + h * job->Ev;
    chunk->out_stride = job->out_stride;
    chunk->sums = job->sums ? job->sums + row * job->H + h : NULL;
    chunk->sums_stride = job->H;
}

float ken_chunk_top(const struct ken_chunk *chunk)
{
    float top = chunk->scale ? -INFINITY : 0;
    for (size_t j = 0; chunk->scale && j < chunk->keys; j++)
        top = fmaxf(top, chunk->scale[j * chunk->scale_stride]);
    return top;
}

void ken_chunk_bases(float *base, const struct ken_chunk *chunk, const float *before)
{
    float top = before ? *ken_state_base((float *)before, chunk) : -INFINITY;
    for (size_t j = 0; j < chunk->keys; j++) {
        if (chunk->scale) top = fmaxf(top, chunk->scale[j * chunk->scale_stride]);
        base[j] = chunk->scale ? top : 0;
    }
}

void ken_chunk_copy(float *to, size_t padded, const float *from, size_t stride, const float *factor,
                    size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, to += padded, from += stride) {
        if (factor) ken_kernels()->array_scale(to, from, factor[i], n);
        else memcpy(to, from, n * sizeof *to);
        memset(to + n, 0, (padded - n) * sizeof *to);
    }
}

/* ---- sums over keys -------------------------------------------------------------------------- */

void ken_chunk_sum(float *S, float *z, const struct ken_chunk *chunk, float base, size_t m0,
                   size_t m1, float *scratch)
{
    float factor[CHUNK], *values = scratch;
    for (size_t j = 0; j < chunk->keys; j++)
        factor[j] = chunk->scale ? expf(chunk->scale[j * chunk->scale_stride] - base) : 1;
    ken_chunk_copy(values, chunk->Ep, chunk->v, chunk->v_stride, factor, chunk->keys, chunk->Ev);
    ken_kernels()->product(&(struct ken_product){ .c = S,
                                                  .a = chunk->k + m0,
                                                  .b = values,
                                                  .c_stride = chunk->Ep,
                                                  .a_stride = chunk->k_stride,
                                                  .b_stride = chunk->Ep,
                                                  .a_columns = true,
                                                  .b_side = KEN_B_PADDED,
                                                  .rows = m1 - m0,
                                                  .cols = chunk->Ep,
                                                  .depth = chunk->keys },
                           NULL);
    memset(z, 0, (m1 - m0) * sizeof *z);
    for (size_t j = 0; j < chunk->keys; j++)
        ken_kernels()->array_combine(z, z, chunk->k + j * chunk->k_stride + m0, factor[j], m1 - m0);
}

void ken_chunk_fold(float *own, const float *before, const struct ken_chunk *chunk)
{
    size_t size = chunk->M * chunk->Ep + chunk->M; /* number of floats in S and z together */
    float base = fmaxf(own[size], before[size]);
    float shrink = expf(own[size] - base);
    if (shrink != 1) ken_kernels()->array_scale(own, own, shrink, size);
    ken_kernels()->array_combine(own, own, before, expf(before[size] - base), size);
    own[size] = base;
}

/* ---- pairs of rows --------------------------------------------------------------------------- */

void ken_chunk_pairs(float *product, const struct ken_chunk *chunk, const float *a, size_t a_stride,
                     const float *b, size_t b_stride, size_t depth, float *panel)
{
    size_t width = ken_kernels()->tile_cols;
    for (size_t j = 0; j < chunk->keys; j += width) {
        size_t i = j > chunk->first ? j - chunk->first : 0; /* first query that sees key j */
        if (i >= chunk->count) break;
        ken_kernels()->product(&(struct ken_product){ .c = product + i * CHUNK + j,
                                                      .a = a + i * a_stride,
                                                      .b = b + j * b_stride,
                                                      .c_stride = CHUNK,
                                                      .a_stride = a_stride,
                                                      .b_stride = b_stride,
                                                      .b_side = KEN_B_COLUMNS,
                                                      .rows = chunk->count - i,
                                                      .cols = ken_size_min(chunk->keys - j, width),
                                                      .depth = depth },
                               panel);
    }
}

void ken_chunk_weigh(float *weights, const struct ken_chunk *chunk, const float *base)
{
    float factor[CHUNK];
    for (size_t r = 0; r < chunk->count; r++, weights += CHUNK) {
        size_t i = chunk->first + r;
        if (chunk->scale && (r == 0 || base[i] != base[i - 1])) {
            /* the limit 0 prevents overflow for keys after query i, whose scales may exceed
             * base[i]; their weights are set to 0 below */
            for (size_t j = 0; j < chunk->keys; j++)
                factor[j] = fminf(chunk->scale[j * chunk->scale_stride] - base[i], 0);
            ken_kernels()->map(factor, factor, chunk->keys, KEN_MAP_EXP_NEGATIVE);
        }
        for (size_t j = 0; chunk->scale && j <= i; j++) weights[j] *= factor[j];
        memset(weights + i + 1, 0, (CHUNK - 1 - i) * sizeof *weights);
    }
}

static float row_sum(const float *weights)
{
    enum { WAYS = 8 };
    float sum[WAYS] = { 0 };
    for (size_t j = 0; j < CHUNK; j += WAYS)
        for (size_t w = 0; w < WAYS; w++) sum[w] += weights[j + w];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static void write_row(const struct ken_chunk *chunk, size_t r, const float *out, float sum)
{
    sum += KEN_LINEAR_EPS;
    ken_kernels()->array_scale(chunk->out + r * chunk->out_stride, out, 1 / sum, chunk->Ev);
    if (chunk->sums) chunk->sums[r * chunk->sums_stride] = sum;
}

/* Computes out = q S for the chunk's queries, where S is the matrix at the beginning of the state.
 * Rows of out have Ep floats. */
static void ask_state(float *out, const struct ken_chunk *chunk, const float *state)
{
    ken_kernels()->product(&(struct ken_product){ .c = out,
                                                  .a = chunk->q,
                                                  .b = state,
                                                  .c_stride = chunk->Ep,
                                                  .a_stride = chunk->q_stride,
                                                  .b_stride = chunk->Ep,
                                                  .b_side = KEN_B_PADDED,
                                                  .rows = chunk->count,
                                                  .cols = chunk->Ep,
                                                  .depth = chunk->M },
                           NULL);
}

/* Computes out = weights v, or out += weights v with `add`, for BLOCK queries at a time. A block of
 * queries uses only the keys that its last query sees. */
static void add_values(float *out, const struct ken_chunk *chunk, const float *weights,
                       const float *values, bool add)
{
    for (size_t r = 0; r < chunk->count; r += BLOCK) {
        size_t rows = ken_size_min(chunk->count - r, BLOCK);
        ken_kernels()->product(&(struct ken_product){ .c = out + r * chunk->Ep,
                                                      .a = weights + r * CHUNK,
                                                      .b = values,
                                                      .c_stride = chunk->Ep,
                                                      .a_stride = CHUNK,
                                                      .b_stride = chunk->Ep,
                                                      .b_side = KEN_B_PADDED,
                                                      .add = add,
                                                      .rows = rows,
                                                      .cols = chunk->Ep,
                                                      .depth = chunk->first + r + rows },
                               NULL);
    }
}

void ken_chunk_attend(const struct ken_chunk *chunk, const float *before, float *scratch)
{
    float base[CHUNK];
    float *weights = scratch, *values = weights + CHUNK * CHUNK;
    float *out = values + CHUNK * chunk->Ep, *panel = out + CHUNK * chunk->Ep;
    ken_chunk_bases(base, chunk, before);
    ken_chunk_pairs(weights, chunk, chunk->q, chunk->q_stride, chunk->k, chunk->k_stride, chunk->M,
                    panel);
    ken_chunk_weigh(weights, chunk, base);
    ken_chunk_copy(values, chunk->Ep, chunk->v, chunk->v_stride, NULL, chunk->keys, chunk->Ev);
    if (before) ask_state(out, chunk, before);
    const float *z = before ? ken_state_z((float *)before, chunk) : NULL;
    float shrink[CHUNK];
    for (size_t r = 0; before && r < chunk->count; r++) {
        shrink[r] = expf(z[chunk->M] - base[chunk->first + r]);
        if (shrink[r] != 1)
            ken_kernels()->array_scale(out + r * chunk->Ep, out + r * chunk->Ep, shrink[r],
                                       chunk->Ep);
    }
    add_values(out, chunk, weights, values, before != NULL);
    for (size_t r = 0; r < chunk->count; r++) {
        float sum = row_sum(weights + r * CHUNK);
        if (before)
            sum += shrink[r] *
                   (float)ken_kernels()->array_dot(chunk->q + r * chunk->q_stride, z, chunk->M);
        write_row(chunk, r, out + r * chunk->Ep, sum);
    }
}

void ken_chunk_ask(const struct ken_chunk *chunk, const float *total, float *scratch)
{
    const float *z = ken_state_z((float *)total, chunk);
    ask_state(scratch, chunk, total);
    for (size_t r = 0; r < chunk->count; r++)
        write_row(chunk, r, scratch + r * chunk->Ep,
                  (float)ken_kernels()->array_dot(chunk->q + r * chunk->q_stride, z, chunk->M));
}
