/* visitor.h - a visitor of parameters: each layer has one function that lists its parameters, and
 * counting, allocating, initialising, saving and training all walk that list. */
#ifndef LAYER_VISITOR_H
#define LAYER_VISITOR_H

#include "tensor/tensor.h"

enum ken_init {
    KEN_INIT_ZERO,
    KEN_INIT_ONE,
    KEN_INIT_XAVIER, /* uniform in +- sqrt(6 / (rows + cols)), times `spread` unless `spread`
                      * is 0; weight decay applies to parameters of this kind */
    KEN_INIT_NORMAL, /* normal, with mean 0 and standard deviation `spread` */
    KEN_INIT_SECOND_QUARTER, /* 1 in the second quarter, else 0: opens an LSTM's forget gate    */
    KEN_INIT_AROUND          /* column j of n is j - n / 2 in whole numbers: -1, 0, 1 for n = 3 */
};

/* The shape of a parameter and how it is initialised. */
struct ken_parameter {
    size_t rows, cols;
    enum ken_init init;
    float spread;
    bool multiplied; /* a weight of ken_linear(), which inference packs */
};

typedef struct ken_visitor ken_visitor;
struct ken_visitor {
    void (*visit)(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                  const struct ken_parameter *parameter);
    char name[128]; /* name of the current part, e.g. "encoder.0.attention" */
};

/* Visits a parameter under the full name "part.name". */
void ken_visit(ken_visitor *visitor, const char *name, ken_tensor *tensor,
               struct ken_parameter parameter);

/* Enters a part of the model, whose name is added to visitor->name. Pass the result to the matching
 * ken_visit_leave(). */
size_t ken_visit_enter(ken_visitor *visitor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ken_visit_leave(ken_visitor *visitor, size_t entered);

#endif
