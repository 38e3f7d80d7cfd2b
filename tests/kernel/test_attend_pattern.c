/* test_attend_pattern.c - properties of attention over several ranges of keys (patterns), of
 * sparsemax and of Shaw's vectors: special cases that equal something simpler, and which rows
 * affect which. test_attend.c checks their formulas. On every instruction set of this machine. */
#include "base/random.h"
#include "tensor/tape.h"
#include "tests/attend_problem.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const struct ken_pattern patterns[] = {
    { KEN_REACH_GLOBAL, false, 20, 11, .global = 2 },
    { KEN_REACH_GLOBAL, true, 33, 0, .global = 5 },
    { KEN_REACH_BLOCKS, .block = 13 },
    { KEN_REACH_BLOCKS, true, .block = 100 },
    { KEN_REACH_RANDOM, .block = 8, .random = 3 },
    { KEN_REACH_RANDOM, true, .block = 16, .random = 2, .seed = 4 },
    { KEN_REACH_SEGMENTS, .block = 30 },
    { KEN_REACH_SEGMENTS, true, .block = 50 },
};

/* ---- equal to something simpler -------------------------------------------------------------- */

/* A window as a pattern has the bits of a plain window; blocks as long as the sequence, and global
 * rows only, have the bits of full attention. */
static void check_simple_cases(void)
{
    enum { T = 230, E = 20 };
    const struct {
        struct ken_pattern pattern;
        size_t left, right;
    } cases[] = {
        { { KEN_REACH_WINDOW, .left = 9, .right = 4 }, 9, 4 },
        { { KEN_REACH_WINDOW, .left = KEN_UNLIMITED, .right = 0 }, KEN_UNLIMITED, 0 },
        { { KEN_REACH_GLOBAL, .left = 9, .right = 4 }, 9, 4 },
        { { KEN_REACH_GLOBAL, .global = T }, KEN_UNLIMITED, KEN_UNLIMITED },
        { { KEN_REACH_GLOBAL, true, .global = T }, KEN_UNLIMITED, 0 },
        { { KEN_REACH_BLOCKS, .block = T }, KEN_UNLIMITED, KEN_UNLIMITED },
        { { KEN_REACH_BLOCKS, true, .block = 3 * T }, KEN_UNLIMITED, 0 },
        { { KEN_REACH_BLOCKS, .block = 1 }, 0, 0 },
        { { KEN_REACH_RANDOM, .block = T }, KEN_UNLIMITED, KEN_UNLIMITED },
        { { KEN_REACH_RANDOM, .block = 10, .random = 32 }, KEN_UNLIMITED, KEN_UNLIMITED },
        { { KEN_REACH_RANDOM, true, .block = 10, .random = 32 }, KEN_UNLIMITED, 0 },
        { { KEN_REACH_SEGMENTS, .block = T }, KEN_UNLIMITED, KEN_UNLIMITED },
    };
    for (size_t c = 0; c < KEN_COUNT(cases); c++)
        for (int weigh = 0; weigh <= KEN_WEIGH_SPARSEMAX; weigh++) {
            struct problem plain = make_problem(T, T, E), other = again(&plain);
            plain.job.left = cases[c].left;
            plain.job.right = cases[c].right;
            other.job.pattern = &cases[c].pattern;
            plain.job.weigh = other.job.weigh = weigh;
            run_problem(&plain);
            run_problem(&other);
            expect_same_problem("a pattern that is none", &other, &plain);
        }
}

