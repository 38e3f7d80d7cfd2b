/* attention.c - the projections before and after the attention operation. In self-attention, one
 * matrix product computes q, k and v side by side in a row. They stay there, because the kernel
 * reads them with a stride; only a cache has separate copies. */
#include "layer/attention.h"

#include "base/memory.h"
#include "base/size.h"
#include "layer/linear_attention.h"

#include <math.h>
#include <string.h>

/* Returns the ALiBi slope of a head. If the number of heads is a power of two, the slopes are a
 * geometric series that begins with 2^(-8/heads). Otherwise they are the series for the next lower
 * power of two, followed by every other slope of the series for twice that power. */
float ken_attention_slope(size_t h, size_t heads)
{
    size_t power = 1;
    while (2 * power <= heads) power *= 2;
    double exponent = h < power ? 8.0 * (double)(h + 1) / (double)power
                                : 4.0 * (double)(2 * (h - power) + 1) / (double)power;
    return (float)exp2(-exponent);
}

static bool has_vector(const struct ken_attention_config *c)
{
    return c->score == KEN_SCORE_ADDITIVE || c->score == KEN_SCORE_GATV2;
}

/* Returns whether the mask is passed to the attention operation as a pattern and not as a
 * window. */
static bool is_pattern(const struct ken_pattern *pattern)
{
    return pattern->kind > KEN_REACH_WINDOW && pattern->kind <= KEN_REACH_SEGMENTS;
}

/* Checks the options for attention along the edges of graphs, or between all pairs of nodes with
 * their distances. Returns a description of the first problem, or NULL if there is none. */
static const char *wrong_edges(const struct ken_attention_config *c)
{
    bool edges = c->reach == KEN_REACH_EDGES || c->edge_width > 0;
    if (edges && c->position != KEN_ATTENTION_NO_POSITION)
        return "links have no order: use position none, sinusoid, learned, rnn or distance";
    if (edges && c->weigh > KEN_WEIGH_SPARSEMAX)
        return "weigh linear and performer need reach window: they cannot follow edges";
    if (c->bare && c->kv_heads != 0 && c->kv_heads != c->heads)
        return "blocks of kind bare need kv_heads equal to heads (or 0)";
    return NULL;
}

static size_t head_width(const struct ken_attention_config *c)
{
    return c->head_width ? c->head_width : c->width / c->heads;
}

static const char *what_is_wrong(const struct ken_attention_config *c)
{
    size_t kv = c->kv_heads ? c->kv_heads : c->heads;
    if (c->heads == 0 || c->heads > KEN_HEADS_MOST) return "heads must be 1 to 256";
    if (c->width == 0 || (c->head_width == 0 && c->width % c->heads))
        return "width must be a multiple of heads";
    if (head_width(c) > KEN_ATTEND_WIDEST)
        return "the width of a head (width / heads) must be at most 256";
    if (c->heads % kv) return "heads must be a multiple of kv_heads";
    if (c->score == KEN_SCORE_GAT && (c->cross || kv != c->heads))
        return "the gat score needs self-attention, and kv_heads equal to heads (or 0)";
    if (c->position == KEN_ATTENTION_ROTARY && c->score != KEN_SCORE_DOT)
        return "rotary positions need the dot score: they act on the product of q and k";
    if (c->position == KEN_ATTENTION_ROTARY && c->width / c->heads % 2)
        return "rotary positions need an even head width";
    if (c->position == KEN_ATTENTION_ROTARY && c->axes > 1 && c->width / c->heads % (2 * c->axes))
        return "rotary positions of two coordinates need a head width that is a multiple of 4";
    if (c->position == KEN_ATTENTION_SHAW && c->score != KEN_SCORE_DOT)
        return "shaw positions need the dot score: they are added to the keys of a product";
    bool spans = c->position == KEN_ATTENTION_RELATIVE || c->position == KEN_ATTENTION_SHAW ||
                 c->position == KEN_ATTENTION_QUADRATIC;
    if (spans && c->span > KEN_SPAN_MOST)
        return "positions relative, shaw and quadratic need a longest of at most 2^24";
    if (c->pattern.kind > KEN_REACH_GLOBAL && is_pattern(&c->pattern) && c->pattern.block == 0)
        return "reach_block must be 1 or more";
    if (c->pattern.kind == KEN_REACH_RANDOM && c->pattern.random > KEN_PATTERN_RANDOM)
        return "reach_random must be 0 to 32";
    if (c->position == KEN_ATTENTION_FLOATER && c->score == KEN_SCORE_GAT)
        return "floater positions change q, k and v, but the gat score has no q and k of its own";
    if (c->position != KEN_ATTENTION_NO_POSITION && c->cross)
        return "cross-attention takes no positions: rows of two sequences have no distance";
    if (!(c->dropout >= 0 && c->dropout < 1)) return "dropout must be at least 0 and below 1";
    const char *wrong = wrong_edges(c);
    if (!wrong) wrong = ken_attention_linear_wrong(c);
    if (!wrong) wrong = ken_attention_nystrom_wrong(c);
    return wrong;
}

