/* test_flow.c - states that move along a field: against the definition on every instruction set,
 * gradients against differences of the definition, and the sinusoid as the flow of a rotation, with
 * the known errors of the Runge-Kutta method. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/flow.h"
#include "kernel/kernels.h"
#include "tensor/tape.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* A random flow and its memory. */
struct problem {
    struct ken_flow job;
    float *weights[5]; /* start, w_in, b_in, w_out, b_out */
    size_t sizes[5];
    float *path, *space, *dplaces;
};

static void make_problem(struct problem *p, const struct ken_flow *shape)
{
    size_t R = shape->R, D = shape->D, F = shape->F;
    const size_t sizes[5] = { R * D, F * (D + 1), F, D * (F + 1), D };
    const float spread[5] = { 1, 1 / sqrtf((float)D), 0.5f, 1 / sqrtf((float)F), 0.5f };
    *p = (struct problem){ .job = *shape };
    for (size_t i = 0; i < 5; i++) {
        p->sizes[i] = sizes[i];
        p->weights[i] = random_array(sizes[i], 40 + i, spread[i]);
    }
    p->path = random_array(ken_flow_states(shape) * R * (D + 1), 50, 1);
    p->dplaces = random_array(shape->places * R * D, 51, 1);
    size_t space = ken_size_max(ken_flow_space(shape, true), ken_flow_space(shape, false));
    p->space = random_array(space, 52, 1);
    p->job.start = p->weights[0];
    p->job.w_in = p->weights[1];
    p->job.b_in = p->weights[2];
    p->job.w_out = p->weights[3];
    p->job.b_out = p->weights[4];
    p->job.path = p->path;
    p->job.space = p->space;
}

static void free_problem(struct problem *p)
{
    free_arrays(p->weights, 5);
    free_arrays((float *[]){ p->path, p->space, p->dplaces }, 3);
}

static size_t path_size(const struct ken_flow *job)
{
    return ken_flow_states(job) * job->R * (job->D + 1);
}

static double *definition(const struct ken_flow *job)
{
    double *path = ken_memory_new(path_size(job), sizeof *path);
    double *space = ken_memory_new(8 * job->D + job->F, sizeof *space);
    ken_flow_forward_ref(path, job, space);
    ken_memory_free(space);
    return path;
}

static const struct ken_flow shapes[] = {
    { .R = 1, .D = 1, .F = 1, .places = 1, .steps = 1, .pace = 0.1f, .activation = KEN_ACT_RELU },
    { .R = 1, .D = 1, .F = 7, .places = 7, .steps = 2, .pace = 0.1f, .activation = KEN_ACT_RELU },
    { .R = 7, .D = 17, .F = 7, .places = 17, .steps = 3, .pace = 0.1f, .activation = KEN_ACT_RELU },
    { .R = 6,
      .D = 67,
      .F = 67,
      .places = 67,
      .steps = 1,
      .pace = 0.02f,
      .activation = KEN_ACT_RELU },
    { .R = 17, .D = 7, .F = 67, .places = 3, .steps = 7, .pace = 0.5f, .activation = KEN_ACT_NONE },
};

static void check_definition(void)
{
    for (size_t i = 0; i < KEN_COUNT(shapes); i++) {
        struct problem p;
        make_problem(&p, &shapes[i]);
        double *expected = definition(&p.job);
        size_t size = path_size(&p.job);
        float *rounded = ken_memory_new(size, sizeof *rounded);
        for (size_t j = 0; j < size; j++) rounded[j] = (float)expected[j];
        ken_flow_forward(&p.job);
        check_close("path", p.path, rounded, size, 1e-5);
        ken_memory_free(rounded);
        ken_memory_free(expected);
        free_problem(&p);
    }
}