/* With segments, a block attends to itself and to a constant copy of the block before. */
static void check_segments(void)
{
    enum { T = 130, E = 6, BLOCK = 40 };
    for (int causal = 0; causal < 2; causal++) {
        struct ken_pattern pattern = { KEN_REACH_SEGMENTS, causal, .block = BLOCK };
        struct problem all = make_problem(T, T, E);
        float *out = take_zeros(T * E), *dq = take_zeros(T * E), *dk = take_zeros(T * E),
              *dv = take_zeros(T * E);
        all.job.pattern = &pattern;
        run_problem(&all);
        for (size_t i = 0; i < T; i += BLOCK) {
            size_t rows = ken_size_min(T - i, BLOCK), copied = i > 0 ? BLOCK : 0;
            struct problem part = make_problem(rows, copied + rows, E);
            part.job.right = causal ? 0 : KEN_UNLIMITED;
            part.job.q = all.job.q + i * E;
            part.job.k = all.job.k + (i - copied) * E;
            part.job.v = all.job.v + (i - copied) * E;
            part.grad.dout = all.grad.dout + i * E;
            run_problem(&part);
            memcpy(out + i * E, part.job.out, rows * E * sizeof *out);
            memcpy(dq + i * E, part.grad.dq, rows * E * sizeof *out);
            memcpy(dk + i * E, part.grad.dk + copied * E, rows * E * sizeof *out);
            memcpy(dv + i * E, part.grad.dv + copied * E, rows * E * sizeof *out);
        }
        expect_near("segments", all.job.out, out, T * E, 1e-6);
        expect_near("segments, dq", all.grad.dq, dq, T * E, 1e-5);
        expect_near("segments, dk", all.grad.dk, dk, T * E, 1e-5);
        expect_near("segments, dv", all.grad.dv, dv, T * E, 1e-5);
    }
}

/* Shaw's vectors of 0 change nothing but the last bits. If they are the same for all distances,
 * that of values is added to the output, and that of keys has no effect. */
static void check_plain_shaw(void)
{
    enum { T = 110, E = 9, SPAN = 4, ROWS = 2 * SPAN + 1 };
    struct problem plain = make_problem(T, T, E), other = again(&plain);
    float *k = take_zeros(ROWS * E), *v = take_zeros(ROWS * E), *expected = take_zeros(T * E);
    for (size_t i = 0; i < ROWS * E; i++) {
        k[i] = 0.5f * (float)(i % E);
        v[i] = (float)(i % E) - 3;
    }
    other.job.shaw_k = k;
    other.job.shaw_v = v;
    other.job.span = SPAN;
    run_problem(&plain);
    run_problem(&other);
    for (size_t i = 0; i < T * E; i++) expected[i] = plain.job.out[i] + (float)(i % E) - 3;
    expect_near("the same vector everywhere", other.job.out, expected, T * E, 2e-6);
    expect_near("its gradients", other.grad.dk, plain.grad.dk, T * E, 2e-5);
}

static void equal_to_something_simpler(void **state)
{
    (void)state;
    RUN_CHECKS(check_simple_cases, check_segments, check_plain_shaw);
}

/* ---- sparsemax ------------------------------------------------------------------------------- */

/* Weights of one query over keys with these scores. */
static const float *weights_of(const float *scores, size_t n)
{
    struct problem p = make_problem(1, n, 1);
    float *weights = take_zeros(n);
    p.job.q = (const float[]){ 1 };
    p.job.k = scores;
    p.job.scale = 1;
    p.job.weigh = KEN_WEIGH_SPARSEMAX;
    ken_attend_forward(&p.job);
    ken_attend_weights(weights, &p.job, 0, 0);
    return weights;
}

static void check_known_answers(void)
{
    static const float scores[][4] = { { -2, 0, 0.5f, -9 },     { 0.1f, 1.1f, 0.2f, 0.3f },
                                       { 0.2f, 0.3f, 0.5f, 0 }, /* weights already: stay */
                                       { 3, 3, 3, 3 },          { -1e4f, 1e4f, 0, 9999 },
                                       { 0, 0, 7, 0 } };
    static const float known[][4] = { { 0, 0.25f, 0.75f, 0 },  { 0, 0.9f, 0, 0.1f },
                                      { 0.2f, 0.3f, 0.5f, 0 }, { 0.25f, 0.25f, 0.25f, 0.25f },
                                      { 0, 1, 0, 0 },          { 0, 0, 1, 0 } };
    for (size_t c = 0; c < KEN_COUNT(known); c++) {
        expect_near("sparsemax", weights_of(scores[c], 4), known[c], 4, 1e-6);
        float moved[4]; /* adding a constant changes nothing, as long as it costs no digits */
        for (size_t j = 0; j < 4; j++) moved[j] = scores[c][j] - 2;
        expect_near("moved", weights_of(moved, 4), known[c], 4, 2e-6);
    }
}

