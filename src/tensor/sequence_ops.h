/* sequence_ops.h - operations that look up rows of tables, or that depend on where sequences begin
 * and end; a part of ops.h. The caller owns arrays that are passed as plain pointers (ids, targets,
 * offsets, and the starts in `ragged`) and keeps them until backward is done. */
#ifndef TENSOR_SEQUENCE_OPS_H
#define TENSOR_SEQUENCE_OPS_H

#include "kernel/flow.h"
#include "kernel/pool.h"
#include "kernel/recur.h"
#include "kernel/rotate.h"
#include "tensor/tensor.h"

struct ken_tape;

/* ---- op_embed.c ------------------------------------------------------------------------------ */

/* Embedding: row i of the result is scale * table[ids[i]]; table (V, D) -> (rows, D) */
ken_tensor *ken_embed(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                      size_t rows, float scale);

/* Row i of the result is x[i] + table[place of row i in its sequence + offset of the sequence]: x
 * (N, D), table (P, D), offset (B), one per sequence, or NULL for 0 -> (N, D) */
ken_tensor *ken_add_position(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                             ken_ragged ragged, const size_t *offset);

/* Row i of the result is x[i] + table[places[i]]: x (N, D), table (P, D), places (N) -> (N, D) */
ken_tensor *ken_add_place(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                          const int32_t *places);

/* ---- op_offset.c: biases (H, 2 span + 1) of attention, see kernel/offset.h ------------------- */

/* Picks columns by number: x (H, cols) -> (H, count) */
ken_tensor *ken_pick(struct ken_tape *tape, const ken_tensor *x, const int32_t *which,
                     size_t count);

/* Computes a parabola over the offsets d = -span .. span for each of H heads: -a ((d - c)^2 - c^2)
 * with a = e^sharp and c = centre; sharp and centre (1, H) -> (H, 2 span + 1) */
ken_tensor *ken_quadratic(struct ken_tape *tape, const ken_tensor *sharp, const ken_tensor *centre,
                          size_t span);

/* ---- op_flow.c ------------------------------------------------------------------------------- */

struct ken_flow_options {
    size_t places;                  /* P, number of places (positions), at least 1             */
    size_t steps;                   /* steps of the integrator from one place to the next      */
    float pace;                     /* time from one place to the next                         */
    enum ken_activation activation; /* of the learned field: KEN_ACT_RELU or KEN_ACT_NONE      */
    size_t parts;                   /* number of equal groups that the states are divided into */
    /* A row of the result has the first cols[g] numbers of one state of each group g. */
    size_t cols[KEN_FLOW_PARTS];
};

/* Moves R states p of width D along the learned field dp/dt = w_out [act(w_in [p t] + b_in) t] +
 * b_out, see kernel/flow.h: start (R, D) holds the states at time 0, w_in (F, D + 1), b_in (1, F),
 * w_out (D, F + 1), b_out (1, D) -> (R / parts * P, sum of cols). Row i P + j of the result has
 * states i, i + R / parts, ... at place j. */
ken_tensor *ken_flow(struct ken_tape *tape, const ken_tensor *start, const ken_tensor *w_in,
                     const ken_tensor *b_in, const ken_tensor *w_out, const ken_tensor *b_out,
                     const struct ken_flow_options *options);

/* ---- op_conv.c ------------------------------------------------------------------------------- */

/* How a sequence is padded for a filter of K taps, with K - 1 rows of zeros. Centred: (K - 1) / 2
 * of them before the sequence, the rest after it. Causal: all before it, so that a row depends on
 * itself and earlier rows only. */
enum ken_padding { KEN_PAD_CENTRED, KEN_PAD_CAUSAL };

/* Convolution over sequences: x (N, in), weight (out, K * in) with the K taps one after another,
 * bias (1, out) or NULL -> (N, out) */
ken_tensor *ken_conv(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                     const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

/* Depth-wise convolution over sequences: x (N, D), weight (K, D), bias (1, D) or NULL -> (N, D) */
ken_tensor *ken_conv_depth(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

struct ken_conv_image {
    size_t height, width; /* pixels of each image                            */
    size_t down, across;  /* taps of the filter, vertically and horizontally */
    size_t stride;
    size_t pad; /* width in pixels of the border of zeros around the image */
};

/* Convolution over images: x (images * height * width, in), one row per pixel, line by line; weight
 * (out, down * across * in), bias (1, out) or NULL -> the rows (pixels, out) of the new images,
 * whose height is (height + 2 pad - down) / stride + 1 and whose width follows alike from
 * `across`. */
ken_tensor *ken_conv_image(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, const struct ken_conv_image *image);

/* ---- op_recur.c ------------------------------------------------------------------------------ */

/* Recurrent networks; the result is the state h of every row. x (N, in), w_input (G H, in),
 * w_hidden (G H, H), biases (1, G H) or NULL -> (N, H); the G gates are 4 of an LSTM (i, f, g, o),
 * 3 of a GRU (r, z, n) or 1 of an RNN; see kernel/recur.h. If reversed, they run from the last row
 * of each sequence to its first. */
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
    const float *h, *c; /* (B, H): first states of the sequences; NULL for 0 */
};

/* Runs an LSTM, a GRU or an RNN. The first states h and c get no gradient. `cells`, unless NULL,
 * receives the cells c (N, H) of an LSTM, which a later call needs besides h to continue; `cells`
 * must not be the input of an operation. */
ken_tensor *ken_recurrence(struct ken_tape *tape, const struct ken_recurrence *recurrence,
                           ken_tensor **cells);

/* ---- op_pool.c ------------------------------------------------------------------------------- */

/* Pooling, one row for each of B sequences: x (N, D) -> (B, D); score (N, 1) for
 * KEN_POOL_ATTENTIVE, else NULL. An empty sequence gives a row of 0. */
ken_tensor *ken_pool(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged, enum ken_pooling kind,
                     ken_tensor *score);

/* ---- op_rotate.c ----------------------------------------------------------------------------- */

/* Rotary positions: rotates how->heads heads of width how->E, which lie side by side from column
 * how->first_col on, by the place of their row; other columns are copied. `places` is (N, axes), or
 * NULL for the row's index in its sequence, plus the offset. */
ken_tensor *ken_rotate_as(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged,
                          const struct ken_rotary *how, const int32_t *places);

#endif
