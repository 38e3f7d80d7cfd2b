/* parameters.h - all weights of a model: one list, and one block of memory for their values. There
 * is another block for gradients while there is a trainer, and one for a packed copy after the
 * first answer. */
#ifndef MODEL_PARAMETERS_H
#define MODEL_PARAMETERS_H

#include "base/status.h"
#include "layer/visitor.h"

#include <stdint.h>

typedef struct ken_parameters {
    struct ken_named {
        char *name;         /* full name, e.g. "encoder.0.attention.out.weight" */
        ken_tensor *tensor; /* part of the model                                */
        bool decays;        /* whether weight decay applies                     */
    } * list;
    size_t count;
    size_t size; /* number of weights in all tensors */
    size_t room; /* floats of `data`                 */
    float *data;
    float *grad;         /* same layout as `data`; NULL = no gradients */
    size_t learners;     /* how many trainers asked for gradients      */
    const float **slots; /* (slot_count): packed copies of the weights that rows are multiplied
                          * by; each may be NULL, and so may the array */
    size_t slot_count;
} ken_parameters;

/* Walks a model's parameters. */
typedef void ken_walk_fn(void *model, ken_visitor *visitor);

/* Gives every parameter that `walk` visits its memory and its first value, drawn from `seed`. After
 * a failure nothing is allocated. */
ken_status ken_parameters_init(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                               uint64_t seed);
void ken_parameters_release(ken_parameters *parameters);

/* Gives every parameter a gradient of 0, unless there are gradients already. Each call needs one
 * drop, and the last drop frees the memory. Releasing the parameters frees everything. */
ken_status ken_parameters_learn(ken_parameters *parameters);
void ken_parameters_drop_gradients(ken_parameters *parameters);

/* The two halves of ken_parameters_init(): the first allocates memory, all 0, but fails with
 * KEN_ERR_ARGUMENT if there are more than `most` weights; the second draws the first values. */
ken_status ken_parameters_place(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                                size_t most);
void ken_parameters_draw(ken_parameters *parameters, ken_walk_fn *walk, void *model, uint64_t seed);

#endif