/* Returns the number of columns to which `project` maps a row. Cross-attention projects to queries
 * only. GAT computes queries and keys from the values. Bare GATv2, as published, computes the
 * values from the keys. All others have a projection each for queries, keys and values. */
size_t ken_attention_columns(const struct ken_attention *attention)
{
    const struct ken_attention_config *c = &attention->config;
    size_t D = c->heads * attention->E;
    if (c->cross || c->score == KEN_SCORE_GAT) return D;
    if (c->bare && c->score == KEN_SCORE_GATV2) return 2 * D;
    return D + 2 * c->kv_heads * attention->E;
}

ken_status ken_attention_init(struct ken_attention *attention,
                              const struct ken_attention_config *config)
{
    const char *wrong = what_is_wrong(config);
    if (wrong) return ken_fail(KEN_ERR_ARGUMENT, "attention: %s", wrong);
    *attention = (struct ken_attention){ .config = *config };
    struct ken_attention_config *c = &attention->config;
    if (c->kv_heads == 0) c->kv_heads = c->heads;
    c->pattern.left = c->left;
    c->pattern.right = c->right;
    size_t D = c->width, E = head_width(c), KV = c->kv_heads;
    attention->E = E;
    attention->project = (struct ken_dense){ .in = D,
                                             .out = ken_attention_columns(attention),
                                             .biased = c->biased && !c->bare };
    attention->edge_ask = (struct ken_dense){ .in = ken_attention_columns(attention),
                                              .out = c->heads * c->edge_width };
    attention->edge_out = (struct ken_dense){ .in = c->heads * c->edge_width,
                                              .out = c->bare ? c->heads * E : D };
    attention->remember = (struct ken_dense){ .in = D, .out = 2 * KV * E, .biased = c->biased };
    attention->out = (struct ken_dense){ .in = D, .out = D, .biased = c->biased };
    if (c->position == KEN_ATTENTION_BUCKETS) {
        c->span = KEN_BUCKETS_SPAN;
        ken_bucket_fill(attention->bucket, c->past);
    }
    for (size_t h = 0; h < c->heads; h++) attention->slopes[h] = ken_attention_slope(h, c->heads);
    return ken_attention_linear_init(attention);
}

void ken_attention_release(struct ken_attention *attention)
{
    ken_memory_free(attention->random);
    attention->random = NULL;
}

