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

/* scale * table[ids[i]]: table (V, D) -> (rows, D) */
ken_tensor *ken_embed(struct ken_tape *tape, const ken_tensor *table, const int32_t *ids,
                      size_t rows, float scale);

/* x[i] + table[place of row i in its sequence + offset of the sequence]: x (N, D), table (P, D),
 * offset (B) or NULL for 0 -> (N, D) */
ken_tensor *ken_add_position(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                             ken_ragged ragged, const size_t *offset);

/* The same with places (N) that are given: x[i] + table[places[i]] */
ken_tensor *ken_add_place(struct ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                          const int32_t *places);

/* ---- op_offset.c: biases (H, 2 span + 1) of attention, see kernel/offset.h ------------------- */

/* Columns by number: x (H, cols) -> (H, count) */
ken_tensor *ken_pick(struct ken_tape *tape, const ken_tensor *x, const int32_t *which,
                     size_t count);

/* -a ((d - c)^2 - c^2) with a = e^sharp and c = centre, both (1, H) -> (H, 2 span + 1) */
ken_tensor *ken_quadratic(struct ken_tape *tape, const ken_tensor *sharp, const ken_tensor *centre,
                          size_t span);

/* ---- op_flow.c ------------------------------------------------------------------------------- */

struct ken_flow_options {
    size_t places; /* P, at least 1                                                */
    size_t steps;  /* steps of the integrator from one place to the next           */
    float pace;    /* time from one place to the next                              */
    enum ken_activation activation; /* of the field: KEN_ACT_RELU or KEN_ACT_NONE */
    size_t parts;                   /* number of groups of equal size of the states  */
    size_t cols[KEN_FLOW_PARTS];    /* a row of the result has the first cols[g] numbers of one
                                     * state of each group g */
};

/* R states that move along dp/dt = w_out [act(w_in [p t] + b_in) t] + b_out, see kernel/flow.h:
 * start (R, D) is where they are at time 0, w_in (F, D + 1), b_in (1, F), w_out (D, F + 1),
 * b_out (1, D) -> (R / parts * P, sum of cols): row i P + p has states i, i + R / parts, ... at
 * place p */
ken_tensor *ken_flow(struct ken_tape *tape, const ken_tensor *start, const ken_tensor *w_in,
                     const ken_tensor *b_in, const ken_tensor *w_out, const ken_tensor *b_out,
                     const struct ken_flow_options *options);

/* ---- op_conv.c ------------------------------------------------------------------------------- */

/* A sequence is padded with K - 1 rows of zeros. Centred: (K - 1) / 2 of them before it, the rest
 * after it. Causal: all before it, so that a row depends on itself and earlier rows only. */
enum ken_padding { KEN_PAD_CENTRED, KEN_PAD_CAUSAL };

/* x (N, in), weight (out, K * in) with the K taps one after another, bias (1, out) or NULL
 * -> (N, out) */
ken_tensor *ken_conv(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                     const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

/* Depth-wise: x (N, D), weight (K, D), bias (1, D) or NULL -> (N, D) */
ken_tensor *ken_conv_depth(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

struct ken_conv_image {
    size_t height, width; /* pixels of each image                         */
    size_t down, across;  /* taps                                         */
    size_t stride;
    size_t pad; /* rows and columns of zeros around the image   */
};

/* x (images * height * width, in), one row per pixel, line by line; weight (out, down * across *
 * in), bias (1, out) or NULL -> as many images of ((height + 2 pad - down) / stride + 1) lines */
ken_tensor *ken_conv_image(struct ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, const struct ken_conv_image *image);

/* ---- op_recur.c ------------------------------------------------------------------------------ */

/* h of every row: x (N, in), w_input (G H, in), w_hidden (G H, H), biases (1, G H) or NULL,
 * G = 4 gates (i, f, g, o), 3 (r, z, n) or 1 -> (N, H); see kernel/recur.h. Reversed: from the last
 * row of each sequence to its first. */
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

/* Any of the three. The first states h and c get no gradient. `cells`, unless NULL, receives c
 * (N, H) of an LSTM, which a later call needs besides h to continue; no operation may use it. */
ken_tensor *ken_recurrence(struct ken_tape *tape, const struct ken_recurrence *recurrence,
                           ken_tensor **cells);

/* ---- op_pool.c ------------------------------------------------------------------------------- */

/* One row for each sequence: x (N, D) -> (B, D); score (N, 1) for KEN_POOL_ATTENTIVE, else NULL.
 * An empty sequence gives a row of 0. */
ken_tensor *ken_pool(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged, enum ken_pooling kind,
                     ken_tensor *score);

/* ---- op_rotate.c ----------------------------------------------------------------------------- */

/* Rotary positions: turns how->heads heads of width E, which lie side by side from column
 * how->first_col on, by the place of their row; other columns are copied. `places` is (N, axes);
 * NULL: the row's index in its sequence, plus the offset. */
ken_tensor *ken_rotate_as(struct ken_tape *tape, ken_tensor *x, ken_ragged ragged,
                          const struct ken_rotary *how, const int32_t *places);

#endif
