/* test_project_loss.c - the fused projection and softmax loss, against the same computation step by
 * step with all logits in memory; and the promises of its contract. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/matmul.h"
#include "tensor/tape.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static ken_tensor make_tensor(size_t rows, size_t cols, uint64_t key)
{
    ken_tensor t = { .rows = rows, .cols = cols, .needs_grad = true };
    t.data = ken_memory_new(rows * cols, sizeof(float));
    t.grad = ken_memory_zeroed(rows * cols, sizeof(float));
    for (size_t i = 0; i < rows * cols; i++) t.data[i] = 0.5f * ken_random_normal(key, i);
    return t;
}

static void free_tensor(ken_tensor *tensor)
{
    ken_memory_free(tensor->data);
    ken_memory_free(tensor->grad);
}

static void clear_grad(ken_tensor *tensor)
{
    memset(tensor->grad, 0, ken_tensor_size(tensor) * sizeof(float));
}

struct problem {
    ken_tensor x, weight, bias;
    int32_t *targets;
    float smoothing, factor;
};

/* Every third row is ignored if `ignore`. */
static struct problem make(size_t N, size_t D, size_t V, bool ignore)
{
    struct problem p = { .x = make_tensor(N, D, 1),
                         .weight = make_tensor(V, D, 2),
                         .bias = make_tensor(1, V, 3),
                         .smoothing = 0.1f,
                         .factor = 0.75f };
    p.targets = ken_memory_new(N, sizeof *p.targets);
    for (size_t i = 0; i < N; i++)
        p.targets[i] = ignore && i % 3 == 1 ? KEN_IGNORED : (int32_t)ken_random_below(4, i, V);
    return p;
}

static void release(struct problem *p)
{
    free_tensor(&p->x);
    free_tensor(&p->weight);
    free_tensor(&p->bias);
    ken_memory_free(p->targets);
}

/* Runs forward and backward, leaves the gradients in the tensors, and returns the loss. */
static float run(struct problem *p, struct ken_tally *tally, size_t *peak)
{
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    clear_grad(&p->x);
    clear_grad(&p->weight);
    clear_grad(&p->bias);
    ken_tensor *loss = ken_project_loss(&tape, &p->x, &p->weight, &p->bias, p->targets,
                                        p->smoothing, p->factor, tally);
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    float value = loss->data[0];
    if (peak) *peak = tape.arena.peak;
    ken_tape_release(&tape);
    return value;
}

static void check_close(const char *what, const float *y, const float *expected, size_t n)
{
    double scale = 1e-6, worst = 0;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs((double)expected[i]));
        worst = fmax(worst, fabs((double)y[i] - expected[i]));
    }
    if (!(worst <= 3e-6 * scale)) fail_msg("%s: off by %g of %g", what, worst, scale);
}

static void check_against_steps(size_t N, size_t D, size_t V, bool ignore)
{
    struct problem p = make(N, D, V, ignore);
    struct ken_tally tally = { 0 }, expected = { 0 };
    float loss = run(&p, &tally, NULL);
    ken_tensor z = make_tensor(N, V, 9), dx = make_tensor(N, D, 9), dw = make_tensor(V, D, 9);
    size_t counted = 0;
    for (size_t i = 0; i < N; i++) counted += p.targets[i] != KEN_IGNORED;
    ken_matmul_ref(&(struct ken_matmul){ .c = z.data,
                                         .a = p.x.data,
                                         .b = p.weight.data,
                                         .m = N,
                                         .n = V,
                                         .k = D,
                                         .layout = KEN_NT,
                                         .bias = p.bias.data });
    ken_cross_entropy_ref(&expected, z.data, p.targets, N, V, p.smoothing, true,
                          p.factor / (float)counted);
    ken_matmul_ref(&(struct ken_matmul){ .c = dx.data,
                                         .a = z.data,
                                         .b = p.weight.data,
                                         .m = N,
                                         .n = D,
                                         .k = V,
                                         .layout = KEN_NN });
    ken_matmul_ref(&(struct ken_matmul){ .c = dw.data,
                                         .a = z.data,
                                         .b = p.x.data,
                                         .m = V,
                                         .n = D,
                                         .k = N,
                                         .layout = KEN_TN });
    for (size_t i = 1; i < N; i++)
        for (size_t j = 0; j < V; j++) z.data[j] += z.data[i * V + j];
    check_close("dx", p.x.grad, dx.data, N * D);
    check_close("dweight", p.weight.grad, dw.data, V * D);
    check_close("dbias", p.bias.grad, z.data, V);
    assert_int_equal(tally.counted, counted);
    assert_int_equal(tally.correct, expected.correct);
    assert_true(fabs(tally.loss - expected.loss) <= 1e-6 * expected.loss);
    assert_true(fabs(loss - p.factor * expected.loss / (double)counted) < 1e-5);
    free_tensor(&z);
    free_tensor(&dx);
    free_tensor(&dw);
    release(&p);
}

