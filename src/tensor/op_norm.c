/* op_norm.c - layer norm and RMS norm, alone or fused with the residual connection before them. The
 * fused form goes through memory once; three operations (dropout, sum, norm) would do so three
 * times. */
#include "kernel/norm.h"
#include "tensor/op_table.h"

/* Options of the plain norm and of the fused norm; the plain norm has no dropout. */
struct norm {
    enum ken_norm_kind kind;
    float eps;
    float dropout; /* dropout probability of the branch; 0 unless training */
};

/* Indices of a node's inputs and outputs. The plain norm has no BRANCH and no SUM. */
enum { X, GAIN, BIAS, BRANCH };
enum { Y, SUM };

/* Checks that gain, bias and eps fit x. If they do not, returns false and records a failure on the
 * tape. */
static bool fits(ken_tape *tape, const char *name, const ken_tensor *x, const ken_tensor *gain,
                 const ken_tensor *bias, float eps)
{
    const ken_tensor *const parameters[2] = { gain, bias };
    for (size_t i = 0; i < 2; i++)
        if (parameters[i] && ken_tensor_size(parameters[i]) != x->cols)
            ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: input %zu x %zu, %s of %zu", name, x->rows,
                          x->cols, i == 0 ? "gain" : "bias", ken_tensor_size(parameters[i]));
    if (x->cols > KEN_NORM_WIDEST)
        ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: width %zu; at most %d is possible", name, x->cols,
                      KEN_NORM_WIDEST);
    if (!(eps > 0)) /* eps = 0 would make a row of equal numbers 0 / 0 */
        ken_tape_fail(tape, KEN_ERR_ARGUMENT, "%s: eps %g is not above 0", name, (double)eps);
    return tape->status == KEN_OK;
}

ken_tensor *ken_norm(ken_tape *tape, ken_tensor *x, const ken_tensor *gain, const ken_tensor *bias,
                     enum ken_norm_kind kind, float eps)
{
    if (tape->status || !fits(tape, "norm", x, gain, bias, eps)) return NULL;
    struct norm options = { .kind = kind, .eps = eps };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_NORM, &options, x, gain, bias);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

ken_tensor *ken_residual_norm(ken_tape *tape, ken_tensor **sum, ken_tensor *x, ken_tensor *branch,
                              const ken_tensor *gain, const ken_tensor *bias,
                              enum ken_norm_kind kind, float eps, float dropout)
{
    *sum = NULL;
    if (tape->status || !fits(tape, "residual norm", x, gain, bias, eps)) return NULL;
    if (x->rows != branch->rows || x->cols != branch->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "residual norm: %zu x %zu and %zu x %zu", x->rows,
                             x->cols, branch->rows, branch->cols);
    if (!(dropout >= 0 && dropout < 1))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "residual norm: dropout %g is not in [0, 1)",
                             (double)dropout);
    struct norm options = { kind, eps, tape->training ? dropout : 0 };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_RESIDUAL_NORM, &options, x, gain, bias, branch);
    ken_tape_output(tape, node, x->rows, x->cols);
    ken_tensor *total = ken_tape_output(tape, node, x->rows, x->cols);
    ken_tensor *y = ken_tape_run(tape, node);
    if (y) *sum = total;
    return y;
}

/* Fills in the job for the kernel, for forward and backward. `saved` holds the mean of each row,
 * then 1 / standard deviation (rstd) of each row. */
static struct ken_norm job_of(const struct ken_node *node)
{
    const struct norm *options = node->options;
    const ken_tensor *x = node->in[X], *gain = node->in[GAIN], *bias = node->in[BIAS];
    const ken_tensor *branch = node->in[BRANCH];
    return (struct ken_norm){ .kind = options->kind,
                              .rows = x->rows,
                              .n = x->cols,
                              .eps = options->eps,
                              .x = x->data,
                              .gain = gain ? gain->data : NULL,
                              .bias = bias ? bias->data : NULL,
                              .branch = branch ? branch->data : NULL,
                              .dropout = { options->dropout, node->random_key },
                              .sum = branch ? node->out[SUM]->data : NULL,
                              .y = node->out[Y]->data,
                              .mean = node->saved,
                              .rstd = node->saved ? node->saved + x->rows : NULL };
}

/* Computes the norm and saves the mean and rstd of each row. Backward computes the normalised rows
 * again from the input, which is on the tape anyway. */
ken_status ken_norm_op_forward(ken_tape *tape, struct ken_node *node)
{
    size_t rows = node->in[X]->rows;
    if (ken_tape_keeps(tape, node)) KEN_TRY(ken_tape_take(tape, &node->saved, 2 * rows));
    struct ken_norm job = job_of(node);
    ken_norm_forward(&job);
    return KEN_OK;
}

/* Adds the gradients of the norm. If the caller did not use the output SUM, tape.c has set its
 * gradient to 0. */
ken_status ken_norm_op_backward(ken_tape *tape, struct ken_node *node)
{
    struct ken_norm job = job_of(node);
    struct ken_norm_grad grad = { .dy = node->out[Y]->grad,
                                  .dsum = node->out[SUM] ? node->out[SUM]->grad : NULL };
    KEN_TRY(ken_tape_grad(tape, node->in[GAIN], &grad.dgain));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &grad.dbias));
    KEN_TRY(ken_tape_grad_or_new(tape, node->in[X], &grad.dx, &grad.add_to_dx));
    KEN_TRY(ken_tape_grad_or_new(tape, node->in[BRANCH], &grad.dbranch, &grad.add_to_dbranch));
    ken_norm_backward(&job, &grad);
    return KEN_OK;
}
