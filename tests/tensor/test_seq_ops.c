/* test_seq_ops.c - operations on sequences give the same bits alone and in a batch, and for any
 * number of threads; they refuse wrong arguments by name; and empty sequences give empty
 * results. */
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"
#include "tensor/tape.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static ken_ragged batch; /* the batch that the networks below run over */

typedef ken_tensor *build_fn(ken_tape *tape, ken_tensor *x, ken_tensor *const *p);

static ken_tensor *conv(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_conv(tape, x, p[0], p[1], batch, KEN_PAD_CENTRED);
}

static ken_tensor *conv_causal(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_conv(tape, x, p[0], p[1], batch, KEN_PAD_CAUSAL);
}

static ken_tensor *depth(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_conv_depth(tape, x, p[0], p[1], batch, KEN_PAD_CENTRED);
}

static ken_tensor *depth_causal(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_conv_depth(tape, x, p[0], p[1], batch, KEN_PAD_CAUSAL);
}

static ken_tensor *lstm(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_lstm(tape, x, p[0], p[1], p[2], p[3], batch, false);
}

static ken_tensor *lstm_reversed(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_lstm(tape, x, p[0], p[1], p[2], p[3], batch, true);
}

static ken_tensor *gru(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_gru(tape, x, p[0], p[1], p[2], p[3], batch, false);
}

static ken_tensor *gru_reversed(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_gru(tape, x, p[0], p[1], p[2], p[3], batch, true);
}

static ken_tensor *pool_mean(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    (void)p;
    return ken_pool(tape, x, batch, KEN_POOL_MEAN, NULL);
}

static ken_tensor *pool_max(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    (void)p;
    return ken_pool(tape, x, batch, KEN_POOL_MAX, NULL);
}

static ken_tensor *pool_first(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    (void)p;
    return ken_pool(tape, x, batch, KEN_POOL_FIRST, NULL);
}

static ken_tensor *pool_attentive(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    ken_tensor *score = ken_linear(tape, x, p[0], NULL, KEN_ACT_NONE);
    return ken_pool(tape, x, batch, KEN_POOL_ATTENTIVE, score);
}

static ken_tensor *rotate(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    struct ken_rotary pair = { .first_col = 1, .heads = 2, .E = 18 };
    struct ken_rotary one = { .first_col = 30, .heads = 1, .E = 34 };
    pair.pairing = KEN_ROTATE_NEIGHBOURS;
    one.pairing = KEN_ROTATE_HALVES;
    (void)p;
    return ken_rotate_as(tape, ken_rotate_as(tape, x, batch, &pair, NULL), batch, &one, NULL);
}

static ken_tensor *add_position(ken_tape *tape, ken_tensor *x, ken_tensor *const *p)
{
    return ken_add_position(tape, x, p[0], batch, NULL);
}

enum { IN = 67, MOST = 4 };

static const struct network {
    const char *name;
    build_fn *build;
    size_t shapes[MOST][2];
} networks[] = {
    { "conv", conv, { { 33, 5 * IN }, { 1, 33 } } },
    { "conv causal", conv_causal, { { 33, 4 * IN }, { 1, 33 } } },
    { "conv in many chunks", conv, { { 3, 251 * IN }, { 1, 3 } } }, /* of 64 rows each */
    { "conv_depth", depth, { { 31, IN }, { 1, IN } } },
    { "conv_depth causal", depth_causal, { { 4, IN }, { 1, IN } } },
    { "lstm", lstm, { { 4 * 19, IN }, { 4 * 19, 19 }, { 1, 4 * 19 }, { 1, 4 * 19 } } },
    { "lstm reversed", lstm_reversed, { { 4 * 19, IN }, { 4 * 19, 19 }, { 1, 76 }, { 1, 76 } } },
    { "gru", gru, { { 3 * 70, IN }, { 3 * 70, 70 }, { 1, 3 * 70 }, { 1, 3 * 70 } } },
    { "gru reversed", gru_reversed, { { 3 * 70, IN }, { 3 * 70, 70 }, { 1, 210 }, { 1, 210 } } },
    { "pool mean", pool_mean, { { 0 } } },
    { "pool max", pool_max, { { 0 } } },
    { "pool first", pool_first, { { 0 } } },
    { "pool attentive", pool_attentive, { { 1, IN } } },
    { "rotate", rotate, { { 0 } } },
    { "add_position", add_position, { { 140, IN } } },
};

