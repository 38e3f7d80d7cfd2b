/* visitor.h - a layer lists its parameters once; counting, allocating, initialising, saving and
 * training all walk that one list. */
#ifndef LAYER_VISITOR_H
#define LAYER_VISITOR_H

#include "tensor/tensor.h"

enum ken_init {
    KEN_INIT_ZERO,
    KEN_INIT_ONE,
    KEN_INIT_XAVIER, /* uniform in +- sqrt(6 / (rows + cols)), times `spread` unless that is 0;
                        the matrices that decay                                        */
    KEN_INIT_NORMAL, /* deviation `spread`                                             */
    KEN_INIT_SECOND_QUARTER, /* 1 there, else 0: biases of an LSTM's gate that forgets   */
    KEN_INIT_AROUND          /* column j of n: j - n / 2, as whole numbers: -1, 0 and 1 of 3   */
};

/* What a layer says about a parameter. */
struct ken_parameter {
    size_t rows, cols;
    enum ken_init init;
    float spread;
    bool multiplied; /* rows are multiplied by it (ken_linear): worth to be packed for answers */
};

typedef struct ken_visitor ken_visitor;
struct ken_visitor {
    void (*visit)(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                  const struct ken_parameter *parameter);
    char name[128]; /* of the part being walked, e.g. "encoder.0.attention" */
};

/* Reports a parameter under the full name "part.name". */
void ken_visit(ken_visitor *visitor, const char *name, ken_tensor *tensor,
               struct ken_parameter parameter);

/* Enters a part; the result is given to the matching leave. */
size_t ken_visit_enter(ken_visitor *visitor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ken_visit_leave(ken_visitor *visitor, size_t entered);

#endif
