/* embed.h - looks up rows of a table by number: word embeddings, and learned positions as well,
 * because the place of a row (its position in the sequence) is a number too. */
#ifndef KERNEL_EMBED_H
#define KERNEL_EMBED_H

#include <stddef.h>
#include <stdint.h>

/* Computes y[i] = x[i] + scale * table[ids[i]] for N rows of width D; if x is NULL, x[i] counts as
 * 0. Every id must be a row number of the table. */
void ken_embed_forward(float *y, const float *x, const float *table, const int32_t *ids,
                       float scale, size_t N, size_t D);

/* Computes dtable[ids[i]] += scale * dy[i], for i in ascending order. The gradient of x is dy
 * itself. */
void ken_embed_backward(float *dtable, const float *dy, const int32_t *ids, float scale, size_t N,
                        size_t D);

/* Slow reference implementations, which define the correct results. */
void ken_embed_forward_ref(float *y, const float *x, const float *table, const int32_t *ids,
                           float scale, size_t N, size_t D);
void ken_embed_backward_ref(float *dtable, const float *dy, const int32_t *ids, float scale,
                            size_t N, size_t D);

/* Sets places[i], for every row i of B sequences, to the index of the row within its sequence plus
 * the offset of that sequence. Places serve as ids of a table of positions. start has B + 1
 * entries; offset has B, or is NULL for all 0. */
void ken_embed_places(int32_t *places, const size_t *start, const size_t *offset, size_t B);

#endif
