/* edge_lists.h - attention along the edges of a graph, as a problem that tests vary: rows, numbers
 * on edges, results and gradients. test_attend.c compares every choice with the definition; this is
 * for tests of properties that all choices share. */
#ifndef TESTS_EDGE_LISTS_H
#define TESTS_EDGE_LISTS_H

#include "kernel/attend.h"

enum { GRAPH_EDGES = 6000, GRAPH_ROWS = 400 };

/* Lists of edges by query and by key, made from pairs. */
struct graph {
    size_t N, count;
    size_t key_start[GRAPH_ROWS + 1], query_start[GRAPH_ROWS + 1];
    uint32_t key[GRAPH_EDGES], query[GRAPH_EDGES], edge[GRAPH_EDGES];
    uint32_t pair[GRAPH_EDGES]; /* the pair that each edge was made from */
    struct ken_edges edges;
};

/* Makes a graph of N rows with edges from queries[n] to keys[n]; the edges of a query keep their
 * order. */
void graph_make(struct graph *graph, size_t N, const int32_t *queries, const int32_t *keys,
                size_t count);

/* A job over one sequence of all rows, with H heads of width E and K numbers on each edge (K may be
 * 0). All arrays are random, gradients are 0. They are valid until drop_arrays(). */
struct graph_problem {
    struct ken_attend job;
    struct ken_attend_grad grad;
    size_t start[2];
};
void graph_problem_make(struct graph_problem *p, const struct graph *graph, size_t H, size_t E,
                        size_t K, enum ken_score score, enum ken_weigh weigh);

#endif
