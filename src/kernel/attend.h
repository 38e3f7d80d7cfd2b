/* attend.h - attention over a ragged batch: out_i = sum over visible j of weight_ij v_j.
 *
 * A job chooses score (how well a key fits a query), weigh (how scores become weights, usually
 * softmax) and reach (the attention mask). Position enters as a bias, as Shaw's vectors, or was put
 * into q and k before.
 *   score   s_ij     dot       scale * q_i . k_j
 *                    additive  a_h . tanh(q_i + k_j)
 *                    gat       LeakyReLU(q_i + k_j), where q and k are one number a head (E = 1)
 *                    gatv2     a_h . LeakyReLU(q_i + k_j)
 *   weigh   w_ij     softmax   e^s_ij / sum over visible j        relu     max(s_ij, 0) / n_i
 *                    sigmoid   sigma(s_ij - ln n_i)               none     s_ij / n_i
 *                    sparsemax max(s_ij - tau_i, 0), tau_i such that the row adds up to 1
 *           n_i is the number of keys that query i sees; in row t of a causal sequence it is t + 1.
 *   reach   Query i of T sees key j of S if -left <= j - (i + S - T) <= right: the last query is
 *           aligned with the last key, so a cache of earlier keys needs nothing special. With a
 *           pattern, a query sees the keys that the pattern gives it; with edges, those of its
 *           list. A query that sees no key has output 0 and gradient 0.
 * Shaw's vectors, one for each i - j, make the score q_i . (k_j + shaw_k) and the value v_j +
 * shaw_v. Edges may carry K features f_ij. With K factors p_i of the query, the features change
 * every kind of score, s_ij += p_i . f_ij, and edge_out_i = sum over j of weight_ij f_ij. From
 * edge_out the caller can compute values that depend on edges, because sum of w (v + B f) = out +
 * B edge_out. The n x n matrix is never stored: tiles of it are computed, used and forgotten. */
#ifndef KERNEL_ATTEND_H
#define KERNEL_ATTEND_H

#include "kernel/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_ATTEND_WIDEST = 256,        /* maximum width of a head; maximum number of edge features */
    KEN_ATTEND_HEADS = 1024,        /* maximum number of heads for attention along edges        */
    KEN_ATTEND_SEQUENCES = 1 << 21, /* maximum sequences per batch: limited by shared memory    */
};

/* Edges: which query sees which key, as lists over all rows of the batch, in both directions.
 * Forward walks the keys of a query; backward also walks the queries of a key, so that no two tasks
 * write the same row. */
struct ken_edges {
    const size_t *key_start;   /* keys of query i: key[key_start[i]] .. key[key_start[i + 1] - 1] */
    const uint32_t *key;       /* row of each edge's key; edges sorted by query                   */
    const size_t *query_start; /* queries of key j: query[query_start[j]] and following           */
    const uint32_t *query;     /* row of each edge's query; edges sorted by key                   */
    const uint32_t *edge;      /* for each entry of `query`, the same edge's index in `key`       */
};

struct ken_attend {
    const float *q, *k, *v;              /* queries, keys, values: heads side by side in a row */
    size_t q_stride, k_stride, v_stride; /* floats from one row to the next                    */
    const size_t *q_start, *k_start;     /* first row of each sequence, B + 1 entries          */
    /* k_count[b] is the number of keys of sequence b, which begin at row k_start[b]. If k_count is
     * NULL, they end before k_start[b + 1]. With k_count, sequences may lie in any order with
     * unused rows between them (a cache) and, in forward only, share keys. */
    const size_t *k_count;
    size_t B;
    size_t H;     /* number of query heads                            */
    size_t KV;    /* number of key/value heads; H is a multiple of KV */
    size_t E, Ev; /* width per head: E of q and k, Ev of v and out    */
    enum ken_score score;
    enum ken_weigh weigh;
    size_t left, right;                /* keys seen before and after a query; or KEN_UNLIMITED   */
    const struct ken_pattern *pattern; /* replaces left and right; or NULL                       */
    const struct ken_edges *edges;     /* edges replace left, right and pattern; or NULL         */
    float scale;                       /* factor of dot scores, usually 1 / sqrt(E)              */
    float leak;                        /* slope of LeakyReLU below 0                             */
    const float *vector;               /* (H, E): vector a of each head, for additive and gatv2  */
    const float *slope;                /* ALiBi slope per head: score -= slope |i - j|; or NULL  */
    const float *bias;                 /* (H, 2 span + 1): bias by head and by i - j; or NULL    */
    size_t span;                       /* maximum offset: i - j is clamped to -span .. span      */
    const float *shaw_k, *shaw_v;      /* Shaw's vectors by i - j, 2 span + 1 rows; or both NULL */
    const float *edge_numbers;         /* (edges, K): edge features, in the order of edges->key  */
    size_t K;                          /* number of edge features, if edge_query is set          */
    const float *edge_query;           /* (queries, H * K): factors of edge_numbers; or NULL     */
    float *edge_out;                   /* (queries, H * K): weighted sums of edge_numbers        */
    float dropout;                     /* probability of dropping a weight; others are scaled up */
    uint64_t dropout_key;
    float *out; /* result: one row of H * Ev floats for each query */
    size_t out_stride;
    /* Numbers that forward keeps for backward; NULL if there is no backward. There is one per query
     * and head: for softmax the logarithm of the row's sum, for sparsemax the threshold tau. With
     * edges, log_sum is never NULL and holds the weights themselves, (edges, H). */
    float *log_sum;
};

