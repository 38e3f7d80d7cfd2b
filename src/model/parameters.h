/* parameters.h - all weights of a model: one list, one block of memory for values; one for
 * gradients while there is a trainer, and one for a packed copy once there were answers. */
#ifndef MODEL_PARAMETERS_H
#define MODEL_PARAMETERS_H

#include "base/status.h"
#include "layer/visitor.h"

#include <stdint.h>

typedef struct ken_parameters {
    struct ken_named {
        char *name;         /* full, e.g. "encoder.0.attention.out.weight"  */
        ken_tensor *tensor; /* within the model                             */
        bool decays;        /* under weight decay                           */
    } * list;
    size_t count;
    size_t size; /* numbers in all of them */
    size_t room; /* floats of `data`       */
    float *data;
    float *grad;         /* of the same layout; NULL unless there are        */
    size_t learners;     /* who asked for gradients                          */
    const float **slots; /* (slot_count): packed copies of the weights that  *
                          * rows are multiplied by; NULL each, or none       */
    size_t slot_count;
} ken_parameters;

/* Walks a model's parameters. */
typedef void ken_walk_fn(void *model, ken_visitor *visitor);

/* Gives every parameter that `walk` visits its memory and first value, drawn from `seed`.
 * On failure nothing is held. */
ken_status ken_parameters_init(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                               uint64_t seed);
void ken_parameters_release(ken_parameters *parameters);

/* Gives every parameter a gradient, all 0, unless there are some; each call is ended by a drop, and
 * the last drop gives the memory back. Releasing the parameters ends everything. */
ken_status ken_parameters_learn(ken_parameters *parameters);
void ken_parameters_drop_gradients(ken_parameters *parameters);

/* The two halves of it. Memory only, all 0, and only if there are at most `most` numbers in all;
 * more are KEN_ERR_ARGUMENT. Then the first values. */
ken_status ken_parameters_place(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                                size_t most);
void ken_parameters_draw(ken_parameters *parameters, ken_walk_fn *walk, void *model, uint64_t seed);

#endif