static void against_the_definition(void **state)
{
    (void)state;
    on_every_machine(check_definition);
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* Sum of dplaces * places, by the definition. */
static double loss_of(const struct problem *p)
{
    const struct ken_flow *job = &p->job;
    double *path = definition(job), loss = 0;
    for (size_t i = 0; i < job->places * job->R; i++) {
        size_t place = i / job->R, r = i % job->R;
        const double *state = path + (place * job->steps * job->R + r) * (job->D + 1);
        for (size_t j = 0; j < job->D; j++) loss += p->dplaces[i * job->D + j] * state[j];
    }
    ken_memory_free(path);
    return loss;
}

/* In double precision the step can be so small that it hardly ever crosses a kink of ReLU. */
static double slope_of(struct problem *p, size_t which, size_t i)
{
    float *x = &p->weights[which][i], saved = *x, up = saved + 0x1p-17f, down = saved - 0x1p-17f;
    *x = up;
    double above = loss_of(p);
    *x = down;
    double below = loss_of(p);
    *x = saved;
    return (above - below) / ((double)up - down);
}

static void check_gradients(void)
{
    for (size_t s = 1; s < KEN_COUNT(shapes); s++) {
        struct problem p;
        float *grads[5];
        make_problem(&p, &shapes[s]);
        for (size_t w = 0; w < 5; w++) { /* backward adds */
            grads[w] = ken_memory_new(p.sizes[w], sizeof(float));
            for (size_t i = 0; i < p.sizes[w]; i++) grads[w][i] = 100;
        }
        ken_flow_forward(&p.job);
        ken_flow_backward(&p.job, &(struct ken_flow_grad){ p.dplaces, grads[0], grads[1], grads[2],
                                                           grads[3], grads[4] });
        for (size_t w = 0; w < 5; w++) {
            double scale = 1;
            for (size_t i = 0; i < p.sizes[w]; i++) scale = fmax(scale, fabs(grads[w][i] - 100.0));
            for (size_t i = 0; i < 5; i++) {
                size_t at = (size_t)ken_random_below(s + 9, w * 5 + i, p.sizes[w]);
                double expected = slope_of(&p, w, at), given = grads[w][at] - 100.0;
                if (!(fabs(expected - given) < 1e-3 * scale))
                    fail_msg("%s, shape %zu, weight %zu: gradient %g, expected %g (scale %g)",
                             ken_kernels()->name, s, w, given, expected, scale);
            }
        }
        free_arrays(grads, 5);
        free_problem(&p);
    }
}

static void gradients(void **state)
{
    (void)state;
    on_every_machine(check_gradients);
}

/* If some gradients are not wanted, the others have the same bits. */
static void gradients_left_out(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, &shapes[2]);
    float *all = ken_memory_zeroed(p.sizes[3], sizeof *all), *one = copy_of(all, p.sizes[3]);
    float *other = ken_memory_zeroed(p.sizes[1], sizeof *other);
    ken_flow_forward(&p.job);
    ken_flow_backward(&p.job, &(struct ken_flow_grad){ .dplaces = p.dplaces,
                                                       .dw_out = all,
                                                       .dw_in = other });
    ken_flow_backward(&p.job, &(struct ken_flow_grad){ .dplaces = p.dplaces, .dw_out = one });
    assert_memory_equal(all, one, p.sizes[3] * sizeof *all);
    free_arrays((float *[]){ all, one, other }, 3);
    free_problem(&p);
}

/* ---- the sinusoid as a flow ------------------------------------------------------------------ */

/* The error of the sine at `place` for the rotation dp/dt = [[0, 1], [-1, 0]] p from (0, 1), where
 * one place is a time of 1. */
static double rotation_error(size_t place, size_t steps)
{
    static const float w_in[] = { 0, 1, 0, -1, 0, 0 }, w_out[] = { 1, 0, 0, 0, 1, 0 };
    static const float none[2], start[] = { 0, 1 };
    struct ken_flow job = { .R = 1,
                            .D = 2,
                            .F = 2,
                            .places = place + 1,
                            .steps = steps,
                            .pace = 1,
                            .activation = KEN_ACT_NONE,
                            .start = start,
                            .w_in = w_in,
                            .b_in = none,
                            .w_out = w_out,
                            .b_out = none };
    job.path = ken_memory_new(path_size(&job), sizeof *job.path);
    job.space = ken_memory_new(ken_flow_space(&job, false), sizeof *job.space);
    ken_flow_forward(&job);
    const float *last = job.path + place * steps * 3;
    double error = fabs(last[0] - sin((double)place));
    ken_memory_free(job.path);
    ken_memory_free(job.space);
    return error;
}

/* The errors of the method are known for these steps and places 10, 100 and 512. */
static void check_rotation(void)
{
    static const struct {
        size_t steps, place;
        double error;
    } known[] = { { 5, 10, 1.2e-4 },   { 5, 100, 1.0e-3 },  { 5, 512, 6.6e-3 }, { 10, 10, 7.3e-6 },
                  { 10, 100, 6.8e-5 }, { 10, 512, 4.2e-4 }, { 1, 10, 0.08 } };
    for (size_t i = 0; i < KEN_COUNT(known); i++) {
        double error = rotation_error(known[i].place, known[i].steps);
        if (!(fabs(error - known[i].error) < 0.1 * known[i].error))
            fail_msg("%s, %zu steps a place: off by %g at %zu, expected %g", ken_kernels()->name,
                     known[i].steps, error, known[i].place, known[i].error);
    }
}

static void a_rotation_is_the_sinusoid(void **state)
{
    (void)state;
    on_every_machine(check_rotation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_definition),
        cmocka_unit_test(gradients),
        cmocka_unit_test(gradients_left_out),
        cmocka_unit_test(a_rotation_is_the_sinusoid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
