/* tensor.h - a matrix that may have a gradient. All tensors are matrices: a batch is (N, D) with
 * the rows (tokens) of all sequences one after another, a weight is (out, in), a vector is
 * (1, n). */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ken_tensor {
    float *data; /* (rows, cols), row by row */
    /* Gradient (rows, cols), or NULL. A parameter has a gradient while a trainer exists; any other
     * tensor gets one during backward. */
    float *grad;
    size_t rows;
    size_t cols;
    bool needs_grad; /* true for parameters, and for all results from parameters while recording */
    bool parameter;  /* true: belongs to a model, and no tape ever writes to this struct         */
    /* Address of the pointer in which the model keeps the packed copy of this weight, see
     * ken_matmul_pack(). The weight is not packed if the address is NULL or holds a NULL
     * pointer. */
    const float *const *packed;
} ken_tensor;

/* A ragged batch (variable-length sequences without padding): sequence b is rows start[b] ..
 * start[b + 1] - 1. start[0] is 0; an empty sequence has start[b] == start[b + 1]. An operation
 * keeps the pointer `start`, not a copy, so the array must stay valid until the tape is cleared. */
typedef struct ken_ragged {
    const size_t *start; /* first row of each sequence; the last entry is the number of all rows */
    size_t count;
} ken_ragged;

static inline size_t ken_tensor_size(const ken_tensor *tensor)
{
    return tensor->rows * tensor->cols;
}

#endif
