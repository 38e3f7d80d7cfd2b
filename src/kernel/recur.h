/* recur.h - recurrent layers over ragged sequences, with PyTorch's gates in PyTorch's order.
 *
 *   LSTM  i, f, g, o    a = W_in x_t + b_in + W_hidden h_(t-1) + b_hidden
 *                       i, f, o = sigma(a), g = tanh(a)
 *                       c_t = f c_(t-1) + i g              h_t = o tanh(c_t)
 *   GRU   r, z, n       r, z = sigma(a)                    m_t = (W_hidden h_(t-1) + b_hidden)_n
 *                       n = tanh((W_in x_t + b_in)_n + r m_t)
 *                       h_t = (1 - z) n + z h_(t-1)
 *   RNN   one gate      h_t = tanh(a)
 * h and c begin with 0, or with h_first and c_first; `reversed` begins with the last row of each
 * sequence. All sequences advance together, one step at a time; those that have ended drop out. */
#ifndef KERNEL_RECUR_H
#define KERNEL_RECUR_H

#include <stdbool.h>
#include <stddef.h>

enum ken_cell { KEN_LSTM, KEN_GRU, KEN_RNN, KEN_CELL_COUNT };

struct ken_recur {
    enum ken_cell cell;
    bool reversed;
    size_t in, H;
    const size_t *start; /* first row of each sequence, B + 1 entries */
    size_t B;
    const size_t *order, *at_least; /* filled by ken_recur_plan()                                */
    size_t longest;                 /* returned by ken_recur_longest()                           */
    const float *x;                 /* input: `in` numbers per row                               */
    const float *w_in, *w_hidden;   /* (gates * H, in) and (gates * H, H); 4, 3 or 1 gates       */
    const float *b_in, *b_hidden;   /* gates * H numbers each; or NULL                           */
    const float *h_first, *c_first; /* (B, H): first h and c, without gradient; NULL counts as 0 */
    float *y;                       /* result: H numbers per row, h after each step              */
    float *gates;                   /* gates * H numbers per row: gate values, for backward      */
    float *extra;                   /* H numbers per row: c of an LSTM, m of a GRU               */
    float *space;                   /* work space of ken_recur_space() floats                    */
};

/* Gradients; backward adds to them. NULL if not wanted. */
struct ken_recur_grad {
    const float *dy; /* gradient of y */
    float *dx, *dw_in, *dw_hidden, *db_in, *db_hidden;
};

size_t ken_recur_gates(enum ken_cell cell);
size_t ken_recur_longest(const size_t *start, size_t B);

/* Fills two arrays. `order` lists the B sequences from the longest to the shortest, so that the
 * sequences still running at any step come first; sequences of equal length keep their order.
 * at_least[n] is the number of sequences with at least n rows, for n from 0 to the longest. */
void ken_recur_plan(size_t *order, size_t *at_least, const size_t *start, size_t B);

/* Returns the floats of work space that forward and backward need. The fields cell, in, H, start
 * and B of the job must be set. */
size_t ken_recur_space(const struct ken_recur *job);

void ken_recur_forward(const struct ken_recur *job);

/* Computes the gradients. Call ken_recur_forward() with the same job first. Overwrites job->gates
 * and job->extra. */
void ken_recur_backward(const struct ken_recur *job, const struct ken_recur_grad *grad);

/* Slow reference of forward, which defines the correct results: one sequence after another. It
 * needs no plan and no work space; job->gates may be NULL. */
void ken_recur_forward_ref(const struct ken_recur *job);

#endif
