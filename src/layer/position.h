/* position.h - positions (position encodings): what each kind adds to the rows at the input, and
 * what it passes to attention. A place is the number of a row in its sequence; a position is how
 * the model encodes it.
 *
 *               at the input                       to attention
 *   sinusoid    a fixed table
 *   learned     a learned table of fixed length
 *   rnn         states of a GRU
 *   floater     the sinusoid                       biases of queries, keys and values (a flow)
 *   others                                         the kind: ken_places_inside(), layer/attention.h
 *
 * One struct ken_places serves one side of a model, its encoder or its decoder. Tables are made for
 * as many places as are needed. The numbers of a place do not depend on how many places follow, so
 * a sequence has the same bits in any batch and with a cache. The struct holds parameters only:
 * tables that outlive a tape belong to the caller (struct ken_place_tables).
 *
 * If places have two coordinates, the table at the input has two parts, one below the other, and a
 * row of each part is added to x. A sinusoid uses one half of the columns for each coordinate, and
 * is 0 in the other half. */
#ifndef LAYER_POSITION_H
#define LAYER_POSITION_H

#include "layer/attention.h"

struct ken_places_config {
    enum ken_position kind;
    size_t width;    /* width D of a row                                           */
    size_t longest;  /* learned table: number of places for each coordinate        */
    size_t axes;     /* number of coordinates of a place, 1 or 2                   */
    size_t blocks;   /* number of blocks, for floater's biases                     */
    size_t kv_width; /* floater: width of all keys (or values) of a row in a block */
};

/* Tables that outlive the tape they were made on. A caller keeps them from tape to tape; without
 * them, each new id of a generated sequence would compute the positions of all places before it
 * again. Initialise the struct with 0. */
struct ken_place_tables {
    struct ken_kept {
        float *data; /* the numbers of the table, (rows, cols) */
        size_t rows, cols;
        size_t places; /* number of places that the table was made for */
    } rows, biases;
};

/* The sequences of a batch, and the places (positions) of its rows. */
struct ken_where {
    ken_ragged rows;
    const size_t *offset;  /* place of the first row of each sequence; NULL: all 0           */
    const int32_t *places; /* place of each row, (N, axes); NULL: index in sequence + offset */
};

struct ken_places {
    struct ken_places_config config;
    ken_tensor learned;                         /* (axes * longest, D): the learned table   */
    ken_tensor rnn_input, rnn_hidden, rnn_bias; /* GRU of rnn: (3 D, 1), (3 D, D), (1, 3 D) */
    /* Floater's states at place 0, (3 blocks, D): queries of all blocks, then keys, then values. */
    ken_tensor flow_start;
    ken_tensor flow_in, flow_in_bias;   /* (D, D + 1), (1, D): w_in and b_in of kernel/flow.h   */
    ken_tensor flow_out, flow_out_bias; /* (D, D + 1), (1, D): w_out and b_out of kernel/flow.h */
};

/* Returns the kind of position that acts inside attention; KEN_ATTENTION_NO_POSITION for kinds that
 * are only added at the input. */
enum ken_attention_position ken_places_inside(enum ken_position kind);

void ken_places_init(struct ken_places *places, const struct ken_places_config *config);
void ken_places_visit(struct ken_places *places, ken_visitor *visitor, const char *name);

/* Frees all tables. Call it when they are no longer needed, and when the weights from which they
 * were made change. */
void ken_place_tables_drop(struct ken_place_tables *tables);

/* Adds to the rows x the positions that belong at the input. */
ken_tensor *ken_places_add(ken_tape *tape, const struct ken_places *places,
                           struct ken_place_tables *tables, ken_tensor *x,
                           const struct ken_where *where);

/* Makes floater's biases for the projections of each block; the table in the result is NULL if
 * there are no biases. */
struct ken_shift ken_places_shift(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, const struct ken_where *where);

/* ken_places_rows() returns the table that is added at the input, (axes * places, D).
 * ken_places_biases() returns the biases of all blocks, block after block, (blocks * places, D + 2
 * kv_width), with queries, keys and values side by side. The table has at least *count places, and
 * *count becomes its number of places; the result is NULL if the kind of position has no such
 * table. While recording, tables with gradients are made on the tape; all others are kept in
 * `tables`. */
const ken_tensor *ken_places_rows(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, size_t *count);
const ken_tensor *ken_places_biases(ken_tape *tape, const struct ken_places *places,
                                    struct ken_place_tables *tables, size_t *count);

#endif
