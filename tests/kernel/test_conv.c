/* test_conv.c - convolution over sequences and images against its definition, on every instruction
 * set of this machine: any padding, taps wider than a sequence, work space in several chunks. */
#include "base/size.h"
#include "kernel/conv.h"
#include "tests/arrays.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <stdbool.h>

static const size_t start[] = { 0, 5, 5, 72, 139, 140, 204, 204 }; /* two sequences are empty */
enum { B = KEN_COUNT(start) - 1 };

typedef void conv_fn(float *y, const float *x, const float *w, const float *b,
                     const struct ken_conv *conv);
typedef void conv_back_fn(float *dx, float *dw, float *db, const float *dy, const float *x,
                          const float *w, const struct ken_conv *conv);

static void conv_forward(float *y, const float *x, const float *w, const float *b,
                         const struct ken_conv *conv)
{
    ken_conv_forward(y, x, w, b, conv, normal_array(ken_conv_space(conv), 9));
}

static void conv_backward(float *dx, float *dw, float *db, const float *dy, const float *x,
                          const float *w, const struct ken_conv *conv)
{
    ken_conv_backward(dx, dw, db, dy, x, w, conv, normal_array(ken_conv_space(conv), 9));
}

static void check_conv(const struct ken_conv *conv, bool depth)
{
    conv_fn *forward = depth ? ken_conv_depth_forward : conv_forward;
    conv_fn *forward_ref = depth ? ken_conv_depth_forward_ref : ken_conv_forward_ref;
    conv_back_fn *backward = depth ? ken_conv_depth_backward : conv_backward;
    conv_back_fn *backward_ref = depth ? ken_conv_depth_backward_ref : ken_conv_backward_ref;
    size_t in_rows = conv->start ? conv->start[conv->count]
                                 : conv->count * conv->height * conv->width;
    size_t x_size = in_rows * conv->in, out = depth ? conv->in : conv->out;
    size_t y_size = ken_conv_rows(conv) * out;
    size_t w_size = conv->down * conv->across * conv->in * (depth ? 1 : conv->out);
    double tolerance = 1e-6 * sqrt((double)ken_size_max(w_size / out, ken_conv_rows(conv))) * 3;
    float *x = normal_array(x_size, 1), *w = normal_array(w_size, 2), *b = normal_array(out, 3);
    float *y = normal_array(y_size, 4), *expected = same_array(y, y_size);
    forward(y, x, w, b, conv);
    forward_ref(expected, x, w, b, conv);
    check_close("conv", y, expected, y_size, tolerance);
    float *dx = normal_array(x_size, 5), *dx_expected = same_array(dx, x_size);
    float *dw = normal_array(w_size, 6), *dw_expected = same_array(dw, w_size);
    float *db = normal_array(out, 7), *db_expected = same_array(db, out);
    backward(dx, dw, db, y, x, w, conv);
    backward_ref(dx_expected, dw_expected, db_expected, y, x, w, conv);
    check_close("conv, dx", dx, dx_expected, x_size, 10 * tolerance);
    check_close("conv, dweight", dw, dw_expected, w_size, 10 * tolerance);
    check_close("conv, dbias", db, db_expected, out, 10 * tolerance);
    backward(dx, NULL, NULL, y, x, w, conv); /* any gradient may be left out */
    backward(NULL, dw, NULL, y, x, w, conv);
    backward_ref(dx_expected, dw_expected, NULL, y, x, w, conv);
    check_close("conv, only dx", dx, dx_expected, x_size, 20 * tolerance);
    check_close("conv, only dweight", dw, dw_expected, w_size, 20 * tolerance);
}

static void check_sequences(void)
{
    const size_t taps[] = { 1, 2, 5, 31, 90 };
    for (size_t k = 0; k < KEN_COUNT(taps) * 2; k++) {
        size_t across = taps[k / 2], pad = k % 2 ? across - 1 : (across - 1) / 2;
        struct ken_conv conv = { .in = 7,
                                 .out = 17,
                                 .down = 1,
                                 .across = across,
                                 .stride = 1,
                                 .pad_across = pad,
                                 .start = start,
                                 .count = B };
        check_conv(&conv, false);
        conv.in = 67;
        check_conv(&conv, true);
        drop_arrays();
    }
    /* windows so wide that the batch takes four chunks of 64 */
    struct ken_conv wide = { .in = 67,
                             .out = 3,
                             .down = 1,
                             .across = 251,
                             .stride = 1,
                             .pad_across = 125,
                             .start = start,
                             .count = B };
    assert_true(ken_conv_space(&wide) == 64 * 67 * 251);
    check_conv(&wide, false);
}

static void check_images(void)
{
    for (size_t stride = 1; stride <= 3; stride++)
        for (size_t pad = 0; pad <= 2; pad++)
            check_conv(&(struct ken_conv){ .in = 3,
                                           .out = 7,
                                           .down = 3,
                                           .across = 4,
                                           .stride = stride,
                                           .pad_down = pad,
                                           .pad_across = pad,
                                           .count = 3,
                                           .height = 9,
                                           .width = 11 },
                       false);
    /* images in several chunks, cut within an image */
    struct ken_conv large = { .in = 67,
                              .out = 3,
                              .down = 7,
                              .across = 5,
                              .stride = 2,
                              .pad_down = 3,
                              .pad_across = 3,
                              .count = 5,
                              .height = 20,
                              .width = 31 };
    assert_true(ken_conv_space(&large) < ken_conv_rows(&large) * 67 * 35);
    check_conv(&large, false);
}

static void convolution(void **state)
{
    (void)state;
    on_every_machine(check_sequences);
    on_every_machine(check_images);
    drop_arrays();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(convolution) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
