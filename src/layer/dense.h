/* dense.h - the linear layer y = act(x W^T + b) and the norm y = gain . normal(x) + bias, the small
 * layers that other layers are made of. */
#ifndef LAYER_DENSE_H
#define LAYER_DENSE_H

#include "kernel/norm.h"
#include "layer/visitor.h"
#include "tensor/tape.h"

struct ken_dense {
    size_t in, out;
    bool biased;
    ken_tensor weight; /* (out, in) */
    ken_tensor bias;   /* (1, out)  */
};

void ken_dense_visit(struct ken_dense *dense, ken_visitor *visitor, const char *name);
ken_tensor *ken_dense_apply(ken_tape *tape, const struct ken_dense *dense, ken_tensor *x,
                            enum ken_activation activation);

struct ken_norm_layer {
    enum ken_norm_kind kind;
    size_t width;
    float eps;
    ken_tensor gain; /* (1, width)                        */
    ken_tensor bias; /* (1, width), not with the RMS norm */
};

void ken_norm_visit(struct ken_norm_layer *norm, ken_visitor *visitor, const char *name);
ken_tensor *ken_norm_apply(ken_tape *tape, const struct ken_norm_layer *norm, ken_tensor *x);

/* Sets *sum = x + dropout(branch) and returns the norm of *sum. */
ken_tensor *ken_norm_apply_after(ken_tape *tape, const struct ken_norm_layer *norm,
                                 ken_tensor **sum, ken_tensor *x, ken_tensor *branch,
                                 float dropout);

#endif
