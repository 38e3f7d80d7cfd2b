/* test_training.c - what a step reports, how much memory it takes, and what happens if training
 * diverges. */
#include "base/fault.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t lengths[] = { 9, 0, 31, 1, 17 };

static ken_trainer *new_trainer(ken_model *model, const ken_training *training)
{
    ken_trainer *trainer;
    if (ken_trainer_new(&trainer, model, training)) fail_msg("%s", ken_last_error());
    return trainer;
}

/* Equal batches need the same memory, and from the third step on no memory is allocated, because
 * the arena has become one block. A larger batch makes it grow once, a smaller one does not change
 * it. */
static void memory_is_stable(void **state)
{
    (void)state;
    static struct examples usual, larger;
    static const size_t long_lengths[] = { 200, 40, 90 };
    for (enum use use = 0; use < USES; use++) {
        ken_config config = small_config(use);
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        ken_trainer *trainer = new_trainer(model, &training);
        ken_report second = { 0 }, report;
        random_examples(&usual, use, lengths, KEN_COUNT(lengths), 1);
        random_examples(&larger, use, long_lengths, KEN_COUNT(long_lengths), 2);
        for (int step = 1; step <= 12; step++) {
            bool large = step == 7;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_int_equal(train_step(trainer, use, large ? &larger : &usual, &report), KEN_OK);
            uint64_t asked = ken_fault_calls(KEN_FAULT_MEMORY);
            if (step == 2) second = report;
            if (step > 2 && step < 7) assert_int_equal(report.peak_bytes, second.peak_bytes);
            if (step >= 7) assert_true(report.peak_bytes > second.peak_bytes);
            if ((step > 2 && step < 7) || step > 8) assert_int_equal(asked, 0);
            if (step == 8) assert_true(asked <= 1);
        }
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

static void what_a_step_reports(void **state)
{
    (void)state;
    static struct examples examples;
    for (enum use use = 0; use < USES; use++) {
        ken_config config = small_config(use);
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        training.warm_up = 4;
        ken_trainer *trainer = new_trainer(model, &training);
        ken_report report;
        random_examples(&examples, use, lengths, KEN_COUNT(lengths), 3);
        assert_int_equal(train_step(trainer, use, &examples, &report), KEN_OK);
        size_t read = use == WRITER ? 0 : 58, written = use >= TRANSLATOR ? 58 + 5 : 0;
        assert_int_equal(report.step, 1);
        assert_int_equal(report.rows, read + written);
        assert_true(fabs(report.rate - training.rate / 4) < 1e-12);
        /* at the start all answers are about equally likely */
        assert_true(report.loss > 1.5 && report.loss < 5);
        assert_true(report.accuracy >= 0 && report.accuracy <= 1);
        assert_true(report.norm > 0 && isfinite(report.norm));
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

/* At learning rate 0 two steps differ only by dropout. */
static void dropout_is_fresh(void **state)
{
    (void)state;
    static struct examples examples;
    random_examples(&examples, TAGGER, lengths, KEN_COUNT(lengths), 5);
    for (int drops = 0; drops < 2; drops++) {
        ken_config config = small_config(TAGGER);
        if (!drops) config.dropout = config.attention_dropout = 0;
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        training.rate = 0;
        ken_trainer *trainer = new_trainer(model, &training);
        ken_report first, second;
        assert_int_equal(train_step(trainer, TAGGER, &examples, &first), KEN_OK);
        assert_int_equal(train_step(trainer, TAGGER, &examples, &second), KEN_OK);
        assert_true((first.loss != second.loss) == drops);
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

/* No rows, or none that counts: a loss of 0 and no gradient. */
static void nothing_to_learn(void **state)
{
    (void)state;
    static struct examples none;
    for (enum use use = 0; use < USES; use++) {
        ken_config config = small_config(use);
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        training.weight_decay = 0;
        ken_trainer *trainer = new_trainer(model, &training);
        ken_report report;
        uint64_t before = hash_of_weights(model);
        none = (struct examples){ 0 };
        assert_int_equal(train_step(trainer, use, &none, &report), KEN_OK);
        assert_true(report.loss == 0 && report.norm == 0 && report.accuracy == 0);
        if (use <= CLASSIFIER) {
            random_examples(&none, use, lengths, KEN_COUNT(lengths), 4);
            for (size_t i = 0; i < MOST_IDS; i++) none.target.ids[i] = KEN_IGNORED;
            assert_int_equal(train_step(trainer, use, &none, &report), KEN_OK);
            assert_true(report.loss == 0 && report.norm == 0 && report.accuracy == 0);
        }
        assert_true(hash_of_weights(model) == before);
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

static void check_finite(const ken_model *model)
{
    for (size_t i = 0; i < model->parameters.count; i++) {
        const ken_tensor *tensor = model->parameters.list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++)
            if (!isfinite(tensor->data[j]))
                fail_msg("%s[%zu] is %g", model->parameters.list[i].name, j,
                         (double)tensor->data[j]);
    }
}

static bool names_a_tensor(const ken_model *model, const char *message)
{
    for (size_t i = 0; i < model->parameters.count; i++)
        if (strstr(message, model->parameters.list[i].name)) return true;
    return false;
}

/* Trains until it diverges (at most 20 steps), checks the message and that no weight has moved or
 * is not finite; returns whether it diverged. */
static bool run_away(ken_model *model, enum use use, double rate, double decay)
{
    static struct examples examples;
    ken_training training = ken_training_default();
    training.schedule = KEN_SCHEDULE_CONSTANT;
    training.warm_up = 0;
    training.rate = rate;
    training.weight_decay = decay;
    ken_trainer *trainer = new_trainer(model, &training);
    ken_status status = KEN_OK;
    for (unsigned step = 1; step <= 20 && !status; step++) {
        uint64_t before = hash_of_weights(model);
        random_examples(&examples, use, lengths, KEN_COUNT(lengths), step);
        status = train_step(trainer, use, &examples, NULL);
        check_finite(model);
        if (!status) continue;
        char expected[32];
        snprintf(expected, sizeof expected, "at step %u:", step);
        assert_int_equal(status, KEN_ERR_DIVERGED);
        assert_non_null(strstr(ken_last_error(), expected));
        assert_true(names_a_tensor(model, ken_last_error()));
        assert_true(hash_of_weights(model) == before);
        /* the same again, because nothing of the failed step is left */
        assert_int_equal(train_step(trainer, use, &examples, NULL), KEN_ERR_DIVERGED);
        assert_non_null(strstr(ken_last_error(), expected));
        assert_true(hash_of_weights(model) == before);
    }
    ken_trainer_free(trainer);
    return status != KEN_OK;
}

/* Norms keep a network finite for surprisingly long: at rate 1e9 only some models diverge. Decay
 * that sets all weights to 0 at each step keeps every model finite. */
static void high_rates_diverge(void **state)
{
    (void)state;
    static const double rates[] = { 1e9, 1e12, 1e18 }, decays[] = { 0, 0.01, 1e10, 1e300 };
    for (enum use use = 0; use < USES; use++)
        for (size_t i = 0; i < KEN_COUNT(rates); i++)
            for (size_t j = 0; j < KEN_COUNT(decays); j++) {
                ken_config config = small_config(use);
                ken_model *model = new_model(&config);
                bool diverged = run_away(model, use, rates[i], decays[j]);
                if (!diverged && rates[i] >= 1e12 && decays[j] == 0)
                    fail_msg("%s, rate %g: not diverged", use_names[use], rates[i]);
                ken_model_free(model);
            }
}

/* Values as large as floats get, in each tensor in turn. */
static void huge_weights_diverge(void **state)
{
    (void)state;
    size_t diverged = 0;
    for (enum use use = 0; use < USES; use++) {
        ken_config config = small_config(use);
        ken_model *model = new_model(&config);
        size_t count = model->parameters.count;
        ken_model_free(model);
        for (size_t i = 0; i < count; i++) {
            model = new_model(&config);
            const ken_tensor *tensor = model->parameters.list[i].tensor;
            for (size_t j = 0; j < ken_tensor_size(tensor); j++)
                tensor->data[j] = j % 2 ? -3e38f : 3e38f;
            diverged += run_away(model, use, 1e-3, 0.01);
            ken_model_free(model);
        }
    }
    assert_true(diverged > 50);
}

/* The only row that counts has an answer of probability 0: the loss is infinite, its gradient is
 * not. */
static void infinite_loss_alone(void **state)
{
    (void)state;
    ken_config config = small_config(CLASSIFIER);
    config.dropout = config.attention_dropout = 0;
    ken_model *model = new_model(&config);
    ken_training training = ken_training_default();
    ken_trainer *trainer = new_trainer(model, &training);
    model->head.bias.data[3] = -INFINITY;
    ken_sequences input = { (int32_t[]){ 1, 2 }, (size_t[]){ 0, 2 }, 1 };
    ken_sequences target = { (int32_t[]){ 3 }, (size_t[]){ 0, 1 }, 1 };
    uint64_t before = hash_of_weights(model);
    assert_int_equal(ken_trainer_step(trainer, &input, &target, NULL), KEN_ERR_DIVERGED);
    assert_non_null(strstr(ken_last_error(), "loss inf"));
    assert_null(strstr(ken_last_error(), "norm 0,")); /* the norm of this step */
    assert_true(hash_of_weights(model) == before);
    ken_trainer_free(trainer);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_stable),    cmocka_unit_test(what_a_step_reports),
        cmocka_unit_test(dropout_is_fresh),    cmocka_unit_test(nothing_to_learn),
        cmocka_unit_test(high_rates_diverge),  cmocka_unit_test(huge_weights_diverge),
        cmocka_unit_test(infinite_loss_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
