/* test_learning.c - models learn small tasks that cannot be solved without attention, in seconds,
 * to a stated accuracy on examples that were not trained on. */
#include "base/random.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <string.h>

enum { SYMBOLS = 8, FIRST = 2, BATCH = 32, LONGEST = 8 }; /* ids 0 and 1 are begin and end */

/* Makes one example of a task from random symbols: 0 .. SYMBOLS - 1, `length` of them. */
typedef size_t make_fn(int32_t *target, const int32_t *input, size_t length);

static size_t reversed(int32_t *target, const int32_t *input, size_t length)
{
    for (size_t i = 0; i < length; i++) target[i] = FIRST + input[length - 1 - i];
    return length;
}

static size_t copied(int32_t *target, const int32_t *input, size_t length)
{
    for (size_t i = 0; i < length; i++) target[i] = FIRST + input[i];
    return length;
}

/* The most frequent symbol; the smallest one if several are equally frequent. */
static size_t most_frequent(int32_t *target, const int32_t *input, size_t length)
{
    int counts[SYMBOLS] = { 0 };
    *target = 0;
    for (size_t i = 0; i < length; i++) counts[input[i]]++;
    for (int32_t s = 1; s < SYMBOLS; s++)
        if (counts[s] > counts[*target]) *target = s;
    return 1;
}

static size_t one_before(int32_t *target, const int32_t *input, size_t length)
{
    for (size_t i = 0; i < length; i++) target[i] = i > 0 ? input[i - 1] : KEN_IGNORED;
    return length;
}

static void make_examples(struct examples *examples, make_fn *make, size_t shortest, size_t count,
                          uint64_t key)
{
    examples->input = examples->target = (struct batch){ 0 };
    for (size_t b = 0; b < count; b++) {
        int32_t input[LONGEST], target[LONGEST];
        uint64_t own = ken_random_key(key, b);
        size_t length = shortest + (size_t)ken_random_below(own, 0, LONGEST - shortest + 1);
        for (size_t i = 0; i < length; i++)
            input[i] = (int32_t)ken_random_below(own, i + 1, SYMBOLS);
        add_sequence(&examples->input, input, length);
        add_sequence(&examples->target, target, make(target, input, length));
    }
}

static ken_config task_config(enum use use)
{
    ken_config config = small_config(use);
    config.input_size = SYMBOLS;
    config.output_size = FIRST + SYMBOLS;
    config.width = 32;
    config.hidden = 64;
    config.dropout = config.attention_dropout = 0;
    return config;
}

static ken_trainer *new_trainer(ken_model *model, uint64_t steps)
{
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    training.steps = steps;
    training.warm_up = steps / 10;
    training.rate = 4e-3;
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    return trainer;
}

static ken_model *learn(enum use use, make_fn *make, size_t shortest, uint64_t steps)
{
    static struct examples examples;
    ken_config config = task_config(use);
    ken_model *model = new_model(&config);
    ken_trainer *trainer = new_trainer(model, steps);
    ken_report report;
    for (uint64_t step = 0; step < steps; step++) {
        make_examples(&examples, make, shortest, BATCH, 1000 + step);
        if (train_step(trainer, use, &examples, &report)) fail_msg("%s", ken_last_error());
    }
    ken_trainer_free(trainer);
    return model;
}

/* The share of new sequences that are generated without a mistake. */
static double share_exact(ken_model *model, make_fn *make, size_t shortest)
{
    static struct examples fresh;
    int32_t ids[MOST_SEQUENCES * (LONGEST + 2)];
    size_t lengths[MOST_SEQUENCES], exact = 0;
    make_examples(&fresh, make, shortest, MOST_SEQUENCES, 7);
    ken_sequences input = sequences_of(&fresh.input);
    assert_int_equal(write_most_likely(model, ids, lengths, &input, LONGEST + 2), KEN_OK);
    for (size_t b = 0; b < MOST_SEQUENCES; b++)
        exact += lengths[b] == length_of(&fresh.target, b) &&
                 memcmp(ids + b * (LONGEST + 2), fresh.target.ids + fresh.target.start[b],
                        lengths[b] * sizeof *ids) == 0;
    return (double)exact / MOST_SEQUENCES;
}