/* Weights are at least 0, add up to 1, and are s - tau where they are not 0: these conditions
 * define the nearest point. Also with more keys than the work space can hold scores for. */
static void check_nearest_point(void)
{
    static const size_t lengths[] = { 1, 5, 97, 1000, 70000 };
    for (size_t l = 0; l < KEN_COUNT(lengths); l++)
        for (size_t spread = 0; spread < 3; spread++) {
            size_t n = lengths[l];
            float *scores = take_randoms(n, 50 + spread);
            for (size_t j = 0; j < n; j++) scores[j] *= (float[]){ 1, 1e-3f, 8 }[spread];
            const float *w = weights_of(scores, n);
            double sum = 0, tau = NAN;
            for (size_t j = 0; j < n; j++) {
                sum += w[j];
                if (w[j] > 0 && isnan(tau)) tau = (double)scores[j] - w[j];
            }
            assert_true(fabs(sum - 1) < 1e-5 * (1 + sqrt((double)n) / 30));
            for (size_t j = 0; j < n; j++)
                assert_true(w[j] >= 0 && fabs(fmax(scores[j] - tau, 0) - w[j]) < 3e-6);
        }
}

/* Several queries over more keys than fit, against the definition; and a row that sees no key. */
static void check_long_rows(void)
{
    enum { T = 3, S = 40000, E = 2 };
    struct ken_pattern pattern = { KEN_REACH_GLOBAL, true, .left = 5, .global = 30000 };
    struct problem p = make_problem(T, S, E), exact, blind = make_problem(T, 1, E);
    p.job.weigh = blind.job.weigh = KEN_WEIGH_SPARSEMAX;
    p.job.pattern = &pattern;
    blind.job.right = 0;
    exact = again(&p);
    run_problem(&p);
    ken_attend_forward_ref(&exact.job);
    ken_attend_backward_ref(&exact.job, &exact.grad);
    expect_near("many keys", p.job.out, exact.job.out, T * E, 1e-5);
    expect_near("many keys, dq", p.grad.dq, exact.grad.dq, T * E, 1e-5);
    expect_near("many keys, dv", p.grad.dv, exact.grad.dv, S * E, 1e-5);
    run_problem(&blind); /* the first two queries are before the only key */
    for (size_t i = 0; i < (T - 1) * E; i++)
        assert_true(blind.job.out[i] == 0 && blind.grad.dq[i] == 0);
    expect_same("the only key", blind.job.out + (T - 1) * E, blind.job.v, E);
}

static void sparsemax(void **state)
{
    (void)state;
    RUN_CHECKS(check_known_answers, check_nearest_point, check_long_rows);
}

/* ---- what rows know of each other ------------------------------------------------------------ */

/* The last rows of a causal sequence, computed alone, few or many, have the bits of the whole
 * sequence. */
static void check_rows_that_come_later(void)
{
    enum { S = 250, E = 12, SPAN = 7 };
    static const size_t rows[] = { 1, 2, 3, 40, 249 };
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (int weigh = 0; patterns[n].causal && weigh <= KEN_WEIGH_SPARSEMAX; weigh++)
            for (int shaw = 0; shaw < 2; shaw++) {
                struct problem all = make_problem(S, S, E);
                float *tables = take_randoms((2 * SPAN + 1) * E, 60);
                all.job.pattern = &patterns[n];
                all.job.weigh = weigh;
                all.job.span = SPAN;
                if (shaw) all.job.shaw_k = all.job.shaw_v = tables;
                ken_attend_forward(&all.job);
                for (size_t r = 0; r < KEN_COUNT(rows); r++) {
                    struct problem late = make_problem(rows[r], S, E);
                    struct ken_attend job = all.job;
                    job.q_start = late.job.q_start;
                    job.q += (S - rows[r]) * E;
                    job.out = late.job.out;
                    job.log_sum = late.job.log_sum;
                    ken_attend_forward(&job);
                    expect_same("rows that come later", job.out, all.job.out + (S - rows[r]) * E,
                                rows[r] * E);
                }
            }
}

