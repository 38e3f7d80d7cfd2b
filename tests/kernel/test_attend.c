/* test_attend.c - attention against its definition, for every legal choice of score, weigh, reach,
 * bias, dropout and head grouping, on every instruction set; and the properties it must have. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/attend.h"
#include "kernel/kernels.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Owns all arrays of one attention problem. */
struct problem {
    struct ken_attend job;
    struct ken_attend_grad grad;
    size_t starts_q[8], starts_k[8];
    size_t key_start[512], query_start[512];
    uint32_t key[8192], query[8192], edge[8192];
    struct ken_edges edges;
};

static float *random_array(size_t count, uint64_t key, float spread)
{
    float *array = ken_memory_new(count, sizeof *array);
    for (size_t i = 0; i < count; i++) array[i] = spread * ken_random_normal(key, i);
    return array;
}

static float *zeros(size_t count)
{
    return ken_memory_zeroed(count, sizeof(float));
}

static void make_edges(struct problem *p, size_t N, size_t M)
{
    size_t count = 0;
    for (size_t i = 0; i < N; i++) { /* 0 to 12 keys per query; some queries see none */
        p->key_start[i] = count;
        size_t degree = ken_random_below(5, i, 13);
        for (size_t x = 0; x < degree && M > 0; x++)
            p->key[count++] = (uint32_t)ken_random_below(6, i * 100 + x, M);
    }
    p->key_start[N] = count;
    size_t at = 0;
    for (size_t j = 0; j < M; j++) {
        p->query_start[j] = at;
        for (size_t i = 0; i < N; i++)
            for (size_t x = p->key_start[i]; x < p->key_start[i + 1]; x++)
                if (p->key[x] == j) {
                    p->query[at] = (uint32_t)i;
                    p->edge[at++] = (uint32_t)x;
                }
    }
    p->query_start[M] = at;
    p->edges = (struct ken_edges){ p->key_start, p->key, p->query_start, p->query, p->edge };
    p->job.edges = &p->edges;
}

/* Numbers on the edges. */
static void add_numbers(struct problem *p, size_t N)
{
    struct ken_attend *job = &p->job;
    size_t size = N * job->H * job->K;
    job->edge_numbers = random_array(p->key_start[N] * job->K + 1, 10, 1);
    job->edge_query = random_array(size + 1, 11, 1);
    job->edge_out = zeros(size + 1);
    p->grad.dedge_out = random_array(size + 1, 12, 1);
    p->grad.dedge_query = zeros(size + 1);
}

/* The caller gives the lengths of queries and keys, heads and widths; q, k and v are interleaved in
 * rows that are wider than needed, as in a fused projection. */
static void make(struct problem *p, const size_t *T, const size_t *S, size_t B, bool with_edges)
{
    struct ken_attend *job = &p->job;
    for (size_t b = 0; b < B; b++) {
        p->starts_q[b + 1] = p->starts_q[b] + T[b];
        p->starts_k[b + 1] = p->starts_k[b] + S[b];
    }
    size_t N = p->starts_q[B], M = p->starts_k[B];
    job->B = B;
    job->q_start = p->starts_q;
    job->k_start = p->starts_k;
    job->q_stride = job->H * job->E + 3;
    job->k_stride = job->KV * job->E + 5;
    job->v_stride = job->KV * job->Ev + 1;
    job->out_stride = job->H * job->Ev + 2;
    job->q = random_array(N * job->q_stride + 1, 1, 1);
    job->k = random_array(M * job->k_stride + 1, 2, 1);
    job->v = random_array(M * job->v_stride + 1, 3, 1);
    job->vector = random_array(job->H * job->E, 4, 1);
    bool vector = job->score == KEN_SCORE_ADDITIVE || job->score == KEN_SCORE_GATV2;
    job->scale = 1 / sqrtf((float)job->E);
    job->leak = 0.2f;
    job->out = zeros(N * job->out_stride + 1);
    if (with_edges) make_edges(p, N, M);
    size_t kept = with_edges ? p->key_start[N] * job->H : N * job->H;
    job->log_sum = zeros(kept + 1);
    p->grad.dout = random_array(N * job->out_stride + 1, 9, 1);
    p->grad.dq = zeros(N * job->q_stride + 1);
    p->grad.dk = zeros(M * job->k_stride + 1);
    p->grad.dv = zeros(M * job->v_stride + 1);
    p->grad.dvector = vector ? zeros(job->H * job->E) : NULL;
    p->grad.dbias = job->bias ? zeros(job->H * (2 * job->span + 1)) : NULL;
    p->grad.dshaw_k = job->shaw_k ? zeros((2 * job->span + 1) * job->E) : NULL;
    p->grad.dshaw_v = job->shaw_k ? zeros((2 * job->span + 1) * job->Ev) : NULL;
    p->grad.edge_work = with_edges ? zeros(kept + 1) : NULL;
    p->grad.row_work = zeros(N * job->H + 1);
    if (job->K > 0) add_numbers(p, N);
}

