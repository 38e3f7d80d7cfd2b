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
    ken_tensor target_table;      /* (output_size, D), of a generator; shared: the      *
                                     * memory of input_table                              */
    struct ken_places input_places, target_places;
    struct ken_block *encoder; /* (encoder_blocks)                                    */
    struct ken_block *decoder;
    struct ken_norm_layer encoder_norm, decoder_norm; /* after the last block, pre-norm */
    ken_tensor pool_score; /* (1, D), of attentive pooling                        */
    struct ken_dense head; /* (output_size, D); its weight unused when tied       */
    ken_parameters parameters;
};

/* A caller's configuration, which may be that of an older ken.h, as one of this library. */
ken_status ken_config_take(ken_config *own, const ken_config *given);

/* What is wrong with a configuration, in words; NULL: nothing. Attention has its own opinion. */
const char *ken_config_wrong(const ken_config *config);

/* All that ken_model_new() would refuse, attention's opinion included, without making a model. */
ken_status ken_config_check(const ken_config *config);

/* Does the encoder read links? */
bool ken_config_graph(const ken_config *config);

/* Is the last block itself the answer? */
bool ken_config_answers(const ken_config *config);

struct ken_graph_options ken_model_graph_options(const ken_config *config);

enum { KEN_EDGE_NUMBERS = 64 }; /* of a link, at the most */

/* ken_model_new() with weights that are all 0, and of `most` numbers at the most: to be loaded. */
ken_status ken_model_make(ken_model **model, const ken_config *config, size_t most);

/* Rows of `table`, scaled to variance 1, with their positions; the first row of sequence b stands
 * at place offset[b], NULL: 0. */
ken_tensor *ken_model_embed(ken_tape *tape, ken_model *model, ken_tensor *table,
                            struct ken_places *places, const ken_sequences *sequences,
                            const size_t *offset);

/* x through blocks, of which there is at least one; `last` is the norm after them (pre-norm). */
ken_tensor *ken_model_run_blocks(ken_tape *tape, struct ken_block *blocks, size_t count,
                                 struct ken_norm_layer *last, struct ken_stream *stream,
                                 ken_tensor *x);

/* Rows (N, D) of the encoder's last block. */
ken_tensor *ken_model_encode(ken_tape *tape, ken_model *model, const ken_sequences *input);

/* Rows (M, D) of the decoder's last block for `ids`; memory NULL without encoder. */
ken_tensor *ken_model_decode(ken_tape *tape, ken_model *model, const ken_sequences *ids,
                             ken_tensor *memory, ken_ragged memory_rows);

/* The decoder's rows when it is given the right ids so far (teacher forcing): one row for each
 * target id and one for the end; *predict tells which id each should come to. */
ken_tensor *ken_model_forced(ken_tape *tape, ken_model *model, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict);

/* The weight of the output projection: of a tied generator its embedding. */
ken_tensor *ken_model_head(ken_model *model);

/* (rows, output_size) from the rows of the last block. */
ken_tensor *ken_model_logits(ken_tape *tape, ken_model *model, ken_tensor *rows);

/* One vector a sequence. */
ken_tensor *ken_model_pool(ken_tape *tape, ken_model *model, ken_tensor *rows, ken_ragged ragged);

/* factor * mean loss of predicting `target`, as ken_trainer_step() describes them. */
ken_tensor *ken_model_loss(ken_tape *tape, ken_model *model, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally);

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
