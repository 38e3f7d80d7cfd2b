/* visitor.h - a visitor of parameters: each layer has one function that lists its parameters.
 * Counting, allocating, initialising, saving and training all use that list. */
#ifndef LAYER_VISITOR_H
#define LAYER_VISITOR_H

#include "tensor/tensor.h"

enum ken_init {
    KEN_INIT_ZERO,
    KEN_INIT_ONE,
    KEN_INIT_XAVIER, /* uniform in +- sqrt(6 / (rows + cols)), times `spread` unless `spread`
                      * is 0; weight decay applies to parameters of this kind */
    KEN_INIT_NORMAL, /* normal distribution with mean 0 and standard deviation `spread` */
    KEN_INIT_SECOND_QUARTER, /* 1 in the second quarter, else 0: opens an LSTM's forget gate */
    KEN_INIT_AROUND          /* column - cols / 2, rounded up: -1, 0, 1 for 3 columns        */
};

/* The shape of a parameter and how it is initialised. */
struct ken_parameter {
    size_t rows, cols;
    enum ken_init init;
    float spread;
    bool multiplied; /* true: weight of a linear layer; inference packs it */
};

typedef struct ken_visitor ken_visitor;
struct ken_visitor {
    void (*visit)(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                  const struct ken_parameter *parameter);
    char name[128]; /* name of the current part, e.g. "encoder.0.attention" */
};

/* Visits a parameter, whose full name becomes "part.name". */
void ken_visit(ken_visitor *visitor, const char *name, ken_tensor *tensor,
               struct ken_parameter parameter);

/* Enters a part of the model, whose name is appended to visitor->name. Pass the result to the
 * matching ken_visit_leave(). */
size_t ken_visit_enter(ken_visitor *visitor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ken_visit_leave(ken_visitor *visitor, size_t entered);

#endif
