/* test_known.c - known answers and identities of multi-head attention, of the Transformer of the
 * first paper ("Attention Is All You Need"), and of the exponential function. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"
#include "layer/block.h"
#include "model/pass.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- one attention by hand ------------------------------------------------------------------- */

/* q . k = 2 ln 3 and 0, divided by sqrt(4) = 2 (not by 4): the weights are 3/4 and 1/4. */
static void check_by_hand(void)
{
    const float q[4] = { 2, 0, 0, 0 }, k[8] = { 0, 0, 0, 0, 1.0986123f, 0, 0, 0 };
    const float v[8] = { 4, 0, -4, 8, 0, 8, 4, 8 }, expected[4] = { 1, 6, 2, 8 };
    float out[4];
    assert_int_equal(ken_attention(out, q, k, v, 1, 2, 1, 4, 0), KEN_OK);
    check_close("by hand", out, expected, 4, 1e-6);
    /* with three queries, the last sees both keys, the second the first key, the first none */
    const float three[12] = { [8] = 2 };
    float outs[12];
    assert_int_equal(ken_attention(outs, three, k, v, 3, 2, 1, 4, 1), KEN_OK);
    for (size_t e = 0; e < 4; e++) assert_true(outs[e] == 0 && outs[4 + e] == v[e]);
    check_close("by hand, causal", outs + 8, expected, 4, 1e-6);
}

static void by_hand(void **state)
{
    (void)state;
    on_every_machine(check_by_hand);
}

/* The form with vectors as columns, I (D, n): A = K^T Q, softmax down its columns, O = V A'. The
 * rows of ken are those columns. There is no scaling here, as it is often taught. */
static void check_columns(void)
{
    enum { n = 9, D = 5 };
    float *q = random_array(n * D, 1, 1), *k = random_array(n * D, 2, 1); /* rows: transposed */
    float *v = random_array(n * D, 3, 1), out[n * D], columns[D * n], turned[n * D];
    double A[n][n];
    for (size_t column = 0; column < n; column++) {
        double sum = 0;
        for (size_t row = 0; row < n; row++) {
            double a = 0; /* (K^T Q)[row][column] = k of `row` . q of `column` */
            for (size_t d = 0; d < D; d++) a += (double)k[row * D + d] * q[column * D + d];
            sum += A[row][column] = exp(a);
        }
        for (size_t row = 0; row < n; row++) A[row][column] /= sum;
    }
    for (size_t d = 0; d < D; d++)
        for (size_t column = 0; column < n; column++) {
            double o = 0; /* (V A')[d][column] */
            for (size_t row = 0; row < n; row++) o += v[row * D + d] * A[row][column];
            columns[d * n + column] = (float)o;
        }
    for (size_t i = 0; i < n * D; i++) turned[i] = columns[i % D * n + i / D];
    for (size_t i = 0; i < n * D; i++) q[i] *= sqrtf(D); /* undoes the scale of 1 / sqrt(D) */
    assert_int_equal(ken_attention(out, q, k, v, n, n, 1, D, 0), KEN_OK);
    check_close("rows for columns", out, turned, n * D, 2e-6);
    float *const all[] = { q, k, v };
    free_arrays(all, KEN_COUNT(all));
}

static void columns_or_rows(void **state)
{
    (void)state;
    on_every_machine(check_columns);
}

/* ---- multi-head ------------------------------------------------------------------------------ */

enum { HEADS = 3, WIDTH = 12, ROWS = 17 };
static const size_t starts[] = { 0, 9, 9, 10, ROWS };
static const ken_ragged rows = { starts, 4 };

struct layer {
    struct ken_attention attention;
    ken_parameters parameters;
    ken_tensor x;
    float *dout;
    ken_tape tape;
    ken_tensor *y;
    struct ken_seen seen;
};

static void walk_attention(void *attention, ken_visitor *visitor)
{
    ken_attention_visit(attention, visitor, "attention");
}