void ken_attention_visit(struct ken_attention *attention, ken_visitor *visitor, const char *name)
{
    const struct ken_attention_config *c = &attention->config;
    struct ken_parameter head = { c->heads, attention->E, KEN_INIT_NORMAL,
                                  1 / sqrtf((float)attention->E) };
    size_t entered = ken_visit_enter(visitor, "%s", name);
    if (!c->projected) ken_dense_visit(&attention->project, visitor, "project");
    if (c->cross) ken_dense_visit(&attention->remember, visitor, "remember");
    if (has_vector(c)) ken_visit(visitor, "vector", &attention->vector, head);
    if (c->score == KEN_SCORE_GAT) {
        ken_visit(visitor, "ask", &attention->ask, head);
        ken_visit(visitor, "answer", &attention->answer, head);
    }
    if (c->position == KEN_ATTENTION_RELATIVE)
        ken_visit(visitor, "relative", &attention->relative,
                  (struct ken_parameter){ c->heads, 2 * c->span + 1, KEN_INIT_ZERO, 0 });
    struct ken_parameter offsets = { 2 * c->span + 1, attention->E, KEN_INIT_NORMAL, 0.02f };
    if (c->position == KEN_ATTENTION_SHAW) {
        ken_visit(visitor, "shaw_k", &attention->shaw_k, offsets);
        ken_visit(visitor, "shaw_v", &attention->shaw_v, offsets);
    }
    if (c->position == KEN_ATTENTION_BUCKETS)
        ken_visit(visitor, "buckets", &attention->buckets,
                  (struct ken_parameter){ c->heads, KEN_BUCKETS, KEN_INIT_ZERO, 0 });
    if (c->position == KEN_ATTENTION_QUADRATIC) {
        ken_visit(visitor, "sharp", &attention->sharp,
                  (struct ken_parameter){ 1, c->heads, KEN_INIT_ZERO, 0 });
        ken_visit(visitor, "centre", &attention->centre,
                  (struct ken_parameter){ 1, c->heads, KEN_INIT_AROUND, 0 });
    }
    if (c->edge_width > 0) {
        ken_dense_visit(&attention->edge_ask, visitor, "edge_ask");
        ken_dense_visit(&attention->edge_out, visitor, "edge_out");
    }
    struct ken_parameter bias = { 1, c->mean ? attention->E : c->heads * attention->E,
                                  KEN_INIT_ZERO, 0 };
    if (c->bare) ken_visit(visitor, "bias", &attention->bias, bias);
    else ken_dense_visit(&attention->out, visitor, "out");
    ken_visit_leave(visitor, entered);
}

/* The queries, keys and values of one attention call, and the columns of their tensors where they
 * begin. */
struct parts {
    ken_tensor *q, *k, *v;
    ken_tensor *all; /* projection that holds q and, in self-attention, k and v */
    struct ken_attend_options options;
};

/* Projects the rows of a call to queries and, in self-attention, also to keys and values. */
static struct parts project(ken_tape *tape, const struct ken_attention *attention,
                            const struct ken_attention_call *call)
{
    const struct ken_attention_config *c = &attention->config;
    ken_tensor *x = call->x;
    ken_ragged rows = call->rows;
    size_t E = attention->E, D = c->heads * E, KV = c->kv_heads;
    struct parts parts = { .options = {
                               .queries = rows,
                               .keys = rows,
                               .heads = c->heads,
                               .kv_heads = KV,
                               .width = E,
                               .value_width = E,
                               .score = c->score,
                               .weigh = c->weigh,
                               .left = c->left,
                               .right = c->right,
                               .pattern = is_pattern(&c->pattern) ? &c->pattern : NULL,
                               .leak = 0.2f,
                               .span = c->span,
                               .dropout = c->dropout,
                               .slope = c->position == KEN_ATTENTION_ALIBI ? attention->slopes
                                                                           : NULL,
                           } };
    if (c->position == KEN_ATTENTION_SHAW) {
        parts.options.shaw_k = &attention->shaw_k;
        parts.options.shaw_v = &attention->shaw_v;
    }
    ken_tensor *all = c->projected ? x
                                   : ken_dense_apply(tape, &attention->project, x, KEN_ACT_NONE);
    if (call->shift.table)
        all = ken_add_position(tape, all, call->shift.table, rows, call->shift.first);
    parts.all = all;
    if (c->score == KEN_SCORE_GAT) {
        parts.options.width = 1;
        parts.v = all;
        parts.k = ken_head_dot(tape, all, &attention->answer);
        parts.q = ken_head_dot(tape, all, &attention->ask);
        return parts;
    }
    struct ken_rotary turn = { .heads = c->heads + KV,
                               .E = E,
                               .pairing = KEN_ROTATE_HALVES,
                               .offset = call->cached ? call->cached->kept : NULL,
                               .axes = c->axes };
    if (c->position == KEN_ATTENTION_ROTARY)
        all = ken_rotate_as(tape, all, rows, &turn, call->places);
    parts.q = parts.k = parts.v = all;
    parts.options.k_col = D;
    parts.options.v_col = c->bare && c->score == KEN_SCORE_GATV2 ? D : D + KV * E;
    return parts;
}

