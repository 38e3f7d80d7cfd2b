/* cases_dense.c - gradient cases of activations, gated units, norms and dropout. */
#include "base/size.h"
#include "tests/op_cases.h"

static const float eps = 1e-2f; /* large: where the variance is small the slope changes fast */

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

static ken_tensor *norm(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_norm(tape, p[0], p[1], p[2], (enum ken_norm_kind)test->variant, eps);
}

static ken_tensor *norm_bias_only(ken_tape *tape, ken_tensor *const *p,
                                  const struct op_case *test)
{
    ken_tensor *x = ken_scale(tape, p[0], 1);
    return ken_norm(tape, x, NULL, p[1], (enum ken_norm_kind)test->variant, eps);
}

/* Variants of the fused form: kind + 2 * (dropout on) */
enum { LAYER = KEN_NORM_LAYER, RMS = KEN_NORM_RMS, DROPS = 2 };

static ken_tensor *fused(ken_tape *tape, ken_tensor **sum, ken_tensor *x, ken_tensor *const *p,
                         const struct op_case *test)
{
    return ken_residual_norm(tape, sum, x, p[1], p[2], p[3],
                             (enum ken_norm_kind)(test->variant % DROPS), eps,
                             test->variant >= DROPS ? 0.3f : 0);
}

static ken_tensor *residual(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum;
    return fused(tape, &sum, p[0], p, test);
}

/* both outputs matter, and neither x nor the branch is a parameter */
static ken_tensor *residual_both(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum, *x = ken_scale(tape, p[0], 1), *branch = ken_scale(tape, p[1], -2);
    ken_tensor *const inner[4] = { x, branch, p[2], p[3] };
    ken_tensor *y = fused(tape, &sum, x, inner, test);
    return ken_add(tape, ken_scale(tape, sum, 3), y);
}

static ken_tensor *residual_sum_only(ken_tape *tape, ken_tensor *const *p,
                                     const struct op_case *test)
{
    ken_tensor *sum;
    fused(tape, &sum, p[0], p, test);
    return sum;
}

/* one tensor is both x and the branch */
static ken_tensor *residual_same(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    ken_tensor *sum, *x = ken_scale(tape, p[0], 1);
    ken_tensor *const inner[4] = { x, x };
    return fused(tape, &sum, x, inner, test);
}

static ken_tensor *dropout(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_dropout(tape, p[0], (float)test->variant / 100);
}

/* Every kind of activation. ReLU and ELU have a corner: a step so small that no difference reaches
 * over it leaves more rounding. */
#define CORNER .step = 0x1p-11f, .tolerance = 3e-3
#define KINDS(name, op, build, rows, cols)                                                        \
    { name ", none", op, { { rows, cols } }, build, KEN_ACT_NONE },                               \
    { name ", relu", op, { { rows, cols } }, build, KEN_ACT_RELU, CORNER },                       \
    { name ", gelu", op, { { rows, cols } }, build, KEN_ACT_GELU },                               \
    { name ", gelu by tanh", op, { { rows, cols } }, build, KEN_ACT_GELU_TANH },                  \
    { name ", silu", op, { { rows, cols } }, build, KEN_ACT_SILU },                               \
    { name ", sigmoid", op, { { rows, cols } }, build, KEN_ACT_SIGMOID },                         \
    { name ", tanh", op, { { rows, cols } }, build, KEN_ACT_TANH },                               \
    { name ", elu", op, { { rows, cols } }, build, KEN_ACT_ELU, CORNER }

static const struct op_case cases[] = {
    KINDS("activate", KEN_OP_ACTIVATE, activate, 3, 11),
    KINDS("activate and add", KEN_OP_ACTIVATE, activate_and_add, 3, 11),
    KINDS("glu", KEN_OP_GLU, glu, 3, 14),
    { "layer norm", KEN_OP_NORM, { { 4, 11 }, { 1, 11 }, { 1, 11 } }, norm, LAYER },
    { "layer norm, no gain or bias", KEN_OP_NORM, { { 4, 11 } }, norm, LAYER },
    { "layer norm, gain only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm, LAYER },
    { "layer norm, bias only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm_bias_only, LAYER },
    { "layer norm, many rows", KEN_OP_NORM, { { 70, 3 }, { 1, 3 }, { 1, 3 } }, norm, LAYER },
    { "rms norm", KEN_OP_NORM, { { 4, 11 }, { 1, 11 }, { 1, 11 } }, norm, RMS },
    { "rms norm, no gain or bias", KEN_OP_NORM, { { 4, 11 } }, norm, RMS },
    { "rms norm, bias only", KEN_OP_NORM, { { 4, 11 }, { 1, 11 } }, norm_bias_only, RMS },
    { "residual layer norm", KEN_OP_RESIDUAL_NORM,
      { { 4, 11 }, { 4, 11 }, { 1, 11 }, { 1, 11 } }, residual, LAYER },
    { "residual layer norm, dropout", KEN_OP_RESIDUAL_NORM,
      { { 4, 11 }, { 4, 11 }, { 1, 11 }, { 1, 11 } }, residual, LAYER + DROPS },
    { "residual layer norm, both outputs", KEN_OP_RESIDUAL_NORM,
      { { 4, 11 }, { 4, 11 }, { 1, 11 }, { 1, 11 } }, residual_both, LAYER + DROPS },
    { "residual layer norm, the sum alone", KEN_OP_RESIDUAL_NORM,
      { { 4, 11 }, { 4, 11 }, { 1, 11 }, { 1, 11 } }, residual_sum_only, LAYER + DROPS },
    { "residual layer norm, no gain or bias", KEN_OP_RESIDUAL_NORM, { { 4, 11 }, { 4, 11 } },
      residual, LAYER + DROPS },
    { "residual rms norm", KEN_OP_RESIDUAL_NORM, { { 4, 11 }, { 4, 11 }, { 1, 11 } }, residual,
      RMS },
    { "residual rms norm, dropout, both outputs", KEN_OP_RESIDUAL_NORM,
      { { 4, 11 }, { 4, 11 }, { 1, 11 } }, residual_both, RMS + DROPS },
    { "residual norm of one tensor", KEN_OP_RESIDUAL_NORM, { { 4, 11 } }, residual_same,
      LAYER + DROPS },
    { "dropout 0.3", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 30 },
    { "dropout 0.9", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 90 },
    { "dropout 0", KEN_OP_DROPOUT, { { 5, 11 } }, dropout, 0 },
};
const struct op_case_list cases_dense = { cases, KEN_COUNT(cases) };
