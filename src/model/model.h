/* model.h - the Transformer: embeddings, encoder, decoder, output.
 *   each, whole    encoder -> a label per row, or per sequence (mean of its rows)
 *   generate       decoder over what was generated so far, with cross-attention to an encoder
 *                  if there is one */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "kernel/loss.h"
#include "layer/block.h"
#include "model/parameters.h"

struct ken_model {
    ken_config config;
    ken_tensor input_table;  /* (input_size, D)                                     */
    ken_tensor target_table; /* (output_size, D), of a generator                    */
    ken_tensor input_places; /* (longest, D), learned positions                     */
    ken_tensor target_places;
    struct ken_block *encoder; /* (encoder_blocks)                                    */
    struct ken_block *decoder;
    struct ken_norm_layer encoder_norm, decoder_norm; /* after the last block, pre-norm */
    struct ken_dense head; /* (output_size, D); its weight unused when tied       */
    ken_tensor sinusoid;   /* (rows so far needed, D)                             */
    ken_parameters parameters;
};

/* Rows (N, D) of the encoder's last block. */
ken_tensor *ken_model_encode(ken_tape *tape, ken_model *model, const ken_sequences *input);

/* Rows (M, D) of the decoder's last block for `ids`; memory NULL without encoder. */
ken_tensor *ken_model_decode(ken_tape *tape, ken_model *model, const ken_sequences *ids,
                             ken_tensor *memory, ken_ragged memory_rows);

/* The decoder's rows when it is given the right ids so far (teacher forcing): one row for each
 * target id and one for the end; *predict tells which id each should come to. */
ken_tensor *ken_model_forced(ken_tape *tape, ken_model *model, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict);

/* (rows, output_size) from the rows of the last block. */
ken_tensor *ken_model_logits(ken_tape *tape, ken_model *model, ken_tensor *rows);

/* One vector a sequence. */
ken_tensor *ken_model_pool(ken_tape *tape, ken_model *model, ken_tensor *rows, ken_ragged ragged);

/* Mean loss of predicting `target`, as ken_trainer_step() describes them. */
ken_tensor *ken_model_loss(ken_tape *tape, ken_model *model, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, struct ken_tally *tally);

/* KEN_ERR_ARGUMENT unless the sequences are there, in order, and of ids that the model knows. What
 * a language model reads are ids of its output. */
ken_status ken_model_check_input(const ken_model *model, const ken_sequences *input);
ken_status ken_model_check_target(const ken_model *model, const ken_sequences *target);

#endif
