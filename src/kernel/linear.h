/* linear.h - attention whose weights are a product of features, f(q_i) . f(k_j) / their sum, so
 * that sums over keys can be formed once and kept (Katharopoulos et al. 2020):
 *
 *     S = sum over j of f(k_j) v_j^T      z = sum over j of f(k_j)
 *     out_i = f(q_i) S / (f(q_i) . z + eps)
 *
 * over all keys of the sequence or, causal, over those up to i. The features come from
 * kernel/features.h. Those of keys may have a scale of their own, f(k_j) = e^scale_j k_j, far
 * outside the range of a float: S and z are kept relative to e^base, base being the largest scale
 * they contain. A row's base holds the keys that it sees and no others, so what follows a row never
 * changes it, not even by rounding.
 *
 * Work goes in chunks of KEN_LINEAR_CHUNK rows from the start of each sequence: within a chunk by
 * masked products, from chunk to chunk by S and z. Each chunk's own sums start from 0 and are then
 * added up in order, which is what shares a single sequence out among threads. A sequence that goes
 * on row by row does the same sums in the same order (its last chunk is kept row by row until it is
 * full), and so gives the same bits. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KEN_LINEAR_CHUNK = 64,
    KEN_FEATURES_MOST = 4096 /* of a head; its width is KEN_ATTEND_WIDEST at the most */
};

/* Added to what is divided by, so that 0 / 0 is 0; far below any sum that is not underflow. */
#define KEN_LINEAR_EPS 1e-30f

struct ken_linear_attend {
    const float *q, *k, *v;              /* features of queries and keys, and values       */
    const float *scale;                  /* (rows of k, KV) or NULL for 0                  */
    size_t q_stride, k_stride, v_stride; /* floats from row to row                         */
    const size_t *q_start, *k_start;     /* (B + 1) each; causal: the same                 */
    size_t B, H, KV;                     /* H query heads, a multiple of KV                */
    size_t M, Ev;                        /* features, and width of values, per head        */
    bool causal;
    float *out; /* (N, H * Ev)                                              */
    size_t out_stride;
    float *sums;   /* (N, H): what each row was divided by, for backward; or NULL */
    float *states; /* work space of ken_linear_space() floats                     */
};

/* Gradients, laid out like what they belong to; NULL: not wanted. All are added to. */
struct ken_linear_grad {
    const float *dout;
    float *dq, *dk, *dv, *dscale;
    float *states; /* more work space: ken_linear_space_backward() floats */
};

/* Floats of S (M, Ev padded), z (M) and base of one head; of job->states; of grad->states. */
size_t ken_linear_state(size_t M, size_t Ev);
size_t ken_linear_space(const struct ken_linear_attend *job);
size_t ken_linear_space_backward(const struct ken_linear_attend *job);

void ken_linear_attend_forward(const struct ken_linear_attend *job);

/* After forward with the same job; states need not have been kept. */
void ken_linear_attend_backward(const struct ken_linear_attend *job,
                                const struct ken_linear_grad *grad);

/* ---- sums that are kept ---------------------------------------------------------------------- */

/* totals (B, KV, ken_linear_state()): S, z and base of all keys of each sequence. */
void ken_linear_totals(float *totals, const struct ken_linear_attend *job);

/* out of queries over such totals: those of sequence b are number from[b]. */
void ken_linear_ask(const struct ken_linear_attend *job, const float *totals, const size_t *from);

/* A causal sequence that goes on: what is kept of it is `slot_size` floats, whatever its length. */
size_t ken_linear_slot(size_t KV, size_t M, size_t Ev);

/* The rows of sequence b follow kept[b] others, which slot[b] of `slots` has; it has these too
 * afterwards. With none before them a slot may hold anything. */
void ken_linear_go_on(const struct ken_linear_attend *job, float *slots, const size_t *slot,
                      const size_t *kept);

/* ---- the definitions: all pairs, plain loops, in double -------------------------------------- */

/* The weights (T, S) of head h in sequence b. */
void ken_linear_weights(float *weights, const struct ken_linear_attend *job, size_t b, size_t h);
void ken_linear_attend_forward_ref(const struct ken_linear_attend *job);
void ken_linear_attend_backward_ref(const struct ken_linear_attend *job,
                                    const struct ken_linear_grad *grad);

#endif
