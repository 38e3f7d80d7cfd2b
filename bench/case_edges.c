/* case_edges.c - attention along the edges of random graphs, forward and backward: the cost of a
 * layer of a graph network as the graph grows, with ten edges per node. The report fits exponents
 * of time and memory. The expected exponent is 1; a graph that outgrows the cache costs more. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/attend.h"

#include <string.h>

enum { DEGREE = 10, D = 64 };

static const size_t sizes[] = { 10000, 100000, 1000000 };

static const struct kind {
    enum ken_score score;
    size_t H, E; /* E: width of queries and keys; that of values is D / H */
    float dropout;
} kinds[] = {
    { KEN_SCORE_DOT, 4, 16, 0 },
    { KEN_SCORE_GAT, 8, 1, 0.6f },
    { KEN_SCORE_GATV2, 8, 8, 0.6f },
};
enum { SIZES = KEN_COUNT(sizes), CASES = SIZES * KEN_COUNT(kinds) };

/* The edges as two lists, and one array of numbers that all arrays are parts of. */
struct state {
    struct ken_attend job;
    struct ken_attend_grad grad;
    struct ken_edges edges;
    size_t rows[2], gradients; /* gradients: number of floats from grad.dq on */
    size_t *starts;
    uint32_t *lists;
    float *numbers;
    double bytes;
};

static void describe(struct bench_case *out, size_t index)
{
    const char *score = ken_word(KEN_CHOICE_SCORE, (int)kinds[index / SIZES].score);
    bench_describe(out, "edges", score, sizes[index % SIZES], "Medges/s", 1e-6);
}

/* Every row sees DEGREE rows, drawn at random. */
static void fill_edges(struct state *s, size_t N, uint64_t seed)
{
    size_t M = N * DEGREE, *key_start = s->starts, *query_start = key_start + N + 1;
    uint32_t *key = s->lists, *query = key + M, *edge = query + M;
    for (size_t i = 0; i <= N; i++) key_start[i] = i * DEGREE;
    for (size_t x = 0; x < M; x++) {
        key[x] = (uint32_t)ken_random_below(seed, x, N);
        if (key[x] + 2 <= N) query_start[key[x] + 2]++;
    }
    for (size_t j = 2; j <= N; j++) query_start[j] += query_start[j - 1];
    for (size_t x = 0; x < M; x++) { /* query_start[j + 1] moves to the end of j */
        size_t y = query_start[key[x] + 1]++;
        query[y] = (uint32_t)(x / DEGREE);
        edge[y] = (uint32_t)x;
    }
    s->edges = (struct ken_edges){ key_start, key, query_start, query, edge };
}

static float *cut(float **rest, size_t count)
{
    float *part = *rest;
    *rest += count;
    return part;
}

static void fill_job(struct state *s, const struct kind *kind, size_t N)
{
    size_t H = kind->H, E = kind->E, M = N * DEGREE;
    float *rest = s->numbers;
    s->rows[1] = N;
    s->job = (struct ken_attend){ .q = cut(&rest, N * H * E),
                                  .k = cut(&rest, N * H * E),
                                  .v = cut(&rest, N * D),
                                  .q_stride = H * E,
                                  .k_stride = H * E,
                                  .v_stride = D,
                                  .q_start = s->rows,
                                  .k_start = s->rows,
                                  .B = 1,
                                  .H = H,
                                  .KV = H,
                                  .E = E,
                                  .Ev = D / H,
                                  .score = kind->score,
                                  .edges = &s->edges,
                                  .scale = 0.25f,
                                  .leak = 0.2f,
                                  .vector = cut(&rest, H * E),
                                  .dropout = kind->dropout,
                                  .out_stride = D };
    s->grad.dout = cut(&rest, N * D);
    for (float *x = s->numbers; x < rest; x++)
        *x = ken_random_uniform(1, (uint64_t)(x - s->numbers)) - 0.5f;
    s->job.out = cut(&rest, N * D);
    s->job.log_sum = cut(&rest, M * H);
    s->grad.edge_work = cut(&rest, M * H);
    s->grad.dq = cut(&rest, N * H * E);
    s->grad.dk = cut(&rest, N * H * E);
    s->grad.dv = cut(&rest, N * D);
    if (kind->score == KEN_SCORE_GATV2) s->grad.dvector = cut(&rest, H * E);
    s->gradients = (size_t)(rest - s->grad.dq);
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    const struct kind *kind = &kinds[index / SIZES];
    size_t M = sizes[index % SIZES], N = M / DEGREE;
    size_t numbers = N * (4 * D + 4 * kind->H * kind->E) + 2 * M * kind->H + 2 * D;
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    s->starts = ken_memory_zeroed(2 * N + 2, sizeof *s->starts);
    s->lists = ken_memory_new(3 * M, sizeof *s->lists);
    s->numbers = ken_memory_new(numbers, sizeof *s->numbers);
    if (!s->starts || !s->lists || !s->numbers)
        return ken_fail(KEN_ERR_MEMORY, "no memory for a graph of %zu edges", M);
    s->bytes = (double)(numbers * sizeof *s->numbers + 3 * M * sizeof *s->lists +
                        (2 * N + 2) * sizeof *s->starts);
    fill_edges(s, N, seed);
    fill_job(s, kind, N);
    return KEN_OK;
}

static void run(void *context)
{
    struct state *s = context;
    ken_attend_forward(&s->job);
    memset(s->grad.dq, 0, s->gradients * sizeof(float));
    ken_attend_backward(&s->job, &s->grad);
}

static double bytes(void *context)
{
    return ((struct state *)context)->bytes;
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    ken_memory_free(s->starts);
    ken_memory_free(s->lists);
    ken_memory_free(s->numbers);
    ken_memory_free(s);
}

const struct bench_group bench_edges = {
    .name = "edges",
    .about = "attention along 10^4 to 10^6 edges of a graph, forward and backward",
    .count = CASES,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .bytes = bytes,
    .size = "edges",
};
