/* linear_chunk.h - linear attention within one chunk and head, in one thread; private to
 * linear*.c. */
#ifndef KERNEL_LINEAR_CHUNK_H
#define KERNEL_LINEAR_CHUNK_H

#include "kernel/linear.h"

/* Rows of one chunk: some or all of its queries, and all keys up to the last of these queries. */
struct ken_chunk {
    const float *q; /* points to the first query; k, v and scale to the chunk's first key */
    const float *k, *v, *scale;
    size_t q_stride, k_stride, v_stride, scale_stride;
    size_t first, count; /* queries: rows first .. first + count - 1 of the chunk */
    size_t keys;         /* number of keys; first + count if causal               */
    size_t M, Ev, Ep;    /* features, width of values, Ev padded to whole tiles   */
    float *out, *sums;   /* point to the rows of the first query                  */
    size_t out_stride, sums_stride;
};

/* A state is S (M, Ep), z (M) and base, stored one after another. These functions return the
 * addresses of z and of base. */
static inline float *ken_state_z(float *state, const struct ken_chunk *chunk)
{
    return state + chunk->M * chunk->Ep;
}

static inline float *ken_state_base(float *state, const struct ken_chunk *chunk)
{
    return ken_state_z(state, chunk) + chunk->M;
}

/* Returns Ep, which is Ev padded to whole tiles. */
size_t ken_linear_padded(size_t Ev);

/* Point a chunk to the keys of sequence b and key/value head kv from j0 on (ken_chunk_keys), and to
 * the queries of head h from i0 on (ken_chunk_queries): as many as make a chunk, or as the sequence
 * has left. */
struct ken_chunk ken_chunk_keys(const struct ken_linear_attend *job, size_t b, size_t kv,
                                size_t j0);
void ken_chunk_queries(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                       size_t h, size_t i0);

/* ken_chunk_top: the largest scale of the chunk's keys. ken_chunk_bases: base[i] = the largest
 * scale of keys 0 .. i and of the state `before`. */
float ken_chunk_top(const struct ken_chunk *chunk);
void ken_chunk_bases(float *base, const struct ken_chunk *chunk, const float *before);

/* Computes features m0 .. m1 - 1 of S, the sum of f(k) v^T, and of z, the sum of f(k), over the
 * chunk's keys alone, relative to e^base. */
void ken_chunk_sum(float *S, float *z, const struct ken_chunk *chunk, float base, size_t m0,
                   size_t m1, float *scratch);

/* Adds two states, each relative to its own base: own = before + own. */
void ken_chunk_fold(float *own, const float *before, const struct ken_chunk *chunk);

/* Turns products into weights in place: multiplies weights[i][j] by e^(scale_j - base_i) for the
 * keys that query i sees, and sets the others to 0. weights is (count, KEN_LINEAR_CHUNK). */
void ken_chunk_weigh(float *weights, const struct ken_chunk *chunk, const float *base);

/* Computes product[i][j] = a_i . b_j for the chunk's queries i and keys j. Within a tile of
 * columns, queries before the tile's first key are skipped, because they see no key of the tile. */
void ken_chunk_pairs(float *product, const struct ken_chunk *chunk, const float *a, size_t a_stride,
                     const float *b, size_t b_stride, size_t depth, float *panel);

/* Compute the results of the chunk's queries. ken_chunk_attend is causal: it uses the chunk's keys
 * and the state `before`, which may be NULL. ken_chunk_ask uses the state `total` alone. */
void ken_chunk_attend(const struct ken_chunk *chunk, const float *before, float *scratch);
void ken_chunk_ask(const struct ken_chunk *chunk, const float *total, float *scratch);

/* Copies rows of n floats, times factor[i] (NULL counts as 1), to rows of `padded` floats; the rest
 * of each row is 0. */
void ken_chunk_copy(float *to, size_t padded, const float *from, size_t stride, const float *factor,
                    size_t rows, size_t n);

#endif
