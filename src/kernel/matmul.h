/* matmul.h - the matrix product, in the three transposes that training needs.
 * Result: c (m, n). A sum runs over k in ascending order as one chain of multiply-adds, whatever
 * the sizes, the thread count or the place of a row: see simd/tile.h. */
#ifndef KERNEL_MATMUL_H
#define KERNEL_MATMUL_H

#include "kernel/activation.h"

#include <stdbool.h>
#include <stddef.h>

enum ken_layout {
    KEN_NN, /* c = a b      a (m, k)  b (k, n)                                 */
    KEN_NT, /* c = a b^T    a (m, k)  b (n, k): a linear layer's forward       */
    KEN_TN  /* c = a^T b    a (k, m)  b (k, n): the gradient of its weights    */
};

struct ken_matmul {
    float *c;
    const float *a;
    const float *b;
    const float *packed; /* instead of b: what ken_matmul_pack() made of it            */
    size_t m, n, k;
    size_t a_stride, b_stride, c_stride; /* between rows as stored; 0: dense           */
    enum ken_layout layout;
    bool add; /* c += instead of c =                                        */

    /* Done to each result on its way to memory: c = act(c + bias), pre = c + bias. */
    const float *bias; /* (n), or NULL                                                 */
    enum ken_activation activation;
    float *pre; /* (m, n) with the stride of c, or NULL                                */
};

void ken_matmul(const struct ken_matmul *job);

/* The definition: three loops. */
void ken_matmul_ref(const struct ken_matmul *job);

/* Floats needed for, and the packing of, the right operand b (n, k) of KEN_NT or (k, n) else. */
size_t ken_matmul_packed_size(size_t n, size_t k);
void ken_matmul_pack(float *packed, const float *b, size_t n, size_t k, enum ken_layout layout);

#endif