/* A network with its parameters, an input, and the results of a run. */
struct trial {
    const struct network *network;
    ken_tensor x, parameters[MOST];
    ken_tensor *pointers[MOST];
    float *y, *dy;
    size_t y_rows, y_cols;
};

static ken_tensor make_tensor(size_t rows, size_t cols, uint64_t key, float spread)
{
    ken_tensor t = { .rows = rows, .cols = cols, .needs_grad = true };
    t.data = ken_memory_new(rows * cols, sizeof(float));
    t.grad = ken_memory_zeroed(rows * cols, sizeof(float));
    for (size_t i = 0; i < rows * cols; i++) t.data[i] = spread * ken_random_normal(key, i);
    return t;
}

static void free_tensor(ken_tensor *tensor)
{
    ken_memory_free(tensor->data);
    ken_memory_free(tensor->grad);
}

/* Runs the network on the rows from first_row on of an endless input and upstream gradient. */
static void run_trial(struct trial *t, const struct network *network, ken_ragged ragged,
                      size_t first_row, size_t first_out)
{
    *t = (struct trial){ .network = network };
    batch = ragged;
    size_t N = ragged.start[ragged.count];
    t->x = make_tensor(N, IN, 1, 0);
    for (size_t i = 0; i < N * IN; i++) t->x.data[i] = ken_random_normal(1, first_row * IN + i);
    for (size_t p = 0; p < MOST && network->shapes[p][0]; p++) {
        t->parameters[p] = make_tensor(network->shapes[p][0], network->shapes[p][1], 2 + p, 0.2f);
        t->pointers[p] = &t->parameters[p];
    }
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor *y = network->build(&tape, &t->x, t->pointers);
    if (!y) fail_msg("%s: %s", network->name, ken_last_error());
    t->y_rows = y->rows;
    t->y_cols = y->cols;
    size_t size = ken_tensor_size(y);
    t->y = ken_memory_new(size, sizeof(float));
    t->dy = ken_memory_new(size, sizeof(float));
    memcpy(t->y, y->data, size * sizeof(float));
    for (size_t i = 0; i < size; i++) t->dy[i] = ken_random_normal(99, first_out * y->cols + i);
    assert_int_equal(ken_tape_backward(&tape, ken_dot(&tape, y, t->dy)), KEN_OK);
    ken_tape_release(&tape);
}

static void free_trial(struct trial *t)
{
    free_tensor(&t->x);
    for (size_t p = 0; p < MOST; p++) free_tensor(&t->parameters[p]);
    ken_memory_free(t->y);
    ken_memory_free(t->dy);
}

static const size_t starts[] = { 0, 5, 5, 72, 203, 204, 268, 268, 300 };
static const ken_ragged whole = { starts, KEN_COUNT(starts) - 1 };

static void same_bits(const struct network *network, const char *what, const float *a,
                      const float *b, size_t n)
{
    if (memcmp(a, b, n * sizeof *a) != 0) fail_msg("%s: %s has other bits", network->name, what);
}

static void alone_as_in_a_batch(void **state)
{
    (void)state;
    for (size_t n = 0; n < KEN_COUNT(networks); n++) {
        struct trial all;
        run_trial(&all, &networks[n], whole, 0, 0);
        bool pooled = all.y_rows == whole.count;
        for (size_t b = 0; b < whole.count; b++) {
            size_t alone[2] = { 0, starts[b + 1] - starts[b] }, row = pooled ? b : starts[b];
            struct trial one;
            run_trial(&one, &networks[n], (ken_ragged){ alone, 1 }, starts[b], row);
            same_bits(&networks[n], "a sequence alone", one.y, all.y + row * all.y_cols,
                      one.y_rows * one.y_cols);
            same_bits(&networks[n], "its gradient", one.x.grad, all.x.grad + starts[b] * IN,
                      alone[1] * IN);
            free_trial(&one);
        }
        free_trial(&all);
    }
}

static void compare_trials(const struct trial *a, const struct trial *b)
{
    same_bits(a->network, "the result", a->y, b->y, a->y_rows * a->y_cols);
    same_bits(a->network, "dx", a->x.grad, b->x.grad, ken_tensor_size(&a->x));
    for (size_t p = 0; p < MOST; p++)
        if (a->pointers[p])
            same_bits(a->network, "a weight's gradient", a->parameters[p].grad,
                      b->parameters[p].grad, ken_tensor_size(&a->parameters[p]));
}

