/* attention.h - multi-head attention with its projections, a layer with four independent choices:
 * score, weigh (how scores become weights, usually softmax), reach (the mask) and position. */
#ifndef LAYER_ATTENTION_H
#define LAYER_ATTENTION_H

#include "kernel/offset.h"
#include "layer/cache.h"
#include "layer/dense.h"
#include "layer/graph.h"

enum { KEN_HEADS_MOST = 256, KEN_SPAN_MOST = 1 << 24 };

/* Positions that act inside attention. What is added to the input is in layer/position.h. */
enum ken_attention_position {
    KEN_ATTENTION_NO_POSITION,
    KEN_ATTENTION_ROTARY,
    KEN_ATTENTION_ALIBI,
    KEN_ATTENTION_RELATIVE,  /* a learned bias for each head and offset up to `span` */
    KEN_ATTENTION_SHAW,      /* learned vectors for each of these, added to k and v  */
    KEN_ATTENTION_BUCKETS,   /* for each head and bucket of offsets: kernel/offset.h  */
    KEN_ATTENTION_QUADRATIC, /* a parabola over offsets up to `span` for each head    */
    KEN_ATTENTION_FLOATER    /* biases of q, k and v that come from outside           */
};

struct ken_attention_config {
    size_t width; /* D of the rows that ask                                   */
    size_t heads;
    size_t kv_heads; /* 0 = same as heads                                        */
    bool cross;      /* keys and values come from another sequence of width D    */
    enum ken_score score;
    enum ken_weigh weigh;
    enum ken_reach reach;
    size_t left, right;         /* of a window, also that of a pattern                         */
    struct ken_pattern pattern; /* of the kinds that are lists of ranges; else it is a window  */
    size_t landmarks;           /* of reach nystrom                                            */
    size_t features;            /* of weigh performer, and the                                 */
    uint64_t seed;              /* seed of their directions                                    */
    enum ken_attention_position position;
    size_t axes; /* coordinates of a place, of rotary positions: 1 or 2; 0 means 1 */
    size_t span; /* of the relative bias, or Shaw's vectors                  */
    bool past;   /* all buckets are for keys before the query, as in a decoder */
    bool biased;
    float dropout;     /* of the weights                                           */
    size_t edge_width; /* numbers of each edge of a graph; 0 = none                */

    /* Attention alone, as in graph attention networks: followed by a bias, not by a projection. */
    bool bare;
    bool projected;    /* x is what its projection would give: of a first block    */
    bool mean;         /* of all heads, instead of one beside the other            */
    size_t head_width; /* of one head; 0: width / heads                            */
};

/* Floater's biases, of all blocks that a stream goes through. */
struct ken_shift {
    const ken_tensor
        *table;          /* of queries, keys and values, places below each other; or NULL      */
    const size_t *first; /* (blocks, B): its row for the first row of each sequence            */
};

struct ken_attention {
    struct ken_attention_config config;
    size_t E;                  /* width per head                                     */
    struct ken_dense project;  /* x -> q, k, v side by side; of cross-attention q    */
    struct ken_dense remember; /* cross-attention: memory -> k, v                    */
    struct ken_dense out;
    struct ken_dense edge_ask; /* what edges' numbers are multiplied by, from q, k and v */
    struct ken_dense edge_out; /* (D, heads * edge_width): of the edges that were seen */
    ken_tensor bias;           /* (1, ...), behind bare attention                     */
    ken_tensor vector;         /* (heads, E), additive, gatv2                        */
    ken_tensor ask, answer;    /* (heads, E), the two halves of GAT's a              */
    ken_tensor relative;       /* (heads, 2 span + 1)                                */
    ken_tensor buckets;        /* (heads, KEN_BUCKETS)                               */
    ken_tensor sharp, centre;  /* (1, heads), quadratic                              */
    int32_t bucket[2 * KEN_BUCKETS_SPAN + 1];
    ken_tensor shaw_k, shaw_v;    /* (2 span + 1, E)                                         */
    float slopes[KEN_HEADS_MOST]; /* ALiBi                                                   */
    float *random;                /* (features, E), directions of a performer                */
};

/* What ken_attention_look() needs of a call: the results of its products, on the call's tape. */
struct ken_seen {
    const ken_tensor *out;
    const ken_tensor *middle, *far; /* reach nystrom: of its other two products */
};

/* One call: everything that is not the layer itself. Only x and rows are always there. */
struct ken_attention_call {
    ken_tensor *x;                        /* (N, D), the rows that ask                         */
    ken_ragged rows;                      /* their sequences                                   */
    const int32_t *places;                /* (N, axes), or NULL: a row's index in its sequence */
    struct ken_shift shift;               /* of floater, from the row of this block on         */
    ken_tensor *memory;                   /* (M, D), of cross-attention without a cache        */
    ken_ragged memory_rows;               /* and its sequences                                 */
    const struct ken_graph *graph;        /* who sees whom, or NULL                            */
    const struct ken_cache_batch *cached; /* NULL: the rows are whole sequences; else they go  *
                                           * on where the cache has their sequences, and keys  *
                                           * and values of x are kept in                       */
    const struct ken_cache_part *part;    /* (those of a memory are there already). Not for    *
                                           * training                                          */
    struct ken_seen *seen;                /* gets what a look needs; or NULL                   */
};

/* Sets all fields but the memory of the parameters. Choices that do not go together are
 * KEN_ERR_ARGUMENT, and the message names them. */
ken_status ken_attention_init(struct ken_attention *attention,
                              const struct ken_attention_config *config);
void ken_attention_release(struct ken_attention *attention); /* what is not a parameter */
void ken_attention_visit(struct ken_attention *attention, ken_visitor *visitor, const char *name);

/* Columns of what the projection makes of a row: queries, keys, values, as the score has them. */
size_t ken_attention_columns(const struct ken_attention *attention);

/* (N, D) -> (N, D); bare attention gives its heads, or their mean. */
ken_tensor *ken_attention_apply(ken_tape *tape, const struct ken_attention *attention,
                                const struct ken_attention_call *call);

/* The weights (T, S) of head h in sequence b of the call that was recorded on this tape. */
ken_status ken_attention_look(float *weights, ken_tape *tape, const struct ken_attention *attention,
                              const struct ken_seen *seen, size_t b, size_t h, size_t T);

/* The width of a row of the cache, and of the key in it. */
void ken_attention_cache_cols(const struct ken_attention *attention, struct ken_cache_part *part);

/* The bias (heads, 2 span + 1) of its scores by offset, or NULL; ALiBi has its slopes instead. */
const ken_tensor *ken_attention_bias(ken_tape *tape, const struct ken_attention *attention);

/* ALiBi's slope of head h of `heads`. */
float ken_attention_slope(size_t h, size_t heads);

#endif
