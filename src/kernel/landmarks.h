/* landmarks.h - the small matrix in the middle of Nystrom attention (Xiong et al. 2021). Each
 * sequence has m landmarks, which are means of neighbouring rows. For each sequence and head:
 *
 *     out = pinv(A) y          A = softmax(scale q k^T), (m, m)
 *
 * The pseudo-inverse is computed by KEN_PINV_STEPS steps of Z <- Z/4 (13 I - AZ (15 I - AZ (7 I -
 * AZ))), starting from Z = A^T / (largest column sum of A); the rows of A sum to 1. The largest sum
 * is that of this one matrix, not of all matrices in the batch, so a result does not depend on the
 * rest of the batch. Small singular values of A would need more steps: in these directions Z stays
 * smaller than the true inverse, but they matter little in the product A Z A. Backward computes the
 * exact gradient of these steps. */
#ifndef KERNEL_LANDMARKS_H
#define KERNEL_LANDMARKS_H

#include <stddef.h>

enum { KEN_LANDMARKS_MOST = 256, KEN_PINV_STEPS = 6 };

struct ken_landmarks {
    const float *q, *k, *y; /* one row per landmark, heads side by side */
    size_t q_stride, k_stride;
    const size_t *start; /* first row of each sequence; at most KEN_LANDMARKS_MOST rows each */
    size_t B, H, E, Ev;
    float scale;
    float *out; /* result, laid out like y: H * Ev floats per landmark */
};

/* Gradients, each laid out like the array it belongs to; NULL if not wanted. Backward adds to
 * them. */
struct ken_landmarks_grad {
    const float *dout;
    float *dq, *dk, *dy;
    float *work; /* work space: workers * ken_landmarks_space() floats */
    size_t workers;
};

void ken_landmarks_forward(const struct ken_landmarks *job);

/* Returns the floats of work space that backward needs per worker. Any number of workers above 0
 * gives the same bits. */
size_t ken_landmarks_space(const struct ken_landmarks *job);
void ken_landmarks_backward(const struct ken_landmarks *job, const struct ken_landmarks_grad *grad);

/* Writes the pseudo-inverse, an (m, m) matrix for m landmarks, of head h in sequence b. */
void ken_landmarks_matrix(float *matrix, const struct ken_landmarks *job, size_t b, size_t h);

/* Slow reference implementations in double precision, which define the correct results; `work` has
 * 5 m^2 numbers, where m is the largest number of landmarks of a sequence. */
void ken_landmarks_forward_ref(const struct ken_landmarks *job, double *work);

#endif
