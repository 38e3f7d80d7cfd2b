/* test_model_faults.c - every allocation in the life of a model is made to fail, once or for ever.
 * A call then works without it or reports an error; nothing leaks, and a call that is tried again
 * gives the usual bits. */
#include "base/fault.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <string.h>

enum { LONGEST = 9, MOST_RESULTS = 4096 };

/* What to do after a failed call: try it again with memory, or give up and free everything. */
enum after { AGAIN, GIVE_UP };

struct life {
    enum use use;
    enum after after;
    struct examples examples[2]; /* of two steps, the second larger      */
    ken_model *model;
    ken_trainer *trainer;
    float numbers[MOST_RESULTS]; /* probabilities or attention           */
    int32_t ids[4 * LONGEST];
    size_t lengths[4];
    uint64_t hash; /* of everything that came out          */
    size_t failures;
};

typedef ken_status call_fn(struct life *life);

static ken_status start_threads(struct life *life)
{
    (void)life;
    return ken_threads_set(3);
}

static ken_status make_model(struct life *life)
{
    ken_config config = small_config(life->use);
    return ken_model_new(&life->model, &config);
}

static ken_status make_trainer(struct life *life)
{
    ken_training training = ken_training_default();
    return ken_trainer_new(&life->trainer, life->model, &training);
}

static ken_status step(struct life *life, size_t which)
{
    ken_report report;
    ken_status status = train_step(life->trainer, life->use, &life->examples[which], &report);
    if (!status) life->hash = hash_of(life->hash, &report.loss, sizeof report.loss);
    return status;
}

static ken_status first_step(struct life *life)
{
    return step(life, 0);
}

static ken_status second_step(struct life *life)
{
    return step(life, 1);
}

static ken_status use_model(struct life *life)
{
    ken_sequences input = sequences_of(&life->examples[0].input);
    if (life->use == WRITER) input = sequences_of(&life->examples[0].target);
    if (life->use == TAGGER || life->use == CLASSIFIER)
        return ken_model_predict(life->model, life->numbers, &input);
    return write_most_likely(life->model, life->ids, life->lengths, &input, LONGEST);
}

static ken_status look(struct life *life)
{
    ken_sequences input = sequences_of(&life->examples[0].input);
    ken_sequences target = sequences_of(&life->examples[0].target);
    ken_look which = life->use == TRANSLATOR ? KEN_LOOK_CROSS
                     : life->use == WRITER   ? KEN_LOOK_DECODER
                                             : KEN_LOOK_ENCODER;
    return ken_model_look(life->model, life->numbers, which, 1, KEN_ALL_HEADS, &input, &target);
}

static call_fn *const calls[] = { start_threads, make_model,  make_trainer, first_step,
                                  use_model,     second_step, look };

/* Runs the whole life of a model. The only error allowed is lack of memory, with a message. */
static void live(struct life *life)
{
    life->model = NULL;
    life->trainer = NULL;
    life->hash = life->failures = 0;
    memset(life->numbers, 0, sizeof life->numbers);
    memset(life->ids, 0, sizeof life->ids);
    memset(life->lengths, 0, sizeof life->lengths);
    for (size_t i = 0; i < KEN_COUNT(calls); i++) {
        ken_status status = calls[i](life);
        if (status) {
            assert_int_equal(status, KEN_ERR_MEMORY);
            assert_non_null(strstr(ken_last_error(), "no memory"));
            life->failures++;
            if (life->after == GIVE_UP) break;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            if (calls[i](life)) fail_msg("call %zu, tried again: %s", i, ken_last_error());
        }
    }
    life->hash = hash_of(life->hash, life->numbers, sizeof life->numbers);
    life->hash = hash_of(life->hash, life->ids, sizeof life->ids);
    life->hash = hash_of(life->hash, life->lengths, sizeof life->lengths);
    if (life->model) life->hash ^= hash_of_weights(life->model);
    ken_trainer_free(life->trainer);
    ken_model_free(life->model);
}

static void check_life(enum use use)
{
    static struct life life;
    life.use = use;
    random_examples(&life.examples[0], use, (size_t[]){ 5, 0, 12, 3 }, 4, 21);
    random_examples(&life.examples[1], use, (size_t[]){ 80, 7, 0, 90 }, 4, 22);
    life.after = AGAIN;
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    live(&life);
    uint64_t calm = life.hash, count = ken_fault_calls(KEN_FAULT_MEMORY);
    assert_true(count > 20);
    size_t failures = 0;
    for (uint64_t nth = 1; nth <= count; nth++)
        for (int forever = 0; forever < 2; forever++)
            for (life.after = AGAIN; life.after <= GIVE_UP; life.after++) {
                ken_fault_arm(KEN_FAULT_MEMORY, nth, forever);
                live(&life);
                ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
                failures += life.failures;
                if ((life.after == AGAIN || life.failures == 0) && life.hash != calm)
                    fail_msg("%s: other bits after failure %llu of %llu", use_names[use],
                             (unsigned long long)nth, (unsigned long long)count);
            }
    assert_true(failures > 2 * count); /* most failed allocations make a call fail */
}

static void taggers(void **state)
{
    (void)state;
    check_life(TAGGER);
}

static void classifiers(void **state)
{
    (void)state;
    check_life(CLASSIFIER);
}

static void translators(void **state)
{
    (void)state;
    check_life(TRANSLATOR);
}

static void writers(void **state)
{
    (void)state;
    check_life(WRITER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taggers),
        cmocka_unit_test(classifiers),
        cmocka_unit_test(translators),
        cmocka_unit_test(writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
