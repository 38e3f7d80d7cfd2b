/* model.h - the Transformer: embeddings, encoder, decoder, output. The kinds of output:
 *   each, whole   encoder -> a label for each row, or for each sequence (from its pooled rows)
 *   generate      decoder over the ids generated so far, with cross-attention to an encoder if
 *                 there is one */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "kernel/loss.h"
#include "layer/block.h"
#include "layer/graph.h"
#include "layer/position.h"
#include "layer/spelling.h"
#include "model/parameters.h"

struct ken_model {
    ken_config config;
    /* Embedding (input_size, D) of ids and bags of ids. With bare blocks, D is the number of
     * columns of the first block's projection. */
    ken_tensor input_table;
    ken_tensor input_bias;        /* (1, D): bias of one-hot rows                         */
    struct ken_dense input_layer; /* (D, input_size * input_stack): reads rows of numbers */
    struct ken_spelling spelling; /* computes vectors of words from their letters         */
    /* Embedding (output_size, D) of the ids that a generator writes. Not used if `shared` is set:
     * see ken_model_target_table(). */
    ken_tensor target_table;
    struct ken_places input_places, target_places;
    struct ken_block *encoder; /* blocks of the encoder */
    struct ken_block *decoder;
    /* Norms after the last block of the encoder and of the decoder; used with pre-norm only. */
    struct ken_norm_layer encoder_norm, decoder_norm;
    ken_tensor pool_score; /* (1, D): the query of attentive pooling                */
    struct ken_dense head; /* (output_size, D): output projection; not used if tied */
    ken_parameters parameters;
    struct ken_packed *packed; /* the packed copy of the weights, see packed.c */
};

/* Copies a caller's configuration. A caller compiled with an older ken.h has a struct with fewer
 * fields. */
ken_status ken_config_take(ken_config *own, const ken_config *given);

/* Checks a configuration, except for the options that the attention layer checks. Returns a
 * description of the first problem, or NULL if there is none. */
const char *ken_config_wrong(const ken_config *config);

/* Checks a configuration completely, including the checks of the attention layer: fails if
 * ken_model_new() would refuse it. No model is made. */
ken_status ken_config_check(const ken_config *config);

/* Returns whether the encoder reads links (graphs). */
bool ken_config_graph(const ken_config *config);

/* Returns the number of the encoder's rows for a sequence of n input rows (front.c). */
size_t ken_config_rows(const ken_config *config, size_t n);

/* Returns whether the encoder reads the places of its rows (front.c). */
bool ken_config_placed(const ken_config *config);

/* Returns whether the last block's result is the answer, without an output projection. This is so
 * for bare blocks with KEN_EACH. */
bool ken_config_answers(const ken_config *config);

struct ken_graph_options ken_model_graph_options(const ken_config *config);

enum {
    KEN_EDGE_NUMBERS = 64,   /* maximum of edge_size, the number of features of a link      */
    KEN_STACK_MOST = 1024,   /* maximum of input_stack, the number of rows that become one  */
    KEN_PLACE_AXES = 2,      /* maximum of place_axes, the number of coordinates of a place */
    KEN_PLACE_MOST = 1 << 20 /* upper bound of every coordinate that a caller gives         */
};

/* Makes a model with all weights 0, to load a file into. Fails if the model would have more than
 * `most` weights. */
ken_status ken_model_make(ken_model **model, const ken_config *config, size_t most);

/* ---- packed.c: a copy of the weights in the layout of the matrix product --------------------- */

/* ken_packed_new() and ken_packed_free() make and free the struct that holds the packed weights,
 * for ken_model_make() and ken_model_free(). */
ken_status ken_packed_new(struct ken_packed **packed);
void ken_packed_free(struct ken_packed *packed);

/* Packs the weights unless they are packed already. A session calls this function before each
 * computation; several threads may do so at once. *version receives the number of times that the
 * weights have changed. */
ken_status ken_model_pack(const ken_model *model, uint64_t *version);

/* Frees the packed copy of the weights. Call it before the weights change, and while no other
 * thread uses the model. */
void ken_model_changed(ken_model *model);

/* ---- batch.c --------------------------------------------------------------------------------- */

/* ken_model_check_input() and ken_model_check_target() fail with KEN_ERR_ARGUMENT unless the
 * sequences exist, are in order, and have ids, letters and numbers within the model's ranges. The
 * input of a language model consists of ids of its output vocabulary. */
ken_status ken_model_check_input(const ken_model *model, const ken_sequences *input);
ken_status ken_model_check_target(const ken_model *model, const ken_sequences *target);

/* Checks input and target. Fails with KEN_ERR_SHAPE unless there is a target for each row or
 * sequence. */
ken_status ken_model_check_batch(const ken_model *model, const ken_sequences *input,
                                 const ken_sequences *target);

/* Returns the number of known answers in a checked target. The mean loss is the sum of all losses
 * divided by this number. */
size_t ken_model_counted(const ken_model *model, const ken_sequences *target);

#endif
