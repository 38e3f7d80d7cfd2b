/* edge_lists.c - see edge_lists.h. */
#include "tests/edge_lists.h"

#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

void graph_make(struct graph *graph, size_t N, const int32_t *queries, const int32_t *keys,
                size_t count)
{
    assert_true(N <= GRAPH_ROWS && count <= GRAPH_EDGES);
    graph->N = N;
    graph->count = 0;
    for (size_t i = 0; i <= N; i++) {
        graph->key_start[i] = graph->count;
        for (size_t n = 0; i < N && n < count; n++)
            if ((size_t)queries[n] == i) {
                graph->pair[graph->count] = (uint32_t)n;
                graph->key[graph->count++] = (uint32_t)keys[n];
            }
    }
    size_t at = 0;
    for (size_t j = 0; j <= N; j++) {
        graph->query_start[j] = at;
        for (size_t i = 0; j < N && i < N; i++)
            for (size_t x = graph->key_start[i]; x < graph->key_start[i + 1]; x++)
                if (graph->key[x] == j) {
                    graph->query[at] = (uint32_t)i;
                    graph->edge[at++] = (uint32_t)x;
                }
    }
    graph->edges = (struct ken_edges){ graph->key_start, graph->key, graph->query_start,
                                       graph->query, graph->edge };
}

static float *zeros(size_t n)
{
    float *x = normal_array(n + 1, 1);
    memset(x, 0, (n + 1) * sizeof *x);
    return x;
}

void graph_problem_make(struct graph_problem *p, const struct graph *graph, size_t H, size_t E,
                        size_t K, enum ken_score score, enum ken_weigh weigh)
{
    size_t N = graph->N, D = H * E, edges = graph->count, width = score == KEN_SCORE_GAT ? 1 : E;
    bool vector = score == KEN_SCORE_ADDITIVE || score == KEN_SCORE_GATV2;
    *p = (struct graph_problem){ .start = { 0, N } };
    p->job = (struct ken_attend){ .q = normal_array(N * H * width, 2),
                                  .k = normal_array(N * H * width, 3),
                                  .v = normal_array(N * D, 4),
                                  .q_stride = H * width,
                                  .k_stride = H * width,
                                  .v_stride = D,
                                  .q_start = p->start,
                                  .k_start = p->start,
                                  .B = 1,
                                  .H = H,
                                  .KV = H,
                                  .E = width,
                                  .Ev = E,
                                  .score = score,
                                  .weigh = weigh,
                                  .edges = &graph->edges,
                                  .scale = 1 / sqrtf((float)E),
                                  .leak = 0.2f,
                                  .vector = normal_array(H * width, 5),
                                  .K = K,
                                  .dropout_key = 17,
                                  .out = zeros(N * D),
                                  .out_stride = D,
                                  .log_sum = zeros(edges * H) };
    p->grad = (struct ken_attend_grad){ .dout = normal_array(N * D, 6),
                                        .dq = zeros(N * H * width),
                                        .dk = zeros(N * H * width),
                                        .dv = zeros(N * D),
                                        .dvector = vector ? zeros(H * width) : NULL,
                                        .edge_work = zeros(edges * H) };
    if (K == 0) return;
    p->job.edge_numbers = normal_array(edges * K, 7);
    p->job.edge_query = normal_array(N * H * K, 8);
    p->job.edge_out = zeros(N * H * K);
    p->grad.dedge_out = normal_array(N * H * K, 9);
    p->grad.dedge_query = zeros(N * H * K);
}