/* Other keys and values after a causal row, or where it does not see them, change no bit. */
static void check_blindness(void)
{
    enum { T = 200, E = 5, ROW = 131 };
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (int weigh = 0; weigh <= KEN_WEIGH_SPARSEMAX; weigh++) {
            struct problem p = make_problem(T, T, E), other = again(&p);
            struct ken_range seen[KEN_PATTERN_RANGES];
            float *k = take_randoms(T * E, 70), *v = take_randoms(T * E, 71);
            size_t count = ken_pattern_ranges(seen, &patterns[n], ROW, T);
            for (size_t r = 0; r < count; r++) {
                assert_true(!patterns[n].causal || seen[r].end <= ROW + 1);
                for (size_t x = seen[r].first * E; x < seen[r].end * E; x++) {
                    k[x] = p.job.k[x];
                    v[x] = p.job.v[x];
                }
            }
            p.job.pattern = other.job.pattern = &patterns[n];
            p.job.weigh = other.job.weigh = weigh;
            other.job.k = k;
            other.job.v = v;
            run_problem(&p);
            run_problem(&other);
            expect_same("what is not seen", other.job.out + ROW * E, p.job.out + ROW * E, E);
            expect_same("dq", other.grad.dq + ROW * E, p.grad.dq + ROW * E, E);
        }
}

/* ken_attend_weights gives the weights of the definition, and 0 for keys that are not seen, which
 * the mask has as 0, too. */
static void check_weights(void)
{
    enum { T = 120, E = 4 };
    static unsigned char mask[T * T];
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (int weigh = 0; weigh <= KEN_WEIGH_SPARSEMAX; weigh++) {
            struct problem p = make_problem(T, T, E);
            float *weights = take_zeros(T * T), *out = take_zeros(T * E);
            p.job.pattern = &patterns[n];
            p.job.weigh = weigh;
            ken_attend_forward(&p.job);
            ken_attend_weights(weights, &p.job, 0, 0);
            ken_attend_mask(mask, &p.job, 0);
            for (size_t i = 0; i < T; i++) {
                struct ken_range seen[KEN_PATTERN_RANGES];
                size_t count = ken_pattern_ranges(seen, &patterns[n], (ptrdiff_t)i, T), r = 0;
                for (size_t j = 0; j < T; j++) {
                    float w = weights[i * T + j];
                    while (r < count && seen[r].end <= j) r++;
                    if (r == count || j < seen[r].first) assert_true(w == 0);
                    assert_int_equal(mask[i * T + j], r < count && j >= seen[r].first);
                    if (weigh == KEN_WEIGH_SOFTMAX) assert_int_equal(mask[i * T + j], w > 0);
                    for (size_t e = 0; e < E; e++) out[i * E + e] += w * p.job.v[j * E + e];
                }
            }
            expect_near("the mean by weights", out, p.job.out, T * E, 3e-6);
        }
}

static void what_rows_know(void **state)
{
    (void)state;
    RUN_CHECKS(check_rows_that_come_later, check_blindness, check_weights);
}

/* ---- batches and threads --------------------------------------------------------------------- */

enum { HEADS = 2, WIDE = 7, ALL_ROWS = 700, SPAN = 5, TABLE = (2 * SPAN + 1) * WIDE };