static void make_layer(struct layer *layer)
{
    struct ken_attention_config config = { .width = WIDTH,
                                           .heads = HEADS,
                                           .left = KEN_UNLIMITED,
                                           .right = KEN_UNLIMITED,
                                           .biased = true };
    *layer = (struct layer){ .dout = random_array(ROWS * WIDTH, 2, 1) };
    assert_int_equal(ken_tape_init(&layer->tape), KEN_OK);
    assert_int_equal(ken_attention_init(&layer->attention, &config), KEN_OK);
    assert_int_equal(ken_parameters_init(&layer->parameters, walk_attention, &layer->attention, 7),
                     KEN_OK);
    assert_int_equal(ken_parameters_learn(&layer->parameters), KEN_OK);
    layer->x = (ken_tensor){ .data = random_array(ROWS * WIDTH, 1, 1),
                             .rows = ROWS,
                             .cols = WIDTH };
}

static void run_layer(struct layer *layer)
{
    struct ken_attention_call call = { .x = &layer->x, .rows = rows, .seen = &layer->seen };
    ken_tape_clear(&layer->tape);
    layer->y = ken_attention_apply(&layer->tape, &layer->attention, &call);
    ken_tensor *loss = ken_dot(&layer->tape, layer->y, layer->dout);
    assert_int_equal(ken_tape_backward(&layer->tape, loss), KEN_OK);
}

static void free_layer(struct layer *layer)
{
    ken_tape_release(&layer->tape);
    ken_parameters_release(&layer->parameters);
    ken_memory_free(layer->x.data);
    ken_memory_free(layer->dout);
}

/* A bias b of all keys adds q . b to every score of a row, which does not change softmax. */
static void check_key_bias(void)
{
    struct layer layer;
    make_layer(&layer);
    run_layer(&layer);
    float *before = copy_of(layer.y->data, ROWS * WIDTH);
    ken_tensor *bias = &layer.attention.project.bias; /* of q, k and v side by side */
    double most = 0;
    for (size_t i = 0; i < 3 * WIDTH; i++) most = fmax(most, fabs(bias->grad[i]));
    for (size_t i = WIDTH; i < 2 * WIDTH; i++) assert_true(fabs(bias->grad[i]) < 2e-6 * most);
    for (size_t i = WIDTH; i < 2 * WIDTH; i++) bias->data[i] = ken_random_normal(9, i);
    run_layer(&layer);
    check_close("with a key bias", layer.y->data, before, ROWS * WIDTH, 3e-6);
    bias->data[0] += 1; /* the bias of queries has an effect */
    run_layer(&layer);
    double moved = 0;
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        moved = fmax(moved, fabs(layer.y->data[i] - before[i]));
    assert_true(moved > 1e-3);
    ken_memory_free(before);
    free_layer(&layer);
}

/* concat(heads) Wo = sum over heads of head_h Wo_h, where each head is an attention of its own. */
static void check_sum_of_heads(void)
{
    enum { E = WIDTH / HEADS };
    struct layer layer;
    make_layer(&layer);
    run_layer(&layer);
    float qkv[ROWS * 3 * WIDTH], part[3][ROWS * E], head[ROWS * E], sum[ROWS * WIDTH] = { 0 };
    ken_matmul(&(struct ken_matmul){ .c = qkv,
                                     .a = layer.x.data,
                                     .m = ROWS,
                                     .n = 3 * WIDTH,
                                     .b = layer.attention.project.weight.data,
                                     .k = WIDTH,
                                     .layout = KEN_NT });
    for (size_t h = 0; h < HEADS; h++) {
        for (size_t i = 0; i < 3 * ROWS * E; i++) {
            size_t which = i / (ROWS * E), row = i / E % ROWS;
            part[which][i % (ROWS * E)] = qkv[row * 3 * WIDTH + which * WIDTH + h * E + i % E];
        }
        for (size_t b = 0; b < rows.count; b++) {
            size_t at = starts[b] * E, T = starts[b + 1] - starts[b];
            assert_int_equal(ken_attention(head + at, part[0] + at, part[1] + at, part[2] + at, T,
                                           T, 1, E, 0),
                             KEN_OK);
        }
        ken_matmul(&(struct ken_matmul){ .c = sum,
                                         .a = head,
                                         .m = ROWS,
                                         .n = WIDTH,
                                         .k = E,
                                         .b = layer.attention.out.weight.data + h * E,
                                         .b_stride = WIDTH,
                                         .layout = KEN_NT,
                                         .add = true });
    }
    check_close("sum of heads", sum, layer.y->data, ROWS * WIDTH, 2e-6);
    free_layer(&layer);
}

