/* cases_seq.c - gradient cases of embedding, losses, convolution, recurrence, pooling, rotation.
 * Most run over ragged_9: four rows, an empty sequence, five rows. */
#include "base/size.h"
#include "tests/op_cases.h"

#include <math.h>

typedef const struct op_case *a_case;

static const int32_t ids_9[9] = { 3, 0, 3, 10, 1, 7, 7, 3, 2 }; /* some twice, some never */
static const int32_t targets_9[9] = { 2, 10, 0, 5, 5, 9, 1, 3, 0 };
static const int32_t sparse_9[9] = { -1, 10, -1, 5, 5, -1, -1, -1, 0 };
static const int32_t ignored_9[9] = { -1, -1, -1, -1, -1, -1, -1, -1, -1 };
static const size_t offsets_3[3] = { 2, 9, 1 };

static ken_tensor *embed(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    (void)test;
    return ken_embed(tape, p[0], ids_9, 9, 2.5f);
}

static ken_tensor *add_position(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_add_position(tape, p[0], p[1], ragged_9, test->variant ? offsets_3 : NULL);
}

static ken_tensor *project_loss(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    switch (test->variant) {
    case 1: return ken_project_loss(tape, p[0], p[1], p[2], targets_9, 0.1f, 1, NULL);
    case 2: return ken_project_loss(tape, p[0], p[1], p[2], sparse_9, 0, 1, NULL);
    case 3: return ken_project_loss(tape, p[0], p[1], p[2], sparse_9, 0.3f, 2.5f, NULL);
    default: return ken_project_loss(tape, p[0], p[1], p[2], targets_9, 0, 1, NULL);
    }
}

/* The sum of two losses on one input; the weight of one is the table that the input came from. */
static ken_tensor *tied(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    ken_tensor *x = ken_add(tape, ken_embed(tape, p[0], ids_9, 9, 1), p[1]);
    (void)test;
    return ken_add(tape, ken_project_loss(tape, x, p[0], NULL, targets_9, 0.1f, 1, NULL),
                   ken_project_loss(tape, x, p[2], NULL, sparse_9, 0, 0.5f, NULL));
}

/* A loss without a single counted row is 0 and has no gradient. */
static ken_tensor *nothing_counted(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    ken_tensor *none = ken_project_loss(tape, p[0], p[1], NULL, ignored_9, 0.1f, 1, NULL);
    (void)test;
    return ken_add(tape, none, ken_project_loss(tape, p[0], p[1], NULL, targets_9, 0, 1, NULL));
}

static ken_tensor *class_loss(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    ken_tensor *none = ken_class_loss(tape, p[0], ignored_9, 0.1f, 1, NULL);
    const int32_t *targets = test->variant ? sparse_9 : targets_9;
    ken_tensor *loss = ken_class_loss(tape, p[0], targets, test->variant ? 0.2f : 0, 0.5f, NULL);
    return ken_add(tape, ken_scale(tape, loss, -3), none);
}

static ken_tensor *label_loss(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const float labels[12] = { 1, 0, NAN, 0.25f, 1, 1, NAN, NAN, 0, 0, 1, 0 };
    static const float missing[12] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    bool binary = test->variant == 1;
    ken_tensor *loss = binary ? ken_bce(tape, p[0], labels, 0.5f, NULL)
                              : ken_mse(tape, p[0], labels, 0.5f, NULL);
    ken_tensor *none = binary ? ken_bce(tape, p[0], missing, 1, NULL)
                              : ken_mse(tape, p[0], missing, 1, NULL);
    return ken_add(tape, ken_scale(tape, loss, -3), none);
}

static ken_tensor *conv(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_conv(tape, p[0], p[1], p[2], ragged_9, (enum ken_padding)test->variant);
}

static ken_tensor *conv_depth(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_conv_depth(tape, p[0], p[1], p[2], ragged_9, (enum ken_padding)test->variant);
}

static ken_tensor *conv_image(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const struct ken_conv_image images[] = {
        { .height = 4, .width = 5, .down = 2, .across = 3, .stride = 1, .pad = 0 },
        { .height = 4, .width = 5, .down = 2, .across = 3, .stride = 2, .pad = 1 },
        { .height = 4, .width = 5, .down = 2, .across = 3, .stride = 3, .pad = 2 },
        { .height = 4, .width = 5, .down = 6, .across = 1, .stride = 1, .pad = 1 },
    };
    return ken_conv_image(tape, p[0], p[1], p[2], &images[test->variant]);
}

enum { FORWARD, REVERSED };

static ken_tensor *lstm(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_lstm(tape, p[0], p[1], p[2], p[3], p[4], ragged_9, test->variant == REVERSED);
}

static ken_tensor *gru(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    return ken_gru(tape, p[0], p[1], p[2], p[3], p[4], ragged_9, test->variant == REVERSED);
}

enum { GOES_ON = KEN_CELL_COUNT }; /* added to a cell: it starts from a given state */

