/* linear.h - linear attention: the weight of a key is f(q_i) . f(k_j), divided by the sum over all
 * keys, so that sums over keys can be computed once and kept (Katharopoulos et al. 2020):
 *
 *     S = sum over j of f(k_j) v_j^T      z = sum over j of f(k_j)
 *     out_i = f(q_i) S / (f(q_i) . z + eps)
 *
 * The sums run over all keys of the sequence or, if causal, over the keys up to i. The features f
 * come from kernel/features.h. Each key may have a scale, f(k_j) = e^scale_j y_j with the stored
 * row y_j, and e^scale_j can be far outside the range of a float; so S and z are stored divided by
 * e^base, where base is the largest scale of their keys. The base of a row covers only the keys
 * that the row sees, so later rows never change it, not even by rounding.
 *
 * Each sequence is cut into chunks of KEN_LINEAR_CHUNK rows. Within a chunk, masked products handle
 * all pairs of rows; S and z carry over from chunk to chunk. The sums of each chunk start from 0
 * and are then added up in order, so several threads can work on one sequence. A sequence that
 * grows row by row forms the same sums in the same order (its last chunk is kept as rows until it
 * is full), and so gives the same bits. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KEN_LINEAR_CHUNK = 64,
    KEN_FEATURES_MOST = 4096 /* maximum features per head */
};

/* Added to the divisor, so that 0 / 0 becomes 0. It is far below any sum that has not
 * underflowed. */
#define KEN_LINEAR_EPS 1e-30f

struct ken_linear_attend {
    const float *q, *k, *v;              /* features of queries and keys, and values            */
    const float *scale;                  /* scale of each key, KV numbers per row; NULL = all 0 */
    size_t q_stride, k_stride, v_stride; /* floats from one row to the next                     */
    /* first row of each sequence, B + 1 entries; q_start and k_start are equal if causal */
    const size_t *q_start, *k_start;
    size_t B, H, KV; /* sequences, query heads, key/value heads (KV divides H) */
    size_t M, Ev;    /* number of features and width of values, per head       */
    bool causal;
    float *out; /* result: H * Ev floats per query */
    size_t out_stride;
    float *sums;   /* divisor of each query and head, for backward; or NULL */
    float *states; /* work space of ken_linear_space() floats               */
};

/* Gradients, each laid out like the array it belongs to; NULL if not wanted. Backward adds to
 * them. */
struct ken_linear_grad {
    const float *dout;
    float *dq, *dk, *dv, *dscale;
    float *states; /* further work space: ken_linear_space_backward() floats */
};

/* Return sizes in floats. ken_linear_state(): of the state of one head, which is S (M rows of Ev,
 * padded), z (M numbers) and base. ken_linear_space(): of the array job->states.
 * ken_linear_space_backward(): of the array grad->states. */
size_t ken_linear_state(size_t M, size_t Ev);
size_t ken_linear_space(const struct ken_linear_attend *job);
size_t ken_linear_space_backward(const struct ken_linear_attend *job);

void ken_linear_attend_forward(const struct ken_linear_attend *job);

/* Computes the gradients. Call ken_linear_attend_forward() with the same job first; job->states
 * need not be preserved between the two calls. */
void ken_linear_attend_backward(const struct ken_linear_attend *job,
                                const struct ken_linear_grad *grad);

/* ---- sums that are kept ---------------------------------------------------------------------- */

/* Computes `totals`: for each sequence and key/value head the state (S, z and base) over all
 * keys. */
void ken_linear_totals(float *totals, const struct ken_linear_attend *job);

/* Computes the results of queries without their keys, from the totals that ken_linear_totals()
 * wrote: sequence b uses the totals of sequence from[b]. */
void ken_linear_ask(const struct ken_linear_attend *job, const float *totals, const size_t *from);

/* Returns the size in floats of a slot. A slot holds everything that a growing causal sequence
 * keeps; the size does not depend on the length of the sequence. */
size_t ken_linear_slot(size_t KV, size_t M, size_t Ev);

/* Continues causal sequences: the job's rows of sequence b follow kept[b] earlier rows, which are
 * stored in slot slot[b]. Afterwards this slot also holds the new rows. If kept[b] is 0, the old
 * contents of the slot do not matter. */
void ken_linear_go_on(const struct ken_linear_attend *job, float *slots, const size_t *slot,
                      const size_t *kept);

/* ---- the definitions: all pairs, plain loops, in double precision ---------------------------- */

/* Writes the weights of head h in sequence b, one row per query and one column per key. */
void ken_linear_weights(float *weights, const struct ken_linear_attend *job, size_t b, size_t h);
void ken_linear_attend_forward_ref(const struct ken_linear_attend *job);
void ken_linear_attend_backward_ref(const struct ken_linear_attend *job,
                                    const struct ken_linear_grad *grad);

#endif
