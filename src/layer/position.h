/* position.h - how rows know their place: the one room that says what each kind of position adds at
 * the input and what it hands to attention.
 *
 *             at the input               to attention
 *   sinusoid  a fixed table
 *   learned   a learned table, which ends
 *   rnn       states of a GRU
 *   floater   the sinusoid               biases of queries, keys and values that follow a flow
 *   others                               themselves: ken_places_inside(), layer/attention.h
 *
 * One struct serves one side of a model, its encoder or its decoder. Tables are made for as many
 * places as are needed; a place does not depend on how many follow it, so sequences have the same
 * bits in any company, and with a cache. The struct holds parameters alone: tables that outlive a
 * tape belong to the caller (struct ken_place_tables).
 *
 * A place may have two coordinates. Then the table of places at the input is one table for each,
 * the second below the first, and a row of both is added: a sinusoid fills one half of the columns
 * for each coordinate and leaves 0 in the others. */
#ifndef LAYER_POSITION_H
#define LAYER_POSITION_H

#include "layer/attention.h"

struct ken_places_config {
    enum ken_position kind;
    size_t width;    /* D                                                                  */
    size_t longest;  /* places of a learned table, for each coordinate                     */
    size_t axes;     /* coordinates of a place: 1 or 2                                     */
    size_t blocks;   /* that attention biases are for                                      */
    size_t kv_width; /* of all keys of a row in a block, and of all values                 */
};

/* Tables that outlive the tape they were made on: a caller keeps them from tape to tape, else every
 * id of a generated sequence would cost all places before it. All 0 at first. */
struct ken_place_tables {
    struct ken_kept {
        float *data; /* (rows, cols) */
        size_t rows, cols;
        size_t places; /* that it was made for */
    } rows, biases;
};

/* Where the rows of a batch stand. */
struct ken_where {
    ken_ragged rows;
    const size_t *offset;  /* (B): the place of each sequence's first row; NULL: 0           */
    const int32_t *places; /* (N, axes), or NULL: a row's index in its sequence, plus offset */
};

struct ken_places {
    struct ken_places_config config;
    ken_tensor learned; /* (axes * longest, D)                                             */
    ken_tensor rnn_input, rnn_hidden, rnn_bias; /* (3 D, 1), (3 D, D), (1, 3 D)             */
    ken_tensor flow_start; /* (3 blocks, D): at place 0, queries of all blocks, keys, values */
    ken_tensor flow_in, flow_in_bias;   /* (D, D + 1), (1, D): see kernel/flow.h            */
    ken_tensor flow_out, flow_out_bias; /* the same                                         */
};

/* What attention is told of a position; NO_POSITION of those that are only added at the input. */
enum ken_attention_position ken_places_inside(enum ken_position kind);

void ken_places_init(struct ken_places *places, const struct ken_places_config *config);
void ken_places_visit(struct ken_places *places, ken_visitor *visitor, const char *name);

/* Drops all tables: at the end, and whenever the weights have changed that some are made of. */
void ken_place_tables_drop(struct ken_place_tables *tables);

/* x with what is added at the input. */
ken_tensor *ken_places_add(ken_tape *tape, const struct ken_places *places,
                           struct ken_place_tables *tables, ken_tensor *x,
                           const struct ken_where *where);

/* What is to be added to the projections of each block; its table is NULL when nothing is. */
struct ken_shift ken_places_shift(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, const struct ken_where *where);

/* The tables themselves, of at least *count places: (axes * places, D) at the input; for the blocks
 * (blocks * places, D + 2 kv_width), block after block, queries, keys and values side by side. NULL
 * when there is none; *count becomes the places that it has. A tape that records makes its own of
 * those that have gradients; all others are kept in `tables`. */
const ken_tensor *ken_places_rows(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, size_t *count);
const ken_tensor *ken_places_biases(ken_tape *tape, const struct ken_places *places,
                                    struct ken_place_tables *tables, size_t *count);

#endif
