/* test_model.c - a model's output never depends on the other sequences of the batch, in a decoder
 * not on later ids, and without positions not on the order. */
#include "base/memory.h"
#include "base/size.h"
#include "tests/arrays.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* The model's result for the batch. */
static float *result_of(ken_model *model, enum use use, const struct examples *examples)
{
    const struct batch *input = &examples->input;
    if (use == TRANSLATOR || use == WRITER) return forced_logits(model, input, &examples->target);
    ken_sequences in = sequences_of(input);
    size_t rows = use == TAGGER ? input->start[input->count] : input->count;
    float *numbers = ken_memory_new(rows * OUTPUT_SIZE, sizeof(float));
    assert_int_equal(ken_model_predict(model, numbers, &in), KEN_OK);
    return numbers;
}

/* Finds sequence b in the result: `count` numbers from number `from` on. */
static void find_result(size_t *from, size_t *count, enum use use, const struct examples *examples,
                        size_t b)
{
    const struct batch *input = &examples->input, *target = &examples->target;
    size_t rows = 1, first = b;
    if (use == TAGGER) {
        first = input->start[b];
        rows = length_of(input, b);
    } else if (use != CLASSIFIER) { /* each has one more row, for the end */
        first = target->start[b] + b;
        rows = length_of(target, b) + 1;
    }
    *from = first * OUTPUT_SIZE;
    *count = rows * OUTPUT_SIZE;
}

static void same_bits(const char *what, const struct variant *variant, enum use use, size_t b,
                      const float *alone, const float *together, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&alone[i], &together[i], sizeof *alone) != 0)
            fail_msg("%s, %s, %s: sequence %zu, number %zu: %.9g alone, %.9g together",
                     variant->name, use_names[use], what, b, i, (double)alone[i],
                     (double)together[i]);
}

static const size_t mixed_lengths[] = { 0, 1, 7, 33, 2, 0, 140, 17, 64, 3, 1 };
static const size_t other_lengths[] = { 131, 3, 17 };
enum { MIXED = KEN_COUNT(mixed_lengths), SHORT = 12 };

/* Compares sequence b of the mixed batch, whose result is `all`, with the same sequence alone and
 * after other sequences. */
static void check_alone(ken_model *model, const struct variant *variant, enum use use,
                        const struct examples *mixed, const float *all, size_t b)
{
    static struct examples alone, among;
    enum { OTHERS = KEN_COUNT(other_lengths) };
    size_t from, last, count, same_count;
    only_sequence(&alone.input, &mixed->input, b);
    only_sequence(&alone.target, &mixed->target, b);
    random_examples(&among, use, other_lengths, OTHERS, 5);
    add_sequence(&among.input, alone.input.ids, length_of(&alone.input, 0));
    add_sequence(&among.target, alone.target.ids, length_of(&alone.target, 0));
    float *one = result_of(model, use, &alone), *four = result_of(model, use, &among);
    find_result(&from, &count, use, mixed, b);
    find_result(&last, &same_count, use, &among, OTHERS);
    assert_int_equal(count, same_count);
    same_bits("in a batch", variant, use, b, one, all + from, count);
    same_bits("among others", variant, use, b, one, four + last, count);
    ken_memory_free(one);
    ken_memory_free(four);
}

static void check_encoder_alone(ken_model *model, const struct variant *variant,
                                const struct batch *input)
{
    float *every = encoder_rows(model, input);
    for (size_t b = 0; b < input->count; b++) {
        static struct batch alone;
        only_sequence(&alone, input, b);
        float *rows = encoder_rows(model, &alone);
        same_bits("encoder", variant, TRANSLATOR, b, rows, every + input->start[b] * WIDTH,
                  length_of(input, b) * WIDTH);
        ken_memory_free(rows);
    }
    ken_memory_free(every);
}

/* Greedy generation: finished sequences leave the batch, which must not affect the others. */
static void check_generated_alone(ken_model *model, const struct variant *variant, enum use use,
                                  const struct batch *input)
{
    int32_t all[MIXED * SHORT], one[SHORT];
    size_t lengths[MIXED], length;
    ken_sequences in = sequences_of(input);
    assert_int_equal(write_most_likely(model, all, lengths, &in, SHORT), KEN_OK);
    for (size_t b = 0; b < input->count; b++) {
        static struct batch alone;
        only_sequence(&alone, input, b);
        ken_sequences first = sequences_of(&alone);
        assert_int_equal(write_most_likely(model, one, &length, &first, SHORT), KEN_OK);
        if (length != lengths[b] || memcmp(one, all + b * SHORT, length * sizeof *one) != 0)
            fail_msg("%s, %s: sequence %zu is generated differently alone", variant->name,
                     use_names[use], b);
    }
}

static void check_model(const struct variant *variant, enum use use)
{
    static struct examples mixed;
    ken_model *model = variant_model(variant, use);
    random_examples(&mixed, use, mixed_lengths, MIXED, 3);
    float *all = result_of(model, use, &mixed);
    for (size_t b = 0; b < MIXED; b++) check_alone(model, variant, use, &mixed, all, b);
    if (use == TRANSLATOR) check_encoder_alone(model, variant, &mixed.input);
    if (use == TRANSLATOR) check_generated_alone(model, variant, use, &mixed.input);
    if (use == WRITER) check_generated_alone(model, variant, use, &mixed.target);
    ken_memory_free(all);
    ken_model_free(model);
}

