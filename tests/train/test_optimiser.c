/* test_optimiser.c - Adam against its definition and closed forms; clipping, divergence, rates. */
#include "train/optimiser.h"

#include "base/fault.h"
#include "base/memory.h"
#include "base/size.h"
#include "kernel/adam.h"
#include "kernel/kernels.h"
#include "tests/arrays.h"
#include "tests/unit.h"
#include "train/schedule.h"

#include <math.h>
#include <string.h>

/* ---- the kernel ------------------------------------------------------------------------------ */

static void check_adam(void)
{
    const size_t sizes[] = { 1, 7, 17, 67, 40001 };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
        size_t n = sizes[s];
        float *w = random_array(n, 1, 1), *w_ref = copy_of(w, n);
        float *m = random_array(n, 2, 0), *m_ref = copy_of(m, n);
        float *v = copy_of(m, n), *v_ref = copy_of(m, n);
        for (uint64_t step = 1; step <= 5; step++) {
            struct ken_adam options = { .rate = 0.01,
                                        .beta1 = 0.9,
                                        .beta2 = 0.98,
                                        .eps = 1e-8,
                                        .decay = 0.1,
                                        .scale = 0.5,
                                        .step = step };
            float *g = random_array(n, 10 + step, 1), *g_ref = copy_of(g, n);
            ken_adam(w, g, m, v, n, &options);
            ken_adam_ref(w_ref, g_ref, m_ref, v_ref, n, &options);
            for (size_t i = 0; i < n; i++) assert_true(g[i] == 0);
            ken_memory_free(g);
            ken_memory_free(g_ref);
        }
        check_close("weights", w, w_ref, n, 1e-6);
        check_close("first moments", m, m_ref, n, 1e-6);
        check_close("second moments", v, v_ref, n, 1e-6);
        float *const all[] = { w, w_ref, m, m_ref, v, v_ref };
        free_arrays(all, KEN_COUNT(all));
    }
}

static void adam(void **state)
{
    (void)state;
    on_every_machine(check_adam);
}

/* The first step moves a weight by the learning rate against the sign of its gradient. */
static void adam_first_step(void **state)
{
    (void)state;
    float w = 0, g = -0.02f, m = 0, v = 0;
    ken_adam(&w, &g, &m, &v, 1,
             &(struct ken_adam){ .rate = 1e-3,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .eps = 1e-8,
                                 .scale = 1,
                                 .step = 1 });
    assert_true(fabs(w - 9.999995e-4) < 3e-10);
    assert_true(fabs(m + 0.002) < 1e-9 && fabs(v - 4e-7) < 1e-13);
}

/* Without a gradient only the decay is left, w (1 - lr wd)^t; and moments become 0, not subnormal
 * numbers. */
static void adam_decay_only(void **state)
{
    (void)state;
    float w = 2, g = 0, m = 1e-30f, v = 1e-30f;
    struct ken_adam options = { .rate = 0.1,
                                .beta1 = 0.9,
                                .beta2 = 0.98,
                                .eps = 1e-8,
                                .decay = 0.05,
                                .scale = 1 };
    for (options.step = 1; options.step <= 2000; options.step++)
        ken_adam(&w, &g, &m, &v, 1, &options);
    assert_true(fabs(w / (2 * pow(1 - 0.1 * 0.05, 2000)) - 1) < 2e-4);
    assert_true(m == 0 && v == 0);
}

/* ---- the optimiser --------------------------------------------------------------------------- */

enum { COUNT = 3 };

/* Three parameters; the second one does not decay. */
struct net {
    ken_tensor tensors[COUNT];
    ken_trained list[COUNT];
    ken_optimiser optimiser;
};

static const ken_optimiser_options plain = { .beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9 };

