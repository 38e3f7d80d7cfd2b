/* graph.h - the links of a batch of graphs as the lists that attention walks.
 *
 * Edges:    a row sees what it has links to and, with loops, itself.
 * Distance: a row sees all rows of its graph, and the number of links between them stands beside
 *           the link's own numbers: one of KEN_DISTANCES that is 1 (0 to 8 links, more, no way).
 * A row's edges stand in the order of its links, so what is summed over them does not depend on
 * other graphs of the batch. */
#ifndef LAYER_GRAPH_H
#define LAYER_GRAPH_H

#include "base/arena.h"
#include "base/status.h"
#include "kernel/attend.h"

enum {
    KEN_DISTANCES = 11,
    KEN_DISTANCE_NODES = 4096 /* of a graph whose distances are wanted, at the most */
};

struct ken_graph {
    struct ken_edges edges;
    const float *numbers; /* (edges, width), in the order of edges.key */
    size_t width;         /* 0: there are none                         */
};

struct ken_graph_options {
    size_t numbers; /* of each link */
    bool loops;
    bool distance;
};

/* How many numbers an edge has. */
size_t ken_graph_width(const struct ken_graph_options *options);

/* Everything is taken from the arena. The links have been checked. */
ken_status ken_graph_make(struct ken_graph *graph, ken_arena *arena, const ken_sequences *rows,
                          const struct ken_graph_options *options);

#endif
