/* graph.h - turns the links of a batch of graphs into the lists of edges that attention follows.
 *
 *   Edges:    a row (a node) sees the rows it has links to and, with `loops`, itself.
 *   Distance: a row sees all rows of its graph. The number of links between the two rows is one-hot
 *             in KEN_DISTANCES more numbers on the edge: 0 to 8 links, more than 8, no path.
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
    const float *numbers; /* (edges, width), numbers on edges, in the order of edges.key */
    size_t width;         /* how many numbers each edge has; 0 = none                    */
};

struct ken_graph_options {
    size_t numbers; /* how many numbers each link of the input has */
    bool loops;
    bool distance;
};

/* Returns how many numbers each edge has. */
size_t ken_graph_width(const struct ken_graph_options *options);

/* Makes the lists of edges in memory of the arena. The links must have been checked before. */
ken_status ken_graph_make(struct ken_graph *graph, ken_arena *arena, const ken_sequences *rows,
                          const struct ken_graph_options *options);

#endif
