/* op_attend.c - attention as an operation. It checks that options and shapes fit together. For
 * backward it keeps no n x n weights: only a log-sum or threshold per row and head or, for graphs,
 * a weight per edge and head. */
#include "kernel/attend.h"

#include "base/size.h"
#include "tensor/op_table.h"

#include <math.h>

enum { Q, K, V, VECTOR, BIAS, SHAW_K, SHAW_V, EDGE_QUERY };

/* Fills in the job for the attention kernel, for forward, backward and ken_attend_look(). Dropout
 * is seeded by the node's key, so backward drops the same weights as forward. */
static struct ken_attend make_job(const struct ken_node *node)
{
    const struct ken_attend_options *o = node->options;
    return (struct ken_attend){
        .q = node->in[Q]->data + o->q_col,
        .k = node->in[K]->data + o->k_col,
        .v = node->in[V]->data + o->v_col,
        .q_stride = node->in[Q]->cols,
        .k_stride = node->in[K]->cols,
        .v_stride = node->in[V]->cols,
        .q_start = o->queries.start,
        .k_start = o->keys.start,
        .k_count = o->k_count,
        .B = o->queries.count,
        .H = o->heads,
        .KV = o->kv_heads,
        .E = o->width,
        .Ev = o->value_width,
        .score = o->score,
        .weigh = o->weigh,
        .left = o->left,
        .right = o->right,
        .pattern = o->pattern,
        .edges = o->edges,
        .scale = o->scale,
        .leak = o->leak,
        .vector = node->in[VECTOR] ? node->in[VECTOR]->data : NULL,
        .slope = o->slope,
        .bias = node->in[BIAS] ? node->in[BIAS]->data : NULL,
        .span = o->span,
        .shaw_k = node->in[SHAW_K] ? node->in[SHAW_K]->data : NULL,
        .shaw_v = node->in[SHAW_V] ? node->in[SHAW_V]->data : NULL,
        .edge_numbers = o->edge_numbers,
        .K = o->edge_width,
        .edge_query = node->in[EDGE_QUERY] ? node->in[EDGE_QUERY]->data : NULL,
        .edge_out = node->out[1] ? node->out[1]->data : NULL,
        .dropout = o->dropout,
        .dropout_key = node->random_key,
        .out = node->out[0]->data,
        .out_stride = node->out[0]->cols,
        .log_sum = node->saved,
    };
}

/* Checks that the tensor `part` (q, k or v) has one row for each row of the batch, and `columns`
 * columns from column `col` on. */
static bool part_fits(ken_tape *tape, const char *name, const ken_tensor *part, size_t col,
                      size_t columns, const ken_ragged *rows)
{
    size_t wanted = rows->start[rows->count];
    if (part->rows == wanted && col + columns <= part->cols) return true;
    ken_tape_fail(tape, KEN_ERR_SHAPE,
                  "attend: %s is %zu x %zu, needs %zu rows and %zu columns from %zu", name,
                  part->rows, part->cols, wanted, columns, col);
    return false;
}

/* Checks that `part` (k or v) has the rows and columns that the keys need. If k_count is set, the
 * keys of a sequence may lie anywhere among the rows of `part`. */
static bool keys_fit(ken_tape *tape, const char *name, const ken_tensor *part, size_t col,
                     size_t columns, const struct ken_attend_options *o)
{
    if (!o->k_count) return part_fits(tape, name, part, col, columns, &o->keys);
    for (size_t b = 0; b < o->keys.count; b++)
        if (o->k_count[b] > part->rows || o->keys.start[b] > part->rows - o->k_count[b] ||
            col + columns > part->cols) {
            ken_tape_fail(tape, KEN_ERR_SHAPE,
                          "attend: %s is %zu x %zu, sequence %zu needs %zu rows from %zu and %zu "
                          "columns from %zu",
                          name, part->rows, part->cols, b, o->k_count[b], o->keys.start[b], columns,
                          col);
            return false;
        }
    return true;
}

/* Checks the pattern and Shaw's vectors. Returns a description of the first problem, or NULL if
 * there is none. */
