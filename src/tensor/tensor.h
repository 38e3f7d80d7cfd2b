/* tensor.h - a matrix that may have a gradient. All tensors are matrices: a batch is (N, D) with
 * the rows (tokens) of all sequences one after another, a weight is (out, in), a vector is (1,
 * n). */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ken_tensor {
    float *data; /* (rows, cols)                                                           */
    float *grad; /* (rows, cols). A parameter has it while a trainer exists, other tensors  *
                  * from backward on; else NULL                                             */
    size_t rows;
    size_t cols;
    bool needs_grad; /* a parameter, or computed from one while recording                  */
    bool parameter;  /* belongs to a model: no tape ever writes to this struct              */
    /* For a weight: the place where its model keeps the pointer to the packed copy of it, see
     * ken_matmul_pack(). NULL, or a NULL pointer there: it is not packed. */
    const float *const *packed;
} ken_tensor;

/* A ragged batch (variable-length sequences without padding): sequence b is rows start[b] ..
 * start[b + 1] - 1. start[0] is 0; two equal neighbours are an empty sequence. An operation keeps
 * the pointer, not the numbers, so the array must stay valid until the tape is cleared. */
typedef struct ken_ragged {
    const size_t *start; /* (count + 1) */
    size_t count;
} ken_ragged;

static inline size_t ken_tensor_size(const ken_tensor *tensor)
{
    return tensor->rows * tensor->cols;
}

#endif
