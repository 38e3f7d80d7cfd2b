/* gradcheck.c - computes the slope of a loss f by finite differences with step h:
 *   f'(x) = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h + O(h^4)
 * With four points the step can be so wide that the rounding errors of f, which is computed in
 * float, stay small compared with the differences of f. */
#include "tensor/gradcheck.h"

#include "base/size.h"

#include <math.h>
#include <string.h>

static ken_status value(double *loss, ken_tape *tape, ken_gradcheck_fn *build, void *context)
{
    ken_tape_clear(tape);
    ken_tensor *result = build(tape, context);
    KEN_TRY(ken_tape_status(tape));
    *loss = result->data[0];
    return KEN_OK;
}

static ken_status slope(double *result, ken_tape *tape, ken_gradcheck_fn *build, void *context,
                        float *x, float step)
{
    const float saved = *x;
    const int offsets[4] = { 1, -1, 2, -2 };
    double f[4];
    for (int i = 0; i < 4; i++) {
        *x = saved + (float)offsets[i] * step;
        ken_status status = value(&f[i], tape, build, context);
        *x = saved;
        if (status) return status;
    }
    *result = (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * (double)step);
    return KEN_OK;
}

static ken_status check_parameter(double *worst, ken_tape *tape, ken_gradcheck_fn *build,
                                  void *context, ken_tensor *parameter, float step, size_t most)
{
    size_t size = ken_tensor_size(parameter);
    /* The stride through a parameter's entries is odd, so that the tested entries do not all fall
     * into the same few columns. */
    size_t stride = ken_size_max(size / ken_size_max(most, 1), 1) | 1;
    double scale = 1e-3, difference = 0;
    for (size_t i = 0; i < size; i++) scale = fmax(scale, fabs(parameter->grad[i]));
    for (size_t i = 0; i < size; i += stride) {
        double here = INFINITY;
        /* A wrong gradient fails at every step width. A right gradient passes at some width: a wide
         * step may cross a kink (of ReLU), and a narrow step loses too many digits to rounding. */
        for (float h = step; h > step / 200 && !(here <= 1e-3 * scale); h /= 4) {
            double expected;
            KEN_TRY(slope(&expected, tape, build, context, parameter->data + i, h));
            double off = fabs(expected - parameter->grad[i]);
            here = off < here || isnan(off) ? off : here;
        }
        difference = here > difference || isnan(here) ? here : difference;
    }
    double relative = difference / scale;
    if (relative > *worst || isnan(relative)) *worst = relative;
    return KEN_OK;
}

ken_status ken_gradcheck(double *worst, ken_gradcheck_fn *build, void *context,
                         ken_tensor *const *parameters, size_t count, float step, size_t most)
{
    ken_tape tape;
    ken_status status = ken_tape_init(&tape);
    if (status) return status;
    *worst = 0;
    tape.training = true;
    for (size_t p = 0; p < count; p++)
        memset(parameters[p]->grad, 0, ken_tensor_size(parameters[p]) * sizeof(float));
    ken_tensor *loss = build(&tape, context);
    status = ken_tape_backward(&tape, loss);
    tape.recording = false;
    for (size_t p = 0; p < count && !status; p++)
        status = check_parameter(worst, &tape, build, context, parameters[p], step, most);
    ken_tape_release(&tape);
    return status;
}