static const char *wrong_sight(const struct ken_attend_options *o)
{
    const struct ken_pattern *pattern = o->pattern;
    bool blocks = pattern && pattern->kind > KEN_REACH_GLOBAL;
    size_t rows = 2 * o->span + 1;
    if (pattern && pattern->kind > KEN_REACH_SEGMENTS) return "unknown pattern";
    if (pattern && o->edges)
        return "reach=edges takes no other pattern: the links already say which rows see which";
    if (blocks && pattern->block == 0) return "reach_block must be 1 or more";
    if (pattern && pattern->kind == KEN_REACH_RANDOM && pattern->random > KEN_PATTERN_RANDOM)
        return "reach_random must be 0 to 32";
    if (!o->shaw_k != !o->shaw_v)
        return "shaw positions need vectors for the keys and for the values";
    if (!o->shaw_k) return NULL;
    if (o->score != KEN_SCORE_DOT) return "shaw positions need the dot score";
    if (o->edges) return "reach=edges takes no shaw positions: links have no order";
    if (o->shaw_k->rows != rows || o->shaw_k->cols != o->width || o->shaw_v->rows != rows ||
        o->shaw_v->cols != o->value_width)
        return "the vectors of shaw positions must be (2 span + 1) x width";
    return NULL;
}

/* Checks the edges (of a graph) and the edge features. Returns a description of the first problem,
 * or NULL if there is none. */
static const char *wrong_edges(const struct ken_attend_options *o, const ken_tensor *bias)
{
    if (o->edge_query && !o->edges) return "an edge_query needs edges";
    if (!o->edges) return NULL;
    if (bias || o->slope) return "reach=edges takes no bias by distance: links have no order";
    if (o->k_count) return "edges cannot be combined with k_count: they name rows of the batch";
    if (o->heads > KEN_ATTEND_HEADS) return "reach=edges takes at most 1024 heads";
    if (!o->edge_query) return NULL;
    if (!o->edge_numbers || !o->edge_out) return "an edge_query needs edge_numbers and edge_out";
    if (o->edge_width == 0 || o->edge_width > KEN_ATTEND_WIDEST)
        return "edge_width must be 1 to 256";
    return NULL;
}

/* Checks that the options fit together, apart from the shapes of q, k and v. The first problem is
 * recorded on the tape as a failure. */
static bool choices_fit(ken_tape *tape, const struct ken_attend_options *o,
                        const ken_tensor *vector, const ken_tensor *bias)
{
    bool sums = o->score == KEN_SCORE_ADDITIVE || o->score == KEN_SCORE_GATV2;
    const char *wrong = o->heads == 0 || o->kv_heads == 0 || o->heads % o->kv_heads
                            ? "heads must be a multiple of key and value heads"
                        : o->width == 0 || o->width > KEN_ATTEND_WIDEST || o->value_width == 0 ||
                                o->value_width > KEN_ATTEND_WIDEST
                            ? "the width of a head must be 1 to 256"
                        : o->queries.count != o->keys.count
                            ? "queries and keys have different numbers of sequences"
                        : sums != (vector != NULL)
                            ? "the scores additive and gatv2 need a vector, the others take none"
                        : vector && ken_tensor_size(vector) != o->heads * o->width
                            ? "the vector of the score must be heads x width"
                        : o->score == KEN_SCORE_GAT && o->width != 1
                            ? "the gat score takes one number per head as query and as key"
                        : bias && ken_tensor_size(bias) != o->heads * (2 * o->span + 1)
                            ? "the relative bias must be heads x (2 span + 1)"
                        : !(o->dropout >= 0 && o->dropout < 1)
                            ? "dropout must be at least 0 and below 1"
                        : o->weigh > KEN_WEIGH_SPARSEMAX
                            ? "weigh linear and performer have another operation"
                            : wrong_edges(o, bias);
    if (!wrong) wrong = wrong_sight(o);
    if (wrong) ken_tape_fail(tape, KEN_ERR_ARGUMENT, "attend: %s", wrong);
    return !wrong;
}

