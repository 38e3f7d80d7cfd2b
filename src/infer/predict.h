/* predict.h - answers before their last step, and a look at all attention of a model at once; ken.h
 * has what predicts probabilities and looks at one head. */
#ifndef INFER_PREDICT_H
#define INFER_PREDICT_H

#include "model/model.h"

/* ken_model_predict() without its last step: logits of classes and sets, numbers as they are. And
 * that step, on `rows` of them: `answers` may be `logits`. */
ken_status ken_model_predict_logits(ken_model *model, float *logits, const ken_sequences *input);
void ken_model_conclude(const ken_model *model, float *answers, const float *logits, size_t rows);

/* Layers with attention of this kind, each with config.heads heads; 0: none. */
size_t ken_model_layers(const ken_model *model, ken_look which);

/* ken_model_look() for every head of every layer, the model run once: weights (layers, heads, T,
 * S). */
ken_status ken_model_look_all(ken_model *model, float *weights, ken_look which,
                              const ken_sequences *input, const ken_sequences *target);

#endif
