/* test_golden_ops.c - norms, activations, recurrence, convolution, losses and the optimiser against
 * PyTorch: results and all gradients, on every instruction set of this machine. The vectors are in
 * tests/golden/, from tools/golden.py. */
#include "base/memory.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "tests/arrays.h"
#include "tests/golden.h"
#include "tests/unit.h"
#include "train/optimiser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ken_tape tape; /* check_gradients() clears it at the end of each case */

/* Runs backward from `out` and compares the gradients of up to three tensors, named in `names`. */
static void check_gradients(struct golden *g, const char *name, ken_tensor *out,
                            const ken_tensor *dout, ken_tensor *const tensors[3],
                            const char *const names[3])
{
    golden_backward(g, &tape, out, name, dout);
    for (size_t i = 0; i < 3 && tensors[i]; i++)
        golden_expect(g, tensors[i]->grad, ken_tensor_size(tensors[i]), "%s.d.%s", name, names[i]);
    ken_tape_clear(&tape);
}
#define TENSORS(...) ((ken_tensor *const[3]){ __VA_ARGS__ })
#define NAMES(...) ((const char *const[3]){ __VA_ARGS__ })

/* ---- norms, activations, gated units, linear layer ------------------------------------------- */

static void check_activations(struct golden *g, ken_tensor *x, const ken_tensor *dout)
{
    static const struct {
        const char *name;
        enum ken_activation kind;
    } cases[] = {
        { "relu", KEN_ACT_RELU },           { "gelu", KEN_ACT_GELU }, { "silu", KEN_ACT_SILU },
        { "sigmoid", KEN_ACT_SIGMOID },     { "tanh", KEN_ACT_TANH }, { "elu", KEN_ACT_ELU },
        { "gelu tanh", KEN_ACT_GELU_TANH },
    };
    for (size_t c = 0; c < KEN_COUNT(cases); c++)
        check_gradients(g, cases[c].name, ken_activate(&tape, x, cases[c].kind), dout, TENSORS(x),
                        NAMES("x"));
}

static void check_dense(void)
{
    struct golden g;
    golden_open(&g, "dense");
    ken_tensor *x = golden_get(&g, "x"), *dout = golden_get(&g, "dout");
    ken_tensor *gain = golden_get(&g, "gain"), *bias = golden_get(&g, "bias");
    ken_tensor *half = golden_get(&g, "half_dout");
    check_gradients(&g, "layer norm", ken_norm(&tape, x, gain, bias, KEN_NORM_LAYER, 1e-5f), dout,
                    TENSORS(x, gain, bias), NAMES("x", "gain", "bias"));
    check_gradients(&g, "rms norm", ken_norm(&tape, x, gain, NULL, KEN_NORM_RMS, 1e-6f), dout,
                    TENSORS(x, gain), NAMES("x", "gain"));
    check_activations(&g, x, dout);
    check_gradients(&g, "glu", ken_glu(&tape, x, KEN_ACT_SIGMOID), half, TENSORS(x), NAMES("x"));
    check_gradients(&g, "swiglu", ken_glu(&tape, x, KEN_ACT_SILU), half, TENSORS(x), NAMES("x"));
    ken_tensor *weight = golden_get(&g, "weight"), *shift = golden_get(&g, "shift");
    check_gradients(&g, "linear", ken_linear(&tape, x, weight, shift, KEN_ACT_GELU),
                    golden_get(&g, "dz"), TENSORS(x, weight, shift), NAMES("x", "weight", "shift"));
    golden_close(&g);
}

static void dense(void **state)
{
    (void)state;
    on_every_machine(check_dense);
}

/* ---- recurrence ------------------------------------------------------------------------------ */

typedef ken_tensor *recurrent_fn(ken_tape *on, ken_tensor *x, const ken_tensor *w_input,
                                 const ken_tensor *w_hidden, const ken_tensor *bias_input,
                                 const ken_tensor *bias_hidden, ken_ragged ragged, bool reversed);

/* PyTorch has both directions side by side in a row; here each is an operation. */
static ken_tensor half_of(struct golden *g, const ken_tensor *both, size_t which)
{
    ken_tensor half = { .rows = both->rows, .cols = both->cols / 2 };
    half.data = ken_arena_take(&g->arena, ken_tensor_size(&half), sizeof(float));
    for (size_t i = 0; i < half.rows; i++)
        memcpy(half.data + i * half.cols, both->data + i * both->cols + which * half.cols,
               half.cols * sizeof(float));
    return half;
}