static void any_number_of_threads(void **state)
{
    const size_t counts[] = { 2, 3, 7 };
    (void)state;
    for (size_t n = 0; n < KEN_COUNT(networks); n++) {
        assert_int_equal(ken_threads_set(1), KEN_OK);
        struct trial one;
        run_trial(&one, &networks[n], whole, 0, 0);
        for (size_t c = 0; c < KEN_COUNT(counts); c++) {
            assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
            struct trial more;
            run_trial(&more, &networks[n], whole, 0, 0);
            compare_trials(&one, &more);
            free_trial(&more);
        }
        free_trial(&one);
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

static void check_near(const char *name, const float *a, const float *b, size_t n)
{
    double scale = 1, worst = 0;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs((double)a[i]));
        worst = fmax(worst, fabs((double)a[i] - b[i]));
    }
    if (!(worst <= 2e-5 * scale)) fail_msg("%s: instruction sets differ by %g", name, worst);
}

/* test_ops.c compares gradients with differences on one instruction set only; here the others are
 * compared with that one. */
static void every_machine_agrees(void **state)
{
    const char *const names[] = { "avx2", "avx512" };
    (void)state;
    assert_int_equal(ken_kernels_start(), KEN_OK);
    for (size_t n = 0; n < KEN_COUNT(networks); n++) {
        assert_int_equal(ken_kernels_choose("generic"), KEN_OK);
        struct trial plain;
        run_trial(&plain, &networks[n], whole, 0, 0);
        for (size_t i = 0; i < KEN_COUNT(names); i++) {
            if (ken_kernels_choose(names[i])) continue;
            struct trial fast;
            run_trial(&fast, &networks[n], whole, 0, 0);
            check_near(networks[n].name, plain.y, fast.y, plain.y_rows * plain.y_cols);
            check_near(networks[n].name, plain.x.grad, fast.x.grad, ken_tensor_size(&plain.x));
            for (size_t p = 0; p < MOST && plain.pointers[p]; p++)
                check_near(networks[n].name, plain.parameters[p].grad, fast.parameters[p].grad,
                           ken_tensor_size(&plain.parameters[p]));
            free_trial(&fast);
        }
        free_trial(&plain);
    }
    assert_int_equal(ken_kernels_choose(NULL), KEN_OK);
}