static void release(struct problem *p)
{
    const struct ken_attend *job = &p->job;
    ken_memory_free((float *)job->q);
    ken_memory_free((float *)job->k);
    ken_memory_free((float *)job->v);
    ken_memory_free((float *)job->vector);
    ken_memory_free(job->out);
    ken_memory_free(job->log_sum);
    ken_memory_free((float *)p->grad.dout);
    ken_memory_free(p->grad.dq);
    ken_memory_free(p->grad.dk);
    ken_memory_free(p->grad.dv);
    ken_memory_free(p->grad.dvector);
    ken_memory_free(p->grad.dbias);
    ken_memory_free(p->grad.dshaw_k);
    ken_memory_free(p->grad.dshaw_v);
    ken_memory_free(p->grad.edge_work);
    ken_memory_free(p->grad.row_work);
    ken_memory_free((float *)job->edge_numbers);
    ken_memory_free((float *)job->edge_query);
    ken_memory_free(job->edge_out);
    ken_memory_free((float *)p->grad.dedge_out);
    ken_memory_free(p->grad.dedge_query);
}

/* The largest difference, relative to the largest value of the expected array or to 1 if that is
 * larger, because gradients that should be 0 are differences of numbers near 1. */
static double difference(const float *got, const float *expected, size_t count)
{
    double most = 1, worst = 0;
    for (size_t i = 0; i < count; i++) {
        if (isinf(expected[i]) && expected[i] == got[i]) continue;
        most = fmax(most, fabs(expected[i]));
        double here = fabs((double)got[i] - expected[i]);
        worst = here > worst || isnan(here) ? here : worst;
    }
    return worst / most;
}

static void compare(const char *what, const char *name, const float *got, const float *expected,
                    size_t count)
{
    double off = got ? difference(got, expected, count) : 0;
    if (!(off < 2e-5)) fail_msg("%s (%s): %s off by %g", name, ken_kernels()->name, what, off);
}

struct shape {
    size_t B, T[4], S[4], H, KV, E, Ev;
};

enum { SMALL_SHAPES = 3 };

static const struct shape shapes[] = {
    { 3, { 5, 0, 17 }, { 5, 0, 17 }, 2, 2, 8, 8 },
    { 2, { 67, 1 }, { 67, 1 }, 1, 1, 6, 20 },
    { 3, { 3, 40, 9 }, { 50, 0, 1 }, 4, 2, 5, 19 },
    { 2, { 131, 3 }, { 131, 3 }, 1, 1, 17, 7 },
    { 1, { 140 }, { 120 }, 1, 1, 3, 3 },
};

static void fill(struct problem *p, const struct shape *shape)
{
    p->job.H = shape->H;
    p->job.KV = shape->KV;
    p->job.E = p->job.score == KEN_SCORE_GAT ? 1 : shape->E;
    p->job.Ev = shape->Ev;
    make(p, shape->T, shape->S, shape->B, p->job.edges != NULL);
}

/* Compares the chosen kernels with the reference. */
static void check_kernels(const char *name, const struct problem *slow, const struct shape *shape)
{
    struct problem fast = { .job = slow->job };
    fill(&fast, shape);
    ken_attend_forward(&fast.job);
    size_t N = fast.starts_q[shape->B], M = fast.starts_k[shape->B], H = shape->H;
    const struct ken_attend *job = &fast.job;
    compare("out", name, job->out, slow->job.out, N * job->out_stride);
    if (job->weigh == KEN_WEIGH_SOFTMAX || job->weigh == KEN_WEIGH_SPARSEMAX || job->edges)
        compare("log sum", name, job->log_sum, slow->job.log_sum,
                job->edges ? fast.key_start[N] * H : N * H);
    ken_attend_backward(&fast.job, &fast.grad);
    compare("dq", name, fast.grad.dq, slow->grad.dq, N * job->q_stride);
    compare("dk", name, fast.grad.dk, slow->grad.dk, M * job->k_stride);
    compare("dv", name, fast.grad.dv, slow->grad.dv, M * job->v_stride);
    compare("dvector", name, fast.grad.dvector, slow->grad.dvector, H * job->E);
    compare("dbias", name, fast.grad.dbias, slow->grad.dbias, H * (2 * job->span + 1));
    compare("dshaw_k", name, fast.grad.dshaw_k, slow->grad.dshaw_k, (2 * job->span + 1) * job->E);
    compare("edge_out", name, job->edge_out, slow->job.edge_out, N * H * job->K);
    compare("dedge_query", name, fast.grad.dedge_query, slow->grad.dedge_query, N * H * job->K);
    compare("dshaw_v", name, fast.grad.dshaw_v, slow->grad.dshaw_v, (2 * job->span + 1) * job->Ev);
    release(&fast);
}

static const char *isas[] = { "generic", "avx2", "avx512" };
static bool has_isa[KEN_COUNT(isas)];

static void check(const char *name, const struct ken_attend *options, const struct shape *shape)
{
    struct problem slow = { .job = *options };
    fill(&slow, shape);
    ken_attend_forward_ref(&slow.job);
    ken_attend_backward_ref(&slow.job, &slow.grad);
    for (size_t n = 0; n < KEN_COUNT(isas); n++) {
        if (!has_isa[n]) continue;
        assert_int_equal(ken_kernels_choose(isas[n]), KEN_OK);
        check_kernels(name, &slow, shape);
    }
    release(&slow);
}