static void make_net(struct net *net, ken_optimiser_options options)
{
    const size_t shapes[COUNT][2] = { { 5, 7 }, { 1, 7 }, { 130, 129 } };
    for (size_t i = 0; i < COUNT; i++) {
        ken_tensor *t = &net->tensors[i];
        *t = (ken_tensor){ .rows = shapes[i][0], .cols = shapes[i][1], .needs_grad = true };
        t->data = random_array(ken_tensor_size(t), 1 + i, 1);
        t->grad = random_array(ken_tensor_size(t), 11 + i, 1);
        net->list[i] = (ken_trained){ t, i != 1 };
    }
    assert_int_equal(ken_optimiser_init(&net->optimiser, net->list, COUNT, &options), KEN_OK);
}

static void free_net(struct net *net)
{
    ken_optimiser_release(&net->optimiser);
    for (size_t i = 0; i < COUNT; i++) {
        ken_memory_free(net->tensors[i].data);
        ken_memory_free(net->tensors[i].grad);
    }
}

static void new_gradients(struct net *net, uint64_t key, double *norm)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = ken_tensor_size(&net->tensors[i]);
        float *g = random_array(size, key + i, 1);
        for (size_t j = 0; j < size; j++) sum += g[j] * (double)g[j];
        memcpy(net->tensors[i].grad, g, size * sizeof *g);
        ken_memory_free(g);
    }
    *norm = sqrt(sum);
}

/* Three steps with decay and clipping, each parameter against the definition. */
static void optimiser_steps(void **state)
{
    (void)state;
    struct net net;
    ken_optimiser_options options = plain;
    options.decay = 0.1;
    options.clip = 1;
    make_net(&net, options);
    float *w[COUNT], *m[COUNT], *v[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = ken_tensor_size(&net.tensors[i]);
        w[i] = copy_of(net.tensors[i].data, size);
        m[i] = random_array(size, 0, 0);
        v[i] = random_array(size, 0, 0);
    }
    for (uint64_t step = 1; step <= 3; step++) {
        double norm;
        new_gradients(&net, 100 * step, &norm);
        for (size_t i = 0; i < COUNT; i++) {
            size_t size = ken_tensor_size(&net.tensors[i]);
            struct ken_adam adam_step = { .rate = 0.01 * (double)step,
                                          .beta1 = 0.9,
                                          .beta2 = 0.98,
                                          .eps = 1e-9,
                                          .decay = i == 1 ? 0 : 0.1,
                                          .scale = 1 / (norm + 1e-6),
                                          .step = step };
            float *g = copy_of(net.tensors[i].grad, size);
            ken_adam_ref(w[i], g, m[i], v[i], size, &adam_step);
            ken_memory_free(g);
        }
        assert_int_equal(ken_optimiser_step(&net.optimiser, 0.01 * (double)step), KEN_OK);
        assert_true(fabs(net.optimiser.norm / norm - 1) < 1e-6);
    }
    const float *moments = net.optimiser.moments; /* clipping shows in the moments, hardly in w */
    for (size_t i = 0; i < 35; i++) {
        assert_true(fabs(moments[i] / m[0][i] - 1) < 1e-5);
        assert_true(fabs(moments[net.optimiser.size + i] / v[0][i] - 1) < 1e-5);
    }
    for (size_t i = 0; i < COUNT; i++) {
        check_close("stepped weights", net.tensors[i].data, w[i], ken_tensor_size(&net.tensors[i]),
                    2e-6);
        ken_memory_free(w[i]);
        ken_memory_free(m[i]);
        ken_memory_free(v[i]);
    }
    free_net(&net);
}

/* Gradients below the limit are not changed: the bits are the same as without a limit. */
static void clipping_limit(void **state)
{
    (void)state;
    struct net unlimited, limited;
    ken_optimiser_options options = plain;
    make_net(&unlimited, options);
    options.clip = 1e9;
    make_net(&limited, options);
    assert_int_equal(ken_optimiser_step(&unlimited.optimiser, 0.01), KEN_OK);
    assert_int_equal(ken_optimiser_step(&limited.optimiser, 0.01), KEN_OK);
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(unlimited.tensors[i].data, limited.tensors[i].data,
                            ken_tensor_size(&limited.tensors[i]) * sizeof(float));
    free_net(&unlimited);
    free_net(&limited);
}

