/* test_ops.c - the gradient check of every operation. An operation without a case is a failure. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tensor/gradcheck.h"
#include "tensor/op_table.h"
#include "tests/op_cases.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static const struct op_case_list *const lists[] = { &cases_basic, &cases_dense,  &cases_attend,
                                                    &cases_seq,   &cases_linear, &cases_places };

struct network {
    const struct op_case *test;
    ken_tensor parameters[6];
    ken_tensor *pointers[6];
    size_t count;
    float *weights; /* the uneven upstream gradient */
    size_t weights_size;
};

static ken_tensor *weighed_loss(ken_tape *tape, void *context)
{
    struct network *net = context;
    ken_tensor *y = net->test->build(tape, net->pointers, net->test);
    if (!y || ken_tensor_size(y) == 1) return y;
    if (!net->weights) {
        net->weights_size = ken_tensor_size(y);
        net->weights = ken_memory_new(net->weights_size, sizeof(float));
        for (size_t i = 0; i < net->weights_size; i++) net->weights[i] = ken_random_normal(99, i);
    }
    assert_int_equal(net->weights_size, ken_tensor_size(y));
    return ken_dot(tape, y, net->weights);
}

static void make_network(struct network *net, const struct op_case *test)
{
    *net = (struct network){ .test = test };
    for (size_t p = 0; p < 6 && test->shapes[p][0]; p++, net->count++) {
        ken_tensor *t = &net->parameters[p];
        *t = (ken_tensor){ .rows = test->shapes[p][0], .cols = test->shapes[p][1] };
        t->needs_grad = true;
        t->data = ken_memory_new(ken_tensor_size(t), sizeof(float));
        t->grad = ken_memory_zeroed(ken_tensor_size(t), sizeof(float));
        for (size_t i = 0; i < ken_tensor_size(t); i++)
            t->data[i] = ken_random_normal(7 + p, i) * (test->spread != 0 ? test->spread : 1);
        net->pointers[p] = t;
    }
}

static void free_network(struct network *net)
{
    for (size_t p = 0; p < net->count; p++) {
        ken_memory_free(net->parameters[p].data);
        ken_memory_free(net->parameters[p].grad);
    }
    ken_memory_free(net->weights);
}

/* The value must not depend on recording, and a second backward must add to the gradients. */
static void check_recording_and_adding(struct network *net)
{
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.training = true;
    ken_tensor *recorded = weighed_loss(&tape, net);
    float value = recorded->data[0];
    assert_int_equal(ken_tape_backward(&tape, recorded),
                     KEN_OK); /* the second backward; the first was in gradcheck */
    ken_tape_clear(&tape);
    tape.recording = false;
    ken_tensor *plain = weighed_loss(&tape, net);
    assert_memory_equal(&value, plain->data, sizeof value);
    assert_false(plain->needs_grad);
    ken_tape_release(&tape);
}

static void check_case(const struct op_case *test)
{
    struct network net;
    make_network(&net, test);
    double worst = 0;
    float step = test->step != 0 ? test->step : 0x1p-5f;
    ken_status status = ken_gradcheck(&worst, weighed_loss, &net, net.pointers, net.count, step,
                                      300);
    if (status) fail_msg("%s: %s", test->name, ken_last_error());
    double tolerance = test->tolerance != 0 ? test->tolerance : 1e-3;
    if (!(worst <= tolerance)) fail_msg("%s: gradient off by %g", test->name, worst);
    float once = net.parameters[0].grad[0];
    check_recording_and_adding(&net);
    float twice = net.parameters[0].grad[0];
    if (!(twice - 2 * once <= 1e-5f * (1 + once * once)) ||
        !(2 * once - twice <= 1e-5f * (1 + once * once)))
        fail_msg("%s: backward does not add (%g, then %g)", test->name, (double)once,
                 (double)twice);
    free_network(&net);
}

static void every_case(void **state)
{
    (void)state;
    for (size_t l = 0; l < KEN_COUNT(lists); l++)
        for (size_t c = 0; c < lists[l]->count; c++) check_case(&lists[l]->cases[c]);
}

static void every_operation_has_a_case(void **state)
{
    (void)state;
    size_t found[KEN_OP_COUNT] = { 0 };
    for (size_t l = 0; l < KEN_COUNT(lists); l++)
        for (size_t c = 0; c < lists[l]->count; c++) found[lists[l]->cases[c].op]++;
    for (size_t op = 0; op < KEN_OP_COUNT; op++) {
        if (!ken_ops[op].name || !ken_ops[op].forward || !ken_ops[op].backward)
            fail_msg("operation %zu has no complete row in the table", op);
        if (!found[op]) fail_msg("operation %s has no gradient case", ken_ops[op].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_a_case),
        cmocka_unit_test(every_case),
    };
    cases_attend_fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
