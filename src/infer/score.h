/* score.h - how likely a generator finds given sequences; perplexity and bits per byte follow. */
#ifndef INFER_SCORE_H
#define INFER_SCORE_H

#include "ken.h"

#include <stdbool.h>

/* log_probability[b], natural, of target sequence b given input sequence b (NULL for a language
 * model), and how many ids it is the sum over. The first `skip` ids of each are only read; `ends`
 * says whether the end that follows counts. */
ken_status ken_model_score(ken_model *model, double *log_probability, size_t *ids,
                           const ken_sequences *input, const ken_sequences *target, size_t skip,
                           bool ends);

#endif
