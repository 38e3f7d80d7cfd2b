/* test_edges.c - attention along edges: what papers say about its scores, the order of nodes and
 * edges, threads, very long lists, and the weights as a matrix. On every instruction set. */
#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "tensor/tape.h"
#include "tests/arrays.h"
#include "tests/edge_lists.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

enum { WEIGHS = KEN_WEIGH_SPARSEMAX + 1 }; /* the kinds of this kernel */

static struct graph graph, other_graph;

/* A graph with an edge for each pair of N rows. */
static void complete_graph(size_t N)
{
    int32_t queries[GRAPH_EDGES], keys[GRAPH_EDGES];
    for (size_t n = 0; n < N * N; n++) {
        queries[n] = (int32_t)(n / N);
        keys[n] = (int32_t)(n % N);
    }
    graph_make(&graph, N, queries, keys, N * N);
}

static void random_graph(size_t N, size_t count)
{
    graph_make(&graph, N, id_array(count, 21, N), id_array(count, 22, N), count);
}

static size_t argmax(const float *x, size_t n)
{
    size_t most = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[most]) most = i;
    return most;
}

/* ---- what papers say ------------------------------------------------------------------------- */

/* GAT's attention is static: LeakyReLU is increasing, so all queries rank keys the same way. */
static void check_static_attention(void)
{
    enum { N = 9 };
    float weights[N * N];
    complete_graph(N);
    for (uint64_t trial = 0; trial < 20; trial++) {
        struct graph_problem p;
        graph_problem_make(&p, &graph, 3, 4, 0, KEN_SCORE_GAT, KEN_WEIGH_SOFTMAX);
        p.job.q = normal_array(N * 3, 100 + trial);
        p.job.k = normal_array(N * 3, 200 + trial);
        ken_attend_forward(&p.job);
        for (size_t h = 0; h < 3; h++) {
            ken_attend_weights(weights, &p.job, 0, h);
            for (size_t i = 1; i < N; i++)
                assert_int_equal(argmax(weights + i * N, N), argmax(weights, N));
        }
    }
}

/* GATv2 can look up a key: if q_i is -10 except 0 at the index of its key, and k_j is 3 at its own
 * index, the score is 3 - 0.2 * 30 for the right key and -0.2 * 27 for each other key, which is 2.4
 * less. */
static void check_dynamic_attention(void)
{
    enum { N = 4 };
    float q[N * N], k[N * N], ones[N], weights[N * N];
    struct graph_problem p;
    complete_graph(N);
    graph_problem_make(&p, &graph, 1, N, 0, KEN_SCORE_GATV2, KEN_WEIGH_SOFTMAX);
    for (size_t n = 0; n < N * N; n++) {
        q[n] = n % N == (n / N + 1) % N ? 0 : -10;
        k[n] = n % N == n / N ? 3 : 0;
        ones[n % N] = 1;
    }
    p.job.q = q;
    p.job.k = k;
    p.job.vector = ones;
    ken_attend_forward(&p.job);
    ken_attend_weights(weights, &p.job, 0, 0);
    for (size_t i = 0; i < N; i++) {
        size_t right = (i + 1) % N;
        assert_int_equal(argmax(weights + i * N, N), right);
        double expected = 1 / (1 + 3 * exp(-2.4));
        assert_true(fabs(weights[i * N + right] - expected) < 1e-6);
    }
}