/* Three sequences, one of them empty; heads share keys; everything gets a gradient. */
struct batch_problem {
    struct ken_attend job;
    struct ken_attend_grad grad;
    size_t start[4];
    float *results[7];
};
static const size_t result_sizes[7] = { ALL_ROWS * HEADS * WIDE,
                                        ALL_ROWS *HEADS,       /* out, sums  */
                                        ALL_ROWS *HEADS *WIDE, /* dq         */
                                        ALL_ROWS *WIDE,
                                        ALL_ROWS *WIDE, /* dk, dv     */
                                        TABLE,
                                        TABLE }; /* of vectors */

static void make_batch(struct batch_problem *p, const struct ken_pattern *pattern, int weigh,
                       bool shaw)
{
    *p = (struct batch_problem){ .start = { 0, 500, 500, ALL_ROWS } };
    for (size_t r = 0; r < 7; r++) p->results[r] = take_zeros(result_sizes[r]);
    float *tables = take_randoms(2 * TABLE, 84);
    p->job = (struct ken_attend){ .q = take_randoms(ALL_ROWS * HEADS * WIDE, 81),
                                  .k = take_randoms(ALL_ROWS * WIDE, 82),
                                  .v = take_randoms(ALL_ROWS * WIDE, 83),
                                  .q_stride = HEADS * WIDE,
                                  .k_stride = WIDE,
                                  .v_stride = WIDE,
                                  .out_stride = HEADS * WIDE,
                                  .B = 3,
                                  .H = HEADS,
                                  .KV = 1,
                                  .E = WIDE,
                                  .Ev = WIDE,
                                  .weigh = weigh,
                                  .left = KEN_UNLIMITED,
                                  .right = 3,
                                  .pattern = pattern,
                                  .scale = 0.4f,
                                  .shaw_k = shaw ? tables : NULL,
                                  .shaw_v = shaw ? tables + TABLE : NULL,
                                  .span = SPAN,
                                  .dropout = 0.2f,
                                  .dropout_key = 5,
                                  .out = p->results[0],
                                  .log_sum = p->results[1] };
    p->grad = (struct ken_attend_grad){ .dout = take_randoms(ALL_ROWS * HEADS * WIDE, 85),
                                        .dq = p->results[2],
                                        .dk = p->results[3],
                                        .dv = p->results[4],
                                        .dshaw_k = shaw ? p->results[5] : NULL,
                                        .dshaw_v = shaw ? p->results[6] : NULL,
                                        .row_work = take_zeros(ALL_ROWS * HEADS) };
}

static void run_batch(struct batch_problem *p)
{
    p->job.q_start = p->job.k_start = p->start;
    ken_attend_forward(&p->job);
    ken_attend_backward(&p->job, &p->grad);
}

