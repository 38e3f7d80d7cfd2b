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
 * bits in any company, and with a cache. */
#ifndef LAYER_POSITION_H
#define LAYER_POSITION_H

#include "layer/attention.h"

struct ken_places_config {
    enum ken_position kind;
    size_t width;    /* D                                                                  */
    size_t longest;  /* places of a learned table                                          */
    size_t blocks;   /* that attention biases are for                                      */
    size_t kv_width; /* of all keys of a row in a block, and of all values                 */
};

/* A table that outlives the tape it was made on. */
struct ken_kept {
    float *data; /* (rows, cols) */
    size_t rows, cols;
    size_t places; /* what it was made for */
};

struct ken_places {
    struct ken_places_config config;
    ken_tensor learned; /* (longest, D)                                                    */
    ken_tensor rnn_input, rnn_hidden, rnn_bias; /* (3 D, 1), (3 D, D), (1, 3 D)             */
    ken_tensor flow_start; /* (3 blocks, D): at place 0, queries of all blocks, keys, values */
    ken_tensor flow_in, flow_in_bias;   /* (D, D + 1), (1, D): see kernel/flow.h            */
    ken_tensor flow_out, flow_out_bias; /* the same                                         */
    bool keeping;
    struct ken_kept rows, biases;
};

/* What attention is told of a position; NO_POSITION of those that are only added at the input. */
enum ken_attention_position ken_places_inside(enum ken_position kind);

void ken_places_init(struct ken_places *places, const struct ken_places_config *config);
void ken_places_release(struct ken_places *places); /* what is kept, not the parameters */
void ken_places_visit(struct ken_places *places, ken_visitor *visitor, const char *name);

/* While weights stay as they are, tables that are made of them may be kept from tape to tape: else
 * every id of a generated sequence would cost all places before it. Off, they are dropped. Tapes
 * that record make their own in any case. */
void ken_places_keep(struct ken_places *places, bool keep);

/* x with what is added at the input; the first row of sequence b is at place offset[b], NULL: 0 */
ken_tensor *ken_places_add(ken_tape *tape, struct ken_places *places, ken_tensor *x,
                           ken_ragged rows, const size_t *offset);

/* What is to be added to the projections of each block; its table is NULL when nothing is. */
struct ken_shift ken_places_shift(ken_tape *tape, struct ken_places *places, ken_ragged rows,
                                  const size_t *offset);

/* The tables themselves, of at least *count places: (places, D) at the input; for the blocks
 * (blocks * places, D + 2 kv_width), block after block, queries, keys and values side by side. NULL
 * when there is none; *count becomes the places that it has. */
ken_tensor *ken_places_rows(ken_tape *tape, struct ken_places *places, size_t *count);
ken_tensor *ken_places_biases(ken_tape *tape, struct ken_places *places, size_t *count);

#endif
