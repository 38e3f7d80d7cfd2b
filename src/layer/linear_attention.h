/* linear_attention.h - kinds of attention that never compute the scores of all pairs of rows;
 * private to attention.c and cache.c. q, k and v are tensors of rows; the options say which
 * columns, heads and sequences they have. */
#ifndef LAYER_LINEAR_ATTENTION_H
#define LAYER_LINEAR_ATTENTION_H

#include "layer/attention.h"

/* ---- linear_attention.c: weigh linear and performer ------------------------------------------ */

bool ken_attention_is_linear(const struct ken_attention_config *config);
const char *ken_attention_linear_wrong(const struct ken_attention_config *config);

/* Draws the random vectors of a performer; does nothing for other kinds. */
ken_status ken_attention_linear_init(struct ken_attention *attention);

ken_tensor *ken_attention_linear(ken_tape *tape, const struct ken_attention *attention,
                                 ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                 const struct ken_attend_options *options);

/* Linear attention for rows that continue sequences in a cache. The cache keeps one state per
 * sequence instead of rows. */
ken_tensor *ken_attention_linear_go_on(ken_tape *tape, const struct ken_attention *attention,
                                       ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                       const struct ken_attend_options *options,
                                       const struct ken_cache_batch *batch,
                                       const struct ken_cache_part *part);

/* ken_attention_linear_state() returns the number of floats of the state that a cache keeps for a
 * sequence. ken_attention_linear_remember() computes one state for each sequence of an encoder's
 * result; `made` holds the keys and values of that result side by side. */
size_t ken_attention_linear_state(const struct ken_attention *attention);
ken_status ken_attention_linear_remember(float *states, ken_tape *tape,
                                         const struct ken_attention *attention, ken_tensor *made,
                                         ken_ragged rows);

/* ---- nystrom.c: reach nystrom ---------------------------------------------------------------- */

const char *ken_attention_nystrom_wrong(const struct ken_attention_config *config);
ken_tensor *ken_attention_nystrom(ken_tape *tape, const struct ken_attention *attention,
                                  ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                  const struct ken_attend_options *options, struct ken_seen *seen);

/* Computes the weights of head h in sequence b of a recorded Nystrom attention, one row per
 * query. */
ken_status ken_attention_nystrom_look(float *weights, ken_tape *tape,
                                      const struct ken_attention *attention,
                                      const struct ken_seen *seen, size_t b, size_t h, size_t n);

#endif
