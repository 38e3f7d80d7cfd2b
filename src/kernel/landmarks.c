/* landmarks.c - the middle matrix of Nystrom attention: a pseudo-inverse computed with matrix
 * products alone. One task handles one sequence and head. */
#include "kernel/landmarks.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/loss.h"

#include <string.h>

enum {
    MATRIX = KEN_LANDMARKS_MOST * KEN_LANDMARKS_MOST,
    PANEL = KEN_LANDMARKS_MOST * 32, /* floats in a packed panel; tile_cols is at most 32    */
    WORK = 9                         /* matrices that backward needs besides all estimates Z */
};
_Static_assert(5 * MATRIX + PANEL <= KEN_TEAM_SCRATCH, "forward must fit the work space");

/* Flags of multiply(), which computes c = a b for (m, m) matrices: ADD makes it c += a b; TURN_A
 * and TURN_B transpose a and b. */
enum { AS_IT_IS = 0, TURN_A = 1, TURN_B = 2, ADD = 4 };
struct square {
    size_t m;
    float *panel;
};

static void multiply(const struct square *s, float *c, const float *a, const float *b, int how)
{
    ken_kernels()->product(&(struct ken_product){ .c = c,
                                                  .a = a,
                                                  .b = b,
                                                  .c_stride = s->m,
                                                  .a_stride = s->m,
                                                  .b_stride = s->m,
                                                  .a_columns = how & TURN_A,
                                                  .b_side = how & TURN_B ? KEN_B_COLUMNS
                                                                         : KEN_B_ROWS,
                                                  .add = how & ADD,
                                                  .rows = s->m,
                                                  .cols = s->m,
                                                  .depth = s->m },
                           s->panel);
}

/* Computes c = factor I - c, where I is the identity matrix. */
static void minus_from(const struct square *s, float *c, float factor)
{
    ken_kernels()->array_scale(c, c, -1, s->m * s->m);
    for (size_t i = 0; i < s->m; i++) c[i * s->m + i] += factor;
}

/* Returns the index of the first number of sequence b and head h, in an array of landmarks whose
 * rows are `stride` floats apart and whose heads are `width` floats wide. */
static size_t place(const struct ken_landmarks *job, size_t b, size_t h, size_t stride,
                    size_t width)
{
    return job->start[b] * stride + h * width;
}

static size_t landmarks_of(const struct ken_landmarks *job, size_t b)
{
    return job->start[b + 1] - job->start[b];
}

/* Computes A = softmax(scale q k^T) from the landmarks of sequence b and head h. */
static void make_matrix(float *A, const struct square *s, const struct ken_landmarks *job, size_t b,
                        size_t h)
{
    ken_kernels()->product(&(struct ken_product){ .c = A,
                                                  .a = job->q +
                                                       place(job, b, h, job->q_stride, job->E),
                                                  .b = job->k +
                                                       place(job, b, h, job->k_stride, job->E),
                                                  .c_stride = s->m,
                                                  .a_stride = job->q_stride,
                                                  .b_stride = job->k_stride,
                                                  .b_side = KEN_B_COLUMNS,
                                                  .rows = s->m,
                                                  .cols = s->m,
                                                  .depth = job->E },
                           s->panel);
    ken_kernels()->array_scale(A, A, job->scale, s->m * s->m);
    for (size_t i = 0; i < s->m; i++) ken_softmax_row(A + i * s->m, A + i * s->m, s->m);
}

/* Returns the largest column sum of the matrix A; *which receives the index of that column. */
static float column_sum(size_t *which, const struct square *s, const float *A)
{
    float most = 0;
    for (size_t j = 0; j < s->m; j++) {
        float sum = 0;
        for (size_t i = 0; i < s->m; i++) sum += A[i * s->m + j];
        if (sum > most) {
            most = sum;
            *which = j;
        }
    }
    return most;
}

static void first_inverse(float *Z, const struct square *s, const float *A)
{
    size_t which;
    float most = column_sum(&which, s, A);
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->m; j++) Z[i * s->m + j] = A[j * s->m + i] / most;
}

/* Makes one step of the iteration that finds the inverse of A; Z is the estimate before the step
 * and `next` the estimate after it: B = A Z, C = 7 I - B, D = 15 I - B C, F = 13 I - B D,
 * next = Z F / 4. F may be the same array as C if the caller does not need C afterwards. */
