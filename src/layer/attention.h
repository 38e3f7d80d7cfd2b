/* attention.h - multi-head attention with its projections, a layer with four independent choices:
 * score, weigh (how scores become weights, usually softmax), reach (the mask) and position. */
#ifndef LAYER_ATTENTION_H
#define LAYER_ATTENTION_H

#include "kernel/offset.h"
#include "layer/cache.h"
#include "layer/dense.h"
#include "layer/graph.h"

enum { KEN_HEADS_MOST = 256, KEN_SPAN_MOST = 1 << 24 };

/* Positions that act inside attention. For positions that are added to the input, see
 * layer/position.h. */
enum ken_attention_position {
    KEN_ATTENTION_NO_POSITION,
    KEN_ATTENTION_ROTARY,
    KEN_ATTENTION_ALIBI,
    KEN_ATTENTION_RELATIVE,  /* learned bias for each head and each offset up to `span`         */
    KEN_ATTENTION_SHAW,      /* learned vectors by offset up to `span`, added to k and v        */
    KEN_ATTENTION_BUCKETS,   /* learned bias for each head and each range of offsets            */
    KEN_ATTENTION_QUADRATIC, /* learned bias of each head: a parabola over offsets up to `span`  */
    KEN_ATTENTION_FLOATER    /* biases of q, k and v that the caller passes in struct ken_shift */
};

struct ken_attention_config {
    size_t width; /* width D of the rows that ask (the queries) */
    size_t heads;
    size_t kv_heads; /* number of key/value heads; 0 = same as heads                  */
    bool cross;      /* keys and values come from another sequence, of the same width */
    enum ken_score score;
    enum ken_weigh weigh;
    enum ken_reach reach;
    size_t left, right;         /* window (also in patterns): rows seen before and after a query */
    struct ken_pattern pattern; /* the mask, if reach is one of KEN_REACH_GLOBAL to _SEGMENTS    */
    size_t landmarks;           /* if reach is nystrom: maximum number of landmarks per sequence */
    size_t features;            /* if weigh is performer: number of random features per head     */
    uint64_t seed;              /* if weigh is performer: seed of the random directions          */
    enum ken_attention_position position;
    size_t axes;       /* rotary positions: coordinates of a place, 1 or 2; 0 counts as 1   */
    size_t span;       /* largest offset of relative, shaw and quadratic positions          */
    bool past;         /* true: only keys before the query have position buckets (decoder)  */
    bool biased;       /* true: the projections have biases                                 */
    float dropout;     /* probability of dropping an attention weight                       */
    size_t edge_width; /* number of features of each edge of a graph; 0 = none              */

    /* True for bare attention, as in graph attention networks: there is a bias instead of an output
     * projection. */
    bool bare;
    bool projected;    /* true: x already holds q, k and v, as in the first block of a bare model */
    bool mean;         /* true: average the heads instead of putting them side by side            */
    size_t head_width; /* width of one head; 0 = width / heads                                    */
};

/* The biases of floater positions for all blocks of a stream (encoder or decoder). */
struct ken_shift {
    /* One row for each block and place: the biases of queries, keys and values side by side. NULL
     * if there are no biases. */
    const ken_tensor *table;
    /* For each block, one entry per sequence: the row of `table` for the sequence's first row. */
    const size_t *first;
};

struct ken_attention {
    struct ken_attention_config config;
    size_t E;                  /* width of a head                                           */
    struct ken_dense project;  /* projects x to q, k, v side by side; cross-attention: to q */
    struct ken_dense remember; /* cross-attention: projects the encoder's rows to k and v   */
    struct ken_dense out;
    struct ken_dense edge_ask; /* computes from q, k, v the factors of edge features  */
    struct ken_dense edge_out; /* projects the weighted sums of edge features         */
    ken_tensor bias;           /* bias added after bare attention                     */
    ken_tensor vector;         /* (heads, E): vector of additive and gatv2 scores     */
    ken_tensor ask, answer;    /* (heads, E): vectors of GAT for queries and for keys */
    ken_tensor relative;       /* (heads, 2 span + 1): biases of relative positions   */
    ken_tensor buckets;        /* (heads, KEN_BUCKETS): biases of position buckets    */
    ken_tensor sharp, centre;  /* (1, heads): parameters of quadratic positions       */
    int32_t bucket[2 * KEN_BUCKETS_SPAN + 1];
    ken_tensor shaw_k, shaw_v;    /* (2 span + 1, E): vectors of shaw positions   */
    float slopes[KEN_HEADS_MOST]; /* one ALiBi slope per head                     */
    float *random;                /* (features, E): random vectors of a performer */
};

