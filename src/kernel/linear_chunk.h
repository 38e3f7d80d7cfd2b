/* linear_chunk.h - linear attention within one chunk and head, in one thread; for linear*.c. */
#ifndef KERNEL_LINEAR_CHUNK_H
#define KERNEL_LINEAR_CHUNK_H

#include "kernel/linear.h"

/* Rows of one chunk: all its keys up to the last query, and some or all of its queries. */
struct ken_chunk {
    const float *q; /* of the first query; k, v, scale: of the chunk's first key */
    const float *k, *v, *scale;
    size_t q_stride, k_stride, v_stride, scale_stride;
    size_t first, count; /* queries: rows first .. first + count - 1 of the chunk    */
    size_t keys;         /* causal: first + count                                    */
    size_t M, Ev, Ep;    /* Ep: Ev padded to whole tiles                             */
    float *out, *sums;   /* of the first query                                       */
    size_t out_stride, sums_stride;
};

/* S (M, Ep), z (M) and base, one after the other. */
static inline float *ken_state_z(float *state, const struct ken_chunk *chunk)
{
    return state + chunk->M * chunk->Ep;
}

static inline float *ken_state_base(float *state, const struct ken_chunk *chunk)
{
    return ken_state_z(state, chunk) + chunk->M;
}

/* Ev padded to whole tiles. */
size_t ken_linear_padded(size_t Ev);

/* What of a job belongs to keys j0 .. of sequence b and head kv, and to queries i0 .. of head h;
 * counts are those of a chunk, or what is left of the sequence. */
struct ken_chunk ken_chunk_keys(const struct ken_linear_attend *job, size_t b, size_t kv,
                                size_t j0);
void ken_chunk_queries(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                       size_t h, size_t i0);

/* Largest scale of the keys; base[i] = the same of keys 0 .. i and of `before`. */
float ken_chunk_top(const struct ken_chunk *chunk);
void ken_chunk_bases(float *base, const struct ken_chunk *chunk, const float *before);

/* Features m0 .. m1 - 1 of S and z of the chunk's keys alone, relative to `base`. */
void ken_chunk_sum(float *S, float *z, const struct ken_chunk *chunk, float base, size_t m0,
                   size_t m1, float *scratch);

/* own = before + own, where both are relative to their own bases. */
void ken_chunk_fold(float *own, const float *before, const struct ken_chunk *chunk);

/* weights[i][j] = product[i][j] e^(scale_j - base_i) for the keys that query i sees, else 0; both
 * (count, KEN_LINEAR_CHUNK). */
void ken_chunk_weigh(float *weights, const struct ken_chunk *chunk, const float *base);

/* product[i][j] = a_i . b_j, rows i of the queries and j of the keys, where any is seen. */
void ken_chunk_pairs(float *product, const struct ken_chunk *chunk, const float *a, size_t a_stride,
                     const float *b, size_t b_stride, size_t depth, float *panel);

/* Causal: keys of the chunk and all that `before` (or NULL) holds. Else: what `total` holds. */
void ken_chunk_attend(const struct ken_chunk *chunk, const float *before, float *scratch);
void ken_chunk_ask(const struct ken_chunk *chunk, const float *total, float *scratch);

/* Rows of n floats, times factor[i] (NULL: 1), to rows of `padded`, the rest 0. */
void ken_chunk_copy(float *to, size_t padded, const float *from, size_t stride, const float *factor,
                    size_t rows, size_t n);

#endif
