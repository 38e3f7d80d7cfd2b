/* parameters.c - walks over a model three times: to count its parameters, to place them in memory,
 * and to draw their first values. */
#include "model/parameters.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

enum { ALIGNED = 16 }; /* arrays begin at multiples of 16 floats, a cache line */

struct walker {
    ken_visitor visitor;
    ken_parameters *parameters;
    size_t index; /* index of the next parameter                              */
    size_t room;  /* floats taken so far; each array is rounded up to ALIGNED */
    size_t names; /* bytes that all names need                                */
    size_t slot;  /* index of the next weight that can be packed              */
    bool overflow;
    char *next_name;
    uint64_t seed;
};

/* Counts one parameter: its weights, its memory and its name. After an overflow, walker->overflow
 * is set and the sizes are meaningless. */
static void count_one(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                      const struct ken_parameter *parameter)
{
    struct walker *walker = (struct walker *)visitor;
    size_t size;
    (void)tensor;
    walker->overflow = walker->overflow || !ken_size_mul(&size, parameter->rows, parameter->cols) ||
                       !ken_size_add(&size, size, ALIGNED - 1) ||
                       !ken_size_add(&walker->room, walker->room, size - size % ALIGNED);
    walker->names += strlen(name) + 1;
    walker->parameters->count++;
    walker->parameters->slot_count += parameter->multiplied;
    walker->parameters->size += parameter->rows * parameter->cols;
}

/* Returns the first value of element i of a parameter. Xavier initialisation (Glorot 2010) is
 * uniform with variance 2 / (rows + cols), which keeps the variance of values (forward) and of
 * gradients (backward) about the same from layer to layer. */
static float first_value(const struct ken_parameter *parameter, uint64_t key, size_t i)
{
    float limit = sqrtf(6 / (float)(parameter->rows + parameter->cols));
    if (parameter->spread > 0) limit *= parameter->spread;
    switch (parameter->init) {
    case KEN_INIT_ONE: return 1;
    case KEN_INIT_XAVIER: return limit * (2 * ken_random_uniform(key, i) - 1);
    case KEN_INIT_AROUND: return (float)(i % parameter->cols) - (float)(parameter->cols / 2);
    case KEN_INIT_NORMAL: return parameter->spread * ken_random_normal(key, i);
    case KEN_INIT_SECOND_QUARTER: return i / (parameter->rows * parameter->cols / 4) == 1;
    default: return 0;
    }
}

static void place_one(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                      const struct ken_parameter *parameter)
{
    struct walker *walker = (struct walker *)visitor;
    ken_parameters *parameters = walker->parameters;
    *tensor = (ken_tensor){ .data = parameters->data + walker->room,
                            .rows = parameter->rows,
                            .cols = parameter->cols,
                            .needs_grad = true,
                            .parameter = true };
    if (parameter->multiplied) tensor->packed = &parameters->slots[walker->slot++];
    walker->room += ken_size_round_up(ken_tensor_size(tensor), ALIGNED);
    parameters->list[walker->index++] = (struct ken_named){
        .name = memcpy(walker->next_name, name, strlen(name) + 1),
        .tensor = tensor,
        .decays = parameter->init == KEN_INIT_XAVIER,
    };
    walker->next_name += strlen(name) + 1;
}

/* Draws the first values of one parameter. The random key is the parameter's number in the walk, so
 * a parameter that is added at the end does not change the values of others. */
static void draw_one(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                     const struct ken_parameter *parameter)
{
    struct walker *walker = (struct walker *)visitor;
    uint64_t key = ken_random_key(walker->seed, walker->index++);
    (void)name;
    for (size_t i = 0; i < ken_tensor_size(tensor); i++)
        tensor->data[i] = first_value(parameter, key, i);
}

ken_status ken_parameters_place(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                                size_t most)
{
    *parameters = (ken_parameters){ 0 };
    struct walker walker = { .visitor.visit = count_one, .parameters = parameters };
    walk(model, &walker.visitor);
    if (most < SIZE_MAX && (walker.overflow || parameters->size > most)) {
        size_t size = walker.overflow ? SIZE_MAX : parameters->size;
        *parameters = (ken_parameters){ 0 };
        return ken_fail(KEN_ERR_ARGUMENT, "model: found %zu weights, expected at most %zu", size,
                        most);
    }
    if (!walker.overflow) { /* one block of memory holds the list, then the names */
        parameters->list = ken_memory_new(parameters->count * sizeof *parameters->list +
                                              walker.names,
                                          1);
        parameters->data = ken_memory_zeroed(walker.room, sizeof(float));
        parameters->slots = ken_memory_zeroed(parameters->slot_count, sizeof *parameters->slots);
        parameters->room = walker.room;
    }
    if (!parameters->list || !parameters->data || !parameters->slots) {
        size_t size = walker.overflow ? SIZE_MAX : parameters->size;
        ken_parameters_release(parameters);
        return ken_fail(KEN_ERR_MEMORY, "no memory for a model of %zu weights", size);
    }
    walker.visitor = (ken_visitor){ .visit = place_one };
    walker.room = 0; /* from here on, `room` is where the next array begins */
    walker.next_name = (char *)(parameters->list + parameters->count);
    walk(model, &walker.visitor);
    return KEN_OK;
}

void ken_parameters_draw(ken_parameters *parameters, ken_walk_fn *walk, void *model, uint64_t seed)
{
    struct walker walker = { .visitor.visit = draw_one, .parameters = parameters, .seed = seed };
    walk(model, &walker.visitor);
}

ken_status ken_parameters_init(ken_parameters *parameters, ken_walk_fn *walk, void *model,
                               uint64_t seed)
{
    KEN_TRY(ken_parameters_place(parameters, walk, model, SIZE_MAX));
    ken_parameters_draw(parameters, walk, model, seed);
    return KEN_OK;
}

/* Points the gradients of all tensors into parameters->grad; sets them to NULL if there is no such
 * array. */
static void point_to_gradients(ken_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        ken_tensor *tensor = parameters->list[i].tensor;
        float *grad = parameters->grad;
        tensor->grad = grad ? grad + (tensor->data - parameters->data) : NULL;
    }
}

ken_status ken_parameters_learn(ken_parameters *parameters)
{
    if (!parameters->grad) {
        parameters->grad = ken_memory_zeroed(parameters->room, sizeof(float));
        if (!parameters->grad)
            return ken_fail(KEN_ERR_MEMORY, "no memory for gradients of %zu weights",
                            parameters->size);
        point_to_gradients(parameters);
    }
    parameters->learners++;
    return KEN_OK;
}

void ken_parameters_drop_gradients(ken_parameters *parameters)
{
    if (--parameters->learners > 0) return;
    ken_memory_free(parameters->grad);
    parameters->grad = NULL;
    point_to_gradients(parameters);
}

void ken_parameters_release(ken_parameters *parameters)
{
    ken_memory_free(parameters->list);
    ken_memory_free(parameters->data);
    ken_memory_free(parameters->grad);
    ken_memory_free(parameters->slots);
    *parameters = (ken_parameters){ 0 };
}
