/* linear.h - linear attention: the weight of a key is f(q_i) . f(k_j), divided by the sum over all
 * keys, so that sums over keys can be computed once and kept (Katharopoulos et al. 2020):
 *
 *     S = sum over j of f(k_j) v_j^T      z = sum over j of f(k_j)
 *     out_i = f(q_i) S / (f(q_i) . z + eps)
 *
 * The sums run over all keys of the sequence or, if causal, over those up to i. The features come
 * from kernel/features.h. Each key may have a scale of its own, f(k_j) = e^scale_j k_j, which can
 * be far outside the range of a float; so S and z are kept relative to e^base, where base is the
 * largest scale they contain. The base of a row covers the keys that the row sees and no others, so
 * later rows never change it, not even by rounding.
 *
 * Each sequence is cut into chunks of KEN_LINEAR_CHUNK rows from its start: masked products work
 * within a chunk, S and z carry over from chunk to chunk. Each chunk's own sums start from 0 and
 * are then added up in order, so several threads can work on one sequence. A sequence that grows
 * row by row forms the same sums in the same order (its last chunk is kept as rows until it is
 * full), and so gives the same bits. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KEN_LINEAR_CHUNK = 64,
    KEN_FEATURES_MOST = 4096 /* maximum features M per head; Ev is at most KEN_ATTEND_WIDEST */
};

/* A number added to the divisor, so that 0 / 0 is 0; it is far below any sum that has not
 * underflowed. */
#define KEN_LINEAR_EPS 1e-30f

struct ken_linear_attend {
    const float *q, *k, *v;              /* features of queries and keys, and values           */
    const float *scale;                  /* (rows of k, KV): scale_j of each key; NULL = all 0 */
    size_t q_stride, k_stride, v_stride; /* floats from row to row                             */
    const size_t *q_start, *k_start; /* (B + 1) each: first rows of sequences; equal if causal */
    size_t B, H, KV;                 /* H query heads, a multiple of the KV key/value heads    */
    size_t M, Ev;                    /* number of features and width of values, per head       */
    bool causal;
    float *out; /* (N, H * Ev) for N queries */
    size_t out_stride;
    float *sums;   /* (N, H): the divisor of each row, for backward; or NULL      */
    float *states; /* work space of ken_linear_space() floats                     */
};

/* Gradients, each laid out like the array it belongs to; NULL if not wanted. Backward adds to
 * them. */
struct ken_linear_grad {
    const float *dout;
    float *dq, *dk, *dv, *dscale;
    float *states; /* more work space: ken_linear_space_backward() floats */
};

/* Sizes in floats: of the state of one head, which is S (M, Ev padded), z (M) and base; of
 * job->states; and of grad->states. */
size_t ken_linear_state(size_t M, size_t Ev);
size_t ken_linear_space(const struct ken_linear_attend *job);
size_t ken_linear_space_backward(const struct ken_linear_attend *job);

void ken_linear_attend_forward(const struct ken_linear_attend *job);

/* Computes the gradients. Must follow ken_linear_attend_forward() with the same job; the contents
 * of job->states may have been lost since. */
void ken_linear_attend_backward(const struct ken_linear_attend *job,
                                const struct ken_linear_grad *grad);

/* ---- sums that are kept ---------------------------------------------------------------------- */

/* Computes totals (B, KV, ken_linear_state()): S, z and base of all keys of each sequence. */
void ken_linear_totals(float *totals, const struct ken_linear_attend *job);

/* Computes the results of queries from the totals that ken_linear_totals() wrote, without keys:
 * sequence b uses the totals of sequence from[b]. */
void ken_linear_ask(const struct ken_linear_attend *job, const float *totals, const size_t *from);

/* Returns the size in floats of a slot, which holds all that is kept of a causal sequence that
 * grows, whatever its length. */
size_t ken_linear_slot(size_t KV, size_t M, size_t Ev);

/* Continues sequences: the rows of sequence b in the job follow kept[b] earlier rows, which slot
 * number slot[b] of `slots` holds; afterwards the slot holds the new rows as well. If kept[b] is 0,
 * the old contents of the slot do not matter. */
void ken_linear_go_on(const struct ken_linear_attend *job, float *slots, const size_t *slot,
                      const size_t *kept);

/* ---- the definitions: all pairs, plain loops, in double precision ---------------------------- */

/* Writes the weights (T, S) of head h in sequence b. */
void ken_linear_weights(float *weights, const struct ken_linear_attend *job, size_t b, size_t h);
void ken_linear_attend_forward_ref(const struct ken_linear_attend *job);
void ken_linear_attend_backward_ref(const struct ken_linear_attend *job,
                                    const struct ken_linear_grad *grad);

#endif
