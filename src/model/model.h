/* model.h - the Transformer: embeddings, encoder, decoder, output.
 *   each, whole    encoder -> a label per row, or per sequence (of its rows pooled)
 *   generate       decoder over what was generated so far, with cross-attention to an encoder
 *                  if there is one */
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
    ken_tensor input_table;       /* (input_size, D), of ids and bags; D of bare blocks: the    *
                                   * columns of the first one's projection              */
    ken_tensor input_bias;        /* (1, D), of one-hot rows                            */
    struct ken_dense input_layer; /* (D, input_size), of rows of numbers                */
    struct ken_spelling spelling; /* of words with letters                              */
    ken_tensor target_table;      /* (output_size, D), of a generator whose encoder does not *
                                   * share its table: see ken_model_target_table()      */
    struct ken_places input_places, target_places;
    struct ken_block *encoder; /* (encoder_blocks)                                    */
    struct ken_block *decoder;
    struct ken_norm_layer encoder_norm, decoder_norm; /* after the last block, pre-norm */
    ken_tensor pool_score; /* (1, D), of attentive pooling                        */
    struct ken_dense head; /* (output_size, D); its weight unused when tied       */
    ken_parameters parameters;
    struct ken_packed *packed; /* the packed copy of the weights, see packed.c       */
};

/* A caller's configuration, which may be that of an older ken.h, as one of this library. */
ken_status ken_config_take(ken_config *own, const ken_config *given);

/* What is wrong with a configuration, in words; NULL: nothing. Attention has its own opinion. */
const char *ken_config_wrong(const ken_config *config);

/* All that ken_model_new() would refuse, attention's opinion included, without making a model. */
ken_status ken_config_check(const ken_config *config);

/* Does the encoder read links? */
bool ken_config_graph(const ken_config *config);

/* How many rows the encoder has for a sequence of n input rows (front.c). */
size_t ken_config_rows(const ken_config *config, size_t n);

/* Does the encoder read the places of its rows (front.c)? */
bool ken_config_placed(const ken_config *config);

/* Is the last block itself the answer? */
bool ken_config_answers(const ken_config *config);

struct ken_graph_options ken_model_graph_options(const ken_config *config);

enum {
    KEN_EDGE_NUMBERS = 64,   /* of a link, at the most                          */
    KEN_STACK_MOST = 1024,   /* rows of numbers that become one                 */
    KEN_PLACE_AXES = 2,      /* coordinates of a place                          */
    KEN_PLACE_MOST = 1 << 20 /* a coordinate that is given is below this        */
};

/* ken_model_new() with weights that are all 0, and of `most` numbers at the most: to be loaded. */
ken_status ken_model_make(ken_model **model, const ken_config *config, size_t most);

/* ---- packed.c: the weights as the matrix product reads them ---------------------------------- */

/* For ken_model_make() and ken_model_free(). */
ken_status ken_packed_new(struct ken_packed **packed);
void ken_packed_free(struct ken_packed *packed);

/* Packs the weights unless they are packed: a pass that answers asks for it before it computes.
 * From any number of threads at once. *version, unless it is NULL, gets the number of times that
 * the weights have changed. */
ken_status ken_model_pack(const ken_model *model, uint64_t *version);

/* The weights are about to change: drops the packed copy. Nobody may be using the model. */
void ken_model_changed(ken_model *model);

/* ---- batch.c --------------------------------------------------------------------------------- */

/* KEN_ERR_ARGUMENT unless the sequences are there, in order, and of ids, letters and numbers that
 * the model knows. What a language model reads are ids of its output. */
ken_status ken_model_check_input(const ken_model *model, const ken_sequences *input);
ken_status ken_model_check_target(const ken_model *model, const ken_sequences *target);

/* Both, and KEN_ERR_SHAPE unless there is a target for each row or sequence. */
ken_status ken_model_check_batch(const ken_model *model, const ken_sequences *input,
                                 const ken_sequences *target);

/* How many answers of a target that was checked are known: what its mean loss is the mean of. */
size_t ken_model_counted(const ken_model *model, const ken_sequences *target);

#endif
