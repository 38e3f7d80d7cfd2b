/* cases_attend.c - gradient cases of attention: every legal combination of score, weigh, reach,
 * position and dropout. A loop fills the list, so a new choice is covered automatically. */
#include "base/size.h"
#include "tests/op_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL, PAST, WINDOW, OTHER, EDGES, PATTERNED, REACHES = PATTERNED + 7 };
enum { NO_BIAS, ALIBI, RELATIVE, SHAW, NUMBERS, ONLY_SCORED, POSITIONS };
enum { H = 2, KV = 1, E = 3, EV = 2, SPAN = 2, MOST = 1300 };
enum { WEIGHS = KEN_WEIGH_SPARSEMAX + 1 }; /* the kinds of this operation */

static struct op_case cases[MOST];
static char names[MOST][80];
struct op_case_list cases_attend = { cases, 0 };

/* A variant encodes all choices in one number. */
struct choice {
    int score, weigh, reach, position, dropped;
};

static int pack(struct choice c)
{
    return (((c.score * WEIGHS + c.weigh) * REACHES + c.reach) * POSITIONS + c.position) * 2 +
           c.dropped;
}

static struct choice unpack(int variant)
{
    struct choice c;
    c.dropped = variant % 2;
    c.position = variant / 2 % POSITIONS;
    c.reach = variant / 2 / POSITIONS % REACHES;
    c.weigh = variant / 2 / POSITIONS / REACHES % WEIGHS;
    c.score = variant / 2 / POSITIONS / REACHES / WEIGHS;
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

/* The numbers on its edges. */
static const float on_edges[13 * EV] = { 0.7f,  -0.2f, 1.1f,  0.4f, -0.9f, 0.3f, 0.1f,  -1.3f, 0.6f,
                                         0.8f,  -0.5f, -0.7f, 1.4f, 0.2f,  0.9f, -0.1f, -0.6f, 0.5f,
                                         -1.2f, 0.35f, 0,     1,    -0.8f, 1.6f, 0.25f, -0.4f };

/* Sequences have 4 and 5 rows, so blocks are small enough for random blocks to exist. */
static const struct ken_pattern patterns[REACHES - PATTERNED] = {
    { KEN_REACH_GLOBAL, .left = 1, .right = 1, .global = 1 },
    { KEN_REACH_GLOBAL, true, .left = 1, .global = 2 },
    { KEN_REACH_BLOCKS, .block = 3 },
    { KEN_REACH_BLOCKS, true, .block = 2 },
    { KEN_REACH_RANDOM, .block = 1, .random = 1, .seed = 1 },
    { KEN_REACH_RANDOM, true, .block = 1, .random = 1 },
    { KEN_REACH_SEGMENTS, true, .block = 2 },
};

/* Finite differences do not see that segments stop gradients, so with segments keys and values are
 * constants here; test_attend_pattern.c checks their gradients. */
static bool is_stopped(struct choice c)
{
    return c.reach >= PATTERNED && patterns[c.reach - PATTERNED].kind == KEN_REACH_SEGMENTS;
}

static bool has_vector(struct choice c)
{
    return c.score == KEN_SCORE_ADDITIVE || c.score == KEN_SCORE_GATV2;
}

static ken_tensor *fixed(ken_tape *tape, size_t cols)
{
    static const float numbers[] = { 0.3f, -1.1f, 0.8f,  0.1f, 1.7f,  -0.4f, -0.9f, 0.6f, -0.2f,
                                     1.2f, -0.7f, -1.6f, 0.5f, 0.95f, -0.3f, 0.2f,  1.3f, -1.2f,
                                     0.4f, 0.7f,  -0.1f, 1.1f, -0.6f, 0.9f,  -1.4f, 0.0f, 0.25f };
    return ken_tape_constant(tape, numbers, 9, cols);
}

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
    if (c.reach >= PATTERNED) options.pattern = &patterns[c.reach - PATTERNED];
    if (c.position == ALIBI) options.slope = slopes;
    size_t next = is_stopped(c) ? 1 : 3;
    ken_tensor *k = is_stopped(c) ? fixed(tape, KV * options.width) : p[1];
    ken_tensor *v = is_stopped(c) ? fixed(tape, KV * EV) : p[2];
    ken_tensor *vector = has_vector(c) ? p[next++] : NULL;
    ken_tensor *bias = c.position == RELATIVE ? p[next] : NULL;
    if (c.position == SHAW) {
        options.shaw_k = p[next];
        options.shaw_v = p[next + 1];
    }
    ken_tensor *edge_out = NULL;
    if (c.position >= NUMBERS) {
        options.edge_numbers = on_edges;
        options.edge_width = EV; /* so that both results can be added */
        options.edge_query = p[next];
        options.edge_out = &edge_out;
    }
    ken_tensor *out = ken_attend(tape, p[0], k, v, vector, bias, &options);
    return c.position == NUMBERS ? ken_add(tape, out, edge_out) : out;
}

