/* embed.h - looks up rows of a table by number: word embeddings, and learned positions as well,
 * because the place of a row (its position in the sequence) is a number too. */
#ifndef KERNEL_EMBED_H
#define KERNEL_EMBED_H

#include <stddef.h>
#include <stdint.h>

/* y[i] = x[i] + scale * table[ids[i]] for N rows of width D; x = NULL counts as 0. Every id must be
 * a row of the table. */
void ken_embed_forward(float *y, const float *x, const float *table, const int32_t *ids,
                       float scale, size_t N, size_t D);

/* dtable[ids[i]] += scale * dy[i], i in ascending order. The gradient of x is dy itself. */
void ken_embed_backward(float *dtable, const float *dy, const int32_t *ids, float scale, size_t N,
                        size_t D);

/* The slow reference, which defines the results. */
void ken_embed_forward_ref(float *y, const float *x, const float *table, const int32_t *ids,
                           float scale, size_t N, size_t D);
void ken_embed_backward_ref(float *dtable, const float *dy, const int32_t *ids, float scale,
                            size_t N, size_t D);

/* Fills places (start[B]): places[i] = index of row i within its sequence + offset of that
 * sequence, to be used as ids of a table of positions. start is (B + 1); offset is (B), or NULL for
 * 0. */
void ken_embed_places(int32_t *places, const size_t *start, const size_t *offset, size_t B);

#endif