/* Gradients, each laid out like the array it belongs to; NULL if not wanted. Backward adds to
 * them. */
struct ken_attend_grad {
    const float *dout;
    float *dq, *dk, *dv;
    float *dvector;
    float *dbias;
    float *dshaw_k, *dshaw_v;
    const float *dedge_out; /* gradient of edge_out; NULL counts as 0 */
    float *dedge_query;
    float *edge_work; /* work space, (edges, H); needed if the job has edges          */
    float *row_work;  /* work space, (queries, H); needed for sparsemax without edges */
};

void ken_attend_forward(const struct ken_attend *job);
void ken_attend_backward(const struct ken_attend *job, const struct ken_attend_grad *grad);

/* Writes the attention weights of head h in sequence b, one row per query and one column per key,
 * as forward computed them before dropout. The weights of several edges between the same two rows
 * are added up; edges that leave the sequence are left out. */
void ken_attend_weights(float *weights, const struct ken_attend *job, size_t b, size_t h);

/* Writes the mask of sequence b, one row per query and one column per key: 1 where the query may
 * attend to the key, else 0. The mask depends only on the sequences and the reach of the job (left
 * and right, pattern or edges), and so is the same for all heads. */
void ken_attend_mask(unsigned char *mask, const struct ken_attend *job, size_t b);

/* Forward, backward and weights of attention along edges; only attend.c calls these functions. */
void ken_attend_edges_forward(const struct ken_attend *job);
void ken_attend_edges_backward(const struct ken_attend *job, const struct ken_attend_grad *grad);
void ken_attend_edges_weights(float *weights, const struct ken_attend *job, size_t b, size_t h);

/* Slow reference implementations in double precision, which define the correct results. */
void ken_attend_forward_ref(const struct ken_attend *job);
void ken_attend_backward_ref(const struct ken_attend *job, const struct ken_attend_grad *grad);

/* Returns the number of keys of sequence b. */
static inline size_t ken_attend_keys(const struct ken_attend *job, size_t b)
{
    return job->k_count ? job->k_count[b] : job->k_start[b + 1] - job->k_start[b];
}

/* Returns the column of `bias` for `offset`, which is i - j for query i and key j. */
static inline size_t ken_attend_bias_at(ptrdiff_t offset, size_t span)
{
    ptrdiff_t most = (ptrdiff_t)span;
    return (size_t)((offset < -most ? -most : offset > most ? most : offset) + most);
}

/* Finds the keys *first .. *end - 1 that query i sees, in a sequence of T queries and S keys. */
static inline void ken_attend_reach(size_t *first, size_t *end, const struct ken_attend *job,
                                    size_t i, size_t T, size_t S)
{
    size_t at = i + S; /* the key that query i is aligned with, plus T to stay unsigned */
    size_t low = job->left >= at ? 0 : at - job->left;
    size_t high = job->right >= T + S - at ? T + S : at + job->right + 1;
    *first = low > T ? low - T : 0;
    *end = high > T ? high - T : 0;
    if (*end > S) *end = S;
    if (*first > *end) *first = *end;
}

#endif