const ken_tensor *ken_attention_bias(ken_tape *tape, const struct ken_attention *attention)
{
    const struct ken_attention_config *c = &attention->config;
    switch (c->position) {
    case KEN_ATTENTION_RELATIVE: return &attention->relative;
    case KEN_ATTENTION_BUCKETS:
        return ken_pick(tape, &attention->buckets, attention->bucket, 2 * c->span + 1);
    case KEN_ATTENTION_QUADRATIC:
        return ken_quadratic(tape, &attention->sharp, &attention->centre, c->span);
    default: return NULL;
    }
}

/* Applies the output projection or, in bare attention, adds the bias. `edges` holds the weighted
 * sums of edge features, or is NULL; it is projected and added to the result. */
static ken_tensor *finish(ken_tape *tape, const struct ken_attention *attention, ken_tensor *heads,
                          ken_tensor *edges)
{
    const struct ken_attention_config *c = &attention->config;
    if (edges) edges = ken_dense_apply(tape, &attention->edge_out, edges, KEN_ACT_NONE);
    if (c->bare && edges) heads = ken_add(tape, heads, edges);
    if (c->bare && c->mean) heads = ken_head_mean(tape, heads, c->heads);
    if (c->bare) return ken_add_row(tape, heads, &attention->bias);
    ken_tensor *out = ken_dense_apply(tape, &attention->out, heads, KEN_ACT_NONE);
    return edges ? ken_add(tape, out, edges) : out;
}

static ken_tensor *attend(ken_tape *tape, const struct ken_attention *attention,
                          const struct parts *parts, struct ken_seen *seen)
{
    const struct ken_attention_config *c = &attention->config;
    const ken_tensor *vector = has_vector(c) ? &attention->vector : NULL;
    const ken_tensor *bias = ken_attention_bias(tape, attention);
    ken_tensor *heads, *edges = NULL;
    struct ken_seen unseen;
    struct ken_attend_options options = parts->options;
    if (!seen) seen = &unseen;
    if (options.edge_numbers) {
        options.edge_query = ken_dense_apply(tape, &attention->edge_ask, parts->all, KEN_ACT_NONE);
        options.edge_out = &edges;
    }
    if (ken_attention_is_linear(c))
        heads = ken_attention_linear(tape, attention, parts->q, parts->k, parts->v,
                                     &parts->options);
    else if (c->reach == KEN_REACH_NYSTROM)
        heads = ken_attention_nystrom(tape, attention, parts->q, parts->k, parts->v,
                                      &parts->options, seen);
    else heads = ken_attend(tape, parts->q, parts->k, parts->v, vector, bias, &options);
    seen->out = heads;
    return finish(tape, attention, heads, edges);
}

/* Runs attention for a call without a cache, whose rows are whole sequences. */
static ken_tensor *apply_whole(ken_tape *tape, const struct ken_attention *attention,
                               const struct ken_attention_call *call)
{
    const struct ken_graph *graph = call->graph;
    struct parts parts = project(tape, attention, call);
    if (call->seen) call->seen->graph = graph;
    if (graph) {
        parts.options.edges = &graph->edges;
        parts.options.edge_numbers = graph->width > 0 ? graph->numbers : NULL;
        parts.options.edge_width = graph->width;
    }
    if (attention->config.cross) {
        parts.k = parts.v = ken_dense_apply(tape, &attention->remember, call->memory, KEN_ACT_NONE);
        parts.options.keys = call->memory_rows;
        parts.options.k_col = 0;
        parts.options.v_col = attention->config.kv_heads * attention->E;
    }
    return attend(tape, attention, &parts, call->seen);
}

