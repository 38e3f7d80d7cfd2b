/* loss.h - loss functions and their gradients. Sums are kept in double precision and added row by
 * row in ascending order, so they have the same bits for any number of threads and for any cut of
 * the rows into calls. */
#ifndef KERNEL_LOSS_H
#define KERNEL_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_IGNORED = -1 }; /* target of a row that is left out of the loss */

/* A tally: running totals of loss and accuracy. Every call of a loss function adds to it. */
struct ken_tally {
    double loss;    /* sum of losses, in natural units (nats)                       */
    size_t counted; /* rows or labels that are not left out                         */
    size_t correct; /* counted rows whose target is the first of the largest logits */
};

static inline void ken_tally_add(struct ken_tally *sum, const struct ken_tally *more)
{
    sum->loss += more->loss;
    sum->counted += more->counted;
    sum->correct += more->correct;
}

/* Computes y = softmax of each row of x (rows, n); y may be the same array as x. If all numbers of
 * a row are -infinity, the result is all 0. */
void ken_softmax_forward(float *y, const float *x, size_t rows, size_t n);
void ken_softmax_row(float *y, const float *x, size_t n); /* softmax of one row, in one thread */
void ken_softmax_forward_ref(float *y, const float *x, size_t rows, size_t n);

/* Softmax cross-entropy of logits (rows, V) with label smoothing eps, as PyTorch defines it:
 *   q_j = eps / V + (1 - eps) [j == target]       p = softmax(logits_i)
 *   loss_i = - sum_j q_j ln p_j                   dlogits_ij = weight (p_j - q_j)
 * If `gradient` is true, dlogits overwrites the logits and is 0 in ignored rows; otherwise the
 * logits are not changed. A target is below V, or KEN_IGNORED. */
void ken_cross_entropy(struct ken_tally *tally, float *logits, const int32_t *targets, size_t rows,
                       size_t V, float smoothing, bool gradient, float weight);
void ken_cross_entropy_ref(struct ken_tally *tally, float *logits, const int32_t *targets,
                           size_t rows, size_t V, float smoothing, bool gradient, float weight);

/* Losses of single numbers x with target t, and their derivatives d. A target of NaN is unknown and
 * is left out.
 *   squared  (x - t)^2                                       d = 2 (x - t)
 *   binary   -t ln sigma(x) - (1 - t) ln(1 - sigma(x))       d = sigma(x) - t
 * For binary, x are logits, targets t are from 0 to 1, and (x > 0) == (t > 1/2) counts as
 * correct. */
enum ken_label_loss { KEN_LOSS_SQUARED, KEN_LOSS_BINARY };

void ken_label_loss_forward(struct ken_tally *tally, const float *x, const float *targets, size_t n,
                            enum ken_label_loss kind);

/* Adds the gradients: dx += factor * d, with d = 2 (x - t) or, for binary, d = sigma(x) - t. */
void ken_label_loss_backward(float *dx, const float *x, const float *targets, float factor,
                             size_t n, enum ken_label_loss kind);

#endif
