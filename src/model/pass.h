/* pass.h - the forward pass: runs a batch through a model, up to its loss or its answer. */
#ifndef MODEL_PASS_H
#define MODEL_PASS_H

#include "model/model.h"

/* A pass: one caller's use of a model. The model is only read; the pass holds everything that the
 * computation writes. Passes in different threads may use one model at the same time. Set `model`
 * and `tape`, and all other fields to 0; ken_pass_release() frees the tables. */
struct ken_pass {
    const ken_model *model;
    ken_tape *tape;
    /* Tables of positions for the encoder and the decoder, kept from call to call. */
    struct ken_place_tables input_tables, target_tables;
    /* Arrays with one entry per block, which receive the records of attention that ken_model_look()
     * needs; or NULL. */
    struct ken_block_seen *encoder_seen, *decoder_seen;
};
/* Frees the tables of the pass, but not its tape. */
void ken_pass_release(struct ken_pass *pass);

/* ---- front.c: from an input to the rows that the encoder's blocks read ----------------------- */

/* The rows that the front end made, and the sequences that they form. There may be fewer rows than
 * the input has; code after the front end uses only the rows and sequences of this struct. */
struct ken_encoded {
    ken_tensor *rows; /* the rows that the first block reads */
    ken_ragged ragged;
};

/* Computes the sequences and places of the rows that the front end will make. After a failure the
 * result is empty. */
struct ken_where ken_model_where(struct ken_pass *pass, const ken_sequences *input);

/* Makes the rows that the first block reads. They have `width` columns or, for bare blocks, the
 * columns of the first block's projection. */
ken_tensor *ken_model_front(struct ken_pass *pass, const struct ken_where *where,
                            const ken_sequences *input);

/* ---- forward.c, decode.c --------------------------------------------------------------------- */

/* Adds positions to x and applies dropout. `places` and `tables` are those of the side of the model
 * (encoder or decoder) that x belongs to. */
ken_tensor *ken_model_place(struct ken_pass *pass, const struct ken_places *places,
                            struct ken_place_tables *tables, ken_tensor *x,
                            const struct ken_where *where);

/* Runs x through `count` blocks, at least one. `last` is the norm after the last block; it is used
 * with pre-norm only. */
ken_tensor *ken_model_run_blocks(ken_tape *tape, const struct ken_block *blocks, size_t count,
                                 const struct ken_norm_layer *last, struct ken_stream *stream,
                                 ken_tensor *x);

/* Runs the encoder and returns the result of its last block, rows of width D. */
struct ken_encoded ken_model_encode(struct ken_pass *pass, const ken_sequences *input);

/* Runs the decoder over `ids` and returns the result of its last block, rows of width D. `memory`
 * is the encoder's result, or NULL if there is no encoder. */
ken_tensor *ken_model_decode(struct ken_pass *pass, const ken_sequences *ids,
                             const struct ken_encoded *memory);

/* Runs the decoder over `ids` that continue sequences in a cache, and adds their keys and values to
 * the cache. The resulting rows have the same bits as if ken_model_decode() computed them from all
 * ids. */
ken_tensor *ken_model_decode_more(struct ken_pass *pass, const ken_sequences *ids,
                                  const struct ken_cache_batch *batch);

/* Runs the decoder with teacher forcing: it reads the target ids, and returns one row for each id
 * and one for the end of each sequence. (*predict)[i] is the id that row i should predict. */
ken_tensor *ken_model_forced(struct ken_pass *pass, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict);

/* Returns the embedding of the ids that a generator writes; if `shared` is set, this is the
 * embedding of the encoder. */
const ken_tensor *ken_model_target_table(const ken_model *model);

/* Returns the weight of the output projection; if `tied` is set, this is the generator's
 * embedding. */
const ken_tensor *ken_model_head(const ken_model *model);

/* Computes logits (rows, output_size) from the rows of the last block. */
ken_tensor *ken_model_logits(struct ken_pass *pass, ken_tensor *rows);

/* Pools the rows of each sequence into one row. */
ken_tensor *ken_model_pool(struct ken_pass *pass, const struct ken_encoded *encoded);

/* Computes factor * the mean loss of predicting `target`. For `input` and `target` see
 * ken_trainer_step(). */
ken_tensor *ken_model_loss(struct ken_pass *pass, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally);

#endif