static void add_case(struct choice c)
{
    static const char *const reaches[REACHES] = { "all",           "past",          "window",
                                                  "other",         "edges",         "global",
                                                  "causal global", "blocks",        "causal blocks",
                                                  "random",        "causal random", "segments" };
    static const char *const positions[POSITIONS] = { "no bias", "alibi",   "relative",
                                                      "shaw",    "numbers", "only scored" };
    size_t n = cases_attend.count++, width = c.score == KEN_SCORE_GAT ? 1 : E, next = 3;
    size_t keys = c.reach == OTHER ? 7 : 9;
    bool kinked = c.weigh == KEN_WEIGH_RELU || c.score == KEN_SCORE_GAT;
    bool many_kinks = c.weigh == KEN_WEIGH_SPARSEMAX || c.score == KEN_SCORE_GATV2;
    if (n >= MOST) abort();
    snprintf(names[n], sizeof names[n], "attend %s %s %s %s%s",
             ken_word(KEN_CHOICE_SCORE, (int)c.score), ken_word(KEN_CHOICE_WEIGH, (int)c.weigh),
             reaches[c.reach], positions[c.position], c.dropped ? " dropout" : "");
    struct op_case test = {
        names[n], KEN_OP_ATTEND, { { 9, H * width }, { keys, KV * width }, { keys, KV * EV } },
        attend,   pack(c),       .tolerance = kinked ? 5e-3 : 0
    };
    if (many_kinks || (kinked && (c.reach >= PATTERNED || c.position >= NUMBERS))) {
        test.step = 0x1p-10f; /* the function is linear between its kinks */
        test.tolerance = 1e-2;
    }
    if (is_stopped(c)) {
        memset(test.shapes[1], 0, 2 * sizeof test.shapes[1]);
        next = 1;
    }
    if (has_vector(c)) {
        test.shapes[next][0] = H;
        test.shapes[next++][1] = E;
    }
    if (c.position == RELATIVE) {
        test.shapes[next][0] = H;
        test.shapes[next][1] = 2 * SPAN + 1;
    }
    if (c.position == SHAW) {
        test.shapes[next][0] = test.shapes[next + 1][0] = 2 * SPAN + 1;
        test.shapes[next][1] = E;
        test.shapes[next + 1][1] = EV;
    }
    if (c.position >= NUMBERS) {
        test.shapes[next][0] = 9;
        test.shapes[next][1] = H * EV;
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

static ken_tensor *head_mean(ken_tape *tape, ken_tensor *const *p, const struct op_case *test)
{
    return ken_head_mean(tape, p[0], (size_t)test->variant);
}

static bool is_legal(struct choice c)
{
    if (c.position == SHAW && (c.score != KEN_SCORE_DOT || c.reach == OTHER)) return false;
    if (c.reach >= PATTERNED && c.dropped && c.position != NO_BIAS) return false; /* enough cases */
    return (c.reach == EDGES) == (c.position >= NUMBERS) || c.position == NO_BIAS;
}

void cases_attend_fill(void)
{
    for (int score = 0; score < KEN_SCORE_COUNT; score++)
        for (int weigh = 0; weigh < WEIGHS; weigh++)
            for (int reach = 0; reach < REACHES; reach++)
                for (int position = 0; position < POSITIONS; position++)
                    for (int dropped = 0; dropped < 2; dropped++) {
                        struct choice c = { score, weigh, reach, position, dropped };
                        if (is_legal(c)) add_case(c);
                    }
    cases[cases_attend.count++] = (struct op_case){ "attend, q k v in one tensor",
                                                    KEN_OP_ATTEND,
                                                    { { 9, 18 } },
                                                    fused };
    cases[cases_attend.count++] = (struct op_case){ "head_dot",
                                                    KEN_OP_HEAD_DOT,
                                                    { { 4, 6 }, { 2, 3 } },
                                                    head_dot };
    cases[cases_attend.count++] = (struct op_case){ "head_mean",
                                                    KEN_OP_HEAD_MEAN,
                                                    { { 4, 15 } },
                                                    head_mean,
                                                    3 };
    cases[cases_attend.count++] = (struct op_case){ "head_mean of one",
                                                    KEN_OP_HEAD_MEAN,
                                                    { { 4, 5 } },
                                                    head_mean,
                                                    1 };
    printf("# %zu gradient cases of attention\n", cases_attend.count);
}