/* The results of a call that ken_attention_look() needs; they lie on the tape of the call. */
struct ken_seen {
    const ken_tensor *out;          /* result of the attention operation                  */
    const ken_tensor *middle, *far; /* if reach is nystrom: results of its two other operations */
    const struct ken_graph *graph;  /* the graph of the call; NULL if there was none      */
};

/* The arguments of one call of ken_attention_apply(). Only x and rows are always required. */
struct ken_attention_call {
    ken_tensor *x;          /* (N, D): the rows that ask (the queries)                       */
    ken_ragged rows;        /* the sequences that the rows of x form                         */
    const int32_t *places;  /* place of each row, (N, axes); NULL: its index in its sequence */
    struct ken_shift shift; /* floater's biases; shift.first points to this block's entries  */
    ken_tensor *memory;     /* the encoder's result, for cross-attention without a cache     */
    ken_ragged memory_rows; /* the sequences that the rows of `memory` form                  */
    const struct ken_graph *graph; /* which rows attend to which; NULL: not a graph */

    /* A cache, never used in training. `cached` names the sequences of the batch, and `part` holds
     * their keys and values. If `cached` is NULL, there is no cache, and x has whole sequences.
     * Self-attention adds the keys and values of x to `part`, because the rows of x continue the
     * sequences. Cross-attention adds nothing: `part` holds the keys and values of the encoder's
     * rows. */
    const struct ken_cache_batch *cached;
    const struct ken_cache_part *part;
    struct ken_seen *seen; /* receives the record for ken_attention_look(); or NULL */
};

/* Sets all fields except the memory of the parameters. Returns KEN_ERR_ARGUMENT if options do not
 * fit together; the message names them. */
ken_status ken_attention_init(struct ken_attention *attention,
                              const struct ken_attention_config *config);
/* Frees the memory of an attention layer, except the memory of its parameters. */
void ken_attention_release(struct ken_attention *attention);
void ken_attention_visit(struct ken_attention *attention, ken_visitor *visitor, const char *name);

/* Returns the number of columns to which `project` maps a row: usually those of queries, keys and
 * values together. Cross-attention, GAT and bare GATv2 need fewer. */
size_t ken_attention_columns(const struct ken_attention *attention);

/* Applies attention to N rows of width D. The result has the same shape; in bare attention, it has
 * the heads side by side, or their mean. */
ken_tensor *ken_attention_apply(ken_tape *tape, const struct ken_attention *attention,
                                const struct ken_attention_call *call);

/* Copies the attention weights of head h in sequence b, one row per query and one column per key.
 * `seen` is the record of a call that is recorded on `tape`. */
ken_status ken_attention_look(float *weights, ken_tape *tape, const struct ken_attention *attention,
                              const struct ken_seen *seen, size_t b, size_t h, size_t T);

/* Writes a mask with one row per query and one column per key, for the first sequence of the call
 * that `seen` records: 1 where the query may attend to the key, else 0. */
void ken_attention_mask(unsigned char *mask, const struct ken_attention *attention,
                        const struct ken_seen *seen, size_t T, size_t S);

/* Sets part->cols, the width of a row of the cache, and part->k_cols, the width of the key in that
 * row. */
void ken_attention_cache_cols(const struct ken_attention *attention, struct ken_cache_part *part);

/* Returns the bias (heads, 2 span + 1): for each head, the number that is added to scores at each
 * offset. NULL if there is none; ALiBi has none, because it uses slopes. */
const ken_tensor *ken_attention_bias(ken_tape *tape, const struct ken_attention *attention);

/* Returns the ALiBi slope of head h of `heads` heads. */
float ken_attention_slope(size_t h, size_t heads);

#endif
