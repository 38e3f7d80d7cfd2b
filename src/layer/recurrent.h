/* recurrent.h - a recurrent network over the rows of each sequence: an LSTM, a GRU or a plain RNN,
 * in one or two directions. Its states h are projected back to the width of the rows:
 *   y = b + W_f h_forwards + W_b h_backwards
 * This equals one linear layer over the two states side by side. */
#ifndef LAYER_RECURRENT_H
#define LAYER_RECURRENT_H

#include "layer/cache.h"
#include "layer/dense.h"

struct ken_recurrent {
    enum ken_cell cell;
    size_t D;    /* width of the rows                                          */
    size_t H;    /* width of the state: D, or D / 2 for each of two directions */
    size_t ways; /* number of directions, 1 or 2                               */
    struct ken_way {
        ken_tensor w_input;     /* (gates * H, D): input weights of all gates          */
        ken_tensor w_hidden;    /* (gates * H, H): state weights of all gates          */
        ken_tensor bias_input;  /* (1, gates * H): biases of all gates                 */
        ken_tensor bias_hidden; /* GRU only: second biases, needed by its third gate   */
        struct ken_dense out;   /* (D, H): output projection of this direction         */
    } way[2];                   /* [0] runs forwards, [1] backwards                    */
};

/* Makes a network over rows of width D, in one or two directions. Fails with KEN_ERR_ARGUMENT if
 * there are two directions and the width is odd. */
ken_status ken_recurrent_init(struct ken_recurrent *recurrent, enum ken_cell cell, size_t D,
                              bool both_ways);
void ken_recurrent_visit(struct ken_recurrent *recurrent, ken_visitor *visitor, const char *name);

/* Applies the network to whole sequences; x and the result are (N, D). */
ken_tensor *ken_recurrent_apply(ken_tape *tape, const struct ken_recurrent *recurrent,
                                ken_tensor *x, ken_ragged rows);

/* Applies the network, forwards only, to rows x (N, D) that continue sequences in a cache. The
 * cache keeps the state after each row. Not for training. */
ken_tensor *ken_recurrent_go_on(ken_tape *tape, const struct ken_recurrent *recurrent,
                                ken_tensor *x, ken_ragged rows, const struct ken_cache_batch *batch,
                                const struct ken_cache_part *part);
size_t ken_recurrent_cache_cols(const struct ken_recurrent *recurrent);

#endif
