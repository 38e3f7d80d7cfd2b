/* matmul.h - the matrix product c (m, n), in the three transposes that training needs.
 * Each sum runs over k in ascending order as one chain of multiply-adds, whatever the sizes, the
 * number of threads or the place of a row: see simd/tile.h. */
#ifndef KERNEL_MATMUL_H
#define KERNEL_MATMUL_H

#include "kernel/activation.h"

#include <stdbool.h>
#include <stddef.h>

enum ken_layout {
    KEN_NN, /* c = a b      a (m, k)  b (k, n)                            */
    KEN_NT, /* c = a b^T    a (m, k)  b (n, k): a linear layer's forward  */
    KEN_TN  /* c = a^T b a (k, m) b (k, n): gradient of a layer's weights */
};

struct ken_matmul {
    float *c;
    const float *a;
    const float *b;
    const float *packed; /* instead of b: the result of ken_matmul_pack(); or NULL     */
    size_t m, n, k;
    size_t a_stride, b_stride, c_stride; /* floats from row to row as stored; 0 = dense */
    enum ken_layout layout;
    bool add; /* c += instead of c =                                        */

    /* Applied to each result before it is stored: c = act(c + bias), pre = c + bias. */
    const float *bias; /* (n): bias of each column; or NULL */
    enum ken_activation activation;
    float *pre; /* (m, n), stride of c: results before the activation; or NULL */
};

void ken_matmul(const struct ken_matmul *job);

/* The slow reference, which defines the results: three loops in double precision. */
void ken_matmul_ref(const struct ken_matmul *job);

/* The size in floats of a packed right operand, and the function that packs it. b is (n, k) for
 * KEN_NT, else (k, n). */
size_t ken_matmul_packed_size(size_t n, size_t k);
void ken_matmul_pack(float *packed, const float *b, size_t n, size_t k, enum ken_layout layout);

#endif
