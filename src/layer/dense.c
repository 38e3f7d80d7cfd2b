/* dense.c - linear layer and norm with their parameters. */
#include "layer/dense.h"

void ken_dense_visit(struct ken_dense *dense, ken_visitor *visitor, const char *name)
{
    size_t entered = ken_visit_enter(visitor, "%s", name);
    ken_visit(visitor, "weight", &dense->weight,
              (struct ken_parameter){ dense->out, dense->in, KEN_INIT_XAVIER, 0, true });
    if (dense->biased)
        ken_visit(visitor, "bias", &dense->bias,
                  (struct ken_parameter){ 1, dense->out, KEN_INIT_ZERO, 0 });
    ken_visit_leave(visitor, entered);
}

ken_tensor *ken_dense_apply(ken_tape *tape, const struct ken_dense *dense, ken_tensor *x,
                            enum ken_activation activation)
{
    return ken_linear(tape, x, &dense->weight, dense->biased ? &dense->bias : NULL, activation);
}

void ken_norm_visit(struct ken_norm_layer *norm, ken_visitor *visitor, const char *name)
{
    size_t entered = ken_visit_enter(visitor, "%s", name);
    ken_visit(visitor, "gain", &norm->gain,
              (struct ken_parameter){ 1, norm->width, KEN_INIT_ONE, 0 });
    if (norm->kind == KEN_NORM_LAYER)
        ken_visit(visitor, "bias", &norm->bias,
                  (struct ken_parameter){ 1, norm->width, KEN_INIT_ZERO, 0 });
    ken_visit_leave(visitor, entered);
}

static const ken_tensor *bias_of(const struct ken_norm_layer *norm)
{
    return norm->kind == KEN_NORM_LAYER ? &norm->bias : NULL;
}

ken_tensor *ken_norm_apply(ken_tape *tape, const struct ken_norm_layer *norm, ken_tensor *x)
{
    return ken_norm(tape, x, &norm->gain, bias_of(norm), norm->kind, norm->eps);
}

ken_tensor *ken_norm_apply_after(ken_tape *tape, const struct ken_norm_layer *norm,
                                 ken_tensor **sum, ken_tensor *x, ken_tensor *branch, float dropout)
{
    return ken_residual_norm(tape, sum, x, branch, &norm->gain, bias_of(norm), norm->kind,
                             norm->eps, dropout);
}