static void check_threads(void)
{
    static const size_t counts[] = { 1, 2, 3, 7 };
    for (size_t n = 0; n <= KEN_COUNT(patterns); n++) /* the last: no pattern */
        for (int weigh = n % 2 ? KEN_WEIGH_SOFTMAX : KEN_WEIGH_SPARSEMAX, shaw = 0; shaw < 2;
             shaw++) {
            struct batch_problem first, p;
            for (size_t t = 0; t < KEN_COUNT(counts); t++) {
                assert_int_equal(ken_threads_set(counts[t]), KEN_OK);
                make_batch(&p, n < KEN_COUNT(patterns) ? &patterns[n] : NULL, weigh, shaw);
                run_batch(&p);
                if (t == 0) first = p;
                for (size_t r = 0; r < 7; r++)
                    expect_same("threads", p.results[r], first.results[r], result_sizes[r]);
            }
        }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

/* The last sequence alone has the bits that it has in the batch. */
static void check_alone(void)
{
    enum { FIRST = 500, ROWS = ALL_ROWS - FIRST };
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (int weigh = 0; weigh <= KEN_WEIGH_SPARSEMAX; weigh++) {
            struct batch_problem all, one;
            make_batch(&all, &patterns[n], weigh, true);
            make_batch(&one, &patterns[n], weigh, true);
            all.job.dropout = one.job.dropout = 0; /* dropout depends on the row of the batch */
            run_batch(&all);
            one.job.B = 1;
            one.start[1] = ROWS;
            one.job.q += FIRST * HEADS * WIDE;
            one.job.k += FIRST * WIDE;
            one.job.v += FIRST * WIDE;
            one.grad.dout += FIRST * HEADS * WIDE;
            run_batch(&one);
            size_t wide = HEADS * WIDE;
            expect_same("alone", one.job.out, all.job.out + FIRST * wide, ROWS * wide);
            expect_same("alone, dq", one.grad.dq, all.grad.dq + FIRST * wide, ROWS * wide);
            expect_same("alone, dk", one.grad.dk, all.grad.dk + FIRST * WIDE, ROWS * WIDE);
            expect_same("alone, dv", one.grad.dv, all.grad.dv + FIRST * WIDE, ROWS * WIDE);
        }
}

static void batches_and_threads(void **state)
{
    (void)state;
    RUN_CHECKS(check_threads, check_alone);
}

/* ---- refused by name ------------------------------------------------------------------------- */

static void choices_that_do_not_go_together(void **state)
{
    (void)state;
    static const float numbers[10 * 8];
    static const struct ken_pattern blocks = { KEN_REACH_BLOCKS, .block = 2 },
                                    none = { KEN_REACH_SEGMENTS },
                                    many = { KEN_REACH_RANDOM, .block = 1, .random = 33 },
                                    other = { KEN_REACH_NYSTROM, .block = 1 };
    static const size_t no_edges[3];
    static const struct ken_edges edges = { .key_start = no_edges };
    const struct {
        const char *words; /* of the message; NULL if it is accepted */
        struct ken_attend_options options;
        size_t rows, cols; /* of Shaw's vectors */
    } cases[] = {
        { NULL, { .pattern = &blocks }, 0, 0 },
        { NULL, { .pattern = &blocks, .span = 2, .weigh = KEN_WEIGH_SPARSEMAX }, 5, 4 },
        { "reach_block must be 1 or more", { .pattern = &none }, 0, 0 },
        { "reach_random must be 0 to 32", { .pattern = &many }, 0, 0 },
        { "unknown pattern", { .pattern = &other }, 0, 0 },
        { "takes no other pattern", { .pattern = &blocks, .edges = &edges }, 0, 0 },
        { "takes no shaw positions", { .edges = &edges, .span = 2 }, 5, 4 },
        { "need the dot score", { .score = KEN_SCORE_GAT, .width = 1, .span = 2 }, 5, 4 },
        { "must be (2 span + 1) x width", { .span = 3 }, 5, 4 },
        { "must be (2 span + 1) x width", { .span = 2 }, 5, 3 },
        { "have another operation", { .weigh = KEN_WEIGH_LINEAR }, 0, 0 },
    };
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    for (size_t c = 0; c < KEN_COUNT(cases); c++) {
        struct ken_attend_options options = cases[c].options;
        ken_tape_clear(&tape);
        ken_tensor *x = ken_tape_constant(&tape, numbers, 2, 8);
        options.queries = (ken_ragged){ (const size_t[]){ 0, 2 }, 1 };
        options.heads = 2;
        if (options.width == 0) options.width = 4;
        if (cases[c].rows > 0)
            options.shaw_k = options.shaw_v = ken_tape_constant(&tape, numbers, cases[c].rows,
                                                                cases[c].cols);
        ken_attend(&tape, x, x, x, NULL, NULL, &options);
        ken_status expected = cases[c].words ? KEN_ERR_ARGUMENT : KEN_OK;
        if (ken_tape_status(&tape) != expected ||
            (cases[c].words && !strstr(ken_last_error(), cases[c].words)))
            fail_msg("case %zu: %s", c, ken_last_error());
    }
    ken_tape_release(&tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_something_simpler),
        cmocka_unit_test(sparsemax),
        cmocka_unit_test(what_rows_know),
        cmocka_unit_test(batches_and_threads),
        cmocka_unit_test(choices_that_do_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
