/* rotate.h - positions as angles: rotary embedding of queries and keys, and the sinusoid table.
 * Pair i of a vector of width E turns by the angle place * base^(-2i/E). If a place has two
 * coordinates, the first half of the pairs turns by the first coordinate and the second half by the
 * second coordinate, each half as a vector of width E/2 would. */
#ifndef KERNEL_ROTATE_H
#define KERNEL_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which two numbers of a head form pair i. A model works only with the pairing it was trained
 * with. */
enum ken_pairing {
    KEN_ROTATE_NEIGHBOURS, /* 2i and 2i + 1, as in the RoPE paper and GPT-J */
    KEN_ROTATE_HALVES      /* i and i + E/2, as in GPT-NeoX and Llama       */
};

struct ken_rotary {
    size_t first_col; /* column of the first head within a row                */
    size_t heads, E;  /* heads side by side, each of even width E             */
    enum ken_pairing pairing;
    double base;          /* base of the angles; 0 means 10000, the usual value */
    const size_t *offset; /* (B): place of each sequence's first row; NULL: 0   */
    size_t axes;          /* coordinates of a place: 1 or 2; 0 means 1          */
};

/* Returns the floats of work space for N rows with their places (N, axes): a row of cosines and
 * sines for every coordinate in use, or for every row of x if there are fewer rows. */
size_t ken_rotate_space(const int32_t *places, size_t N, const struct ken_rotary *how);

/* Computes y = x (N, cols) with the heads rotated by the place of their row; other columns are
 * copied. */
void ken_rotate_forward(float *y, const float *x, const int32_t *places, size_t N, size_t cols,
                        const struct ken_rotary *how, float *space);

/* Adds the gradient: dx += dy with the heads rotated back. */
void ken_rotate_backward(float *dx, const float *dy, const int32_t *places, size_t N, size_t cols,
                         const struct ken_rotary *how, float *space);

/* The slow reference of forward and backward: out = in, rotated by the place; or with `back`, out
 * += in, rotated back. */
void ken_rotate_ref(float *out, const float *in, const int32_t *places, size_t N, size_t cols,
                    const struct ken_rotary *how, bool back);

/* Fills the sinusoid table (P, D): table[p][2i] = sin(p / 10000^(2i/D)), table[p][2i+1] = cos(p /
 * 10000^(2i/D)). */
void ken_sinusoid_fill(float *table, size_t P, size_t D);

#endif
