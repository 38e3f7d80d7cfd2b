/* activation.c - definitions of the activations, and their application to whole arrays. */
#include "kernel/activation.h"

#include <math.h>

double ken_activation_ref(enum ken_activation kind, double x)
{
    switch (kind) {
    case KEN_ACT_RELU: return x > 0 ? x : 0;
    case KEN_ACT_GELU: return 0.5 * x * (1 + erf(x * M_SQRT1_2));
    case KEN_ACT_GELU_TANH:
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case KEN_ACT_SILU: return x / (1 + exp(-x));
    case KEN_ACT_SIGMOID: return 1 / (1 + exp(-x));
    case KEN_ACT_TANH: return tanh(x);
    case KEN_ACT_ELU: return x > 0 ? x : expm1(x);
    default: return x;
    }
}

double ken_activation_slope_ref(enum ken_activation kind, double x)
{
    const double c = 0.7978845608028654;
    double s = 1 / (1 + exp(-x));
    double t = tanh(c * (x + 0.044715 * x * x * x));
    switch (kind) {
    case KEN_ACT_RELU: return x > 0;
    case KEN_ACT_GELU: return 0.5 * (1 + erf(x * M_SQRT1_2)) + x * 0.3989422804014327 * exp(-x * x / 2);
    case KEN_ACT_GELU_TANH:
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    case KEN_ACT_SILU: return s * (1 + x * (1 - s));
    case KEN_ACT_SIGMOID: return s * (1 - s);
    case KEN_ACT_TANH: return 1 - tanh(x) * tanh(x);
    case KEN_ACT_ELU: return x > 0 ? 1 : exp(x);
    default: return 1;
    }
}

void ken_activation_backward(float *dy, const float *x, size_t n, enum ken_activation kind)
{
    for (size_t i = 0; i < n; i++) dy[i] *= (float)ken_activation_slope_ref(kind, x[i]);
}
