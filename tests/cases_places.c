/* cases_places.c - gradient cases of the parts of positions: biases by offset, and flows. */
#include "base/size.h"
#include "tests/op_cases.h"

typedef const struct op_case *a_case;

static ken_tensor *pick(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    /* some columns are never picked */
    static const int32_t which[9] = { 4, 4, 0, 1, 6, 4, 1, 0, 3 };
    (void)test;
    return ken_pick(tape, p[0], which, KEN_COUNT(which));
}

static ken_tensor *quadratic(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_quadratic(tape, p[0], p[1], (size_t)test->variant);
}

enum { AT_START, ONE_STEP, RELU, LINEAR, PARTS, MANY };

/* 17 places with 4 steps each are more than backward collects at once. */
static ken_tensor *flow(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const struct ken_flow_options options[] = {
        [AT_START] = { 1, 3, 0.3f, KEN_ACT_RELU, 1, { 4 } },
        [ONE_STEP] = { 5, 1, 0.3f, KEN_ACT_RELU, 1, { 4 } },
        [RELU] = { 5, 3, 0.3f, KEN_ACT_RELU, 1, { 4 } },
        [LINEAR] = { 5, 2, 0.3f, KEN_ACT_NONE, 1, { 4 } },
        [PARTS] = { 4, 2, 0.3f, KEN_ACT_NONE, 3, { 4, 2, 3 } },
        [MANY] = { 17, 4, 0.1f, KEN_ACT_RELU, 1, { 4 } },
    };
    return ken_flow(tape, p[0], p[1], p[2], p[3], p[4], &options[test->variant]);
}

/* ReLU has kinks, which differences may cross; tests/kernel/test_flow.c checks more closely. */
#define KINKED .tolerance = 5e-3, .spread = 0.5f
#define FIELD                                                                                      \
    { 5, 5 }, { 1, 5 }, { 4, 6 },                                                                  \
    {                                                                                              \
        1, 4                                                                                       \
    }

static const struct op_case cases[] = {
    { "pick", KEN_OP_PICK, { { 3, 7 } }, pick },
    { "quadratic", KEN_OP_QUADRATIC, { { 1, 3 }, { 1, 3 } }, quadratic, 4, .spread = 0.5f },
    { "quadratic, one offset", KEN_OP_QUADRATIC, { { 1, 3 }, { 1, 3 } }, quadratic, 0 },
    { "flow, one place", KEN_OP_FLOW, { { 3, 4 }, FIELD }, flow, AT_START, .spread = 0.5f },
    { "flow, one step", KEN_OP_FLOW, { { 3, 4 }, FIELD }, flow, ONE_STEP, KINKED },
    { "flow", KEN_OP_FLOW, { { 3, 4 }, FIELD }, flow, RELU, KINKED },
    { "flow, linear", KEN_OP_FLOW, { { 3, 4 }, FIELD }, flow, LINEAR, .spread = 0.5f },
    { "flow, parts", KEN_OP_FLOW, { { 6, 4 }, FIELD }, flow, PARTS, .spread = 0.5f },
    { "flow, many steps", KEN_OP_FLOW, { { 3, 4 }, FIELD }, flow, MANY, KINKED },
};
const struct op_case_list cases_places = { cases, KEN_COUNT(cases) };
