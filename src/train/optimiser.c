/* optimiser.c - the optimiser (AdamW). A step goes through the parameters twice: once to compute
 * the norm of the gradient, once to update the parameters. Invariant: between two steps every
 * gradient is 0 unless the caller has added to it. */
#include "train/optimiser.h"

#include "base/memory.h"
#include "base/size.h"
#include "kernel/adam.h"
#include "kernel/array.h"
#include "kernel/kernels.h"

#include <math.h>
#include <string.h>

/* Checks the options. Conditions are written as !(x >= 0) instead of x < 0, so that they refuse NaN
 * too. */
static ken_status check_options(const ken_optimiser_options *options)
{
    if (!(options->beta1 >= 0 && options->beta1 < 1 && options->beta2 >= 0 && options->beta2 < 1))
        return ken_fail(KEN_ERR_ARGUMENT, "optimiser: beta %g and %g are not both within 0 and 1",
                        options->beta1, options->beta2);
    if (!(options->eps >= 1e-20) || !(options->decay >= 0) || !(options->clip >= 0) ||
        !(options->l2 >= 0) || isinf(options->decay) || isinf(options->l2))
        return ken_fail(KEN_ERR_ARGUMENT,
                        "optimiser: eps %g is below 1e-20, or decay %g, l2 %g or clip %g not 0 or "
                        "more",
                        options->eps, options->decay, options->l2, options->clip);
    return KEN_OK;
}

ken_status ken_optimiser_init(ken_optimiser *optimiser, const ken_trained *parameters, size_t count,
                              const ken_optimiser_options *options)
{
    *optimiser = (ken_optimiser){ .options = *options, .count = count };
    KEN_TRY(check_options(options));
    KEN_TRY(ken_kernels_start());
    for (size_t i = 0; i < count; i++) optimiser->size += ken_tensor_size(parameters[i].tensor);
    optimiser->parameters = ken_memory_new(count, sizeof *parameters);
    optimiser->moments = ken_memory_zeroed(optimiser->size, 2 * sizeof(float));
    if (!optimiser->parameters || !optimiser->moments) {
        ken_optimiser_release(optimiser);
        return ken_fail(KEN_ERR_MEMORY, "no memory for the optimiser of %zu tensors", count);
    }
    memcpy(optimiser->parameters, parameters, count * sizeof *parameters);
    return KEN_OK;
}

void ken_optimiser_release(ken_optimiser *optimiser)
{
    ken_memory_free(optimiser->parameters);
    ken_memory_free(optimiser->moments);
    *optimiser = (ken_optimiser){ 0 };
}

/* Computes the norm of the gradient, the root of the sum of all squares, in double precision, and
 * finds the worst parameter, the one with the largest sum of squares. If a parameter makes the sum
 * infinite or NaN, the first such parameter is the worst. The test with isnan() is needed because
 * no comparison with NaN is true. */
void ken_optimiser_measure(ken_optimiser *optimiser)
{
    double sum = 0, most = 0;
    optimiser->worst = 0;
    for (size_t i = 0; i < optimiser->count; i++) {
        const ken_tensor *tensor = optimiser->parameters[i].tensor;
        double square = ken_array_dot(tensor->grad, tensor->grad, ken_tensor_size(tensor));
        if (isfinite(sum) && (square > most || isnan(square))) {
            most = square;
            optimiser->worst = i;
        }
        sum += square;
    }
    optimiser->norm = sqrt(sum);
}

/* Makes one step. The number of steps grows only when nothing can fail any more. ken_adam() updates
 * a parameter and clears its gradient. */
ken_status ken_optimiser_step(ken_optimiser *optimiser, double rate)
{
    const ken_optimiser_options *options = &optimiser->options;
    if (!isfinite(rate)) return ken_fail(KEN_ERR_ARGUMENT, "learning rate %g", rate);
    ken_optimiser_measure(optimiser);
    if (!isfinite(optimiser->norm)) {
        const ken_tensor *tensor = optimiser->parameters[optimiser->worst].tensor;
        return ken_fail(KEN_ERR_DIVERGED, "gradient of tensor %zu (%zu x %zu) is not finite",
                        optimiser->worst, tensor->rows, tensor->cols);
    }
    struct ken_adam adam = { .rate = rate,
                             .beta1 = options->beta1,
                             .beta2 = options->beta2,
                             .eps = options->eps,
                             .scale = 1,
                             .step = ++optimiser->step };
    /* PyTorch's clip_grad_norm_() adds 1e-6 to the norm too; this also avoids a division by 0. */
    if (options->clip > 0) adam.scale = fmin(1, options->clip / (optimiser->norm + 1e-6));
    float *m = optimiser->moments, *v = optimiser->moments + optimiser->size;
    for (size_t i = 0; i < optimiser->count; i++) {
        ken_tensor *tensor = optimiser->parameters[i].tensor;
        size_t size = ken_tensor_size(tensor);
        /* Weight decay is limited so that it moves a weight at most to 0: a larger decay would
         * change the sign of the weight and could let it grow. */
        adam.decay = optimiser->parameters[i].decays ? fmin(options->decay, 1 / rate) : 0;
        adam.l2 = optimiser->parameters[i].decays ? options->l2 : 0;
        ken_adam(tensor->data, tensor->grad, m, v, size, &adam);
        m += size;
        v += size;
    }
    return KEN_OK;
}
