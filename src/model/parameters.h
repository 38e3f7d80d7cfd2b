/* parameters.h - all weights of a model: one list, and one block of memory for their values. While
 * there is a trainer, another block holds the gradients; after the first answer, a third block
 * holds a packed copy of the weights. */
#ifndef MODEL_PARAMETERS_H
#define MODEL_PARAMETERS_H

#include "base/status.h"
#include "layer/visitor.h"

#include <stdint.h>

typedef struct ken_parameters {
    struct ken_named {
        char *name;         /* full name, e.g. "encoder.0.attention.out.weight"   */
        ken_tensor *tensor; /* the parameter itself, which is a part of the model */
        bool decays;        /* true: weight decay applies                         */
    } * list;
    size_t count;
    size_t size; /* number of weights in all tensors                    */
    size_t room; /* number of floats in `data`, with gaps for alignment */
    float *data;
    float *grad;     /* gradients, laid out like `data`; NULL = none */
    size_t learners; /* number of trainers that asked for gradients  */
    /* Packed copies of the weights that are used in matrix products, slot_count entries. An entry
     * is NULL if its weight is not packed; the array may be NULL too. */
    const float **slots;
    size_t slot_count;
} ken_parameters;

/* A function that visits all parameters of a model in a fixed order. */
typedef void ken_walk_fn(void *model, ken_visitor *visitor);

/* Gives memory and a first value, drawn from `seed`, to every parameter that `walk` visits. After a
 * failure nothing is allocated. */
ken_status ken_parameters_init(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                               uint64_t seed);
void ken_parameters_release(ken_parameters *parameters);

/* ken_parameters_learn() gives every parameter a gradient of 0, unless there are gradients already.
 * For each call of it, call ken_parameters_drop_gradients() once; the last of these calls frees the
 * gradients. ken_parameters_release() frees everything. */
ken_status ken_parameters_learn(ken_parameters *parameters);
void ken_parameters_drop_gradients(ken_parameters *parameters);

/* The two steps of ken_parameters_init(). ken_parameters_place() allocates memory, all 0, and fails
 * with KEN_ERR_ARGUMENT if there are more than `most` weights; ken_parameters_draw() draws the
 * first values. */
ken_status ken_parameters_place(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                                size_t most);
void ken_parameters_draw(ken_parameters *parameters, ken_walk_fn *walk, void *model, uint64_t seed);

#endif
