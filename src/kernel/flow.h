/* flow.h - a neural ordinary differential equation: R states p move along one learned field f, each
 * by itself. The result is the states at times 0, pace, 2 pace ..., which are called places:
 *   dp/dt = f(t, p) = w_out [act(w_in [p t] + b_in) t] + b_out
 * The classic method of Runge and Kutta integrates the equation with a fixed step h = pace / steps:
 *   k1 = f(t, p)                 k2 = f(t + h/2, p + h/2 k1)
 *   k3 = f(t + h/2, p + h/2 k2)  k4 = f(t + h, p + h k3)
 *   p(t + h) = p + h/6 (k1 + 2 k2 + 2 k3 + k4)
 * The gradient is that of these formulas, not of the equation that they approximate, so it is exact
 * for any step. The states at a place do not depend on how many places follow. */
#ifndef KERNEL_FLOW_H
#define KERNEL_FLOW_H

#include "kernel/activation.h"

enum { KEN_FLOW_PARTS = 3 }; /* maximum groups of states that tensor/op_flow.c puts side by side */

struct ken_flow {
    size_t R, D, F;                 /* number of states; width of a state; hidden width */
    size_t places;                  /* number of places in the result, at least 1       */
    size_t steps;                   /* integration steps from one place to the next     */
    float pace;                     /* time from one place to the next                  */
    enum ken_activation activation; /* KEN_ACT_RELU, or KEN_ACT_NONE for a linear field */
    const float *start;             /* (R, D): states at time 0                         */
    const float *w_in, *b_in;       /* (F, D + 1), (F): hidden layer of the field       */
    const float *w_out, *b_out;     /* (D, F + 1), (D): output layer of the field       */
    float *path;  /* (ken_flow_states(), R, D + 1): states and time at every step */
    float *space; /* work space of ken_flow_space() floats                        */
};

/* Gradients; backward adds to them. NULL if not wanted. */
struct ken_flow_grad {
    const float *dplaces; /* (places, R, D): gradient of the result */
    float *dstart, *dw_in, *db_in, *dw_out, *db_out;
};

size_t ken_flow_states(const struct ken_flow *job);
size_t ken_flow_space(const struct ken_flow *job, bool backward);

void ken_flow_forward(const struct ken_flow *job);

/* Computes the gradients. Call ken_flow_forward() first: backward reads the path that it filled. */
void ken_flow_backward(const struct ken_flow *job, const struct ken_flow_grad *grad);

/* Slow reference implementation in double precision, which defines the correct results: path is
 * (ken_flow_states(), R, D + 1), space has 8 D + F numbers. */
void ken_flow_forward_ref(double *path, const struct ken_flow *job, double *space);

#endif