/* Computing q1, q2 ... from q by a second matrix is the same as one matrix, the product of both; so
 * one projection for all of q, k and v is no restriction. */
static void check_stacked_maps(void)
{
    struct layer layer;
    make_layer(&layer);
    float *second = random_array(WIDTH * WIDTH, 5, 0.3f), fused[WIDTH * WIDTH];
    float *weight = layer.attention.project.weight.data; /* its first WIDTH rows give q */
    ken_matmul(&(struct ken_matmul){ .c = fused,
                                     .a = second,
                                     .b = weight,
                                     .m = WIDTH,
                                     .n = WIDTH,
                                     .k = WIDTH });
    ken_tensor stacked = { .data = second, .rows = WIDTH, .cols = WIDTH };
    ken_tensor *qkv = ken_linear(&layer.tape, &layer.x, &layer.attention.project.weight, NULL,
                                 KEN_ACT_NONE);
    ken_tensor q = { .rows = ROWS, .cols = WIDTH, .data = random_array(ROWS * WIDTH, 6, 0) };
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        q.data[i] = qkv->data[i / WIDTH * 3 * WIDTH + i % WIDTH];
    struct ken_attend_options options = { .queries = rows,
                                          .heads = HEADS,
                                          .width = WIDTH / HEADS,
                                          .k_col = WIDTH,
                                          .v_col = 2 * WIDTH,
                                          .left = KEN_UNLIMITED,
                                          .right = KEN_UNLIMITED };
    ken_tensor *seen = ken_attend(&layer.tape,
                                  ken_linear(&layer.tape, &q, &stacked, NULL, KEN_ACT_NONE), qkv,
                                  qkv, NULL, NULL, &options);
    float *expected = copy_of(seen->data, ROWS * WIDTH);
    memcpy(weight, fused, sizeof fused);
    run_layer(&layer);
    check_close("two maps in one", layer.seen.out->data, expected, ROWS * WIDTH, 3e-6);
    float *const all[] = { second, q.data, expected };
    free_arrays(all, KEN_COUNT(all));
    free_layer(&layer);
}

static void multihead_identities(void **state)
{
    (void)state;
    on_every_machine(check_key_bias);
    on_every_machine(check_sum_of_heads);
    on_every_machine(check_stacked_maps);
}

/* ---- the model of the paper ------------------------------------------------------------------ */

struct counter {
    ken_visitor visitor;
    size_t numbers;
};

/* The paper's attention has no biases; its feed-forward part and norms do. */
static void count_as_paper(ken_visitor *visitor, const char *name, ken_tensor *tensor,
                           const struct ken_parameter *parameter)
{
    bool attention = strstr(name, "attention.") == name || strstr(name, "cross.") == name;
    (void)tensor;
    if (!attention || !strstr(name, ".bias"))
        ((struct counter *)visitor)->numbers += parameter->rows * parameter->cols;
}

/* 6 + 6 blocks, and one table of 37000 rows that embeds source and target and gives the logits. */
static size_t size_of_paper(size_t width, size_t hidden, size_t heads)
{
    struct counter counter = { .visitor.visit = count_as_paper, .numbers = 37000 * width };
    for (size_t i = 0; i < 12; i++) {
        struct ken_block block;
        struct ken_block_config config = {
            .attention = { .width = width, .heads = heads, .left = KEN_UNLIMITED, .biased = true },
            .decoder = i >= 6,
            .hidden = hidden,
            .eps = 1e-5f,
            .activation = KEN_ACT_RELU,
            .post_norm = true
        };
        assert_int_equal(ken_block_init(&block, &config), KEN_OK);
        ken_block_visit(&block, &counter.visitor);
    }
    return counter.numbers;
}

static void sizes_of_the_paper(void **state)
{
    (void)state;
    assert_int_equal(size_of_paper(512, 2048, 8), 63045632);    /* base, printed as 65 million */
    assert_int_equal(size_of_paper(1024, 4096, 16), 214171648); /* big, printed as 213 million */
}

/* ---- tied weights ---------------------------------------------------------------------------- */