static void check_recurrent(struct golden *g, const char *name, recurrent_fn *apply)
{
    static const char *const ways[] = { "forward", "reversed" };
    static const char *const parts[] = { "w_input", "w_hidden", "bias_input", "bias_hidden" };
    ken_tensor *x = golden_get(g, "x"), *p[2][4], *loss = NULL;
    ken_ragged rows = golden_ragged(g, "rows");
    for (size_t way = 0; way < 2; way++) {
        for (size_t i = 0; i < 4; i++)
            p[way][i] = golden_get(g, "%s.%s.%s", name, ways[way], parts[i]);
        ken_tensor *const *w = p[way];
        ken_tensor *y = apply(&tape, x, w[0], w[1], w[2], w[3], rows, way == 1);
        ken_tensor expected = half_of(g, golden_get(g, "%s.out", name), way);
        ken_tensor dout = half_of(g, golden_get(g, "dout"), way);
        check_close(name, y->data, expected.data, ken_tensor_size(y), 1e-6);
        ken_tensor *part = ken_dot(&tape, y, dout.data);
        loss = way == 0 ? part : ken_add(&tape, loss, part);
    }
    memset(x->grad, 0, ken_tensor_size(x) * sizeof(float));
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    golden_expect(g, x->grad, ken_tensor_size(x), "%s.d.x", name);
    for (size_t i = 0; i < 8; i++)
        golden_expect(g, p[i / 4][i % 4]->grad, ken_tensor_size(p[i / 4][i % 4]), "%s.d.%s.%s",
                      name, ways[i / 4], parts[i % 4]);
    ken_tape_clear(&tape);
}

static void check_recurrence(void)
{
    struct golden g;
    golden_open(&g, "recurrent");
    check_recurrent(&g, "lstm", ken_lstm);
    check_recurrent(&g, "gru", ken_gru);
    check_recurrent(&g, "rnn", ken_rnn);
    golden_close(&g);
}

static void recurrence(void **state)
{
    (void)state;
    on_every_machine(check_recurrence);
}

/* ---- convolution ----------------------------------------------------------------------------- */

typedef ken_tensor *conv_fn(ken_tape *on, ken_tensor *x, const ken_tensor *weight,
                            const ken_tensor *bias, ken_ragged ragged, enum ken_padding padding);

static void check_sequence_conv(struct golden *g, const char *kind, const char *weight_name,
                                conv_fn *apply, ken_tensor *bias, const ken_tensor *dout)
{
    ken_tensor *x = golden_get(g, "x");
    ken_ragged rows = golden_ragged(g, "rows");
    for (int taps = 3; taps <= 4; taps++)
        for (int causal = 0; causal < 2; causal++) {
            char name[32];
            snprintf(name, sizeof name, "%s %d %s", kind, taps, causal ? "causal" : "centred");
            ken_tensor *weight = golden_get(g, "%s %d", weight_name, taps);
            ken_tensor *y = apply(&tape, x, weight, bias, rows,
                                  causal ? KEN_PAD_CAUSAL : KEN_PAD_CENTRED);
            check_gradients(g, name, y, dout, TENSORS(x, weight, bias),
                            NAMES("x", "weight", "bias"));
        }
}

static void check_convolution(void)
{
    const struct ken_conv_image image = { .height = 5,
                                          .width = 4,
                                          .down = 3,
                                          .across = 3,
                                          .stride = 2,
                                          .pad = 1 };
    struct golden g;
    golden_open(&g, "convolution");
    check_sequence_conv(&g, "conv", "weight", ken_conv, golden_get(&g, "bias"),
                        golden_get(&g, "dout"));
    check_sequence_conv(&g, "depth", "depth", ken_conv_depth, golden_get(&g, "depth_bias"),
                        golden_get(&g, "depth_dout"));
    ken_tensor *x = golden_get(&g, "pixels"), *weight = golden_get(&g, "taps");
    ken_tensor *bias = golden_get(&g, "image_bias");
    check_gradients(&g, "image", ken_conv_image(&tape, x, weight, bias, &image),
                    golden_get(&g, "image_dout"), TENSORS(x, weight, bias),
                    NAMES("x", "weight", "bias"));
    golden_close(&g);
}

