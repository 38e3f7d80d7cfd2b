/* graph.h - turns the links of a batch of graphs into the lists of edges that attention follows.
 *
 * With reach edges, a row (a node) sees the rows it has links to and, with `loops`, itself. With
 * position distance, a row sees all rows of its graph, and each edge has KEN_DISTANCES more
 * features: the number of links between its two rows, one-hot (0 to 8 links, more than 8, no path).
 * The edges of a row are in the order of its links, so sums over them do not depend on other graphs
 * of the batch. */
#ifndef LAYER_GRAPH_H
#define LAYER_GRAPH_H

#include "base/arena.h"
#include "base/status.h"
#include "kernel/attend.h"

enum {
    KEN_DISTANCES = 11,
    KEN_DISTANCE_NODES = 4096 /* maximum number of nodes of a graph with distances */
};

struct ken_graph {
    struct ken_edges edges;
    const float *numbers; /* (edges, width): edge features, in the order of edges.key */
    size_t width;         /* number of features per edge; 0 = none                    */
};

struct ken_graph_options {
    size_t numbers; /* number of features of each link of the input */
    bool loops;
    bool distance;
};

/* Returns the number of features of each edge. */
size_t ken_graph_width(const struct ken_graph_options *options);

/* Makes the lists of edges in memory of the arena. The links must have been checked before. */
ken_status ken_graph_make(struct ken_graph *graph, ken_arena *arena, const ken_sequences *rows,
                          const struct ken_graph_options *options);

#endif