static ken_tensor *find(const ken_model *model, const char *name)
{
    for (size_t i = 0; i < model->parameters.count; i++)
        if (strcmp(model->parameters.list[i].name, name) == 0)
            return model->parameters.list[i].tensor;
    return NULL;
}

static void backward(ken_model *model)
{
    static const int32_t from[] = { 1, 5, 2, 2, 0, 4 }, to[] = { 4, 3, 6, 2, 5 };
    static const size_t from_start[] = { 0, 4, 6 }, to_start[] = { 0, 3, 5 };
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    const ken_sequences input = { from, from_start, 2 }, target = { to, to_start, 2 };
    struct ken_pass pass = { .model = model, .tape = &tape };
    assert_int_equal(ken_parameters_learn(&model->parameters), KEN_OK);
    ken_tensor *loss = ken_model_loss(&pass, &input, &target, 0.1f, 1, NULL);
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    ken_pass_release(&pass);
    ken_tape_release(&tape);
}

/* The gradient of a weight with two uses is the sum of the gradients that two separate weights
 * would get; all other gradients are the same. */
static void tied_weights(void **state)
{
    (void)state;
    ken_config config = ken_config_default(KEN_GENERATE);
    config.input_size = config.output_size = 7;
    config.width = 12;
    config.heads = 3;
    config.hidden = 20;
    config.dropout = config.attention_dropout = 0;
    ken_model *untied, *tied;
    assert_int_equal(ken_model_new(&untied, &config), KEN_OK);
    config.tied = 1;
    assert_int_equal(ken_model_new(&tied, &config), KEN_OK);
    for (size_t i = 0; i < tied->parameters.count; i++) {
        const ken_tensor *from = tied->parameters.list[i].tensor;
        memcpy(find(untied, tied->parameters.list[i].name)->data, from->data,
               ken_tensor_size(from) * sizeof(float));
    }
    ken_tensor *head = find(untied, "head.weight"); /* the untied one has a bias too, which is 0 */
    assert_null(find(tied, "head.weight"));
    memcpy(head->data, find(tied, "target")->data, ken_tensor_size(head) * sizeof(float));
    backward(untied);
    backward(tied);
    ken_tensor *both = find(untied, "target");
    for (size_t i = 0; i < ken_tensor_size(both); i++) both->grad[i] += head->grad[i];
    for (size_t i = 0; i < tied->parameters.count; i++) {
        const ken_tensor *got = tied->parameters.list[i].tensor;
        const char *name = tied->parameters.list[i].name;
        check_close(name, got->grad, find(untied, name)->grad, ken_tensor_size(got), 1e-6);
    }
    ken_model_free(untied);
    ken_model_free(tied);
}

/* ---- the exponential function ---------------------------------------------------------------- */

/* The range of floats: infinite above 88.72, normal numbers down to -87.33, 0 below. */
static void check_exp_range(void)
{
    const float x[] = { 0, 88.72f, 88.73f, -87.33f, -87.34f, -103.97f, -1e4f, -INFINITY, 1 };
    float y[KEN_COUNT(x)], negative[KEN_COUNT(x)];
    ken_kernels()->map(y, x, KEN_COUNT(x), KEN_MAP_EXP);
    assert_true(y[0] == 1);
    assert_true(y[1] > 3.3e38f && isfinite(y[1]) && isinf(y[2]));
    assert_true(y[3] >= FLT_MIN && y[3] < 1.2e-38f);
    for (size_t i = 4; i < 8; i++) assert_true(y[i] == 0);
    assert_true(fabsf(y[8] - 2.71828183f) < 3e-7f);
    ken_kernels()->map(negative, x, 1, KEN_MAP_EXP_NEGATIVE); /* what softmax uses */
    ken_kernels()->map(negative + 3, x + 3, 5, KEN_MAP_EXP_NEGATIVE);
    assert_true(negative[0] == 1 && fabsf(negative[3] / y[3] - 1) < 3e-7f);
    for (size_t i = 4; i < 8; i++) assert_true(negative[i] == 0);
}

static void exp_range(void **state)
{
    (void)state;
    on_every_machine(check_exp_range);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(columns_or_rows),
        cmocka_unit_test(multihead_identities),
        cmocka_unit_test(sizes_of_the_paper),
        cmocka_unit_test(tied_weights),
        cmocka_unit_test(exp_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
