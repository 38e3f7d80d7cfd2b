/* rotate.h - positions as angles: rotary embedding of queries and keys, and the sinusoid table.
 * Pair i of a vector of width E is rotated by the angle place * base^(-2i/E). If a place has two
 * coordinates, the first half of the pairs uses the first coordinate and the second half the second
 * coordinate, each half as in a vector of width E/2. */
#ifndef KERNEL_ROTATE_H
#define KERNEL_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ways to form pair i of a head. A model works only with the pairing that it was trained
 * with. */
enum ken_pairing {
    KEN_ROTATE_NEIGHBOURS, /* numbers 2i and 2i + 1, as in the RoPE paper and GPT-J */
    KEN_ROTATE_HALVES      /* numbers i and i + E/2, as in GPT-NeoX and Llama       */
};

struct ken_rotary {
    size_t first_col; /* column of the first head within a row               */
    size_t heads, E;  /* number of heads side by side; width of a head, even */
    enum ken_pairing pairing;
    double base;          /* base of the angles; 0 means 10000, the usual value   */
    const size_t *offset; /* place of the first row of each sequence; NULL: all 0 */
    size_t axes;          /* coordinates of a place: 1 or 2; 0 means 1            */
};

/* Returns the number of floats of work space for N rows; each place has `axes` coordinates. The
 * work space holds a row of cosines and sines for each place in use, or for each row of x if there
 * are fewer rows than places. */
size_t ken_rotate_space(const int32_t *places, size_t N, const struct ken_rotary *how);

/* Computes y = x (N, cols) with the heads rotated by the place of their row; columns outside the
 * heads are copied. */
void ken_rotate_forward(float *y, const float *x, const int32_t *places, size_t N, size_t cols,
                        const struct ken_rotary *how, float *space);

/* Adds the gradient: dx += dy, with the heads rotated back by the place of their row. */
void ken_rotate_backward(float *dx, const float *dy, const int32_t *places, size_t N, size_t cols,
                         const struct ken_rotary *how, float *space);

/* Slow reference implementation. Forward: out = in, rotated by the place. Backward, with `back`:
 * adds `in`, rotated back, to out. */
void ken_rotate_ref(float *out, const float *in, const int32_t *places, size_t N, size_t cols,
                    const struct ken_rotary *how, bool back);

/* Fills the sinusoid table of P places and D columns:
 *   table[p][2i] = sin(p / 10000^(2i/D)),  table[p][2i+1] = cos(p / 10000^(2i/D)) */
void ken_sinusoid_fill(float *table, size_t P, size_t D);

#endif
