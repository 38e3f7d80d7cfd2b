/* attend.h - attention over ragged sequences: out_i = sum over visible j of weight_ij v_j.
 *
 * Score, weigh and reach are chosen here; position comes as bias, as Shaw's vectors or in q and k:
 *   score   s_ij     dot       scale * q_i . k_j
 *                    additive  a_h . tanh(q_i + k_j)
 *                    gat       LeakyReLU(q_i + k_j), where q and k are one number a head (E = 1)
 *                    gatv2     a_h . LeakyReLU(q_i + k_j)
 *   weigh   w_ij     softmax   e^s_ij / sum over visible j        relu     max(s_ij, 0) / n_i
 *                    sigmoid   sigma(s_ij - ln n_i)               none     s_ij / n_i
 *                    sparsemax max(s_ij - tau_i, 0), tau_i such that the row adds up to 1
 *           n_i is the number of keys that query i sees: for a causal row t + 1, never padding.
 * Reach: query i of T sees key j of S when -left <= j - (i + S - T) <= right, so the last query is
 * aligned with the last key (a cache of earlier keys needs nothing special); or the keys that a
 * pattern shows it; or, with edges, those of its list. One that sees nothing has output and
 * gradient 0. Shaw's vectors, one for each i - j: score q_i . (k_j + shaw_k), value v_j + shaw_v.
 * Edges may carry K numbers f_ij: with p_i of each query s_ij += p_i . f_ij, whatever the score,
 * and edge_out_i = sum over j of weight_ij f_ij. As sum of w (v + B f) = out + B edge_out, that is
 * all it takes to add features of edges to values: no edge gets a row of a head's width.
 * The n x n matrix is never stored: tiles of it are computed, used and forgotten. */
#ifndef KERNEL_ATTEND_H
#define KERNEL_ATTEND_H

#include "kernel/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_ATTEND_WIDEST = 256,        /* head width, and numbers on an edge, at the most         */
    KEN_ATTEND_HEADS = 1024,        /* along edges, at the most                                */
    KEN_ATTEND_SEQUENCES = 1 << 21, /* of a batch, at the most: a table of them is kept shared */
};

/* Who sees whom, as lists over all rows of the batch, in both directions: forward walks the keys
 * of a query, backward also the queries of a key, so that no two tasks write the same row. */
struct ken_edges {
    const size_t *key_start;   /* (N + 1): keys of query i are key[key_start[i] ..]            */
    const uint32_t *key;       /* (edges), row numbers                                         */
    const size_t *query_start; /* (M + 1): edges into key j are edge[query_start[j] ..]        */
    const uint32_t *query;     /* (edges), the query of each                                   */
    const uint32_t *edge;      /* (edges), its place in `key`                                  */
};

struct ken_attend {
    const float *q, *k, *v;              /* rows of the batch, heads side by side          */
    size_t q_stride, k_stride, v_stride; /* floats from row to row                         */
    const size_t *q_start, *k_start;     /* (B + 1) each; the same for self-attention      */
    const size_t *k_count; /* (B) or NULL: keys of sequence b are k_start[b] .. + k_count[b]; NULL:
                            * up to k_start[b + 1]. Room between them, any order and shared keys are
                            * fine (a cache); backward needs sequences that share none */
    size_t B;
    size_t H;     /* query heads                                    */
    size_t KV;    /* key and value heads; H is a multiple of it     */
    size_t E, Ev; /* width per head of q and k, of v and out        */
    enum ken_score score;
    enum ken_weigh weigh;
    size_t left, right;                /* reach; KEN_UNLIMITED                           */
    const struct ken_pattern *pattern; /* or NULL; then left and right are not looked at */
    const struct ken_edges *edges;     /* or NULL                                        */
    float scale;                       /* of dot scores, usually 1 / sqrt(E)             */
    float leak;                        /* slope of LeakyReLU below 0                     */
    const float *vector;               /* (H, E), a of additive and gatv2                */
    const float *slope;                /* (H) or NULL: s_ij -= slope_h |i - j| (ALiBi)   */
    const float *bias;                 /* (H, 2 span + 1) or NULL: s_ij += bias_h(i - j), */
    size_t span;                       /*   i - j cut off at -span and span              */
    const float *shaw_k, *shaw_v;      /* (2 span + 1, E) and (2 span + 1, Ev), or NULL both */
    const float *edge_numbers;         /* (edges, K), f in the order of edges->key       */
    size_t K;                          /* they count if there is an edge_query           */
    const float *edge_query;           /* (N, H * K), p; or NULL                         */
    float *edge_out;                   /* (N, H * K)                                     */
    float dropout;                     /* of weights; survivors are scaled up            */
    uint64_t dropout_key;
    float *out; /* (N, H * Ev)                                    */
    size_t out_stride;
    float
        *log_sum; /* softmax: (N, H), ln of the row's sum, all that backward needs; NULL: not kept.
                     * Sparsemax: its tau. With edges instead (edges, H), always needed: the
                     * weights themselves                                                       */
};

/* Gradients, laid out like what they belong to; NULL: not wanted. All are added to. */
struct ken_attend_grad {
    const float *dout;
    float *dq, *dk, *dv;
    float *dvector; /* (H, E)            */
    float *dbias;   /* (H, 2 span + 1)   */
    float *dshaw_k, *dshaw_v;
    const float *dedge_out; /* (N, H * K); NULL: 0 */
    float *dedge_query;
    float *edge_work; /* (edges, H) floats of work space, when there are edges */
    float *row_work;  /* (N, H), for sparsemax without edges                   */
};

void ken_attend_forward(const struct ken_attend *job);
void ken_attend_backward(const struct ken_attend *job, const struct ken_attend_grad *grad);

/* The weights (T, S) of one head in one sequence as forward used them, before dropout. Edges
 * between the same two rows add up; those that leave the sequence have no place in it. */
void ken_attend_weights(float *weights, const struct ken_attend *job, size_t b, size_t h);

/* The same along edges: for attend.c. */
void ken_attend_edges_forward(const struct ken_attend *job);
void ken_attend_edges_backward(const struct ken_attend *job, const struct ken_attend_grad *grad);
void ken_attend_edges_weights(float *weights, const struct ken_attend *job, size_t b, size_t h);

/* The definitions: all pairs, plain loops, in double. */
void ken_attend_forward_ref(const struct ken_attend *job);
void ken_attend_backward_ref(const struct ken_attend *job, const struct ken_attend_grad *grad);

/* How many keys sequence b has. */
static inline size_t ken_attend_keys(const struct ken_attend *job, size_t b)
{
    return job->k_count ? job->k_count[b] : job->k_start[b + 1] - job->k_start[b];
}

/* Where the bias of two rows `offset` = i - j apart stands in a row of the table. */
static inline size_t ken_attend_bias_at(ptrdiff_t offset, size_t span)
{
    ptrdiff_t most = (ptrdiff_t)span;
    return (size_t)((offset < -most ? -most : offset > most ? most : offset) + most);
}

/* Keys that query i of T sees among S: *first .. *end - 1. */
static inline void ken_attend_reach(size_t *first, size_t *end, const struct ken_attend *job,
                                    size_t i, size_t T, size_t S)
{
    size_t at = i + S; /* of the key that query i is aligned with, plus T: stays unsigned */
    size_t low = job->left >= at ? 0 : at - job->left;
    size_t high = job->right >= T + S - at ? T + S : at + job->right + 1;
    *first = low > T ? low - T : 0;
    *end = high > T ? high - T : 0;
    if (*end > S) *end = S;
    if (*first > *end) *first = *end;
}

#endif
