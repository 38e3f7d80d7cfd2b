/* test_model_gradients.c - gradients of every tensor of every kind of model, with dropout, against
 * finite differences of its loss. This checks that operations are connected correctly; test_ops.c
 * checks each operation more closely. */
#include "base/random.h"
#include "base/size.h"
#include "tensor/gradcheck.h"
#include "tests/kinds.h"
#include "tests/unit.h"

enum { PER_TENSOR = 4 }; /* weights of each that are checked */

struct network {
    ken_model *model;
    const char *name, *use;
    const ken_sequences *input, *target;
    float smoothing;
};

static ken_tensor *loss_of(ken_tape *tape, void *context)
{
    const struct network *net = context;
    tape->random_key = 5; /* the same dropout at every call */
    return loss_on(tape, net->model, net->input, net->target, net->smoothing);
}

/* Also frees the model. */
static void check_gradients(struct network *net)
{
    const ken_parameters *parameters = &learning(net->model)->parameters;
    for (size_t i = 0; i < parameters->count;
         i++) { /* some start at 0, where a mistake could hide */
        ken_tensor *tensor = parameters->list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++)
            tensor->data[j] += 0.1f * ken_random_normal(i, j);
    }
    for (size_t i = 0; i < parameters->count; i++) {
        double worst;
        ken_tensor *tensor = parameters->list[i].tensor;
        if (ken_gradcheck(&worst, loss_of, net, &tensor, 1, 2e-2f, PER_TENSOR))
            fail_msg("%s, %s: %s", net->name, net->use, ken_last_error());
        if (!(worst < 0.06)) /* mostly below 0.005, with kinks 0.03; a wrong gradient gives 1 */
            fail_msg("%s, %s: gradient of %s is off by %g", net->name, net->use,
                     parameters->list[i].name, worst);
    }
    ken_model_free(net->model);
}

static const size_t lengths[] = { 5, 0, 9, 1 };

static void every_weight(void **state)
{
    (void)state;
    static struct examples examples;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = 0; use < USES; use++) {
            if (!is_possible(&variants[i], use)) continue;
            random_examples(&examples, use, lengths, KEN_COUNT(lengths), 31);
            ken_sequences input = sequences_of(&examples.input);
            ken_sequences target = sequences_of(&examples.target);
            check_gradients(&(struct network){ .model = variant_model(&variants[i], use),
                                               .name = variants[i].name,
                                               .use = use_names[use],
                                               .input = use == WRITER ? NULL : &input,
                                               .target = &target,
                                               .smoothing = 0.1f });
        }
}

/* Every kind of input, value and pooling. */
static void every_kind(void **state)
{
    (void)state;
    static struct sample sample;
    for (size_t i = 0; i < KINDS; i++) {
        ken_config config = kind_config(&kinds[i]);
        random_sample(&sample, &kinds[i], lengths, KEN_COUNT(lengths), 32);
        check_gradients(&(struct network){ .model = new_model(&config),
                                           .name = "kind",
                                           .use = kinds[i].name,
                                           .input = &sample.in,
                                           .target = &sample.to });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight),
        cmocka_unit_test(every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