/* A gradient that is not finite stops the run before anything has changed, and the message names
 * it. */
static void divergence(void **state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -INFINITY, 3e38f };
    for (size_t b = 0; b < KEN_COUNT(bad); b++) {
        struct net net;
        make_net(&net, plain);
        net.tensors[1].grad[3] = bad[b];
        net.tensors[2].grad[5] = bad[b];
        float *before = copy_of(net.tensors[0].data, 35), *grad = copy_of(net.tensors[0].grad, 35);
        assert_int_equal(ken_optimiser_step(&net.optimiser, 0.01), KEN_ERR_DIVERGED);
        assert_int_equal(net.optimiser.worst, 1);
        assert_non_null(strstr(ken_last_error(), "tensor 1 (1 x 7)"));
        assert_int_equal(net.optimiser.step, 0);
        assert_memory_equal(net.tensors[0].data, before, 35 * sizeof(float));
        assert_memory_equal(net.tensors[0].grad, grad, 35 * sizeof(float));
        for (size_t i = 0; i < 2 * net.optimiser.size; i++)
            assert_true(net.optimiser.moments[i] == 0);
        ken_memory_free(before);
        ken_memory_free(grad);
        free_net(&net);
    }
}

/* Steps 3 and 4 from a saved state have the bits of an uninterrupted run, for any number of
 * threads. */