static const struct {
    const char *name;
    size_t left, right;
    bool edges;
    size_t numbers;             /* numbers on each edge                   */
    struct ken_pattern pattern; /* used if it is not a plain window   */
} reaches[] = {
    { "all", KEN_UNLIMITED, KEN_UNLIMITED },
    { "past", KEN_UNLIMITED, 0 },
    { "window 3 2", 3, 2 },
    { "window 0 0", 0, 0 },
    { "window 70 1", 70, 1 },
    { "edges", KEN_UNLIMITED, KEN_UNLIMITED, .edges = true },
    { "edges with a number", KEN_UNLIMITED, KEN_UNLIMITED, .edges = true, .numbers = 1 },
    { "edges with 7 numbers", KEN_UNLIMITED, KEN_UNLIMITED, .edges = true, .numbers = 7 },
    { "edges with 35 numbers", KEN_UNLIMITED, KEN_UNLIMITED, .edges = true, .numbers = 35 },
    { "global", .pattern = { KEN_REACH_GLOBAL, .left = 5, .right = 3, .global = 2 } },
    { "causal global",
      .pattern = { KEN_REACH_GLOBAL, true, .left = 30, .right = 4, .global = 11 } },
    { "blocks", .pattern = { KEN_REACH_BLOCKS, .block = 7 } },
    { "causal blocks", .pattern = { KEN_REACH_BLOCKS, true, .block = 50 } },
    { "random", .pattern = { KEN_REACH_RANDOM, .block = 8, .random = 2, .seed = 3 } },
    { "causal random", .pattern = { KEN_REACH_RANDOM, true, .block = 3, .random = 5 } },
    { "segments", .pattern = { KEN_REACH_SEGMENTS, .block = 20 } },
    { "causal segments", .pattern = { KEN_REACH_SEGMENTS, true, .block = 9 } },
};

enum { WEIGHS = KEN_WEIGH_SPARSEMAX + 1 }; /* those that this kernel has */

static size_t combinations;

static void check_combination(int score, int weigh, size_t reach, int position, float dropout)
{
    static const char *const positions[] = { "no bias", "alibi", "relative", "shaw" };
    static const float slopes[4] = { 0.25f, 0.0625f, 0.5f, 0.1f };
    struct ken_attend options = { .score = score,
                                  .weigh = weigh,
                                  .left = reaches[reach].left,
                                  .right = reaches[reach].right,
                                  .K = reaches[reach].numbers,
                                  .dropout = dropout,
                                  .dropout_key = 77 };
    float bias[19 * 20];
    for (size_t i = 0; i < KEN_COUNT(bias); i++) bias[i] = ken_random_normal(8, i);
    if (reaches[reach].pattern.kind != KEN_REACH_WINDOW) options.pattern = &reaches[reach].pattern;
    if (position == 1) options.slope = slopes;
    if (position == 2) {
        options.bias = bias;
        options.span = 9;
    }
    if (position == 3) {
        options.shaw_k = bias; /* one array serves for both */
        options.shaw_v = bias;
        options.span = 9;
    }
    if (reaches[reach].edges) options.edges = &(struct ken_edges){ 0 };
    char name[128];
    snprintf(name, sizeof name, "%s %s %s %s dropout %g", ken_word(KEN_CHOICE_SCORE, score),
             ken_word(KEN_CHOICE_WEIGH, weigh), reaches[reach].name, positions[position],
             (double)dropout);
    for (size_t s = 0; s < SMALL_SHAPES; s++) check(name, &options, &shapes[s]);
    /* tiles do not depend on the score */
    if (score == KEN_SCORE_DOT || (position == 0 && dropout == 0))
        check(name, &options, &shapes[SMALL_SHAPES + (dropout > 0)]);
    combinations++;
}

static void every_combination_equals_the_definition(void **state)
{
    (void)state;
    for (size_t n = 0; n < KEN_COUNT(isas); n++) {
        has_isa[n] = ken_kernels_choose(isas[n]) == KEN_OK;
        if (!has_isa[n]) printf("# skip %s: %s\n", isas[n], ken_last_error());
    }
    for (int score = 0; score < KEN_SCORE_COUNT; score++)
        for (int weigh = 0; weigh < WEIGHS; weigh++)
            for (size_t reach = 0; reach < KEN_COUNT(reaches); reach++)
                for (int position = 0; position < 4; position++) {
                    bool pattern = reaches[reach].pattern.kind != KEN_REACH_WINDOW;
                    if (reaches[reach].edges && position > 0) continue;
                    if (position == 3 && score != KEN_SCORE_DOT) continue;
                    check_combination(score, weigh, reach, position, 0);
                    if (!pattern || position == 0)
                        check_combination(score, weigh, reach, position, 0.3f);
                }
    assert_int_equal(ken_kernels_choose(NULL), KEN_OK);
    printf("# %zu combinations of score, weigh, reach, position and dropout\n", combinations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_equals_the_definition),
    };
    if (ken_kernels_start()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
