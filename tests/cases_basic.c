/* cases_basic.c - gradient cases of sums, multiples and the linear layer. */
#include "base/size.h"
#include "tests/op_cases.h"

const ken_ragged ragged_9 = { (const size_t[]){ 0, 4, 4, 9 }, 3 };

static ken_tensor *add(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    return ken_add(tape, p[0], p[1]);
}

static ken_tensor *add_to_itself(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    return ken_add(tape, p[0], p[0]);
}

static ken_tensor *add_row(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    return ken_add_row(tape, ken_add_row(tape, p[0], p[1]), p[1]);
}

static ken_tensor *scale(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    return ken_scale(tape, p[0], -1.5f);
}

static ken_tensor *dot(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    static const float weights[6] = { 1, -2, 3, 0.5f, 0, -1 };
    (void)test;
    return ken_dot(tape, p[0], weights);
}

static ken_tensor *linear(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_linear(tape, p[0], p[1], p[2], (enum ken_activation)test->variant);
}

static ken_tensor *linear_twice(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    ken_tensor *y = ken_linear(tape, p[0], p[1], NULL, KEN_ACT_NONE);
    return ken_linear(tape, y, p[1], NULL, KEN_ACT_NONE);
}

/* The step is so small that no difference crosses the kink of ReLU and ELU. */
#define EDGE .step = 0x1p-10f, .tolerance = 3e-3

static const struct op_case cases[] = {
    { "add", KEN_OP_ADD, { { 3, 5 }, { 3, 5 } }, add },
    { "add to itself", KEN_OP_ADD, { { 3, 5 } }, add_to_itself },
    { "add a row, twice", KEN_OP_ADD_ROW, { { 3, 5 }, { 1, 5 } }, add_row },
    { "scale", KEN_OP_SCALE, { { 3, 5 } }, scale },
    { "dot", KEN_OP_DOT, { { 2, 3 } }, dot },
    { "linear", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_NONE },
    { "linear, wide", KEN_OP_LINEAR, { { 9, 3 }, { 19, 3 }, { 1, 19 } }, linear, KEN_ACT_NONE },
    { "linear, relu", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_RELU, EDGE },
    { "linear, elu", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_ELU, EDGE },
    { "linear, gelu", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_GELU },
    { "gelu by tanh", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_GELU_TANH },
    { "linear, silu", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_SILU },
    { "linear, sigma", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_SIGMOID },
    { "linear, tanh", KEN_OP_LINEAR, { { 5, 7 }, { 4, 7 }, { 1, 4 } }, linear, KEN_ACT_TANH },
    { "linear, gelu, no bias", KEN_OP_LINEAR, { { 5, 7 }, { 19, 7 } }, linear, KEN_ACT_GELU },
    { "linear, weight used twice", KEN_OP_LINEAR, { { 5, 6 }, { 6, 6 } }, linear_twice },
};
const struct op_case_list cases_basic = { cases, KEN_COUNT(cases) };