static void check_models(void)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = 0; use < USES; use++)
            if (is_possible(&variants[i], use)) check_model(&variants[i], use);
}

static void batches_leave_no_trace(void **state)
{
    (void)state;
    on_every_machine(check_models);
}

/* In an encoder without positions, rows move with their ids: up to rounding, not bit by bit,
 * because sums over keys are added in the order of the keys. */
static void no_positions_no_order(void **state)
{
    (void)state;
    enum { T = 70 };
    static struct batch straight, turned;
    static float before[T * OUTPUT_SIZE], after[T * OUTPUT_SIZE], expected[T * OUTPUT_SIZE];
    ken_model *model = variant_model(variant_named("no positions"), TAGGER);
    random_batch(&straight, (size_t[]){ T }, 1, 0, INPUT_SIZE, 8);
    turned = straight;
    for (size_t i = 0; i < T; i++) turned.ids[i] = straight.ids[(i * 23 + 5) % T];
    ken_sequences a = sequences_of(&straight), b = sequences_of(&turned);
    assert_int_equal(ken_model_predict(model, before, &a), KEN_OK);
    assert_int_equal(ken_model_predict(model, after, &b), KEN_OK);
    for (size_t i = 0; i < T; i++)
        memcpy(expected + i * OUTPUT_SIZE, before + (i * 23 + 5) % T * OUTPUT_SIZE,
               OUTPUT_SIZE * sizeof *before);
    check_close("permuted", after, expected, T * OUTPUT_SIZE, 1e-6);
    ken_model_free(model);

    model = variant_model(variant_named("sinusoid"),
                          TAGGER); /* with positions it is another sentence */
    assert_int_equal(ken_model_predict(model, before, &a), KEN_OK);
    assert_int_equal(ken_model_predict(model, after, &b), KEN_OK);
    double difference = 0;
    for (size_t i = 0; i < T * OUTPUT_SIZE; i++) {
        const float *moved = before + (i / OUTPUT_SIZE * 23 + 5) % T * OUTPUT_SIZE;
        difference += fabs((double)after[i] - moved[i % OUTPUT_SIZE]);
    }
    assert_true(difference > 0.1);
    ken_model_free(model);
}

/* Changes the ids from place CHANGED on; the rows up to it, which read earlier ids only, keep their
 * bits. */
static void check_later(const struct variant *variant, enum use use)
{
    static struct examples first, second;
    static const size_t lengths[] = { 20, 41, 9 };
    enum { CHANGED = 23 };
    size_t from, count, same = (CHANGED + 1) * OUTPUT_SIZE;
    ken_model *model = variant_model(variant, use);
    random_examples(&first, use, lengths, KEN_COUNT(lengths), 4);
    second = first;
    int32_t *ids = second.target.ids + second.target.start[1];
    for (size_t t = CHANGED; t < lengths[1]; t++) ids[t] = (ids[t] + 1) % OUTPUT_SIZE;
    float *a = result_of(model, use, &first), *b = result_of(model, use, &second);
    find_result(&from, &count, use, &first, 1);
    assert_true(count > same);
    same_bits("earlier rows", variant, use, 1, a + from, b + from, same);
    assert_memory_not_equal(a + from + same, b + from + same, OUTPUT_SIZE * sizeof(float));
    ken_memory_free(a);
    ken_memory_free(b);
    ken_model_free(model);
}

static void later_ids_are_not_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = TRANSLATOR; use < USES; use++)
            if (is_possible(&variants[i], use)) check_later(&variants[i], use);
}

/* An encoder whose rows see nothing to their right is causal too. */
static void window_to_the_left_is_causal(void **state)
{
    (void)state;
    enum { T = 50, CHANGED = 20 };
    static struct batch first, second;
    static float a[T * OUTPUT_SIZE], b[T * OUTPUT_SIZE];
    ken_config config = small_config(TAGGER);
    config.window_right = 0;
    ken_model *model = new_model(&config);
    random_batch(&first, (size_t[]){ T }, 1, 0, INPUT_SIZE, 6);
    second = first;
    second.ids[CHANGED] = (second.ids[CHANGED] + 1) % INPUT_SIZE;
    ken_sequences in = sequences_of(&first), changed = sequences_of(&second);
    assert_int_equal(ken_model_predict(model, a, &in), KEN_OK);
    assert_int_equal(ken_model_predict(model, b, &changed), KEN_OK);
    assert_memory_equal(a, b, CHANGED * OUTPUT_SIZE * sizeof *a);
    for (size_t t = CHANGED; t < T; t++)
        assert_memory_not_equal(a + t * OUTPUT_SIZE, b + t * OUTPUT_SIZE, OUTPUT_SIZE * sizeof *a);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_leave_no_trace),
        cmocka_unit_test(no_positions_no_order),
        cmocka_unit_test(later_ids_are_not_seen),
        cmocka_unit_test(window_to_the_left_is_causal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
