/* cases_linear.c - gradient cases of features, linear attention and the matrix of landmarks. */
#include "base/size.h"
#include "kernel/features.h"
#include "tests/op_cases.h"

enum { H = 2, KV = 1, E = 3, M = 5, EV = 2 };
enum { ELU, RANDOM, SCALE, FEATURES };
enum { ALL, PAST, OTHER, REACHES };

/* The random directions that all cases use. */
static const float *directions(void)
{
    static float random[M * E];
    ken_features_draw(random, M, E, 77);
    return random;
}

static ken_tensor *features(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    struct ken_feature_options options = { .col = 1, .heads = H, .width = E, .features = M };
    if (test->variant != ELU) options.random = directions();
    ken_tensor *scale = NULL, *y = ken_features(tape, &scale, p[0], &options);
    return test->variant == SCALE ? scale : y;
}

/* A variant encodes the reach, the kind of features, and whether heads share keys. */
static ken_tensor *linear_attend(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    static const size_t other[] = { 0, 5, 7, 7 };
    size_t reach = (size_t)test->variant % REACHES, kv = test->variant / REACHES / 2 ? KV : H;
    bool random = test->variant / REACHES % 2;
    struct ken_feature_options ask = { .heads = H, .width = E, .features = M };
    if (random) ask.random = directions();
    struct ken_feature_options answer = ask;
    answer.heads = kv;
    ken_tensor *scale, *q = ken_features(tape, NULL, p[0], &ask);
    ken_tensor *k = ken_features(tape, &scale, p[1], &answer);
    struct ken_linear_attend_options options = { .queries = ragged_9,
                                                 .keys = ragged_9,
                                                 .heads = H,
                                                 .kv_heads = kv,
                                                 .features = random ? M : E,
                                                 .value_width = EV,
                                                 .v_col = 1,
                                                 .causal = reach == PAST };
    if (reach == OTHER) options.keys = (ken_ragged){ other, 3 };
    return ken_linear_attend(tape, q, k, scale, p[2], &options);
}

/* 130 rows are more than two chunks, so that all sums between chunks occur. */
static ken_tensor *long_attend(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    static const size_t start[] = { 0, 130 };
    struct ken_feature_options half = { .heads = H, .width = E, .features = M };
    if (test->variant / 2) half.random = directions();
    ken_tensor *scale, *q = ken_features(tape, NULL, p[0], &half);
    half.col = H * E;
    ken_tensor *k = ken_features(tape, &scale, p[0], &half);
    struct ken_linear_attend_options options = { .queries = { start, 1 },
                                                 .keys = { start, 1 },
                                                 .heads = H,
                                                 .features = half.random ? M : E,
                                                 .value_width = E,
                                                 .v_col = 2 * H * E,
                                                 .causal = test->variant % 2 };
    return ken_linear_attend(tape, q, k, scale, p[0], &options);
}

static ken_tensor *landmarks(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    struct ken_landmark_options options = { .landmarks = ragged_9,
                                            .heads = H,
                                            .width = E,
                                            .k_col = H * E,
                                            .scale = 1 };
    return ken_landmarks(tape, p[0], p[0], p[1], &options);
}

#define ATTEND(name, reach, random, shared, keys)                                                  \
    {                                                                                              \
        "linear_attend " name, KEN_OP_LINEAR_ATTEND,                                               \
            { { 9, H * E },                                                                        \
              { keys, (shared ? KV : H) * E },                                                     \
              { keys, 1 + (shared ? KV : H) * EV } },                                              \
            linear_attend, (shared * 2 + random) * REACHES + reach, .step = 0x1p-6f                \
    }
static const struct op_case cases[] = {
    { "features elu", KEN_OP_FEATURES, { { 4, 8 } }, features, ELU },
    { "features random", KEN_OP_FEATURES, { { 4, 8 } }, features, RANDOM, .step = 0x1p-7f },
    { "features scale", KEN_OP_FEATURES, { { 4, 8 } }, features, SCALE, .step = 0x1p-7f },
    ATTEND("elu all", ALL, 0, 0, 9),
    ATTEND("elu past", PAST, 0, 0, 9),
    ATTEND("elu other", OTHER, 0, 0, 7),
    ATTEND("elu past, shared keys", PAST, 0, 1, 9),
    ATTEND("random all", ALL, 1, 0, 9),
    ATTEND("random past", PAST, 1, 0, 9),
    ATTEND("random other, shared keys", OTHER, 1, 1, 7),
    ATTEND("random past, shared keys", PAST, 1, 1, 9),
    { "linear_attend long", KEN_OP_LINEAR_ATTEND, { { 130, 18 } }, long_attend, 0 },
    { "linear_attend long past", KEN_OP_LINEAR_ATTEND, { { 130, 18 } }, long_attend, 1 },
    { "linear_attend long random", KEN_OP_LINEAR_ATTEND, { { 130, 18 } }, long_attend, 2 },
    { "linear_attend long random past", KEN_OP_LINEAR_ATTEND, { { 130, 18 } }, long_attend, 3 },
    { "landmarks", KEN_OP_LANDMARKS, { { 9, 2 * H *E }, { 9, H *EV } }, landmarks },
};
const struct op_case_list cases_linear = { cases, KEN_COUNT(cases) };