static void resume(void **state)
{
    (void)state;
    struct net whole, second;
    double norm;
    ken_optimiser_options options = plain;
    options.clip = 1;
    make_net(&whole, options);
    make_net(&second, options);
    for (uint64_t step = 1; step <= 4; step++) {
        if (step == 3) { /* take the state of the first run */
            for (size_t i = 0; i < COUNT; i++)
                memcpy(second.tensors[i].data, whole.tensors[i].data,
                       ken_tensor_size(&whole.tensors[i]) * sizeof(float));
            memcpy(second.optimiser.moments, whole.optimiser.moments,
                   2 * whole.optimiser.size * sizeof(float));
            second.optimiser.step = whole.optimiser.step;
        }
        new_gradients(&whole, 100 * step, &norm);
        new_gradients(&second, 100 * step, &norm);
        assert_int_equal(ken_threads_set(1), KEN_OK);
        assert_int_equal(ken_optimiser_step(&whole.optimiser, 0.01), KEN_OK);
        assert_int_equal(ken_threads_set(step == 4 ? 7 : 3), KEN_OK);
        if (step > 2) assert_int_equal(ken_optimiser_step(&second.optimiser, 0.01), KEN_OK);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(second.tensors[i].data, whole.tensors[i].data,
                            ken_tensor_size(&whole.tensors[i]) * sizeof(float));
    assert_int_equal(ken_threads_set(0), KEN_OK);
    free_net(&whole);
    free_net(&second);
}

static void refusals(void **state)
{
    (void)state;
    ken_optimiser optimiser;
    float number = 0;
    ken_tensor tensor = { &number, &number, 1, 1, true };
    ken_trained list[1] = { { &tensor, true } };
    ken_optimiser_options options = plain;
    options.beta2 = 1;
    assert_int_equal(ken_optimiser_init(&optimiser, list, 1, &options), KEN_ERR_ARGUMENT);
    options = plain;
    options.eps = 0;
    assert_int_equal(ken_optimiser_init(&optimiser, list, 1, &options), KEN_ERR_ARGUMENT);
    options = plain;
    options.clip = NAN;
    assert_int_equal(ken_optimiser_init(&optimiser, list, 1, &options), KEN_ERR_ARGUMENT);
    for (uint64_t nth = 1; nth <= 2; nth++) {
        ken_fault_arm(KEN_FAULT_MEMORY, nth, true);
        assert_int_equal(ken_optimiser_init(&optimiser, list, 1, &plain), KEN_ERR_MEMORY);
    }
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    assert_int_equal(ken_optimiser_init(&optimiser, list, 1, &plain), KEN_OK);
    assert_int_equal(ken_optimiser_step(&optimiser, NAN), KEN_ERR_ARGUMENT);
    ken_optimiser_release(&optimiser);
}

/* ---- schedules ------------------------------------------------------------------------------- */

static void expect_rate(const ken_schedule *schedule, uint64_t step, double expected)
{
    double rate = ken_schedule_rate(schedule, step);
    if (!(fabs(rate - expected) <= 1e-6 * expected + 1e-18))
        fail_msg("schedule %d, step %llu: %.9g, expected %.9g", (int)schedule->kind,
                 (unsigned long long)step, rate, expected);
}

static void schedules(void **state)
{
    (void)state;
    ken_schedule noam = { .kind = KEN_SCHEDULE_INVERSE_ROOT,
                          .rate = 1,
                          .warm_up = 4000,
                          .width = 512 };
    expect_rate(&noam, 1, 1.746928e-7);
    expect_rate(&noam, 4000, 6.987712e-4);
    expect_rate(&noam, 100000, 1.397542e-4);
    noam.width = 1024;
    expect_rate(&noam, 4000, 4.941059e-4);
    noam.width = 0; /* then `rate` is the peak */
    expect_rate(&noam, 4000, 1);
    expect_rate(&noam, 16000, 0.5);

    ken_schedule constant = { .kind = KEN_SCHEDULE_CONSTANT, .rate = 3, .warm_up = 10 };
    expect_rate(&constant, 1, 0.3);
    expect_rate(&constant, 9, 2.7);
    expect_rate(&constant, 10, 3);
    expect_rate(&constant, 1000000, 3);

    ken_schedule cosine = { .kind = KEN_SCHEDULE_COSINE,
                            .rate = 2,
                            .warm_up = 100,
                            .steps = 1100,
                            .floor = 0.1 };
    expect_rate(&cosine, 50, 1);
    expect_rate(&cosine, 100, 2);
    expect_rate(&cosine, 600, 1.1); /* half-way: the mean of peak and floor */
    expect_rate(&cosine, 350, 2 * (1 - 0.9 * (0.5 - 0.5 * M_SQRT1_2)));
    expect_rate(&cosine, 1100, 0.2);
    expect_rate(&cosine, 5000, 0.2);

    ken_schedule stable = { .kind = KEN_SCHEDULE_STABLE_DECAY,
                            .rate = 2,
                            .warm_up = 100,
                            .steps = 1000,
                            .decay = 200 };
    expect_rate(&stable, 100, 2);
    expect_rate(&stable, 800, 2);
    expect_rate(&stable, 900, 1);
    expect_rate(&stable, 1000, 0);
    expect_rate(&stable, 2000, 0);
}

static void schedule_refusals(void **state)
{
    (void)state;
    ken_schedule good = { .kind = KEN_SCHEDULE_STABLE_DECAY,
                          .rate = 1,
                          .warm_up = 10,
                          .steps = 100,
                          .decay = 90 };
    assert_int_equal(ken_schedule_check(&good), KEN_OK);
    ken_schedule bad[6] = { good, good, good, good, good, good };
    bad[0].rate = NAN;
    bad[1].rate = -1;
    bad[2].floor = 1.5;
    bad[3].warm_up = 101;
    bad[4].decay = 91;
    bad[5].kind = KEN_SCHEDULE_COSINE;
    bad[5].steps = 0;
    for (size_t i = 0; i < KEN_COUNT(bad); i++)
        assert_int_equal(ken_schedule_check(&bad[i]), KEN_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam),
        cmocka_unit_test(adam_first_step),
        cmocka_unit_test(adam_decay_only),
        cmocka_unit_test(optimiser_steps),
        cmocka_unit_test(clipping_limit),
        cmocka_unit_test(divergence),
        cmocka_unit_test(resume),
        cmocka_unit_test(refusals),
        cmocka_unit_test(schedules),
        cmocka_unit_test(schedule_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