static void nothing_from_emptiness(void **state)
{
    static const size_t none[] = { 0, 0, 0 };
    (void)state;
    for (size_t n = 0; n < KEN_COUNT(networks); n++)
        for (size_t count = 0; count <= 2; count++) {
            struct trial t;
            run_trial(&t, &networks[n], (ken_ragged){ none, count }, 0, 0);
            for (size_t i = 0; i < t.y_rows * t.y_cols; i++) assert_true(t.y[i] == 0);
            for (size_t p = 0; p < MOST; p++)
                for (size_t i = 0; t.pointers[p] && i < ken_tensor_size(&t.parameters[p]); i++)
                    assert_true(t.parameters[p].grad[i] == 0);
            free_trial(&t);
        }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect(ken_tape *tape, const ken_tensor *result, ken_status status, const char *words)
{
    assert_null(result);
    assert_int_equal(ken_tape_status(tape), status);
    if (!strstr(ken_last_error(), words))
        fail_msg("message \"%s\" lacks \"%s\"", ken_last_error(), words);
    ken_tape_clear(tape);
}

static void refusals(void **state)
{
    static const int32_t ids[3] = { 0, 9, -1 }, bad[3] = { 0, -2, 1 };
    static const size_t three[] = { 0, 1, 3 }, late[] = { 0, 4 };
    const ken_ragged rows = { three, 2 };
    ken_tape tape;
    (void)state;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor x = make_tensor(3, 4, 1, 1), w = make_tensor(9, 4, 2, 1);
    ken_tensor two = make_tensor(2, 4, 3, 1), b = make_tensor(1, 5, 4, 1);
    expect(&tape, ken_embed(&tape, &w, ids, 3, 1), KEN_ERR_ARGUMENT, "id 9 at position 1");
    expect(&tape, ken_project_loss(&tape, &x, &w, NULL, ids, 0, 1, NULL), KEN_ERR_ARGUMENT,
           "target 9 at position 1");
    expect(&tape, ken_project_loss(&tape, &x, &w, NULL, bad, 0, 1, NULL), KEN_ERR_ARGUMENT,
           "target -2 at position 1");
    expect(&tape, ken_project_loss(&tape, &x, &w, &b, ids, 0, 1, NULL), KEN_ERR_SHAPE, "bias of 5");
    expect(&tape, ken_project_loss(&tape, &x, &w, NULL, ids, NAN, 1, NULL), KEN_ERR_ARGUMENT,
           "smoothing nan");
    expect(&tape, ken_project_loss(&tape, &x, &b, NULL, ids, 0, 1, NULL), KEN_ERR_SHAPE,
           "input 3 x 4, weight 1 x 5");
    expect(&tape, ken_add_position(&tape, &x, &two, (ken_ragged){ (size_t[]){ 0, 0, 3 }, 2 }, NULL),
           KEN_ERR_ARGUMENT, "sequence 1 has 3 rows, but learned positions have only 2 places");
    expect(&tape, ken_add_position(&tape, &x, &two, rows, late), KEN_ERR_ARGUMENT,
           "sequence 1 has 6 rows, but learned positions have only 2 places");
    expect(&tape, ken_conv(&tape, &x, &b, NULL, rows, KEN_PAD_CAUSAL), KEN_ERR_SHAPE,
           "conv: input 3 x 4, weight 1 x 5");
    expect(&tape, ken_conv_depth(&tape, &x, &b, NULL, rows, KEN_PAD_CAUSAL), KEN_ERR_SHAPE,
           "conv_depth: input 3 x 4, weight 1 x 5");
    expect(&tape, ken_conv(&tape, &two, &w, NULL, rows, KEN_PAD_CAUSAL), KEN_ERR_SHAPE,
           "sequences of 3 rows in all, input 2 x 4");
    expect(&tape, ken_conv_image(&tape, &x, &w, NULL, &(struct ken_conv_image){ 2, 2, 1, 1, 1, 0 }),
           KEN_ERR_SHAPE, "images of 2 x 2 pixels");
    expect(&tape, ken_conv_image(&tape, &x, &w, NULL, &(struct ken_conv_image){ 3, 1, 4, 1, 1, 0 }),
           KEN_ERR_ARGUMENT, "4 x 1 taps");
    expect(&tape, ken_lstm(&tape, &x, &w, &w, NULL, NULL, rows, false), KEN_ERR_SHAPE,
           "lstm: weights 9 x 4 of the input, 9 x 4 of the state");
    expect(&tape, ken_gru(&tape, &b, &w, &w, NULL, NULL, (ken_ragged){ three, 1 }, false),
           KEN_ERR_SHAPE, "gru: input 1 x 5");
    expect(&tape, ken_pool(&tape, &x, rows, KEN_POOL_ATTENTIVE, NULL), KEN_ERR_ARGUMENT,
           "attentive");
    expect(&tape, ken_pool(&tape, &x, rows, KEN_POOL_ATTENTIVE, &b), KEN_ERR_SHAPE, "scores 1 x 5");
    struct ken_rotary odd = { .heads = 1, .E = 3 }, wide = { .first_col = 2, .heads = 1, .E = 4 };
    expect(&tape, ken_rotate_as(&tape, &x, rows, &odd, NULL), KEN_ERR_ARGUMENT, "odd");
    expect(&tape, ken_rotate_as(&tape, &x, rows, &wide, NULL), KEN_ERR_SHAPE,
           "1 heads of 4 from column 2, input 3 x 4");
    ken_tensor *const all[] = { &x, &w, &two, &b };
    for (size_t i = 0; i < KEN_COUNT(all); i++) free_tensor(all[i]);
    ken_tape_release(&tape);
}

/* Every allocation of a step fails in turn: there is an error each time, and the tape can be used
 * again. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t n = 0; n < KEN_COUNT(networks); n++) {
        struct trial t;
        run_trial(&t, &networks[n], whole, 0, 0);
        ken_status status = KEN_ERR_MEMORY;
        for (uint64_t k = 1; status != KEN_OK; k++) {
            ken_tape tape;
            assert_int_equal(ken_tape_init(&tape), KEN_OK);
            ken_fault_arm(KEN_FAULT_MEMORY, k, k % 2);
            ken_tensor *y = networks[n].build(&tape, &t.x, t.pointers);
            ken_tensor *loss = tape.status ? NULL : ken_dot(&tape, y, t.dy);
            status = ken_tape_backward(&tape, loss);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_true(status == KEN_OK || status == KEN_ERR_MEMORY);
            assert_true(k < 100);
            ken_tape_release(&tape);
        }
        free_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_as_in_a_batch),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(every_machine_agrees),
        cmocka_unit_test(nothing_from_emptiness),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