ken_status ken_attention_look(float *weights, ken_tape *tape, const struct ken_attention *attention,
                              const struct ken_seen *seen, size_t b, size_t h, size_t T)
{
    if (ken_attention_is_linear(&attention->config))
        return ken_linear_attend_look(weights, tape, seen->out, b, h);
    if (attention->config.reach == KEN_REACH_NYSTROM)
        return ken_attention_nystrom_look(weights, tape, attention, seen, b, h, T);
    return ken_attend_look(weights, tape, seen->out, b, h);
}

void ken_attention_mask(unsigned char *mask, const struct ken_attention *attention,
                        const struct ken_seen *seen, size_t T, size_t S)
{
    const struct ken_attention_config *c = &attention->config;
    struct ken_attend job = { .q_start = (const size_t[]){ 0, T },
                              .k_start = (const size_t[]){ 0, S },
                              .B = 1,
                              .left = c->left,
                              .right = c->right,
                              .pattern = is_pattern(&c->pattern) ? &c->pattern : NULL,
                              .edges = seen->graph ? &seen->graph->edges : NULL };
    ken_attend_mask(mask, &job, 0);
}

/* ---- with a cache ---------------------------------------------------------------------------- */

void ken_attention_cache_cols(const struct ken_attention *attention, struct ken_cache_part *part)
{
    size_t values = attention->config.kv_heads * attention->E;
    part->k_cols = attention->config.score == KEN_SCORE_GAT ? attention->config.heads : values;
    part->cols = part->k_cols + values;
    part->state = ken_attention_is_linear(&attention->config);
    if (part->state) part->cols = ken_attention_linear_state(attention);
}

/* Copies the keys and values of the new rows to the cache, after the rows that the cache keeps for
 * each sequence. */
static void keep(const struct ken_cache_part *part, const struct ken_cache_batch *batch,
                 const struct parts *parts)
{
    ken_ragged rows = parts->options.queries;
    size_t k_cols = part->k_cols, v_cols = part->cols - k_cols;
    for (size_t b = 0; b < rows.count; b++) {
        float *to = part->rows + (batch->first[b] + batch->kept[b]) * part->cols;
        for (size_t i = rows.start[b]; i < rows.start[b + 1]; i++, to += part->cols) {
            const float *k = parts->k->data + i * parts->k->cols + parts->options.k_col;
            const float *v = parts->v->data + i * parts->v->cols + parts->options.v_col;
            memcpy(to, k, k_cols * sizeof *to);
            memcpy(to + k_cols, v, v_cols * sizeof *to);
        }
    }
}

static ken_tensor *go_on(ken_tape *tape, const struct ken_attention *attention,
                         const struct ken_attention_call *call)
{
    const struct ken_cache_batch *batch = call->cached;
    const struct ken_cache_part *part = call->part;
    const struct ken_cache *cache = batch->cache;
    bool cross = attention->config.cross;
    struct parts parts = project(tape, attention, call);
    if (ken_tape_status(tape)) return NULL;
    if (part->state) {
        ken_tensor *out = ken_attention_linear_go_on(tape, attention, parts.q, parts.k, parts.v,
                                                     &parts.options, batch, part);
        return ken_dense_apply(tape, &attention->out, out, KEN_ACT_NONE);
    }
    if (!cross) keep(part, batch, &parts);
    size_t there = cross ? cache->memory_rows : cache->slots * cache->room;
    parts.k = parts.v = ken_tape_constant(tape, part->rows, there, part->cols);
    parts.options.keys = (ken_ragged){ cross ? batch->memory_first : batch->first,
                                       call->rows.count };
    parts.options.k_count = cross ? batch->memory_count : batch->count;
    parts.options.k_col = 0;
    parts.options.v_col = part->k_cols;
    return attend(tape, attention, &parts, call->seen);
}

ken_tensor *ken_attention_apply(ken_tape *tape, const struct ken_attention *attention,
                                const struct ken_attention_call *call)
{
    return call->cached ? go_on(tape, attention, call) : apply_whole(tape, attention, call);
}
