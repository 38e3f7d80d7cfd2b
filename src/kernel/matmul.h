/* matmul.h - the matrix product c (m, n), in the three transposes that training needs. Each sum
 * runs over k in ascending order as one chain of multiply-adds, whatever the sizes and the number
 * of threads: see simd/tile.h. */
#ifndef KERNEL_MATMUL_H
#define KERNEL_MATMUL_H

#include "kernel/activation.h"

#include <stdbool.h>
#include <stddef.h>

enum ken_layout {
    KEN_NN, /* c = a b,   with a (m, k) and b (k, n)                                */
    KEN_NT, /* c = a b^T, with a (m, k) and b (n, k): forward of a linear layer     */
    KEN_TN  /* c = a^T b, with a (k, m) and b (k, n): gradient of a layer's weights */
};

struct ken_matmul {
    float *c;
    const float *a;
    const float *b;
    const float *packed; /* b packed by ken_matmul_pack(), used instead of b; or NULL */
    size_t m, n, k;
    size_t a_stride, b_stride, c_stride; /* floats from one stored row to the next; 0 = dense */
    enum ken_layout layout;
    bool add; /* true: c += product; false: c = product */

    /* Applied to each result before it is stored: c = act(c + bias), pre = c + bias. */
    const float *bias; /* one number per column of c; or NULL */
    enum ken_activation activation;
    float *pre; /* receives the results before the activation, with c's stride; or NULL */
};

void ken_matmul(const struct ken_matmul *job);

/* Slow reference implementation, which defines the correct results: three loops in double
 * precision. */
void ken_matmul_ref(const struct ken_matmul *job);

/* Returns the size in floats of a packed right operand; ken_matmul_pack() packs it. b is (n, k) for
 * KEN_NT, else (k, n). */
size_t ken_matmul_packed_size(size_t n, size_t k);
void ken_matmul_pack(float *packed, const float *b, size_t n, size_t k, enum ken_layout layout);

#endif