static void convolution(void **state)
{
    (void)state;
    on_every_machine(check_convolution);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* The gradient of the projection is added during forward, so it is cleared here, before forward. */
static void check_project_loss(struct golden *g, const char *name, float smoothing, bool tied)
{
    ken_tensor *table = golden_get(g, "table"), *bias = golden_get(g, "bias");
    ken_tensor *weight = tied ? table : golden_get(g, "weight");
    const int32_t *ids = golden_ids(g, "ids"), *targets = golden_ids(g, "targets");
    ken_tensor *all[3] = { table, bias, weight };
    for (size_t i = 0; i < 3; i++) memset(all[i]->grad, 0, ken_tensor_size(all[i]) * sizeof(float));
    ken_tensor *x = ken_embed(&tape, table, ids, 7, 1.5f);
    ken_tensor *loss = ken_project_loss(&tape, x, weight, bias, targets, smoothing, 1, NULL);
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    golden_expect(g, loss->data, 1, "%s.out", name);
    golden_expect(g, table->grad, ken_tensor_size(table), "%s.d.table", name);
    golden_expect(g, bias->grad, ken_tensor_size(bias), "%s.d.bias", name);
    if (!tied) golden_expect(g, weight->grad, ken_tensor_size(weight), "%s.d.weight", name);
    ken_tape_clear(&tape);
}

static void check_losses(void)
{
    struct golden g;
    golden_open(&g, "loss");
    check_project_loss(&g, "sharp", 0, false);
    check_project_loss(&g, "smooth", 0.1f, false);
    check_project_loss(&g, "tied", 0.1f, true);
    ken_tensor *x = golden_get(&g, "x");
    const float *numbers = golden_get(&g, "numbers")->data;
    check_gradients(&g, "mse", ken_mse(&tape, x, numbers, 1, NULL), NULL, TENSORS(x), NAMES("x"));
    check_gradients(&g, "bce", ken_bce(&tape, x, numbers, 1, NULL), NULL, TENSORS(x), NAMES("x"));
    golden_close(&g);
}

static void losses(void **state)
{
    (void)state;
    on_every_machine(check_losses);
}

/* ---- optimiser ------------------------------------------------------------------------------- */

/* Ten steps of AdamW, in which only the weight decays; early gradients are clipped, late ones are
 * not. */
static void check_adamw(void)
{
    struct golden g;
    golden_open(&g, "adamw");
    ken_tensor *x = golden_get(&g, "x"), *weight = golden_get(&g, "weight");
    ken_tensor *bias = golden_get(&g, "bias");
    x->needs_grad = false;
    const ken_trained trained[] = { { weight, true }, { bias, false } };
    const ken_optimiser_options options = { .beta1 = 0.9,
                                            .beta2 = 0.98,
                                            .eps = 1e-8,
                                            .decay = 0.1,
                                            .clip = 2.3 };
    ken_optimiser optimiser;
    assert_int_equal(ken_optimiser_init(&optimiser, trained, 2, &options), KEN_OK);
    float norms[10], weights[10 * 12], biases[10 * 3];
    for (size_t step = 0; step < 10; step++) {
        ken_tensor *y = ken_linear(&tape, x, weight, bias, KEN_ACT_NONE);
        ken_tensor *loss = ken_mse(&tape, y, golden_get(&g, "y")->data, 1, NULL);
        assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
        assert_int_equal(ken_optimiser_step(&optimiser, 0.05), KEN_OK);
        norms[step] = (float)optimiser.norm;
        memcpy(weights + 12 * step, weight->data, 12 * sizeof(float));
        memcpy(biases + 3 * step, bias->data, 3 * sizeof(float));
        ken_tape_clear(&tape);
    }
    golden_expect(&g, norms, KEN_COUNT(norms), "norms");
    golden_expect(&g, weights, KEN_COUNT(weights), "weights");
    golden_expect(&g, biases, KEN_COUNT(biases), "biases");
    ken_optimiser_release(&optimiser);
    golden_close(&g);
}

static void adamw(void **state)
{
    (void)state;
    on_every_machine(check_adamw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense),  cmocka_unit_test(recurrence), cmocka_unit_test(convolution),
        cmocka_unit_test(losses), cmocka_unit_test(adamw),
    };
    if (ken_tape_init(&tape)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ken_tape_release(&tape);
    return failed;
}
