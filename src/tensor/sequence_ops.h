/* sequence_ops.h - operations that look up rows of tables, or that depend on where sequences begin
 * and end; a part of ops.h. Arrays that are passed as plain pointers (ids, targets, offsets, and
 * the starts in `ragged`) belong to the caller and must stay valid until backward is done. */
#ifndef TENSOR_SEQUENCE_OPS_H
#define TENSOR_SEQUENCE_OPS_H

#include "kernel/flow.h"
#include "kernel/pool.h"
#include "kernel/recur.h"
#include "kernel/rotate.h"
#include "tensor/tensor.h"

struct ken_tape;

/* ---- op_embed.c ------------------------------------------------------------------------------ */

/* Embedding: returns `rows` rows; row i is scale * table[ids[i]], where table is (V, D). */
ken_tensor *ken_embed(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                      size_t rows, float scale);

/* Returns x (N, D) with a row of table (P, D) added to each row: table[p], where p is the index of
 * the row within its sequence plus the offset of that sequence; offset = NULL counts as all 0. */
ken_tensor *ken_add_position(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                             ken_ragged ragged, const size_t *offset);

/* Returns x (N, D) with table[places[i]] added to each row i; table is (P, D). */
ken_tensor *ken_add_place(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                          const int32_t *places);

/* ---- op_offset.c: biases (H, 2 span + 1) of attention, see kernel/offset.h ------------------- */

/* Picks columns of x (H, cols) by number: column j of the result (H, count) is column which[j] of
 * x. */
ken_tensor *ken_pick(struct ken_tape *tape, const ken_tensor *x, const int32_t *which,
                     size_t count);

/* Returns a parabola over the offsets d = -span .. span for each of H heads, (H, 2 span + 1):
 * -a ((d - c)^2 - c^2) with a = e^sharp and c = centre; sharp and centre are (1, H). */
ken_tensor *ken_quadratic(struct ken_tape *tape, const ken_tensor *sharp, const ken_tensor *centre,
                          size_t span);

/* ---- op_flow.c ------------------------------------------------------------------------------- */

struct ken_flow_options {
    size_t places;                  /* number of places (positions) in the result, at least 1   */
    size_t steps;                   /* integration steps from one place to the next             */
    float pace;                     /* time from one place to the next                          */
    enum ken_activation activation; /* `act` in the formula of ken_flow(): KEN_ACT_RELU or _NONE */
    size_t parts;                   /* number of equal groups into which the states are divided */
    /* cols[g] is how many numbers of each state of group g the result contains. */
    size_t cols[KEN_FLOW_PARTS];
};

/* Moves R states p of width D along the learned field dp/dt = w_out [act(w_in [p t] + b_in) t] +
 * b_out (kernel/flow.h). start (R, D) holds the states at time 0; w_in is (F, D + 1), b_in (1, F),
 * w_out (D, F + 1), b_out (1, D). The result has R / parts tables of `places` rows: row j of table
 * i has states i, i + R / parts, i + 2 R / parts ... at place j, side by side. */
ken_tensor *ken_flow(struct ken_tape *tape, const ken_tensor *start, const ken_tensor *w_in,
                     const ken_tensor *b_in, const ken_tensor *w_out, const ken_tensor *b_out,
                     const struct ken_flow_options *options);

/* ---- op_conv.c ------------------------------------------------------------------------------- */

/* How a sequence is padded with taps - 1 rows of zeros. Centred: half of them before the sequence,
 * the rest after it. Causal: all before it, so that a row depends on itself and on earlier rows
 * only. */
enum ken_padding { KEN_PAD_CENTRED, KEN_PAD_CAUSAL };

/* Convolution over sequences with K taps: x (N, in), weight (out, K * in) with the taps one after
 * another, bias (1, out) or NULL. Returns (N, out). */
ken_tensor *ken_conv(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                     const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

/* Depth-wise convolution over sequences with K taps: x (N, D), weight (K, D), bias (1, D) or NULL.
 * Returns (N, D). */
ken_tensor *ken_conv_depth(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

struct ken_conv_image {
    size_t height, width; /* size of each image in pixels                            */
    size_t down, across;  /* size of the filter in taps, vertically and horizontally */
    size_t stride;
    size_t pad; /* width in pixels of the border of zeros around the image */
};

/* Convolution over images. x (images * height * width, in) has one row per pixel, line by line;
 * weight is (out, down * across * in), bias (1, out) or NULL. Returns one row of `out` numbers per
 * pixel of the new images, whose height is (height + 2 pad - down) / stride + 1, and whose width is
 * (width + 2 pad - across) / stride + 1. */
ken_tensor *ken_conv_image(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, const struct ken_conv_image *image);

/* ---- op_recur.c ------------------------------------------------------------------------------ */

/* Recurrent networks (kernel/recur.h). Return (N, H), the state h of every row, from x (N, in),
 * w_input (G H, in), w_hidden (G H, H) and biases (1, G H) or NULL. G is the number of gates: 4 of
 * an LSTM (i, f, g, o), 3 of a GRU (r, z, n), 1 of an RNN. If `reversed`, each sequence is read
 * from its last row to its first. */
ken_tensor *ken_lstm(struct ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                     const ken_tensor *w_hidden, const ken_tensor *bias_input,
                     const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed);
ken_tensor *ken_gru(struct ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                    const ken_tensor *w_hidden, const ken_tensor *bias_input,
                    const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed);

ken_tensor *ken_rnn(struct ken_tape *tape, ken_tensor *x, const ken_tensor *w_input,
                    const ken_tensor *w_hidden, const ken_tensor *bias_input,
                    const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed);

struct ken_recurrence {
    enum ken_cell cell;
    ken_tensor *x;
    const ken_tensor *w_input, *w_hidden, *bias_input, *bias_hidden;
    ken_ragged ragged;
    bool reversed;
    const float *h, *c; /* first states of the sequences, (B, H); NULL counts as 0 */
};

/* Runs an LSTM, a GRU or an RNN. The first states h and c get no gradient. *cells, unless `cells`
 * is NULL, receives the cell states c (N, H) of an LSTM: a later call needs h and c to continue.
 * *cells must not be the input of an operation. */
ken_tensor *ken_recurrence(struct ken_tape *tape, const struct ken_recurrence *recurrence,
                           ken_tensor **cells);

/* ---- op_pool.c ------------------------------------------------------------------------------- */

/* Pooling: returns one row for each of B sequences, (B, D), from x (N, D). score is (N, 1) for
 * KEN_POOL_ATTENTIVE, else NULL. An empty sequence gives a row of 0. */
ken_tensor *ken_pool(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged, enum ken_pooling kind,
                     ken_tensor *score);

/* ---- op_rotate.c ----------------------------------------------------------------------------- */

/* Rotary positions: rotates how->heads heads of width how->E, which lie side by side from column
 * how->first_col on, by the place of their row; other columns are copied. `places` has `axes`
 * numbers per row, or is NULL: then the place is the row's index in its sequence plus the
 * offset. */
ken_tensor *ken_rotate_as(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged,
                          const struct ken_rotary *how, const int32_t *places);

#endif