static ken_tensor *recurrence(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const float state[6][5] = { { 0.5f, -0.3f, 0.8f }, { 0, 0.2f, -0.9f, 0.1f, 0.4f } };
    bool goes_on = test->variant >= GOES_ON;
    struct ken_recurrence r = { .cell = (enum ken_cell)(test->variant % GOES_ON),
                                .x = p[0],
                                .w_input = p[1],
                                .w_hidden = p[2],
                                .bias_input = p[3],
                                .bias_hidden = p[4],
                                .ragged = ragged_9,
                                .reversed = goes_on,
                                .h = goes_on ? state[0] : NULL,
                                .c = goes_on ? state[1] : NULL };
    return ken_recurrence(tape, &r, NULL);
}

static ken_tensor *pool(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    enum ken_pooling kind = (enum ken_pooling)test->variant;
    return ken_pool(tape, p[0], ragged_9, kind, kind == KEN_POOL_ATTENTIVE ? p[1] : NULL);
}

/* Bags of 4, 0 and 5 ids; while training some are left out. */
static ken_tensor *bag(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const int32_t ids[] = { 3, 0, 10, 3, 1, 2, 10, 7, 7 };
    return ken_bag(tape, p[0], ids, ragged_9, test->variant ? 0.4f : 0);
}

static ken_tensor *rotate(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    struct ken_rotary how = { .first_col = 2,
                              .heads = 2,
                              .E = 6,
                              .offset = offsets_3,
                              .pairing = (enum ken_pairing)test->variant };
    return ken_rotate_as(tape, p[0], ragged_9, &how, NULL);
}

/* Places of two coordinates, near and far apart: a table row for each, or for each row. */
static ken_tensor *rotate_twice(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const int32_t near[] = { 0, 0, 0, 1, 2, 1, 3, 3, 1, 0, 2, 2, 0, 4, 1, 1, 4, 0 };
    static const int32_t far[] = { 0, 0, 90, 1, 2, 1, 3, 73, 1, 0, 2, 2, 0, 4, 1, 1, 4, 0 };
    struct ken_rotary how = { .first_col = 1,
                              .heads = 2,
                              .E = 8,
                              .axes = 2,
                              .pairing = (enum ken_pairing)(test->variant % 2) };
    return ken_rotate_as(tape, p[0], ragged_9, &how, test->variant < 2 ? near : far);
}

static ken_tensor *add_place(ken_tape *tape, ken_tensor *const *p, a_case test)
{
    static const int32_t places[] = { 3, 0, 6, 3, 1, 2, 6, 6, 0 };
    (void)test;
    return ken_add_place(tape, p[0], p[1], places);
}

/* short names, so that a case fits on a line */
enum { CENTRED = KEN_PAD_CENTRED, CAUSAL = KEN_PAD_CAUSAL };

