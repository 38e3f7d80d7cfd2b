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
    KEN_ATTENTION_RELATIVE,  /* a learned bias for each head and offset up to `span`              */
    KEN_ATTENTION_SHAW,      /* learned vectors for each offset up to `span`, added to k and v    */
    KEN_ATTENTION_BUCKETS,   /* a learned bias for each head and range of offsets                 */
    KEN_ATTENTION_QUADRATIC, /* for each head, a parabola over offsets up to `span`               */
    KEN_ATTENTION_FLOATER    /* biases of q, k and v, which the caller passes in struct ken_shift */
};

struct ken_attention_config {
    size_t width; /* D, columns of the rows that ask (the queries) */
    size_t heads;
    size_t kv_heads; /* number of key/value heads; 0 = same as heads          */
    bool cross;      /* keys and values come from another sequence of width D */
    enum ken_score score;
    enum ken_weigh weigh;
    enum ken_reach reach;
    size_t left, right;         /* window, also inside a pattern: rows before and after a query */
    struct ken_pattern pattern; /* the mask, for all reaches from global to segments            */
    size_t landmarks;           /* reach nystrom: maximum number of landmarks per sequence      */
    size_t features;            /* weigh performer: number of random features per head          */
    uint64_t seed;              /* weigh performer: seed of the random directions               */
    enum ken_attention_position position;
    size_t axes;       /* rotary positions: coordinates of a place, 1 or 2; 0 = 1      */
    size_t span;       /* largest offset of relative, shaw and quadratic positions     */
    bool past;         /* position buckets: only for keys before the query (a decoder) */
    bool biased;       /* the projections have biases                                  */
    float dropout;     /* probability of dropping an attention weight                  */
    size_t edge_width; /* how many numbers each edge of a graph has; 0 = none          */

    /* True for bare attention, as in graph attention networks: a bias follows the attention instead
     * of an output projection. */
    bool bare;
    bool projected;    /* x already holds q, k and v: first block of a bare model */
    bool mean;         /* average the heads instead of putting them side by side  */
    size_t head_width; /* width of one head; 0 = width / heads                    */
};

/* The biases of floater positions for all blocks of a stream (encoder or decoder). */
struct ken_shift {
    /* Tensor with one row for each block and place, which holds the biases of queries, keys and
     * values side by side. NULL if there are no biases. */
    const ken_tensor *table;
    const size_t *first; /* (blocks, B): the row of `table` for the first row of each sequence */
};

struct ken_attention {
    struct ken_attention_config config;
    size_t E;                  /* width of a head                                      */
    struct ken_dense project;  /* x -> q, k, v side by side; in cross-attention q only */
    struct ken_dense remember; /* cross-attention: memory -> k, v                      */
    struct ken_dense out;
    struct ken_dense edge_ask; /* q, k, v -> vectors that are multiplied by the numbers on edges */
    struct ken_dense edge_out; /* (D, heads * edge_width), projects the sums of numbers on edges */
    ken_tensor bias;           /* (1, columns of the result), added after bare attention         */
    ken_tensor vector;         /* (heads, E), for the scores additive and gatv2                  */
    ken_tensor ask, answer;    /* (heads, E), the two halves of the vector a of GAT              */
    ken_tensor relative;       /* (heads, 2 span + 1), relative positions                        */
    ken_tensor buckets;        /* (heads, KEN_BUCKETS), position buckets                         */
    ken_tensor sharp, centre;  /* (1, heads), quadratic positions                                */
    int32_t bucket[2 * KEN_BUCKETS_SPAN + 1];
    ken_tensor shaw_k, shaw_v;    /* (2 span + 1, E), shaw positions                 */
    float slopes[KEN_HEADS_MOST]; /* one ALiBi slope per head                        */
    float *random;                /* (features, E), random directions of a performer */
};

/* What ken_attention_look() needs of a call: results on the tape of the call. */
struct ken_seen {
    const ken_tensor *out;          /* result of the attention operation                  */
    const ken_tensor *middle, *far; /* reach nystrom: results of its other two operations */
    const struct ken_graph *graph;  /* the graph of the call; NULL if there was none      */
};

/* The arguments of one call of ken_attention_apply(). Only x and rows are always required. */
struct ken_attention_call {
    ken_tensor *x;          /* (N, D), the rows that ask (the queries)                           */
    ken_ragged rows;        /* the sequences that the rows of x form                             */
    const int32_t *places;  /* (N, axes); NULL: a row's index in its sequence                    */
    struct ken_shift shift; /* floater's biases; shift.first begins at this block                */
    ken_tensor *memory;     /* (M, D), the encoder's result, for cross-attention without a cache */
    ken_ragged memory_rows; /* the sequences that the rows of `memory` form                      */
    const struct ken_graph *graph; /* which rows attend to which rows; NULL = not a graph */

    /* Cache, not for training: the rows of x continue the sequences that `part` holds, and their
     * keys and values are added to `part`. In cross-attention `part` holds the keys
     * and values of the encoder's rows, and nothing is added. NULL: x has whole sequences. */
    const struct ken_cache_batch *cached;
    const struct ken_cache_part *part;
    struct ken_seen *seen; /* receives the record for ken_attention_look(); or NULL */
};

/* Sets all fields except the memory of the parameters. Options that do not fit together give
 * KEN_ERR_ARGUMENT, and the message names them. */
ken_status ken_attention_init(struct ken_attention *attention,
                              const struct ken_attention_config *config);
/* Frees the memory of an attention layer, except that of its parameters. */
void ken_attention_release(struct ken_attention *attention);
void ken_attention_visit(struct ken_attention *attention, ken_visitor *visitor, const char *name);

/* Returns the number of columns of a row's projection: queries, keys and values, as far as the
 * score needs a projection for each. */
size_t ken_attention_columns(const struct ken_attention *attention);

/* Applies attention: x (N, D) -> (N, D). Bare attention returns its heads side by side, or their
 * mean. */
ken_tensor *ken_attention_apply(ken_tape *tape, const struct ken_attention *attention,
                                const struct ken_attention_call *call);

/* Copies the attention weights (T queries, S keys) of head h in sequence b. `seen` is the record of
 * a call that is recorded on `tape`. */
ken_status ken_attention_look(float *weights, ken_tape *tape, const struct ken_attention *attention,
                              const struct ken_seen *seen, size_t b, size_t h, size_t T);

/* Writes mask (T, S) for the first sequence of the call that `seen` records: 1 where query i may
 * attend to key j, else 0. */
void ken_attention_mask(unsigned char *mask, const struct ken_attention *attention,
                        const struct ken_seen *seen, size_t T, size_t S);

/* Sets part->cols, the width of a row of the cache, and part->k_cols, the width of the key in
 * it. */
void ken_attention_cache_cols(const struct ken_attention *attention, struct ken_cache_part *part);

/* Returns the bias (heads, 2 span + 1) that is added to scores by offset; NULL if there is none.
 * ALiBi has no such bias: its slopes are used instead. */
const ken_tensor *ken_attention_bias(ken_tape *tape, const struct ken_attention *attention);

/* Returns the ALiBi slope of head h, if there are `heads` heads. */
float ken_attention_slope(size_t h, size_t heads);

#endif
