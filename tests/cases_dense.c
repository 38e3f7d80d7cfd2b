/* cases_dense.c - gradient cases of activations, gated units, norms and dropout. */
#include "base/size.h"
#include "tests/op_cases.h"

static const float eps = 1e-2f; /* large, because the slope changes fast if the variance is small */

static ken_tensor *activate(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_activate(tape, p[0], (enum ken_activation)test->variant);
}

/* x reaches the loss twice, so that its gradient exists before the activation adds to it */
static ken_tensor *activate_and_add(ken_tape *tape, ken_tensor *const *p,
                                    const struct op_case *test)
{
    ken_tensor *x = ken_scale(tape, p[0], 1);
    ken_tensor *y = ken_activate(tape, x, (enum ken_activation)test->variant);
    return ken_add(tape, y, x);
}

static ken_tensor *glu(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_glu(tape, ken_scale(tape, p[0], 1), (enum ken_activation)test->variant);
}

static ken_tensor *glu_twice(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *x = ken_scale(tape, p[0], 1);
    ken_tensor *y = ken_glu(tape, x, (enum ken_activation)test->variant);
    return ken_add(tape, y, ken_glu(tape, x, KEN_ACT_TANH));
}

static ken_tensor *norm(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_norm(tape, p[0], p[1], p[2], (enum ken_norm_kind)test->variant, eps);
}

static ken_tensor *norm_bias_only(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *x = ken_scale(tape, p[0], 1);
    return ken_norm(tape, x, NULL, p[1], (enum ken_norm_kind)test->variant, eps);
}

/* Variants of the fused form: kind + 2 * (dropout on) */
enum { LAYER = KEN_NORM_LAYER, RMS = KEN_NORM_RMS, DROPS = 2 };
enum { LAYER_DROPS = LAYER + DROPS, RMS_DROPS = RMS + DROPS };

static ken_tensor *fused(ken_tape *tape, ken_tensor **sum, ken_tensor *const *p,
                         const struct op_case *test)
{
    return ken_residual_norm(tape, sum, p[0], p[1], p[2], p[3],
                             (enum ken_norm_kind)(test->variant % DROPS), eps,
                             test->variant >= DROPS ? 0.3f : 0);
}

static ken_tensor *residual(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum;
    return fused(tape, &sum, p, test);
}

/* both outputs matter, and neither x nor the branch is a parameter */
static ken_tensor *both(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum, *x = ken_scale(tape, p[0], 1), *branch = ken_scale(tape, p[1], -2);
    ken_tensor *const inner[4] = { x, branch, p[2], p[3] };
    ken_tensor *y = fused(tape, &sum, inner, test);
    return ken_add(tape, ken_scale(tape, sum, 3), y);
}

static ken_tensor *sum_only(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum;
    fused(tape, &sum, p, test);
    return sum;
}

/* one tensor is both x and the branch */
static ken_tensor *same(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum, *x = ken_scale(tape, p[0], 1);
    ken_tensor *const inner[4] = { x, x };
    return fused(tape, &sum, inner, test);
}

static ken_tensor *dropout(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_dropout(tape, p[0], (float)test->variant / 100);
}

/* ReLU and ELU have a kink; a step so small that no difference crosses it has larger rounding
 * errors. */
#define CORNER .step = 0x1p-11f, .tolerance = 3e-3
#define FUSED KEN_OP_RESIDUAL_NORM

static const struct op_case cases[] = {
    { "activate, none", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_NONE },
    { "activate, relu", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_RELU, CORNER },
    { "activate, gelu", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_GELU },
    { "activate, gelu by tanh", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_GELU_TANH },
    { "activate, silu", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_SILU },
    { "activate, sigmoid", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_SIGMOID },
    { "activate, tanh", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_TANH },
    { "activate, elu", KEN_OP_ACTIVATE, { { 3, 11 } }, activate, KEN_ACT_ELU, CORNER },
    { "activate and add", KEN_OP_ACTIVATE, { { 3, 11 } }, activate_and_add, KEN_ACT_GELU },
    { "glu, none", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_NONE },
    { "glu, relu", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_RELU, CORNER },
    { "glu, gelu", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_GELU },
    { "glu, gelu by tanh", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_GELU_TANH },
    { "glu, silu", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_SILU },
    { "glu, sigmoid", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_SIGMOID },
    { "glu, tanh", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_TANH },
    { "glu, elu", KEN_OP_GLU, { { 3, 14 } }, glu, KEN_ACT_ELU, CORNER },
    { "glu twice", KEN_OP_GLU, { { 3, 14 } }, glu_twice, KEN_ACT_SILU },
    { "layer norm", KEN_OP_NORM, { { 4, 11 }, { 1, 11 }, { 1, 11 } }, norm, LAYER },
    { "layer norm, no gain or bias", KEN_OP_NORM, { { 4, 11 } }, norm, LAYER },
    { "layer norm, gain only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm, LAYER },
    { "layer norm, bias only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm_bias_only, LAYER },
    { "layer norm, many rows", KEN_OP_NORM, { { 70, 3 }, { 1, 3 }, { 1, 3 } }, norm, LAYER },
    { "rms norm", KEN_OP_NORM, { { 4, 11 }, { 1, 11 }, { 1, 11 } }, norm, RMS },
    { "rms norm, no gain or bias", KEN_OP_NORM, { { 4, 11 } }, norm, RMS },
    { "rms norm, bias only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm_bias_only, RMS },
    { "fused", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 }, { 1, 9 } }, residual, LAYER },
    { "fused, drop", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 }, { 1, 9 } }, residual, LAYER_DROPS },
    { "fused, both", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 }, { 1, 9 } }, both, LAYER_DROPS },
    { "fused, sum", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 }, { 1, 9 } }, sum_only, LAYER_DROPS },
    { "fused, no gain or bias", FUSED, { { 4, 9 }, { 4, 9 } }, residual, LAYER_DROPS },
    { "fused, rms", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 } }, residual, RMS },
    { "fused, rms, both", FUSED, { { 4, 9 }, { 4, 9 }, { 1, 9 } }, both, RMS_DROPS },
    { "fused, one tensor", FUSED, { { 4, 9 } }, same, LAYER_DROPS },
    { "dropout 0.3", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 30 },
    { "dropout 0.9", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 90 },
    { "dropout 0", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 0 },
};
const struct op_case_list cases_dense = { cases, KEN_COUNT(cases) };
