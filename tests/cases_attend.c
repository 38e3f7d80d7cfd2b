/* cases_attend.c - gradient cases of attention: every legal combination of score, weigh, reach,
 * position and dropout. The list is filled by a loop, so a new choice is covered by itself. */
#include "base/size.h"
#include "tests/op_cases.h"

#include <stdio.h>

enum { ALL, PAST, WINDOW, OTHER, EDGES, REACHES };
enum { NO_BIAS, ALIBI, RELATIVE, POSITIONS };
enum { H = 2, KV = 1, E = 3, EV = 2, SPAN = 2, MOST = 400 };

static struct op_case cases[MOST];
static char names[MOST][80];
struct op_case_list cases_attend = { cases, 0 };

/* A variant is all choices in one number. */
struct choice {
    int score, weigh, reach, position, dropped;
};

static int pack(struct choice c)
{
    return (((c.score * KEN_WEIGH_COUNT + c.weigh) * REACHES + c.reach) * POSITIONS + c.position) *
               2 +
           c.dropped;
}

static struct choice unpack(int variant)
{
    struct choice c;
    c.dropped = variant % 2;
    c.position = variant / 2 % POSITIONS;
    c.reach = variant / 2 / POSITIONS % REACHES;
    c.weigh = variant / 2 / POSITIONS / REACHES % KEN_WEIGH_COUNT;
    c.score = variant / 2 / POSITIONS / REACHES / KEN_WEIGH_COUNT;
    return c;
}

/* Nine rows that see 0 to 3 of each other, themselves included. */
static const struct ken_edges edges = {
    .key_start = (const size_t[]){ 0, 2, 3, 6, 6, 8, 9, 10, 12, 13 },
    .key = (const uint32_t[]){ 0, 8, 1, 0, 1, 2, 4, 2, 5, 6, 7, 4, 8 },
    .query_start = (const size_t[]){ 0, 2, 4, 6, 6, 8, 9, 10, 11, 13 },
    .query = (const uint32_t[]){ 0, 2, 1, 2, 2, 4, 4, 7, 5, 6, 7, 0, 8 },
    .edge = (const uint32_t[]){ 0, 3, 2, 4, 5, 7, 6, 11, 8, 9, 10, 1, 12 },
};

static ken_tensor *attend(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    static const float slopes[H] = { 0.25f, 0.5f };
    static const size_t other[] = { 0, 5, 7, 7 };
    struct choice c = unpack(test->variant);
    struct ken_attend_options options = {
        .queries = ragged_9,
        .keys = ragged_9,
        .heads = H,
        .kv_heads = KV,
        .width = c.score == KEN_SCORE_GAT ? 1 : E,
        .value_width = EV,
        .score = c.score,
        .weigh = c.weigh,
        .left = KEN_UNLIMITED,
        .right = KEN_UNLIMITED,
        .leak = 0.2f,
        .span = SPAN,
        .dropout = c.dropped ? 0.3f : 0,
    };
    if (c.reach == PAST) options.right = 0;
    if (c.reach == WINDOW) options.left = options.right = 1;
    if (c.reach == OTHER) options.keys = (ken_ragged){ other, 3 };
    if (c.reach == EDGES) options.edges = &edges;
    if (c.position == ALIBI) options.slope = slopes;
    size_t next = 3;
    ken_tensor *vector = c.score == KEN_SCORE_ADDITIVE ? p[next++] : NULL;
    ken_tensor *bias = c.position == RELATIVE ? p[next] : NULL;
    return ken_attend(tape, p[0], p[1], p[2], vector, bias, &options);
}

static void add_case(struct choice c)
{
    static const char *const scores[] = { "dot", "additive", "gat" };
    static const char *const weighs[] = { "softmax", "relu", "sigmoid", "none" };
    static const char *const reaches[] = { "all", "past", "window", "other", "edges" };
    static const char *const positions[] = { "no bias", "alibi", "relative" };
    size_t n = cases_attend.count++, width = c.score == KEN_SCORE_GAT ? 1 : E, next = 3;
    size_t keys = c.reach == OTHER ? 7 : 9;
    bool kinked = c.weigh == KEN_WEIGH_RELU || c.score == KEN_SCORE_GAT;
    snprintf(names[n], sizeof names[n], "attend %s %s %s %s%s", scores[c.score], weighs[c.weigh],
             reaches[c.reach], positions[c.position], c.dropped ? " dropout" : "");
    struct op_case test = {
        names[n], KEN_OP_ATTEND, { { 9, H * width }, { keys, KV * width }, { keys, KV * EV } },
        attend,   pack(c),       .tolerance = kinked ? 5e-3 : 0
    };
    if (c.score == KEN_SCORE_ADDITIVE) {
        test.shapes[next][0] = H;
        test.shapes[next++][1] = E;
    }
    if (c.position == RELATIVE) {
        test.shapes[next][0] = H;
        test.shapes[next][1] = 2 * SPAN + 1;
    }
    cases[n] = test;
}

static ken_tensor *fused(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test; /* q, k and v side by side in one tensor */
    struct ken_attend_options options = { .queries = ragged_9,
                                          .heads = 2,
                                          .width = 3,
                                          .k_col = 6,
                                          .v_col = 12,
                                          .left = KEN_UNLIMITED };
    return ken_attend(tape, p[0], p[0], p[0], NULL, NULL, &options);
}

static ken_tensor *head_dot(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    (void)test;
    return ken_head_dot(tape, p[0], p[1]);
}

void cases_attend_fill(void)
{
    for (int score = 0; score < KEN_SCORE_COUNT; score++)
        for (int weigh = 0; weigh <= KEN_WEIGH_NONE; weigh++)
            for (int reach = 0; reach < REACHES; reach++)
                for (int position = 0; position < POSITIONS; position++)
                    for (int dropped = 0; dropped < 2; dropped++)
                        if (reach != EDGES || position == NO_BIAS)
                            add_case((struct choice){ score, weigh, reach, position, dropped });
    cases[cases_attend.count++] = (struct op_case){ "attend, q k v in one tensor",
                                                    KEN_OP_ATTEND,
                                                    { { 9, 18 } },
                                                    fused };
    cases[cases_attend.count++] = (struct op_case){ "head_dot",
                                                    KEN_OP_HEAD_DOT,
                                                    { { 4, 6 }, { 2, 3 } },
                                                    head_dot };
    printf("# %zu gradient cases of attention\n", cases_attend.count);
}
