/* pass.h - the forward pass: what goes through a model, up to its loss or its answer. */
#ifndef MODEL_PASS_H
#define MODEL_PASS_H

#include "model/model.h"

/* A pass: one caller's use of a model. The model is only read; everything that computing writes is
 * here. Passes in different threads may use one model at the same time. Apart from model and tape
 * it is all 0 at first, and ken_pass_release() ends what it keeps. */
struct ken_pass {
    const ken_model *model;
    ken_tape *tape;
    struct ken_place_tables input_tables, target_tables; /* kept from call to call           */
    struct ken_block_seen *encoder_seen, *decoder_seen;  /* (blocks), of a look; or NULL     */
};
void ken_pass_release(struct ken_pass *pass); /* not the tape */

/* ---- front.c: from an input to the rows that the encoder's blocks read ----------------------- */

/* Rows, and the sequences that they form. They need not be those of the input: a front end may make
 * fewer rows of it. What follows the front end knows these alone. */
struct ken_encoded {
    ken_tensor *rows; /* (N, ...) */
    ken_ragged ragged;
};

/* Where the rows stand that the front end makes of an input. After a failure it is empty. */
struct ken_where ken_model_where(struct ken_pass *pass, const ken_sequences *input);

/* The rows themselves, as the first block reads them: of `width`, or what the first of bare blocks
 * attends with. */
ken_tensor *ken_model_front(struct ken_pass *pass, const struct ken_where *where,
                            const ken_sequences *input);

/* ---- forward.c, decode.c --------------------------------------------------------------------- */

/* x with the positions that are added to it, and dropout; the tables are those of its side. */
ken_tensor *ken_model_place(struct ken_pass *pass, const struct ken_places *places,
                            struct ken_place_tables *tables, ken_tensor *x,
                            const struct ken_where *where);

/* x through blocks, of which there is at least one; `last` is the norm after them (pre-norm). */
ken_tensor *ken_model_run_blocks(ken_tape *tape, const struct ken_block *blocks, size_t count,
                                 const struct ken_norm_layer *last, struct ken_stream *stream,
                                 ken_tensor *x);

/* Rows (N, D) of the encoder's last block. */
struct ken_encoded ken_model_encode(struct ken_pass *pass, const ken_sequences *input);

/* Rows (M, D) of the decoder's last block for `ids`; memory NULL without encoder. */
ken_tensor *ken_model_decode(struct ken_pass *pass, const ken_sequences *ids,
                             const struct ken_encoded *memory);

/* Rows (M, D) of the decoder's last block for `ids`, which follow what the cache has of their
 * sequences; keeps their keys and values. The same bits as ken_model_decode() over all ids. */
ken_tensor *ken_model_decode_more(struct ken_pass *pass, const ken_sequences *ids,
                                  const struct ken_cache_batch *batch);

/* The decoder's rows when it is given the right ids so far (teacher forcing): one row for each
 * target id and one for the end; *predict says which id each should come to. */
ken_tensor *ken_model_forced(struct ken_pass *pass, const ken_sequences *input,
                             const ken_sequences *target, const int32_t **predict);

/* The embedding of what a generator writes; a shared one is that of its encoder. */
const ken_tensor *ken_model_target_table(const ken_model *model);

/* The weight of the output projection: of a tied generator its embedding. */
const ken_tensor *ken_model_head(const ken_model *model);

/* (rows, output_size) from the rows of the last block. */
ken_tensor *ken_model_logits(struct ken_pass *pass, ken_tensor *rows);

/* One vector a sequence. */
ken_tensor *ken_model_pool(struct ken_pass *pass, const struct ken_encoded *encoded);

/* factor * mean loss of predicting `target`, as ken_trainer_step() describes them. */
ken_tensor *ken_model_loss(struct ken_pass *pass, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally);

#endif