static const struct op_case cases[] = {
    { "embed", KEN_OP_EMBED, { { 11, 5 } }, embed },
    { "bag", KEN_OP_BAG, { { 11, 5 } }, bag, 0 },
    { "bag, dropout", KEN_OP_BAG, { { 11, 17 } }, bag, 1 },
    { "add_position", KEN_OP_ADD_POSITION, { { 9, 6 }, { 7, 6 } }, add_position, 0 },
    { "add_position, offsets", KEN_OP_ADD_POSITION, { { 9, 6 }, { 6, 6 } }, add_position, 1 },
    { "add_position, given", KEN_OP_ADD_POSITION, { { 9, 6 }, { 7, 6 } }, add_place },
    { "project_loss", KEN_OP_PROJECT_LOSS, { { 9, 6 }, { 11, 6 }, { 1, 11 } }, project_loss, 0 },
    { "smoothed loss", KEN_OP_PROJECT_LOSS, { { 9, 6 }, { 11, 6 }, { 1, 11 } }, project_loss, 1 },
    { "loss, ignored rows", KEN_OP_PROJECT_LOSS, { { 9, 6 }, { 11, 6 } }, project_loss, 2 },
    { "loss, all at once",
      KEN_OP_PROJECT_LOSS,
      { { 9, 6 }, { 11, 6 }, { 1, 11 } },
      project_loss,
      3 },
    { "loss, tied", KEN_OP_PROJECT_LOSS, { { 11, 6 }, { 9, 6 }, { 11, 6 } }, tied },
    { "loss, nothing counted", KEN_OP_PROJECT_LOSS, { { 9, 6 }, { 11, 6 } }, nothing_counted },
    { "class loss", KEN_OP_CLASS_LOSS, { { 9, 11 } }, class_loss, 0 },
    { "class loss, smoothed", KEN_OP_CLASS_LOSS, { { 9, 11 } }, class_loss, 1 },
    { "mse", KEN_OP_LABEL_LOSS, { { 4, 3 } }, label_loss, 0 },
    { "bce", KEN_OP_LABEL_LOSS, { { 4, 3 } }, label_loss, 1 },
    { "conv 3", KEN_OP_CONV, { { 9, 3 }, { 4, 9 }, { 1, 4 } }, conv, CENTRED },
    { "conv 4", KEN_OP_CONV, { { 9, 3 }, { 4, 12 }, { 1, 4 } }, conv, CENTRED },
    { "conv 3, causal", KEN_OP_CONV, { { 9, 3 }, { 4, 9 } }, conv, CAUSAL },
    { "conv 11, too wide", KEN_OP_CONV, { { 9, 2 }, { 3, 22 } }, conv, CENTRED },
    { "conv 11, causal", KEN_OP_CONV, { { 9, 2 }, { 3, 22 } }, conv, CAUSAL },
    { "conv 1", KEN_OP_CONV, { { 9, 3 }, { 4, 3 }, { 1, 4 } }, conv, CENTRED },
    { "depth 3", KEN_OP_CONV_DEPTH, { { 9, 5 }, { 3, 5 }, { 1, 5 } }, conv_depth, CENTRED },
    { "depth 4", KEN_OP_CONV_DEPTH, { { 9, 5 }, { 4, 5 } }, conv_depth, CENTRED },
    { "depth 3, causal", KEN_OP_CONV_DEPTH, { { 9, 5 }, { 3, 5 } }, conv_depth, CAUSAL },
    { "depth 11, too wide", KEN_OP_CONV_DEPTH, { { 9, 5 }, { 11, 5 } }, conv_depth, CENTRED },
    { "depth 11, causal", KEN_OP_CONV_DEPTH, { { 9, 5 }, { 11, 5 } }, conv_depth, CAUSAL },
    { "image", KEN_OP_CONV_IMAGE, { { 40, 2 }, { 3, 12 }, { 1, 3 } }, conv_image, 0 },
    { "image, stride 2", KEN_OP_CONV_IMAGE, { { 40, 2 }, { 3, 12 }, { 1, 3 } }, conv_image, 1 },
    { "image, stride 3", KEN_OP_CONV_IMAGE, { { 40, 2 }, { 3, 12 } }, conv_image, 2 },
    { "image, tall taps", KEN_OP_CONV_IMAGE, { { 40, 2 }, { 3, 12 } }, conv_image, 3 },
    { "lstm", KEN_OP_RECUR, { { 9, 3 }, { 20, 3 }, { 20, 5 }, { 1, 20 }, { 1, 20 } }, lstm },
    { "lstm, no bias", KEN_OP_RECUR, { { 9, 3 }, { 20, 3 }, { 20, 5 } }, lstm, FORWARD },
    { "lstm, reversed", KEN_OP_RECUR, { { 9, 3 }, { 20, 3 }, { 20, 5 } }, lstm, REVERSED },
    { "gru", KEN_OP_RECUR, { { 9, 3 }, { 15, 3 }, { 15, 5 }, { 1, 15 }, { 1, 15 } }, gru },
    { "gru, no bias", KEN_OP_RECUR, { { 9, 3 }, { 15, 3 }, { 15, 5 } }, gru, FORWARD },
    { "gru, reversed", KEN_OP_RECUR, { { 9, 3 }, { 15, 3 }, { 15, 5 } }, gru, REVERSED },
    { "rnn", KEN_OP_RECUR, { { 9, 3 }, { 5, 3 }, { 5, 5 }, { 1, 5 }, { 1, 5 } }, recurrence, 2 },
    { "rnn, goes on", KEN_OP_RECUR, { { 9, 3 }, { 5, 3 }, { 5, 5 } }, recurrence, GOES_ON + 2 },
    { "lstm, goes on", KEN_OP_RECUR, { { 9, 3 }, { 20, 3 }, { 20, 5 } }, recurrence, GOES_ON },
    { "gru, goes on", KEN_OP_RECUR, { { 9, 3 }, { 15, 3 }, { 15, 5 } }, recurrence, GOES_ON + 1 },
    { "pool mean", KEN_OP_POOL, { { 9, 5 } }, pool, KEN_POOL_MEAN },
    { "pool max", KEN_OP_POOL, { { 9, 5 } }, pool, KEN_POOL_MAX, .spread = 16 },
    { "pool first", KEN_OP_POOL, { { 9, 5 } }, pool, KEN_POOL_FIRST },
    { "pool last", KEN_OP_POOL, { { 9, 5 } }, pool, KEN_POOL_LAST },
    { "pool sum", KEN_OP_POOL, { { 9, 5 } }, pool, KEN_POOL_SUM },
    { "pool attentive", KEN_OP_POOL, { { 9, 5 }, { 9, 1 } }, pool, KEN_POOL_ATTENTIVE },
    { "rotate neighbours", KEN_OP_ROTATE, { { 9, 17 } }, rotate, KEN_ROTATE_NEIGHBOURS },
    { "rotate halves", KEN_OP_ROTATE, { { 9, 17 } }, rotate, KEN_ROTATE_HALVES },
    { "rotate twice, neighbours", KEN_OP_ROTATE, { { 9, 19 } }, rotate_twice, 0 },
    { "rotate twice, halves", KEN_OP_ROTATE, { { 9, 19 } }, rotate_twice, 1 },
    { "rotate twice, far apart", KEN_OP_ROTATE, { { 9, 19 } }, rotate_twice, 3 },
};
const struct op_case_list cases_seq = { cases, KEN_COUNT(cases) };