static void as_step_by_step(void **state)
{
    (void)state;
    check_against_steps(1, 1, 1, false);
    check_against_steps(29, 17, 67, false);
    check_against_steps(29, 17, 67, true);
    check_against_steps(1500, 7, 17, false); /* several chunks */
    check_against_steps(1500, 7, 17, true);
}

static void any_number_of_threads(void **state)
{
    const size_t counts[] = { 2, 3, 7 };
    struct problem one = make(700, 67, 1009, true), more = make(700, 67, 1009, true);
    struct ken_tally a = { 0 }, b = { 0 };
    (void)state;
    assert_int_equal(ken_threads_set(1), KEN_OK);
    float loss = run(&one, &a, NULL);
    for (size_t c = 0; c < KEN_COUNT(counts); c++) {
        assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
        b = (struct ken_tally){ 0 };
        float again = run(&more, &b, NULL);
        assert_memory_equal(&loss, &again, sizeof loss);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(one.x.grad, more.x.grad, 700 * 67 * sizeof(float));
        assert_memory_equal(one.weight.grad, more.weight.grad, 1009 * 67 * sizeof(float));
        assert_memory_equal(one.bias.grad, more.bias.grad, 1009 * sizeof(float));
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
    release(&one);
    release(&more);
}

/* All logits would be 84 MB; at no time may there be more than a chunk of 32 MB. */
static void logits_are_never_stored(void **state)
{
    struct problem p = make(300, 3, 70000, false);
    size_t peak;
    (void)state;
    run(&p, NULL, &peak);
    assert_in_range(peak, 1, 33 << 20);
    release(&p);
}

/* Ignored rows have no effect: the others get the same bits without them. */
static void ignored_rows_leave_no_trace(void **state)
{
    struct problem all = make(90, 17, 67, true), few = make(60, 17, 67, false);
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < 90; i++) {
        if (all.targets[i] == KEN_IGNORED) continue;
        memcpy(few.x.data + at * 17, all.x.data + i * 17, 17 * sizeof(float));
        few.targets[at++] = all.targets[i];
    }
    assert_int_equal(at, 60);
    float a = run(&all, NULL, NULL), b = run(&few, NULL, NULL);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(all.weight.grad, few.weight.grad, 67 * 17 * sizeof(float));
    assert_memory_equal(all.bias.grad, few.bias.grad, 67 * sizeof(float));
    at = 0;
    for (size_t i = 0; i < 90; i++) {
        bool counts = all.targets[i] != KEN_IGNORED;
        for (size_t j = 0; j < 17; j++)
            assert_true(all.x.grad[i * 17 + j] == (counts ? few.x.grad[at * 17 + j] : 0));
        at += counts;
    }
    release(&all);
    release(&few);
}

static void may_be_added_but_not_scaled(void **state)
{
    struct problem p = make(9, 5, 11, false);
    ken_tape tape;
    (void)state;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor *loss = ken_project_loss(&tape, &p.x, &p.weight, NULL, p.targets, 0, 1, NULL);
    assert_int_equal(ken_tape_backward(&tape, ken_scale(&tape, loss, 2)), KEN_ERR_STATE);
    assert_non_null(strstr(ken_last_error(), "must be 1"));
    ken_tape_clear(&tape);
    loss = ken_project_loss(&tape, &p.x, &p.weight, NULL, p.targets, 0, 1, NULL);
    ken_tensor *other = ken_project_loss(&tape, &p.x, &p.weight, NULL, p.targets, 0.2f, 3, NULL);
    assert_int_equal(ken_tape_backward(&tape, ken_add(&tape, loss, other)), KEN_OK);
    ken_tape_release(&tape);
    release(&p);
}

/* One table as embedding and as projection: its gradient is the sum of both uses. */
static void tied_weights(void **state)
{
    static const int32_t ids[6] = { 1, 4, 4, 0, 2, 1 }, next[6] = { 4, 4, 0, 2, 1, 3 };
    ken_tensor tied = make_tensor(5, 3, 1);
    ken_tensor table = make_tensor(5, 3, 1), out = make_tensor(5, 3, 1);
    ken_tape tape;
    (void)state;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor *x = ken_embed(&tape, &tied, ids, 6, 1.5f);
    ken_tape_backward(&tape, ken_project_loss(&tape, x, &tied, NULL, next, 0, 1, NULL));
    ken_tape_clear(&tape);
    x = ken_embed(&tape, &table, ids, 6, 1.5f);
    ken_tape_backward(&tape, ken_project_loss(&tape, x, &out, NULL, next, 0, 1, NULL));
    assert_int_equal(ken_tape_status(&tape), KEN_OK);
    for (size_t i = 0; i < 15; i++)
        assert_true(fabsf(tied.grad[i] - table.grad[i] - out.grad[i]) < 1e-6f);
    ken_tape_release(&tape);
    free_tensor(&tied);
    free_tensor(&table);
    free_tensor(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_step_by_step),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(logits_are_never_stored),
        cmocka_unit_test(ignored_rows_leave_no_trace),
        cmocka_unit_test(may_be_added_but_not_scaled),
        cmocka_unit_test(tied_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
