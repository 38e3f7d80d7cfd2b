/* activation.h - the nonlinear functions between two linear layers. */
#ifndef KERNEL_ACTIVATION_H
#define KERNEL_ACTIVATION_H

#include <stddef.h>

/* x and y below are arrays of n numbers, of any shape. */
enum ken_activation {
    KEN_ACT_NONE,
    KEN_ACT_RELU,
    KEN_ACT_GELU,      /* x Phi(x), exact                              */
    KEN_ACT_GELU_TANH, /* its approximation by tanh, as in GPT-2       */
    KEN_ACT_SILU,      /* x sigma(x), also called swish                */
    KEN_ACT_SIGMOID,
    KEN_ACT_TANH,
    KEN_ACT_ELU,       /* x for x > 0, else e^x - 1                    */
    KEN_ACT_COUNT
};

/* dy *= act'(x). For KEN_ACT_RELU x may be the output instead: the signs agree. */
void ken_activation_backward(float *dy, const float *x, size_t n, enum ken_activation kind);

/* The definition of each, in double, and of its derivative. */
double ken_activation_ref(enum ken_activation kind, double x);
double ken_activation_slope_ref(enum ken_activation kind, double x);

#endif