ken_tensor *ken_attend(ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *v,
                       const ken_tensor *vector, const ken_tensor *bias,
                       const struct ken_attend_options *options)
{
    if (tape->status) return NULL;
    struct ken_attend_options o = *options;
    if (o.kv_heads == 0) o.kv_heads = o.heads;
    if (o.value_width == 0) o.value_width = o.width;
    /* A dot score sums `width` products, so its variance is about `width`; after scaling, it is
     * about 1. */
    if (o.scale == 0) o.scale = 1 / sqrtf((float)o.width);
    if (!o.keys.start) o.keys = o.queries;
    if (!tape->training) o.dropout = 0;
    if (!choices_fit(tape, &o, vector, bias)) return NULL;
    if (!part_fits(tape, "q", q, o.q_col, o.heads * o.width, &o.queries) ||
        !keys_fit(tape, "k", k, o.k_col, o.kv_heads * o.width, &o) ||
        !keys_fit(tape, "v", v, o.v_col, o.kv_heads * o.value_width, &o) ||
        (o.edge_query &&
         !part_fits(tape, "edge_query", o.edge_query, 0, o.heads * o.edge_width, &o.queries)))
        return NULL;
    if (o.edge_query && o.edge_query->cols != o.heads * o.edge_width)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "attend: edge_query %zu x %zu, %zu heads x %zu",
                             o.edge_query->rows, o.edge_query->cols, o.heads, o.edge_width);
    struct ken_node *node = KEN_NODE(tape, KEN_OP_ATTEND, &o, q, k, v, vector, bias, o.shaw_k,
                                     o.shaw_v, o.edge_query);
    ken_tape_output(tape, node, q->rows, o.heads * o.value_width);
    ken_tensor *edge_out = NULL;
    if (o.edge_query) edge_out = ken_tape_output(tape, node, q->rows, o.heads * o.edge_width);
    ken_tensor *out = ken_tape_run(tape, node);
    if (o.edge_query) *o.edge_out = out ? edge_out : NULL;
    return out;
}

/* Computes attention and saves the numbers that backward needs. Softmax saves the log-sum of each
 * row and head, from which backward computes the weights again; sparsemax saves the threshold; the
 * other kinds of weigh (how scores become weights) need only the scores. With edges, a weight is
 * stored for each edge and head even when not recording, because forward itself needs it. */
ken_status ken_attend_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_attend_options *o = node->options;
    size_t kept = o->edges ? o->edges->key_start[node->in[Q]->rows] : node->in[Q]->rows;
    bool summed = o->weigh == KEN_WEIGH_SOFTMAX || o->weigh == KEN_WEIGH_SPARSEMAX;
    if (o->edges || (summed && ken_tape_keeps(tape, node)))
        KEN_TRY(ken_tape_take(tape, &node->saved, kept * o->heads));
    struct ken_attend job = make_job(node);
    ken_attend_forward(&job);
    return KEN_OK;
}

/* Adds the gradients of q, k and v. All three may be columns of one tensor; then its one gradient
 * array receives all of them. */
ken_status ken_attend_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_attend_options *o = node->options;
    struct ken_attend job = make_job(node);
    struct ken_attend_grad grad = { .dout = node->out[0]->grad };
    KEN_TRY(ken_tape_grad(tape, node->in[Q], &grad.dq));
    KEN_TRY(ken_tape_grad(tape, node->in[K], &grad.dk));
    KEN_TRY(ken_tape_grad(tape, node->in[V], &grad.dv));
    KEN_TRY(ken_tape_grad(tape, node->in[VECTOR], &grad.dvector));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &grad.dbias));
    KEN_TRY(ken_tape_grad(tape, node->in[SHAW_K], &grad.dshaw_k));
    KEN_TRY(ken_tape_grad(tape, node->in[SHAW_V], &grad.dshaw_v));
    KEN_TRY(ken_tape_grad(tape, node->in[EDGE_QUERY], &grad.dedge_query));
    if (node->out[1]) grad.dedge_out = node->out[1]->grad;
    if (grad.dq) grad.dq += o->q_col;
    if (grad.dk) grad.dk += o->k_col;
    if (grad.dv) grad.dv += o->v_col;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    if (o->edges)
        KEN_TRY(ken_tape_take(tape, &grad.edge_work,
                              o->edges->key_start[node->in[Q]->rows] * o->heads));
    else if (o->weigh == KEN_WEIGH_SPARSEMAX)
        KEN_TRY(ken_tape_take(tape, &grad.row_work, node->in[Q]->rows * o->heads));
    ken_attend_backward(&job, &grad);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_attend_look(float *weights, const ken_tape *tape, const ken_tensor *out, size_t b,
                           size_t h)
{
    for (const struct ken_node *node = tape->last; node; node = node->before) {
        if (node->op != KEN_OP_ATTEND || node->out[0] != out) continue;
        const struct ken_attend_options *o = node->options;
        if (b >= o->queries.count || h >= o->heads)
            return ken_fail(KEN_ERR_ARGUMENT, "look: no head %zu in a sequence %zu", h, b);
        struct ken_attend job = make_job(node);
        ken_attend_weights(weights, &job, b, h);
        return KEN_OK;
    }
    return ken_fail(KEN_ERR_STATE, "look: not the output of a recorded attention");
}
