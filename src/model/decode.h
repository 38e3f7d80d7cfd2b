/* decode.h - a decoder that writes: step by step, each step over new rows only. */
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include "model/model.h"

/* Rows (M, D) of the decoder's last block for `ids`, which follow what the cache has of their
 * sequences; keeps their keys and values. The same bits as ken_model_decode() over all ids. */
ken_tensor *ken_model_decode_more(struct ken_pass *pass, const ken_sequences *ids,
                                  const struct ken_cache_batch *batch);

#endif