static void step(float *next, const struct square *s, const float *A, const float *Z, float *B,
                 float *C, float *D, float *F)
{
    size_t size = s->m * s->m;
    multiply(s, B, A, Z, AS_IT_IS);
    memcpy(C, B, size * sizeof *C);
    minus_from(s, C, 7);
    multiply(s, D, B, C, AS_IT_IS);
    minus_from(s, D, 15);
    multiply(s, F, B, D, AS_IT_IS);
    minus_from(s, F, 13);
    multiply(s, next, Z, F, AS_IT_IS);
    ken_kernels()->array_scale(next, next, 0.25f, size);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* Returns the pseudo-inverse of the matrix A of sequence b and head h; the result lies in
 * `scratch`. */
static const float *invert(const struct ken_landmarks *job, size_t b, size_t h, float *scratch)
{
    struct square s = { landmarks_of(job, b), scratch + 5 * MATRIX };
    float *A = scratch, *Z = A + MATRIX, *B = Z + MATRIX, *C = B + MATRIX, *D = C + MATRIX;
    make_matrix(A, &s, job, b, h);
    first_inverse(Z, &s, A);
    for (int t = 0; t < KEN_PINV_STEPS; t++) {
        step(D, &s, A, Z, B, C, D, C); /* `next` may be D: step() reads D before it writes `next` */
        float *next = D;
        D = Z;
        Z = next;
    }
    return Z;
}

static void forward_task(void *context, size_t task, float *scratch)
{
    const struct ken_landmarks *job = context;
    size_t b = task / job->H, h = task % job->H, m = landmarks_of(job, b), width = job->H * job->Ev;
    size_t at = place(job, b, h, width, job->Ev);
    if (m == 0) return;
    const float *Z = invert(job, b, h, scratch);
    ken_kernels()->product(&(struct ken_product){ .c = job->out + at,
                                                  .a = Z,
                                                  .b = job->y + at,
                                                  .c_stride = width,
                                                  .a_stride = m,
                                                  .b_stride = width,
                                                  .rows = m,
                                                  .cols = job->Ev,
                                                  .depth = m },
                           scratch + 5 * MATRIX);
}

void ken_landmarks_forward(const struct ken_landmarks *job)
{
    ken_parallel(job->B * job->H, forward_task, (void *)job);
}

struct look {
    const struct ken_landmarks *job;
    float *matrix;
    size_t b, h;
};

static void matrix_task(void *context, size_t task, float *scratch)
{
    const struct look *look = context;
    size_t m = landmarks_of(look->job, look->b);
    (void)task;
    memcpy(look->matrix, invert(look->job, look->b, look->h, scratch), m * m * sizeof(float));
}

void ken_landmarks_matrix(float *matrix, const struct ken_landmarks *job, size_t b, size_t h)
{
    if (landmarks_of(job, b) > 0) ken_parallel(1, matrix_task, &(struct look){ job, matrix, b, h });
}

/* ---- backward -------------------------------------------------------------------------------- */

size_t ken_landmarks_space(const struct ken_landmarks *job)
{
    size_t most = 0;
    for (size_t b = 0; b < job->B; b++) most = ken_size_max(most, landmarks_of(job, b));
    return (WORK + KEN_PINV_STEPS + 1) * most * most;
}

/* The matrices (m, m) that backward needs for one sequence and head, stored one after another. */
struct work {
    float *A, *dA, *dZ, *B, *C, *D, *F, *slope, *other;
    float *Z[KEN_PINV_STEPS + 1];
};

static struct work open_work(float *memory, size_t m)
{
    size_t size = m * m;
    struct work w = { .A = memory,
                      .dA = memory + size,
                      .dZ = memory + 2 * size,
                      .B = memory + 3 * size,
                      .C = memory + 4 * size,
                      .D = memory + 5 * size,
                      .F = memory + 6 * size,
                      .slope = memory + 7 * size,
                      .other = memory + 8 * size };
    for (size_t t = 0; t <= KEN_PINV_STEPS; t++) w.Z[t] = memory + (WORK + t) * size;
    return w;
}

/* Runs backward through step t of the iteration: turns dZ, the gradient of Z after the step, into
 * the gradient of Z before the step, and adds to dA. B, C, D and F are the matrices of step():
 *   dF = Z^T dZ / 4     dD = -B^T dF     dC = -B^T dD     dB = -dF D^T - dD C^T - dC
 *   dA += dB Z^T        dZ = dZ F^T / 4 + A^T dB */
static void step_backward(struct work *w, const struct square *s, size_t t)
{
    size_t size = s->m * s->m;
    const float *Z = w->Z[t];
    step(w->other, s, w->A, Z, w->B, w->C, w->D, w->F);
    multiply(s, w->slope, Z, w->dZ, TURN_A);
    ken_kernels()->array_scale(w->slope, w->slope, -0.25f, size); /* slope = -dF */
    multiply(s, w->other, w->dZ, w->F, TURN_B);
    ken_kernels()->array_scale(w->dZ, w->other, 0.25f, size);
    multiply(s, w->F, w->B, w->slope, TURN_A); /* w->F becomes dD; the matrix F has no later use */
    ken_kernels()->array_scale(w->F, w->F, -1, size);
    multiply(s, w->other, w->slope, w->D, TURN_B);   /* other = -dF D^T    */
    multiply(s, w->other, w->F, w->C, TURN_B | ADD); /* other -= dD C^T    */
    multiply(s, w->slope, w->B, w->F, TURN_A);       /* slope now holds dC */
    ken_kernels()->array_combine(w->other, w->other, w->slope, -1, size);
    multiply(s, w->dA, w->other, Z, TURN_B | ADD);
    multiply(s, w->dZ, w->A, w->other, TURN_A | ADD);
}

/* Runs backward through first_inverse(). The first Z is A^T / s, where s is the largest column sum
 * of A. So dA += dZ^T / s, and every element of the column with that sum also gets
 * -sum(dZ . Z) / s. */
static void first_backward(struct work *w, const struct square *s)
{
    size_t which = 0, m = s->m;
    float most = column_sum(&which, s, w->A);
    double dot = ken_kernels()->array_dot(w->dZ, w->Z[0], m * m);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) w->dA[i * m + j] += w->dZ[j * m + i] / most;
        w->dA[i * m + which] -= (float)(dot / (double)most);
    }
}

