/* activation.c - defines the activations and applies them to whole arrays. Every number is computed
 * by itself, so any cut into tasks gives the same bits. The vector code is in simd/vactivation.h,
 * and a matrix product applies its activation itself (simd/vmatmul.c). */
#include "kernel/activation.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <math.h>

/* Number of elements per task. Computing their exponentials takes about ten microseconds, far
 * longer than starting a task. */
enum { CHUNK = 1 << 13 };

double ken_activation_ref(enum ken_activation kind, double x)
{
    switch (kind) {
    case KEN_ACT_RELU: return x > 0 ? x : 0;
    case KEN_ACT_GELU: return 0.5 * x * erfc(-x * M_SQRT1_2); /* 1 + erf() loses digits if x < 0 */
    case KEN_ACT_GELU_TANH:
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case KEN_ACT_SILU: return x / (1 + exp(-x));
    case KEN_ACT_SIGMOID: return 1 / (1 + exp(-x));
    case KEN_ACT_TANH: return tanh(x);
    case KEN_ACT_ELU: return x > 0 ? x : expm1(x);
    default: return x;
    }
}

/* Returns the derivative of ken_activation_ref(), written out case by case. */
double ken_activation_slope_ref(enum ken_activation kind, double x)
{
    const double c = 0.7978845608028654; /* sqrt(2 / pi) */
    double s = 1 / (1 + exp(-x));
    double t = tanh(c * (x + 0.044715 * x * x * x));
    switch (kind) {
    case KEN_ACT_RELU: return x > 0;
    case KEN_ACT_GELU: return 0.5 * erfc(-x * M_SQRT1_2) + x * 0.5 * c * exp(-x * x / 2);
    case KEN_ACT_GELU_TANH:
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    case KEN_ACT_SILU: return s * (1 + x * (1 - s));
    case KEN_ACT_SIGMOID: return s * (1 - s);
    case KEN_ACT_TANH: return 1 - tanh(x) * tanh(x);
    case KEN_ACT_ELU: return x > 0 ? 1 : exp(x);
    default: return 1;
    }
}

/* A forward or a backward job. One struct serves forward and backward, because both are cut into
 * tasks in the same way. */
struct job {
    float *out;          /* y in forward, dx in backward */
    const float *x, *dy; /* dy is NULL in a forward job  */
    size_t rows, n;
    size_t rows_per_task; /* rows per task; used for gated units only */
    enum ken_activation kind;
    bool add;
};

/* Computes one chunk of y = act(x) or, in backward, of dx = dy . act'(x). */
static void task_activate(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t at = task * CHUNK, count = ken_size_min(job->n - at, CHUNK);
    (void)scratch;
    if (job->dy)
        ken_kernels()->activation_backward(job->out + at, job->dy + at, job->x + at, count,
                                           job->kind, job->add);
    else ken_kernels()->activation_forward(job->out + at, job->x + at, count, job->kind);
}

void ken_activation_forward(float *y, const float *x, size_t n, enum ken_activation kind)
{
    struct job job = { .out = y, .x = x, .n = n, .kind = kind };
    ken_parallel(ken_size_groups(n, CHUNK), task_activate, &job);
}

void ken_activation_backward_to(float *dx, const float *dy, const float *x, size_t n,
                                enum ken_activation kind, bool add)
{
    struct job job = { .out = dx, .x = x, .dy = dy, .n = n, .kind = kind, .add = add };
    ken_parallel(ken_size_groups(n, CHUNK), task_activate, &job);
}

void ken_activation_backward(float *dy, const float *x, size_t n, enum ken_activation kind)
{
    ken_activation_backward_to(dy, dy, x, n, kind, false);
}

/* Computes some rows of a gated unit: y = a . act(b), where a and b are the two halves of a row of
 * x. In backward, computes these rows of dx instead. */
static void task_glu(void *context, size_t task, float *scratch)
{
    const struct job *job = context;
    size_t row = task * job->rows_per_task, n = job->n;
    size_t rows = ken_size_min(job->rows - row, job->rows_per_task);
    const float *x = job->x + row * 2 * n;
    (void)scratch;
    if (job->dy)
        ken_kernels()->glu_backward(job->out + row * 2 * n, job->dy + row * n, x, rows, n,
                                    job->kind, job->add);
    else ken_kernels()->glu_forward(job->out + row * n, x, rows, n, job->kind);
}

/* Runs a job of gated units in parallel. Each task gets whole rows, about CHUNK numbers in all. */
static void share_glu(struct job *job)
{
    job->rows_per_task = ken_size_max(CHUNK / ken_size_max(job->n, 1), 1);
    ken_parallel(ken_size_groups(job->rows, job->rows_per_task), task_glu, job);
}

void ken_glu_forward(float *y, const float *x, size_t rows, size_t n, enum ken_activation kind)
{
    struct job job = { .out = y, .x = x, .rows = rows, .n = n, .kind = kind };
    share_glu(&job);
}

void ken_glu_backward(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                      enum ken_activation kind, bool add)
{
    struct job job = { .out = dx, .x = x, .dy = dy, .rows = rows, .n = n, .kind = kind };
    job.add = add;
    share_glu(&job);
}

void ken_glu_forward_ref(float *y, const float *x, size_t rows, size_t n, enum ken_activation kind)
{
    for (size_t r = 0; r < rows; r++, y += n, x += 2 * n)
        for (size_t i = 0; i < n; i++) y[i] = (float)(x[i] * ken_activation_ref(kind, x[n + i]));
}

void ken_glu_backward_ref(float *dx, const float *dy, const float *x, size_t rows, size_t n,
                          enum ken_activation kind, bool add)
{
    for (size_t r = 0; r < rows; r++, dx += 2 * n, dy += n, x += 2 * n) {
        for (size_t i = 0; i < n; i++) {
            double da = dy[i] * ken_activation_ref(kind, x[n + i]);
            double db = dy[i] * (double)x[i] * ken_activation_slope_ref(kind, x[n + i]);
            dx[i] = (float)((add ? dx[i] : 0) + da);
            dx[n + i] = (float)((add ? dx[n + i] : 0) + db);
        }
    }
}
