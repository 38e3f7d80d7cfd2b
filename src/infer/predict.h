/* predict.h - a look at all attention of a model at once; ken.h has what looks at one head. */
#ifndef INFER_PREDICT_H
#define INFER_PREDICT_H

#include "model/model.h"

/* Layers with attention of this kind, each with config.heads heads; 0: none. */
size_t ken_model_layers(ken_model *model, ken_look which);

/* ken_model_look() for every head of every layer, the model run once: weights (layers, heads, T,
 * S). */
ken_status ken_model_look_all(ken_model *model, float *weights, ken_look which,
                              const ken_sequences *input, const ken_sequences *target);

#endif