/* The share of labels of new sequences that are right. */
static double share_right(ken_model *model, make_fn *make, size_t shortest)
{
    static struct examples fresh;
    static float probabilities[MOST_SEQUENCES * LONGEST * (FIRST + SYMBOLS)];
    size_t right = 0, counted = 0;
    make_examples(&fresh, make, shortest, MOST_SEQUENCES, 7);
    ken_sequences input = sequences_of(&fresh.input);
    assert_int_equal(ken_model_predict(model, probabilities, &input), KEN_OK);
    for (size_t i = 0; i < fresh.target.start[MOST_SEQUENCES]; i++) {
        const float *row = probabilities + i * (FIRST + SYMBOLS);
        size_t best = 0;
        for (size_t j = 1; j < FIRST + SYMBOLS; j++)
            if (row[j] > row[best]) best = j;
        if (fresh.target.ids[i] == KEN_IGNORED) continue;
        counted++;
        right += best == (size_t)fresh.target.ids[i];
    }
    return (double)right / (double)counted;
}

static void check_share(const char *what, double share, double wanted)
{
    if (share < wanted) fail_msg("%s: %.3f right, %.3f wanted", what, share, wanted);
}

static void copies(void **state)
{
    (void)state;
    ken_model *model = learn(TRANSLATOR, copied, 0, 350);
    check_share("copy", share_exact(model, copied, 0), 0.95);
    ken_model_free(model);
}

static void reverses(void **state)
{
    (void)state;
    ken_model *model = learn(TRANSLATOR, reversed, 0, 400);
    check_share("reverse", share_exact(model, reversed, 0), 0.95);
    ken_model_free(model);
}

static void counts_labels(void **state)
{
    (void)state;
    ken_model *model = learn(CLASSIFIER, most_frequent, 1, 250);
    check_share("majority", share_right(model, most_frequent, 1), 0.95);
    ken_model_free(model);
}

static void remembers_the_one_before(void **state)
{
    (void)state;
    ken_model *model = learn(TAGGER, one_before, 1, 250);
    check_share("one before", share_right(model, one_before, 1), 0.98);
    ken_model_free(model);
}

/* Any 8 consecutive letters occur only once in the text. */
static const char text[] = "the cat sat on the mat and the dog lay by the log. ";
enum { PERIOD = sizeof text - 1, PIECE = 60, PREFIX = 8, TEXT_STEPS = 250 };

static void read_text(int32_t *ids, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++) ids[i] = text[(at + i) % PERIOD];
}

static ken_model *learn_text(void)
{
    static struct examples examples;
    ken_config config = task_config(WRITER);
    config.output_size = 128; /* ASCII; 0 and 1 are not in the text */
    ken_model *model = new_model(&config);
    ken_trainer *trainer = new_trainer(model, TEXT_STEPS);
    for (uint64_t step = 0; step < TEXT_STEPS; step++) {
        int32_t ids[PIECE];
        examples.target = (struct batch){ 0 };
        for (size_t b = 0; b < 8; b++) {
            read_text(ids, (size_t)ken_random_below(step, b, PERIOD), PIECE);
            add_sequence(&examples.target, ids, PIECE);
        }
        assert_int_equal(train_step(trainer, WRITER, &examples, NULL), KEN_OK);
    }
    ken_trainer_free(trainer);
    return model;
}

/* A language model reads pieces of a text that repeats itself, and continues it by heart. */
static void goes_on_with_a_text(void **state)
{
    (void)state;
    enum { REST = PIECE - PREFIX };
    ken_model *model = learn_text();
    size_t right = 0, length;
    for (size_t at = 0; at < PERIOD; at++) {
        int32_t prefix[PREFIX], written[REST], expected[REST];
        read_text(prefix, at, PREFIX);
        read_text(expected, at + PREFIX, REST);
        ken_sequences input = { prefix, (size_t[]){ 0, PREFIX }, 1 };
        assert_int_equal(write_most_likely(model, written, &length, &input, REST), KEN_OK);
        for (size_t i = 0; i < length; i++) right += written[i] == expected[i];
    }
    check_share("text", (double)right / (PERIOD * REST), 0.95);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(reverses),
        cmocka_unit_test(counts_labels),
        cmocka_unit_test(remembers_the_one_before),
        cmocka_unit_test(goes_on_with_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
