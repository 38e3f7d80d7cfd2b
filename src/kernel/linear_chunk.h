/* linear_chunk.h - linear attention within one chunk and head, in one thread; private to
 * linear*.c. */
#ifndef KERNEL_LINEAR_CHUNK_H
#define KERNEL_LINEAR_CHUNK_H

#include "kernel/linear.h"

/* Rows of one chunk: some or all of its queries, and all keys up to the last of those queries. */
struct ken_chunk {
    const float *q; /* first query of the chunk; k, v and scale point to its first key */
    const float *k, *v, *scale;
    size_t q_stride, k_stride, v_stride, scale_stride;
    size_t first, count; /* the queries are rows first .. first + count - 1 of the chunk */
    size_t keys;         /* number of keys; first + count if causal                      */
    size_t M, Ev, Ep;    /* features, width of values, Ev padded to whole tiles          */
    float *out, *sums;   /* result and divisor of the first query; other queries follow  */
    size_t out_stride, sums_stride;
};

/* A state is the sums S and z over keys, and their base, stored one after another. ken_state_z()
 * and ken_state_base() return the addresses of z and of base. */
static inline float *ken_state_z(float *state, const struct ken_chunk *chunk)
{
    return state + chunk->M * chunk->Ep;
}

static inline float *ken_state_base(float *state, const struct ken_chunk *chunk)
{
    return ken_state_z(state, chunk) + chunk->M;
}

/* Returns Ev rounded up to whole tiles. */
size_t ken_linear_padded(size_t Ev);

/* ken_chunk_keys() points a chunk to the keys of sequence b and key/value head kv from key j0 on,
 * and ken_chunk_queries() to the queries of head h from query i0 on: KEN_LINEAR_CHUNK rows, or
 * fewer at the end of the sequence. */
struct ken_chunk ken_chunk_keys(const struct ken_linear_attend *job, size_t b, size_t kv,
                                size_t j0);
void ken_chunk_queries(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                       size_t h, size_t i0);

/* ken_chunk_top() returns the largest scale of the chunk's keys. ken_chunk_bases() sets base[i] to
 * the largest scale among keys 0 .. i and the state `before`. */
float ken_chunk_top(const struct ken_chunk *chunk);
void ken_chunk_bases(float *base, const struct ken_chunk *chunk, const float *before);

/* Computes the sums S of f(k) v^T and z of f(k) over the chunk's keys, for features m0 .. m1 - 1,
 * divided by e^base. */
void ken_chunk_sum(float *S, float *z, const struct ken_chunk *chunk, float base, size_t m0,
                   size_t m1, float *scratch);

/* Adds two states, which may have different bases: own = before + own. */
void ken_chunk_fold(float *own, const float *before, const struct ken_chunk *chunk);

/* Turns products into weights in place: multiplies weights[i][j] by e^(scale_j - base_i) if query i
 * sees key j, and sets it to 0 otherwise. weights has rows of KEN_LINEAR_CHUNK numbers. */
void ken_chunk_weigh(float *weights, const struct ken_chunk *chunk, const float *base);

/* Computes product[i][j] = a_i . b_j for the chunk's queries i and keys j. In each tile of keys,
 * queries before the first key of the tile are skipped, because they see no key of the tile. */
void ken_chunk_pairs(float *product, const struct ken_chunk *chunk, const float *a, size_t a_stride,
                     const float *b, size_t b_stride, size_t depth, float *panel);

/* ken_chunk_attend() and ken_chunk_ask() compute the results of the chunk's queries.
 * ken_chunk_attend() is causal: it uses the chunk's keys and the state `before`, which may be NULL.
 * ken_chunk_ask() uses the state `total` alone. */
void ken_chunk_attend(const struct ken_chunk *chunk, const float *before, float *scratch);
void ken_chunk_ask(const struct ken_chunk *chunk, const float *total, float *scratch);

/* Copies rows of n floats to rows of `padded` floats, and multiplies row i by factor[i]; factor =
 * NULL counts as all 1. The rest of each row becomes 0. */
void ken_chunk_copy(float *to, size_t padded, const float *from, size_t stride, const float *factor,
                    size_t rows, size_t n);

#endif
