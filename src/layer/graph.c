/* graph.c - sorts links by the row that attends, and again by the row that is attended to. Both are
 * counting sorts, so the time is proportional to the number of rows and edges. */
#include "layer/graph.h"

#include "base/size.h"

#include <string.h>

enum { DISTANCE_MORE = 9, DISTANCE_NONE = 10 };

/* The lists of edges while they are being made, with the sequences and options that they are made
 * from. */
struct work {
    ken_arena *arena;
    const ken_sequences *rows;
    const struct ken_graph_options *options;
    size_t N, edges, width;
    size_t *start;  /* first edge of each row; rows + 1 entries */
    uint32_t *key;  /* for each edge, the row that is seen      */
    float *numbers; /* edge features, `width` numbers per edge  */
};

size_t ken_graph_width(const struct ken_graph_options *options)
{
    return options->numbers + (options->distance ? KEN_DISTANCES : 0);
}

static ken_status no_memory(size_t edges)
{
    return ken_fail(KEN_ERR_MEMORY, "no memory for %zu edges", edges);
}

/* Takes memory for w->edges edges and their features. Fails unless row numbers and indices of edges
 * fit into 32 bits. */
static ken_status take_edges(struct work *w)
{
    size_t floats;
    if (w->edges > UINT32_MAX || w->N > UINT32_MAX)
        return ken_fail(KEN_ERR_ARGUMENT, "%zu edges in a batch; at most 2^32 - 1 are possible",
                        w->edges);
    if (!ken_size_mul(&floats, w->edges, w->width)) return no_memory(w->edges);
    w->key = ken_arena_take(w->arena, w->edges, sizeof *w->key);
    w->numbers = ken_arena_take_zeroed(w->arena, floats, sizeof *w->numbers);
    return w->key && w->numbers ? KEN_OK : no_memory(w->edges);
}

/* Turns counts into starts. On entry start[i + 1] is the number of edges of row i; on return it is
 * the index of the first edge of row i + 1. Returns the total number of edges. */
static size_t add_up(size_t *start, size_t N)
{
    start[0] = 0;
    for (size_t i = 0; i < N; i++) start[i + 1] += start[i];
    return start[N];
}

static size_t first_of(const struct work *w, size_t b)
{
    return w->rows->start[b];
}

/* Lists the links of each row as edges. With `loops`, a row without a link to itself gets one,
 * after its other edges; own[i] is 1 if row i has a link to itself. While edges are filled in,
 * start[i] moves to the first edge of row i + 1; at the end all starts are shifted back by one. */
static ken_status list_links(struct work *w, bool loops)
{
    const ken_links *links = w->rows->links;
    uint8_t *own = ken_arena_take_zeroed(w->arena, w->N, 1);
    w->start = ken_arena_take_zeroed(w->arena, w->N + 1, sizeof *w->start);
    if (!own || !w->start) return no_memory(w->N);
    for (size_t b = 0; b < w->rows->count; b++)
        for (size_t e = links->start[b]; e < links->start[b + 1]; e++) {
            size_t i = first_of(w, b) + (size_t)links->pairs[2 * e];
            w->start[i + 1]++;
            if (links->pairs[2 * e] == links->pairs[2 * e + 1]) own[i] = 1;
        }
    for (size_t i = 0; i < w->N && loops; i++) w->start[i + 1] += !own[i];
    w->edges = add_up(w->start, w->N);
    KEN_TRY(take_edges(w));
    size_t numbers = w->options->numbers;
    for (size_t b = 0; b < w->rows->count; b++)
        for (size_t e = links->start[b]; e < links->start[b + 1]; e++) {
            size_t i = first_of(w, b) + (size_t)links->pairs[2 * e], at = w->start[i]++;
            w->key[at] = (uint32_t)(first_of(w, b) + (size_t)links->pairs[2 * e + 1]);
            if (numbers > 0)
                memcpy(w->numbers + at * w->width, links->numbers + e * numbers,
                       numbers * sizeof(float));
        }
    for (size_t i = 0; i < w->N && loops; i++)
        if (!own[i]) w->key[w->start[i]++] = (uint32_t)i;
    memmove(w->start + 1, w->start, w->N * sizeof *w->start);
    w->start[0] = 0;
    return KEN_OK;
}

/* Finds shortest paths by breadth-first search: far[j] receives the number of links on the shortest
 * path from row i to row first + j. */