/* With a = 0, additive attention and gatv2 take the mean. */
static void check_no_vector(void)
{
    random_graph(30, 200);
    for (int score = 0; score < KEN_SCORE_COUNT; score++) {
        struct graph_problem p;
        float nothing[2 * 5] = { 0 };
        if (score != KEN_SCORE_ADDITIVE && score != KEN_SCORE_GATV2) continue;
        graph_problem_make(&p, &graph, 2, 5, 0, (enum ken_score)score, KEN_WEIGH_SOFTMAX);
        p.job.vector = nothing;
        ken_attend_forward(&p.job);
        for (size_t i = 0; i < 30; i++) {
            size_t first = graph.key_start[i], n = graph.key_start[i + 1] - first;
            for (size_t e = 0; e < 10; e++) {
                double mean = 0;
                for (size_t x = first; x < first + n; x++)
                    mean += p.job.v[graph.key[x] * 10 + e] / (double)n;
                assert_true(fabs(p.job.out[i * 10 + e] - mean) < 2e-6);
            }
        }
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Row order[i] of x becomes row i. */
static float *reordered(const float *x, const uint32_t *order, size_t rows, size_t width)
{
    float *y = normal_array(rows * width, 1);
    for (size_t i = 0; i < rows; i++)
        memcpy(y + i * width, x + order[i] * width, width * sizeof *x);
    return y;
}

/* The graph with its rows renamed and its edges shuffled: row i of `other` is row order[i]. */
static void rename_rows(const uint32_t *order, const int32_t *queries, const int32_t *keys,
                        size_t count)
{
    int32_t now[GRAPH_ROWS], *from = id_array(count, 1, 1), *to = id_array(count, 1, 1);
    uint32_t shuffled[GRAPH_EDGES];
    for (size_t i = 0; i < graph.N; i++) now[order[i]] = (int32_t)i;
    ken_random_shuffle(shuffled, count, 31);
    for (size_t n = 0; n < count; n++) {
        from[n] = now[queries[shuffled[n]]];
        to[n] = now[keys[shuffled[n]]];
    }
    graph_make(&other_graph, graph.N, from, to, count);
    for (size_t x = 0; x < count; x++) other_graph.pair[x] = shuffled[other_graph.pair[x]];
}

static void check_renamed(enum ken_score score, enum ken_weigh weigh, const uint32_t *order)
{
    enum { H = 3, E = 5, K = 4 };
    struct graph_problem p, other;
    size_t N = graph.N, width = score == KEN_SCORE_GAT ? 1 : E;
    uint32_t place[GRAPH_EDGES], edge[GRAPH_EDGES];
    for (size_t x = 0; x < graph.count; x++) place[graph.pair[x]] = (uint32_t)x;
    for (size_t x = 0; x < graph.count; x++) edge[x] = place[other_graph.pair[x]];
    graph_problem_make(&p, &graph, H, E, K, score, weigh);
    graph_problem_make(&other, &other_graph, H, E, K, score, weigh);
    other.job.q = reordered(p.job.q, order, N, H * width);
    other.job.k = reordered(p.job.k, order, N, H * width);
    other.job.v = reordered(p.job.v, order, N, H * E);
    other.job.edge_query = reordered(p.job.edge_query, order, N, H * K);
    other.job.edge_numbers = reordered(p.job.edge_numbers, edge, graph.count, K);
    other.grad.dout = reordered(p.grad.dout, order, N, H * E);
    other.grad.dedge_out = reordered(p.grad.dedge_out, order, N, H * K);
    ken_attend_forward(&p.job);
    ken_attend_forward(&other.job);
    check_close("renamed out", other.job.out, reordered(p.job.out, order, N, H * E), N * H * E,
                1e-6);
    check_close("renamed edge_out", other.job.edge_out, reordered(p.job.edge_out, order, N, H * K),
                N * H * K, 1e-6);
    ken_attend_backward(&p.job, &p.grad);
    ken_attend_backward(&other.job, &other.grad);
    check_close("renamed dq", other.grad.dq, reordered(p.grad.dq, order, N, H * width),
                N * H * width, 1e-5);
    check_close("renamed dk", other.grad.dk, reordered(p.grad.dk, order, N, H * width),
                N * H * width, 1e-5);
    check_close("renamed dv", other.grad.dv, reordered(p.grad.dv, order, N, H * E), N * H * E,
                1e-5);
}

/* The numbering of nodes and the order of edges do not matter. */
static void check_names(void)
{
    enum { N = 60, COUNT = 400 };
    const int32_t *queries = id_array(COUNT, 21, N), *keys = id_array(COUNT, 22, N);
    uint32_t order[N];
    ken_random_shuffle(order, N, 30);
    graph_make(&graph, N, queries, keys, COUNT);
    rename_rows(order, queries, keys, COUNT);
    for (int score = 0; score < KEN_SCORE_COUNT; score++)
        for (int weigh = 0; weigh < WEIGHS; weigh++)
            check_renamed((enum ken_score)score, (enum ken_weigh)weigh, order);
}

/* ---- threads and lists of any length --------------------------------------------------------- */

static void run(struct graph_problem *p, size_t H, enum ken_score score, size_t threads)
{
    assert_int_equal(ken_threads_set(threads), KEN_OK);
    graph_problem_make(p, &graph, H, 5, 3, score, KEN_WEIGH_SOFTMAX);
    p->job.dropout = 0.4f;
    ken_attend_forward(&p->job);
    ken_attend_backward(&p->job, &p->grad);
}

static void check_threads(void)
{
    enum { N = 400, COUNT = 3000, H = 2 };
    random_graph(N, COUNT);
    for (int score = 0; score < KEN_SCORE_COUNT; score++) {
        struct graph_problem one, four;
        run(&one, H, (enum ken_score)score, 1);
        run(&four, H, (enum ken_score)score, 4);
        size_t rows = N * sizeof(float), width = H * one.job.E;
        assert_memory_equal(one.job.out, four.job.out, rows * H * 5);
        assert_memory_equal(one.job.edge_out, four.job.edge_out, rows * H * 3);
        assert_memory_equal(one.grad.dq, four.grad.dq, rows * width);
        assert_memory_equal(one.grad.dk, four.grad.dk, rows * width);
        assert_memory_equal(one.grad.dv, four.grad.dv, rows * H * 5);
        assert_memory_equal(one.grad.dedge_query, four.grad.dedge_query, rows * H * 3);
        if (one.grad.dvector)
            assert_memory_equal(one.grad.dvector, four.grad.dvector, width * sizeof(float));
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

/* A row that sees so many rows, and one that is seen by so many, that the work space holds only a
 * part. */
static void check_hubs(void)
{
    enum { N = 20, COUNT = 5500, H = 66, E = 2, K = 2 };
    int32_t *queries = id_array(COUNT, 41, N), *keys = id_array(COUNT, 42, N);
    struct graph_problem fast, slow;
    for (size_t n = 0; n < COUNT; n++) {
        if (n % 10) queries[n] = 7;
        else keys[n] = 3;
        if (n % 10 < 8) keys[n] = 3;
    }
    graph_make(&graph, N, queries, keys, COUNT);
    assert_true(graph.key_start[8] - graph.key_start[7] > KEN_TEAM_SCRATCH / 2 / H);
    assert_true(graph.query_start[4] - graph.query_start[3] > KEN_TEAM_SCRATCH / 2 / H);
    graph_problem_make(&fast, &graph, H, E, K, KEN_SCORE_DOT, KEN_WEIGH_RELU);
    graph_problem_make(&slow, &graph, H, E, K, KEN_SCORE_DOT, KEN_WEIGH_RELU);
    fast.job.dropout = slow.job.dropout = 0.3f;
    ken_attend_forward(&fast.job);
    ken_attend_backward(&fast.job, &fast.grad);
    ken_attend_forward_ref(&slow.job);
    ken_attend_backward_ref(&slow.job, &slow.grad);
    check_close("hub out", fast.job.out, slow.job.out, N * H * E, 2e-6);
    check_close("hub edge_out", fast.job.edge_out, slow.job.edge_out, N * H * K, 2e-6);
    check_close("hub dq", fast.grad.dq, slow.grad.dq, N * H * E, 2e-5);
    check_close("hub dk", fast.grad.dk, slow.grad.dk, N * H * E, 2e-5);
    check_close("hub dv", fast.grad.dv, slow.grad.dv, N * H * E, 2e-5);
}

/* ---- on the tape ----------------------------------------------------------------------------- */

/* Sequences of 3, 0 and 2 rows: the edge (0, 1) occurs twice, (2, 4) leaves its sequence, row 1
 * sees nothing. */
static void check_look(void)
{
    static const size_t start[] = { 0, 3, 3, 5 };
    static const int32_t queries[] = { 0, 0, 0, 2, 2, 3, 4, 4 };
    static const int32_t keys[] = { 1, 0, 1, 2, 4, 4, 3, 4 };
    static const unsigned char seen[9] = { 1, 1, 0, 0, 0, 0, 0, 0, 1 },
                               last_seen[4] = { 0, 1, 1, 1 };
    unsigned char mask[9];
    float weights[9];
    ken_tape tape;
    graph_make(&graph, 5, queries, keys, KEN_COUNT(queries));
    struct ken_attend reach = { .q_start = start, .k_start = start, .edges = &graph.edges };
    ken_attend_mask(mask, &reach, 0);
    assert_memory_equal(mask, seen, sizeof seen);
    ken_attend_mask(mask, &reach, 2);
    assert_memory_equal(mask, last_seen, sizeof last_seen);
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor x = { .data = normal_array(5 * 6, 1),
                     .grad = normal_array(5 * 6, 2),
                     .rows = 5,
                     .cols = 6,
                     .needs_grad = true };
    struct ken_attend_options options = { .queries = { start, 3 },
                                          .heads = 2,
                                          .width = 3,
                                          .edges = &graph.edges };
    ken_tensor *out = ken_attend(&tape, &x, &x, &x, NULL, NULL, &options);
    assert_non_null(out);
    for (size_t h = 0; h < 2; h++) {
        const float *w = tape.last->saved + h; /* (edges, 2) */
        assert_int_equal(ken_attend_look(weights, &tape, out, 0, h), KEN_OK);
        const float expected[9] = { w[2], w[0] + w[4], 0, 0, 0, 0, 0, 0, w[6] };
        assert_memory_equal(weights, expected, sizeof expected);
        assert_true(fabsf(weights[0] + weights[1] - 1) < 1e-6f);
        assert_int_equal(ken_attend_look(weights, &tape, out, 1, h), KEN_OK); /* empty */
        assert_int_equal(ken_attend_look(weights, &tape, out, 2, h), KEN_OK);
        const float last[4] = { 0, w[10], w[12], w[14] };
        assert_memory_equal(weights, last, sizeof last);
    }
    assert_int_equal(ken_attend_look(weights, &tape, out, 3, 0), KEN_ERR_ARGUMENT);
    ken_tape_release(&tape);
}

/* Choices that do not fit are refused by name. */
static void check_misuse(void)
{
    static const size_t start[] = { 0, 4 };
    static const int32_t queries[] = { 0 }, keys[] = { 1 };
    float numbers[1] = { 1 };
    ken_tape tape;
    graph_make(&graph, 4, queries, keys, 1);
    ken_tensor *second, x = { .data = normal_array(4 * 6, 1), .rows = 4, .cols = 6 };
    ken_tensor thin = { .data = normal_array(4, 1), .rows = 4, .cols = 1 };
    const struct {
        const char *message;
        struct ken_attend_options options;
    } cases[] = {
        { "an edge_query needs edges", { .edge_query = &thin } },
        { "needs edge_numbers", { .edges = &graph.edges, .edge_query = &x, .edge_width = 3 } },
        { "edge_width must be 1 to 256",
          { .edges = &graph.edges,
            .edge_query = &x,
            .edge_numbers = numbers,
            .edge_out = &second } },
        { "edge_query",
          { .edges = &graph.edges,
            .edge_query = &thin,
            .edge_width = 1,
            .edge_numbers = numbers,
            .edge_out = &second } },
        { "gatv2 need a vector", { .edges = &graph.edges, .score = KEN_SCORE_GATV2 } },
    };
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    for (size_t c = 0; c < KEN_COUNT(cases); c++) {
        struct ken_attend_options options = cases[c].options;
        options.queries = (ken_ragged){ start, 1 };
        options.heads = 2;
        options.width = 3;
        assert_null(ken_attend(&tape, &x, &x, &x, NULL, NULL, &options));
        assert_non_null(strstr(ken_last_error(), cases[c].message));
        ken_tape_clear(&tape);
    }
    ken_tape_release(&tape);
}

static void edges(void **state)
{
    (void)state;
    void (*const checks[])(void) = { check_static_attention,
                                     check_dynamic_attention,
                                     check_no_vector,
                                     check_names,
                                     check_threads,
                                     check_hubs,
                                     check_look,
                                     check_misuse };
    for (size_t c = 0; c < KEN_COUNT(checks); c++) {
        on_every_machine(checks[c]);
        drop_arrays();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(edges) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
