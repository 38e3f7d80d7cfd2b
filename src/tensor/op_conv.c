/* op_conv.c - convolution over sequences, ordinary and depth-wise, and over images. The options of
 * a node are struct ken_conv, the geometry of the convolution. Work space comes from the tape's
 * memory and is given back at the end of the operation. */
#include "base/size.h"
#include "kernel/conv.h"
#include "tensor/op_sequence.h"

enum { X, WEIGHT, BIAS };

/* Runs the convolution `op` and returns its result. The caller has checked all shapes except the
 * bias. */
static ken_tensor *run(ken_tape *tape, enum ken_op op, const struct ken_conv *conv, ken_tensor *x,
                       const ken_tensor *weight, const ken_tensor *bias)
{
    const char *name = ken_ops[op].name;
    if (bias && ken_tensor_size(bias) != conv->out)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: bias of %zu, weight %zu x %zu", name,
                             ken_tensor_size(bias), weight->rows, weight->cols);
    struct ken_node *node = KEN_NODE(tape, op, conv, x, weight, bias);
    ken_tape_output(tape, node, ken_conv_rows(conv), conv->out);
    return ken_tape_run(tape, node);
}

static void *misfit(ken_tape *tape, enum ken_op op, const ken_tensor *x, const ken_tensor *weight)
{
    return ken_tape_fail(tape, KEN_ERR_SHAPE, "%s: input %zu x %zu, weight %zu x %zu",
                         ken_ops[op].name, x->rows, x->cols, weight->rows, weight->cols);
}

/* Returns the geometry of a convolution that keeps the length of a sequence: taps - 1 rows of zeros
 * surround the sequence, `pad_across` of them before it. */
static struct ken_conv over_sequences(size_t in, size_t out, size_t taps, ken_ragged ragged,
                                      enum ken_padding padding)
{
    return (struct ken_conv){ .in = in,
                              .out = out,
                              .down = 1,
                              .across = taps,
                              .stride = 1,
                              .pad_across = padding == KEN_PAD_CAUSAL ? taps - 1 : (taps - 1) / 2,
                              .start = ragged.start,
                              .count = ragged.count };
}

ken_tensor *ken_conv(ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                     const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding)
{
    if (tape->status || !ken_op_covers(tape, "conv", x, ragged)) return NULL;
    if (x->cols == 0 || weight->cols == 0 || weight->cols % x->cols != 0)
        return misfit(tape, KEN_OP_CONV, x, weight);
    struct ken_conv conv = over_sequences(x->cols, weight->rows, weight->cols / x->cols, ragged,
                                          padding);
    return run(tape, KEN_OP_CONV, &conv, x, weight, bias);
}

/* Checks that an image has pixels, that the filter has taps, and that the filter fits into the
 * padded image. Padding by more pixels than the filter has taps is an error. */
static bool image_is_sound(size_t *pixels, size_t *taps, const struct ken_conv_image *image)
{
    return ken_size_mul(pixels, image->height, image->width) && *pixels > 0 &&
           ken_size_mul(taps, image->down, image->across) && *taps > 0 && image->stride > 0 &&
           image->pad <= *taps && image->down <= image->height + 2 * image->pad &&
           image->across <= image->width + 2 * image->pad;
}

ken_tensor *ken_conv_image(ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, const struct ken_conv_image *image)
{
    if (tape->status) return NULL;
    size_t pixels, taps;
    if (!image_is_sound(&pixels, &taps, image))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "conv_image: %zu x %zu taps, stride %zu, padding %zu, on images of "
                             "%zu x %zu",
                             image->down, image->across, image->stride, image->pad, image->height,
                             image->width);
    if (x->rows % pixels != 0)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "conv_image: input %zu x %zu, images of %zu x %zu pixels", x->rows,
                             x->cols, image->height, image->width);
    if (weight->cols != taps * x->cols) return misfit(tape, KEN_OP_CONV_IMAGE, x, weight);
    struct ken_conv conv = { .in = x->cols,
                             .out = weight->rows,
                             .down = image->down,
                             .across = image->across,
                             .stride = image->stride,
                             .pad_down = image->pad,
                             .pad_across = image->pad,
                             .count = x->rows / pixels,
                             .height = image->height,
                             .width = image->width };
    return run(tape, KEN_OP_CONV_IMAGE, &conv, x, weight, bias);
}

/* Forward and backward of KEN_OP_CONV and KEN_OP_CONV_IMAGE. Forward saves nothing: the windows
 * that it gathers are several times as large as x, so backward gathers them again. */
ken_status ken_conv_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_conv *conv = node->options;
    const ken_tensor *bias = node->in[BIAS];
    float *space;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &space, ken_conv_space(conv)));
    ken_conv_forward(node->out[0]->data, node->in[X]->data, node->in[WEIGHT]->data,
                     bias ? bias->data : NULL, conv, space);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_conv_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_conv *conv = node->options;
    float *dx, *dweight, *dbias, *space;
    KEN_TRY(ken_tape_grad(tape, node->in[X], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[WEIGHT], &dweight));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &dbias));
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &space, ken_conv_space(conv)));
    ken_conv_backward(dx, dweight, dbias, node->out[0]->grad, node->in[X]->data,
                      node->in[WEIGHT]->data, conv, space);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_tensor *ken_conv_depth(ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                           const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding)
{
    if (tape->status || !ken_op_covers(tape, "conv_depth", x, ragged)) return NULL;
    if (x->cols != weight->cols || weight->rows == 0)
        return misfit(tape, KEN_OP_CONV_DEPTH, x, weight);
    struct ken_conv conv = over_sequences(x->cols, x->cols, weight->rows, ragged, padding);
    return run(tape, KEN_OP_CONV_DEPTH, &conv, x, weight, bias);
}

ken_status ken_conv_depth_op_forward(ken_tape *tape, struct ken_node *node)
{
    const ken_tensor *bias = node->in[BIAS];
    (void)tape;
    ken_conv_depth_forward(node->out[0]->data, node->in[X]->data, node->in[WEIGHT]->data,
                           bias ? bias->data : NULL, node->options);
    return KEN_OK;
}

ken_status ken_conv_depth_op_backward(ken_tape *tape, struct ken_node *node)
{
    float *dx, *dweight, *dbias;
    KEN_TRY(ken_tape_grad(tape, node->in[X], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[WEIGHT], &dweight));
    KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &dbias));
    ken_conv_depth_backward(dx, dweight, dbias, node->out[0]->grad, node->in[X]->data,
                            node->in[WEIGHT]->data, node->options);
    return KEN_OK;
}