static void measure(uint8_t *far, uint32_t *queue, const struct work *links, size_t i, size_t first,
                    size_t n)
{
    size_t head = 0, tail = 0;
    memset(far, DISTANCE_NONE, n);
    far[i - first] = 0;
    queue[tail++] = (uint32_t)i;
    while (head < tail) {
        size_t at = queue[head++];
        for (size_t e = links->start[at]; e < links->start[at + 1]; e++) {
            uint32_t j = links->key[e];
            if (far[j - first] != DISTANCE_NONE) continue;
            far[j - first] = (uint8_t)ken_size_min(far[at - first] + 1u, DISTANCE_MORE);
            queue[tail++] = j;
        }
    }
}

/* Lists all pairs of rows of each graph as edges, with the distance as a feature of each edge. */
static ken_status list_pairs(struct work *w, const struct work *links)
{
    size_t most = 0;
    w->start = ken_arena_take_zeroed(w->arena, w->N + 1, sizeof *w->start);
    if (!w->start) return no_memory(w->N);
    for (size_t b = 0; b < w->rows->count; b++) {
        size_t n = first_of(w, b + 1) - first_of(w, b);
        if (n > KEN_DISTANCE_NODES)
            return ken_fail(KEN_ERR_ARGUMENT,
                            "graph %zu has %zu nodes; position distance takes at most %d", b, n,
                            KEN_DISTANCE_NODES);
        most = ken_size_max(most, n);
        for (size_t i = first_of(w, b); i < first_of(w, b + 1); i++) w->start[i + 1] = n;
    }
    w->edges = add_up(w->start, w->N);
    KEN_TRY(take_edges(w));
    uint8_t *far = ken_arena_take(w->arena, most, 1);
    uint32_t *queue = ken_arena_take(w->arena, most, sizeof *queue);
    if (!far || !queue) return no_memory(most);
    size_t numbers = w->options->numbers;
    for (size_t b = 0; b < w->rows->count; b++) {
        size_t first = first_of(w, b), n = first_of(w, b + 1) - first;
        for (size_t i = first; i < first + n; i++) {
            float *row = w->numbers + w->start[i] * w->width;
            measure(far, queue, links, i, first, n);
            for (size_t j = 0; j < n; j++) {
                w->key[w->start[i] + j] = (uint32_t)(first + j);
                row[j * w->width + numbers + far[j]] = 1;
            }
            for (size_t e = links->start[i]; e < links->start[i + 1] && numbers > 0; e++)
                memcpy(row + (links->key[e] - first) * w->width, links->numbers + e * numbers,
                       numbers * sizeof(float));
        }
    }
    return KEN_OK;
}

/* Lists the edges again, ordered by the row that is seen (the key) and, within one key, by the row
 * that sees it (the query). */
static ken_status turn_round(struct ken_edges *edges, const struct work *w)
{
    size_t *start = ken_arena_take_zeroed(w->arena, w->N + 1, sizeof *start);
    uint32_t *query = ken_arena_take(w->arena, w->edges, sizeof *query);
    uint32_t *edge = ken_arena_take(w->arena, w->edges, sizeof *edge);
    if (!start || !query || !edge) return no_memory(w->edges);
    for (size_t e = 0; e < w->edges; e++) start[w->key[e] + 1]++;
    add_up(start, w->N);
    for (size_t i = 0; i < w->N; i++)
        for (size_t e = w->start[i]; e < w->start[i + 1]; e++) {
            size_t at = start[w->key[e]]++;
            query[at] = (uint32_t)i;
            edge[at] = (uint32_t)e;
        }
    memmove(start + 1, start, w->N * sizeof *start);
    start[0] = 0;
    *edges = (struct ken_edges){ .key_start = w->start,
                                 .key = w->key,
                                 .query_start = start,
                                 .query = query,
                                 .edge = edge };
    return KEN_OK;
}

ken_status ken_graph_make(struct ken_graph *graph, ken_arena *arena, const ken_sequences *rows,
                          const struct ken_graph_options *options)
{
    struct work links = { .arena = arena,
                          .rows = rows,
                          .options = options,
                          .N = rows->start[rows->count],
                          .width = options->numbers };
    struct work pairs = links, *all = options->distance ? &pairs : &links;
    KEN_TRY(list_links(&links, options->loops && !options->distance));
    pairs.width = ken_graph_width(options);
    if (options->distance) KEN_TRY(list_pairs(&pairs, &links));
    KEN_TRY(turn_round(&graph->edges, all));
    graph->numbers = all->numbers;
    graph->width = all->width;
    return KEN_OK;
}