/* Runs backward through softmax and scores: turns dA into scale times the gradient of q k^T, and
 * computes dq and dk from it. */
static void scores_backward(struct work *w, const struct square *s, const struct ken_landmarks *job,
                            const struct ken_landmarks_grad *grad, size_t b, size_t h)
{
    size_t m = s->m, q_at = place(job, b, h, job->q_stride, job->E);
    size_t k_at = place(job, b, h, job->k_stride, job->E);
    for (size_t i = 0; i < m; i++) {
        float *dA = w->dA + i * m;
        const float *A = w->A + i * m;
        float mean = (float)ken_kernels()->array_dot(dA, A, m);
        for (size_t j = 0; j < m; j++) dA[j] = job->scale * A[j] * (dA[j] - mean);
    }
    struct ken_product product = { .a = w->dA,
                                   .b = job->k + k_at,
                                   .c_stride = job->q_stride,
                                   .a_stride = m,
                                   .b_stride = job->k_stride,
                                   .add = true,
                                   .rows = m,
                                   .cols = job->E,
                                   .depth = m };
    product.c = grad->dq ? grad->dq + q_at : NULL;
    if (product.c) ken_kernels()->product(&product, s->panel);
    product.c = grad->dk ? grad->dk + k_at : NULL;
    product.b = job->q + q_at;
    product.c_stride = job->k_stride;
    product.b_stride = job->q_stride;
    product.a_columns = true;
    if (product.c) ken_kernels()->product(&product, s->panel);
}

static void backward_one(const struct ken_landmarks *job, const struct ken_landmarks_grad *grad,
                         size_t b, size_t h, float *memory, float *scratch)
{
    struct square s = { landmarks_of(job, b), scratch };
    size_t m = s.m, width = job->H * job->Ev, at = place(job, b, h, width, job->Ev);
    struct work w = open_work(memory, m);
    make_matrix(w.A, &s, job, b, h);
    first_inverse(w.Z[0], &s, w.A);
    for (size_t t = 0; t < KEN_PINV_STEPS; t++)
        step(w.Z[t + 1], &s, w.A, w.Z[t], w.B, w.C, w.D, w.F);
    struct ken_product product = { .c = w.dZ, /* for dZ = dout y^T */
                                   .a = grad->dout + at,
                                   .b = job->y + at,
                                   .c_stride = m,
                                   .a_stride = width,
                                   .b_stride = width,
                                   .b_side = KEN_B_COLUMNS,
                                   .rows = m,
                                   .cols = m,
                                   .depth = job->Ev };
    ken_kernels()->product(&product, s.panel);
    product = (struct ken_product){ .c = grad->dy ? grad->dy + at : NULL, /* for dy += Z^T dout */
                                    .a = w.Z[KEN_PINV_STEPS],
                                    .b = grad->dout + at,
                                    .c_stride = width,
                                    .a_stride = m,
                                    .b_stride = width,
                                    .a_columns = true,
                                    .add = true,
                                    .rows = m,
                                    .cols = job->Ev,
                                    .depth = m };
    if (product.c) ken_kernels()->product(&product, s.panel);
    memset(w.dA, 0, m * m * sizeof *w.dA);
    for (size_t t = KEN_PINV_STEPS; t-- > 0;) step_backward(&w, &s, t);
    first_backward(&w, &s);
    scores_backward(&w, &s, job, grad, b, h);
}

struct shared {
    const struct ken_landmarks *job;
    const struct ken_landmarks_grad *grad;
    size_t space;
};

/* Runs backward for some pairs of sequence and head, one after another, because a task has memory
 * for one pair. Task number t takes pairs t, t + workers, t + 2 workers ... */
static void backward_task(void *context, size_t task, float *scratch)
{
    const struct shared *shared = context;
    const struct ken_landmarks *job = shared->job;
    float *memory = shared->grad->work + task * shared->space;
    for (size_t pair = task; pair < job->B * job->H; pair += shared->grad->workers)
        if (landmarks_of(job, pair / job->H) > 0)
            backward_one(job, shared->grad, pair / job->H, pair % job->H, memory, scratch);
}

void ken_landmarks_backward(const struct ken_landmarks *job, const struct ken_landmarks_grad *grad)
{
    struct shared shared = { job, grad, ken_landmarks_space(job) };
    ken_parallel(grad->workers, backward_task, &shared);
}
