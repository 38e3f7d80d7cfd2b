/* landmarks.h - the small matrix in the middle of Nystrom attention (Xiong et al. 2021), for each
 * sequence and head with its m landmarks:
 *
 *     out = pinv(A) y        A = softmax(scale q k^T), (m, m)
 *
 * pinv by KEN_PINV_STEPS steps of Z <- Z/4 (13 I - AZ (15 I - AZ (7 I - AZ))), begun with
 * Z = A^T / (largest column sum of A); its rows sum to 1. Largest of this one matrix, not of the
 * batch: company changes nothing. Directions in which A is small need more steps than these and
 * stay smaller in Z than in the true inverse; they weigh as little in A Z A, which is what counts.
 * Backward goes through the steps exactly. */
#ifndef KERNEL_LANDMARKS_H
#define KERNEL_LANDMARKS_H

#include <stddef.h>

enum { KEN_LANDMARKS_MOST = 256, KEN_PINV_STEPS = 6 };

struct ken_landmarks {
    const float *q, *k, *y; /* rows of landmarks, heads side by side          */
    size_t q_stride, k_stride;
    const size_t *start; /* (B + 1); at most KEN_LANDMARKS_MOST a sequence  */
    size_t B, H, E, Ev;
    float scale;
    float *out; /* (L, H * Ev), as y                               */
};

/* Gradients, laid out like what they belong to; NULL: not wanted. All are added to. */
struct ken_landmarks_grad {
    const float *dout;
    float *dq, *dk, *dy;
    float *work; /* workers * ken_landmarks_space() floats                   */
    size_t workers;
};

void ken_landmarks_forward(const struct ken_landmarks *job);

/* Work space of each worker, of which any number above 0 gives the same bits. */
size_t ken_landmarks_space(const struct ken_landmarks *job);
void ken_landmarks_backward(const struct ken_landmarks *job, const struct ken_landmarks_grad *grad);

/* pinv(A) of one head in one sequence, (m, m). */
void ken_landmarks_matrix(float *matrix, const struct ken_landmarks *job, size_t b, size_t h);

/* The definition, in double; `work` has 5 m^2 numbers for the largest m. */
void ken_landmarks_forward_ref(const struct ken_landmarks *job, double *work);

#endif
