/* attention.h - multi-head attention with its projections, a layer with four independent choices:
 * score, weigh (how scores become weights, usually softmax), reach (the mask) and position. */
#ifndef LAYER_ATTENTION_H
#define LAYER_ATTENTION_H

#include "kernel/offset.h"
#include "layer/cache.h"
#include "layer/dense.h"
#include "layer/graph.h"

enum { KEN_HEADS_MOST = 256, KEN_SPAN_MOST = 1 << 24 };

/* Positions that act inside attention. Those that are added to the input: layer/position.h. */
enum ken_attention_position {
    KEN_ATTENTION_NO_POSITION,
    KEN_ATTENTION_ROTARY,
    KEN_ATTENTION_ALIBI,
    KEN_ATTENTION_RELATIVE,  /* a learned bias for each head and offset up to `span`           */
    KEN_ATTENTION_SHAW,      /* learned vectors for each such offset, added to k and v         */
    KEN_ATTENTION_BUCKETS,   /* a learned bias for each head and range of offsets              */
    KEN_ATTENTION_QUADRATIC, /* a parabola over offsets up to `span` for each head             */
    KEN_ATTENTION_FLOATER    /* biases of q, k and v, which the call passes (struct ken_shift) */
};

struct ken_attention_config {
    size_t width; /* D: columns of the rows that are queries */
    size_t heads;
    size_t kv_heads; /* 0 = same as heads                                     */
    bool cross;      /* keys and values come from another sequence of width D */
    enum ken_score score;
    enum ken_weigh weigh;
    enum ken_reach reach;
    size_t left, right;         /* the window, also within a pattern                          */
    struct ken_pattern pattern; /* for reach global to segments; its kind is window otherwise */
    size_t landmarks;           /* for reach nystrom                                          */
    size_t features;            /* for weigh performer: random features per head              */
    uint64_t seed;              /* and the seed of their directions                           */
    enum ken_attention_position position;
    size_t axes;       /* rotary positions: coordinates of a place, 1 or 2; 0 = 1    */
    size_t span;       /* largest offset of relative, shaw and quadratic positions   */
    bool past;         /* all buckets are for keys before the query, as in a decoder */
    bool biased;       /* the projections have biases                                */
    float dropout;     /* on attention weights                                       */
    size_t edge_width; /* numbers of each edge of a graph; 0 = none                  */

    /* Bare attention, as in graph attention networks: a bias follows it, not a projection. */
    bool bare;
    bool projected;    /* x is projected already: the first block of a model        */
    bool mean;         /* the result is the mean of the heads, not all side by side */
    size_t head_width; /* width of one head; 0 = width / heads                      */
};

/* Floater's biases for all blocks of a stream. */
struct ken_shift {
    /* One row for each block and place: the biases of queries, keys and values side by side. NULL
     * if there are none. */
    const ken_tensor *table;
    const size_t *first; /* (blocks, B): the row of `table` for the first row of each sequence */
};

struct ken_attention {
    struct ken_attention_config config;
    size_t E;                  /* width per head                                       */
    struct ken_dense project;  /* x -> q, k, v side by side; in cross-attention q only */
    struct ken_dense remember; /* cross-attention: memory -> k, v                      */
    struct ken_dense out;
    struct ken_dense edge_ask; /* q, k, v -> the vector that edges' numbers are multiplied by */
    struct ken_dense edge_out; /* (D, heads * edge_width), for the sums of edges' numbers     */
    ken_tensor bias;           /* (1, ...), after bare attention                              */
    ken_tensor vector;         /* (heads, E), additive, gatv2                                 */
    ken_tensor ask, answer;    /* (heads, E), the two halves of GAT's a                       */
    ken_tensor relative;       /* (heads, 2 span + 1)                                         */
    ken_tensor buckets;        /* (heads, KEN_BUCKETS)                                        */
    ken_tensor sharp, centre;  /* (1, heads), quadratic                                       */
    int32_t bucket[2 * KEN_BUCKETS_SPAN + 1];
    ken_tensor shaw_k, shaw_v;    /* (2 span + 1, E)                          */
    float slopes[KEN_HEADS_MOST]; /* ALiBi                                    */
    float *random;                /* (features, E), directions of a performer */
};

/* The record of a call that ken_attention_look() needs: results on the call's tape. */
struct ken_seen {
    const ken_tensor *out;          /* of the attention operation                 */
    const ken_tensor *middle, *far; /* reach nystrom: of its other two operations */
};

/* The arguments of one call. Only x and rows are always required. */
struct ken_attention_call {
    ken_tensor *x;                 /* (N, D), the rows that are queries              */
    ken_ragged rows;               /* their sequences                                */
    const int32_t *places;         /* (N, axes); NULL: a row's index in its sequence */
    struct ken_shift shift;        /* floater's biases; `first` begins at this block */
    ken_tensor *memory;            /* (M, D), for cross-attention without a cache    */
    ken_ragged memory_rows;        /* its sequences                                  */
    const struct ken_graph *graph; /* which rows see which, or NULL                  */

    /* With a cache (not for training) the rows of x continue the sequences that it holds: their
     * keys and values are added to `part`, except in cross-attention, where `part` holds those of
     * the memory. NULL: the rows are whole sequences. */
    const struct ken_cache_batch *cached;
    const struct ken_cache_part *part;
    struct ken_seen *seen; /* receives the record for a look; or NULL */
};

/* Sets all fields but the memory of the parameters. Choices that do not fit together are
 * KEN_ERR_ARGUMENT, and the message names them. */
ken_status ken_attention_init(struct ken_attention *attention,
                              const struct ken_attention_config *config);
void ken_attention_release(struct ken_attention *attention); /* frees all but the parameters */
void ken_attention_visit(struct ken_attention *attention, ken_visitor *visitor, const char *name);

/* The number of columns of the projection of a row: queries, keys and values, as far as the score
 * has them. */
size_t ken_attention_columns(const struct ken_attention *attention);

/* (N, D) -> (N, D); bare attention gives its heads side by side, or their mean. */
ken_tensor *ken_attention_apply(ken_tape *tape, const struct ken_attention *attention,
                                const struct ken_attention_call *call);

/* Copies the attention weights (T, S) of head h in sequence b of a call recorded on this tape. */
ken_status ken_attention_look(float *weights, ken_tape *tape, const struct ken_attention *attention,
                              const struct ken_seen *seen, size_t b, size_t h, size_t T);

/* Sets the width of a row of the cache, and of the key in it. */
void ken_attention_cache_cols(const struct ken_attention *attention, struct ken_cache_part *part);

/* The bias (heads, 2 span + 1) that is added to scores by offset; NULL if there is none. ALiBi uses
 * its slopes instead. */
const ken_tensor *ken_attention_bias(ken_tape *tape, const struct ken_attention *attention);

/* The slope of ALiBi for head h of `heads`. */
float ken_attention_slope(size_t h, size_t heads);

#endif
