/* test_generate.c - generation against step-by-step teacher forcing: prefixes, forbidden
 * repetitions, limits and scores. Sampling is in test_draw.c, beams are in test_beam.c, the cache
 * is in test_cache.c. */
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 0, END = 1, LONGEST = 16 };

static int32_t most_likely(const float *logits)
{
    int32_t best = BEGIN + 1; /* `begin` is never written */
    for (int32_t i = best + 1; i < OUTPUT_SIZE; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* Generates one sequence slowly: all ids so far are read again, and the last row gives the next
 * id. */
static size_t write_slowly(int32_t *ids, ken_model *model, const struct batch *input,
                           const struct batch *prefix)
{
    struct batch so_far = *prefix;
    size_t length = 0, given = length_of(prefix, 0);
    while (length < LONGEST) {
        float *logits = forced_logits(model, input, &so_far);
        int32_t id = most_likely(logits + (given + length) * OUTPUT_SIZE);
        ken_memory_free(logits);
        if (id == END) break;
        ids[length++] = so_far.ids[so_far.start[1]++] = id;
    }
    return length;
}

static void check_greedy(const struct variant *variant, enum use use, size_t ends[2])
{
    static struct batch all, one, none;
    static const size_t lengths[] = { 5, 0, 12, 1, 30 };
    enum { COUNT = KEN_COUNT(lengths) };
    int32_t ids[COUNT * LONGEST], slow[LONGEST];
    size_t written[COUNT];
    ken_model *model = variant_model(variant, use);
    random_batch(&all, lengths, COUNT, 0, use == WRITER ? OUTPUT_SIZE : INPUT_SIZE, 11);
    none = (struct batch){ .count = 1 };
    ken_sequences input = sequences_of(&all);
    assert_int_equal(write_most_likely(model, ids, written, &input, LONGEST), KEN_OK);
    for (size_t b = 0; b < COUNT; b++) {
        only_sequence(&one, &all, b);
        size_t length = write_slowly(slow, model, &one, use == WRITER ? &one : &none);
        assert_int_equal(written[b], length);
        if (memcmp(ids + b * LONGEST, slow, length * sizeof *slow) != 0)
            fail_msg("%s, %s: sequence %zu is not the most likely one", variant->name,
                     use_names[use], b);
        ends[length == LONGEST]++;
    }
    ken_model_free(model);
}

static void greedy_is_most_likely(void **state)
{
    (void)state;
    size_t ends[2] = { 0 }; /* sequences that ended by themselves, and by LONGEST */
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = TRANSLATOR; use < USES; use++)
            if (is_possible(&variants[i], use)) check_greedy(&variants[i], use, ends);
    assert_true(ends[0] > 10 && ends[1] > 10); /* otherwise the test has not covered both */
}

/* A limit cuts a sequence and does not change it; 0 is a valid limit, and a batch may be empty. */
static void limits(void **state)
{
    (void)state;
    static struct batch all;
    int32_t full[3 * LONGEST], cut[3 * 5] = { 0 };
    size_t full_length[3], length[3] = { 9, 9, 9 };
    ken_config config = small_config(TRANSLATOR);
    ken_model *model = new_model(&config);
    random_batch(&all, (size_t[]){ 4, 0, 9 }, 3, 0, INPUT_SIZE, 12);
    ken_sequences input = sequences_of(&all);
    assert_int_equal(write_most_likely(model, full, full_length, &input, LONGEST), KEN_OK);
    assert_int_equal(write_most_likely(model, cut, length, &input, 5), KEN_OK);
    for (size_t b = 0; b < 3; b++) {
        assert_int_equal(length[b], ken_size_min(full_length[b], 5));
        assert_memory_equal(cut + b * 5, full + b * LONGEST, length[b] * sizeof *cut);
    }
    assert_int_equal(write_most_likely(model, NULL, length, &input, 0), KEN_OK);
    for (size_t b = 0; b < 3; b++) assert_int_equal(length[b], 0);
    assert_int_equal(write_most_likely(model, full, length, &input, SIZE_MAX), KEN_ERR_MEMORY);
    input.count = 0;
    assert_int_equal(write_most_likely(model, NULL, NULL, &input, LONGEST), KEN_OK);
    ken_model_free(model);
}

enum { COUNT = 5 };

/* A prefix is continued as if the model had written it. */
static void prefixes(void **state)
{
    (void)state;
    static struct batch input, prefix;
    static struct written whole, rest;
    ken_config config = small_config(TRANSLATOR);
    ken_model *model = new_model(&config);
    model->head.bias.data[END] = -100;
    random_batch(&input, (size_t[]){ 5, 0, 12, 1, 3 }, COUNT, 0, INPUT_SIZE, 17);
    ken_sequences in = sequences_of(&input);
    ken_generation how = ken_generation_default();
    how.longest = LONGEST;
    write_to(&whole, model, &in, &how);
    prefix = (struct batch){ 0 };
    for (size_t b = 0; b < COUNT; b++) add_sequence(&prefix, whole.ids + b * LONGEST, 2 * b);
    ken_sequences before = sequences_of(&prefix);
    how.prefix = &before;
    how.longest = LONGEST - 2 * (COUNT - 1);
    write_to(&rest, model, &in, &how);
    double log_ps[COUNT];
    size_t counts[COUNT];
    assert_int_equal(score_targets(model, log_ps, counts, &in, &before, 0, false), KEN_OK);
    for (size_t b = 0; b < COUNT; b++) {
        assert_int_equal(rest.lengths[b], how.longest);
        assert_int_equal(counts[b], 2 * b);
        assert_memory_equal(rest.ids + b * how.longest, whole.ids + b * LONGEST + 2 * b,
                            how.longest * sizeof *rest.ids);
        if (b == COUNT - 1) assert_true(fabs(log_ps[b] + rest.log_ps[b] - whole.log_ps[b]) < 1e-4);
    }
    ken_model_free(model);
}

static bool repeats(const int32_t *ids, size_t count, size_t n)
{
    for (size_t i = 0; i + n <= count; i++)
        for (size_t j = 0; j < i; j++)
            if (memcmp(ids + i, ids + j, n * sizeof *ids) == 0) return true;
    return false;
}

static void nothing_is_repeated(void **state)
{
    (void)state;
    static const int32_t beginning[] = { 2, 3, 4, 2, 3 };
    size_t repeated = 0;
    for (uint64_t seed = 1; seed < 8; seed++) {
        ken_config config = small_config(WRITER);
        config.seed = seed;
        ken_model *model = new_model(&config);
        ken_sequences in = { .ids = beginning, .start = (size_t[]){ 0, 5 }, .count = 1 };
        for (size_t n = 0; n < 5; n++)
            for (int draws = 0; draws < 2; draws++) {
                int32_t ids[5 + LONGEST];
                size_t length;
                ken_generation how = ken_generation_default();
                how.longest = LONGEST;
                how.no_repeat = n;
                how.temperature = (float)draws;
                how.beam = draws ? 1 : 3;
                memcpy(ids, beginning, sizeof beginning);
                assert_int_equal(ken_model_generate(model, ids + 5, &length, NULL, &in, &how),
                                 KEN_OK);
                if (n == 0) repeated += repeats(ids, 5 + length, 4);
                else if (n > 2) assert_false(repeats(ids, 5 + length, n));
                else assert_false(repeats(ids + 5, length, n)); /* the prefix repeats itself */
            }
        ken_model_free(model);
    }
    assert_true(repeated > 2); /* otherwise there was nothing to forbid */
}

/* Generation ends where learned positions end; and `begin` may be the same id as `end`. */
static void other_ends(void **state)
{
    (void)state;
    int32_t ids[2 * LONGEST];
    size_t lengths[2];
    ken_sequences in = { .ids = (int32_t[]){ 2, 3, 4 },
                         .start = (size_t[]){ 0, 0, 3 },
                         .count = 2 };
    ken_config config = small_config(WRITER);
    config.position = KEN_POSITION_LEARNED;
    config.longest = 8;
    ken_model *model = new_model(&config);
    model->head.bias.data[END] = -100;
    assert_int_equal(write_most_likely(model, ids, lengths, &in, LONGEST), KEN_OK);
    assert_int_equal(lengths[0], 8);
    assert_int_equal(lengths[1], 5);
    ken_model_free(model);
    config = small_config(WRITER);
    config.begin = config.end;
    model = new_model(&config);
    model->head.bias.data[END] = 100;
    assert_int_equal(write_most_likely(model, ids, lengths, &in, LONGEST), KEN_OK);
    assert_true(lengths[0] == 0 && lengths[1] == 0);
    model->head.bias.data[3] = NAN;
    assert_int_equal(write_most_likely(model, ids, lengths, &in, LONGEST), KEN_ERR_DIVERGED);
    ken_model_free(model);
}

static void choices_that_do_not_go_together(void **state)
{
    (void)state;
    ken_config config = small_config(TRANSLATOR), text = small_config(WRITER);
    ken_model *model = new_model(&config), *writer = new_model(&text);
    ken_sequences in = { .ids = (int32_t[]){ 2, 3 }, .start = (size_t[]){ 0, 1, 2 }, .count = 2 };
    ken_sequences one = { .ids = (int32_t[]){ 2 }, .start = (size_t[]){ 0, 1 }, .count = 1 };
    ken_sequences far = { .ids = (int32_t[]){ 2, 99 }, .start = (size_t[]){ 0, 1, 2 }, .count = 2 };
    ken_generation good = ken_generation_default();
    good.longest = LONGEST;
    const struct {
        const char *words;
        size_t beam, best;
        float length_penalty, temperature;
        size_t top_k;
        float top_p;
        const ken_sequences *prefix;
        ken_model *model;
        ken_status status;
    } bad[] = {
        { "beam must be 1 or more", 0, 1, 1, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "best must be", 1, 0, 1, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "best must be", 3, 4, 1, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "length penalty", 1, 1, -1, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "length penalty", 1, 1, NAN, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "temperature must", 1, 1, 1, -1, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "temperature must", 1, 1, 1, INFINITY, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "beam must be 1", 2, 1, 1, 1, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "top_p must be", 1, 1, 1, 1, 0, 0, NULL, model, KEN_ERR_ARGUMENT },
        { "top_p must be", 1, 1, 1, 1, 0, 1.5f, NULL, model, KEN_ERR_ARGUMENT },
        { "top_p must be", 1, 1, 1, 1, 0, NAN, NULL, model, KEN_ERR_ARGUMENT },
        { "need a temperature", 1, 1, 1, 0, 0, 0.5f, NULL, model, KEN_ERR_ARGUMENT },
        { "need a temperature", 1, 1, 1, 0, 5, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "inputs with a beam of", SIZE_MAX, 1, 1, 0, 0, 1, NULL, model, KEN_ERR_ARGUMENT },
        { "takes no prefix", 1, 1, 1, 0, 0, 1, &in, writer, KEN_ERR_ARGUMENT },
        { "prefix has 1 sequence, input has 2", 1, 1, 1, 0, 0, 1, &one, model, KEN_ERR_SHAPE },
        { "has id 99", 1, 1, 1, 0, 0, 1, &far, model, KEN_ERR_ARGUMENT },
    };
    int32_t ids[2 * LONGEST];
    size_t lengths[2];
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        ken_generation how = { .size = sizeof how,
                               .longest = LONGEST,
                               .beam = bad[i].beam,
                               .best = bad[i].best,
                               .length_penalty = bad[i].length_penalty,
                               .temperature = bad[i].temperature,
                               .top_k = bad[i].top_k,
                               .top_p = bad[i].top_p,
                               .prefix = bad[i].prefix,
                               .samples = 1 };
        ken_status status = ken_model_generate(bad[i].model, ids, lengths, NULL, &in, &how);
        if (status != bad[i].status || !strstr(ken_last_error(), bad[i].words))
            fail_msg("%s: %s, %s", bad[i].words, ken_status_name(status), ken_last_error());
    }
    assert_int_equal(ken_model_generate(model, ids, lengths, NULL, &in, &good), KEN_OK);
    ken_model_free(model);
    ken_model_free(writer);
}

/* Sequences have the same scores alone and together, with any number of rows at a time. */
static void scoring(void **state)
{
    (void)state;
    static struct examples all;
    static struct batch source, target;
    enum { MANY = 6 };
    static const size_t lengths[MANY] = { 5, 0, 300, 1, 40, 3 };
    double together[MANY], alone, from_logits;
    size_t counts[MANY], count;
    ken_config config = small_config(TRANSLATOR);
    ken_model *model = new_model(&config);
    random_examples(&all, TRANSLATOR, lengths, MANY, 18);
    ken_sequences in = sequences_of(&all.input), to = sequences_of(&all.target);
    for (size_t skip = 0; skip < 9; skip += 4)
        for (int ends = 0; ends < 2; ends++) {
            assert_int_equal(score_targets(model, together, counts, &in, &to, skip, ends), KEN_OK);
            for (size_t b = 0; b < MANY; b++) {
                size_t length = length_of(&all.target, b),
                       first = ken_size_min(skip, length + ends);
                only_sequence(&source, &all.input, b);
                only_sequence(&target, &all.target, b);
                ken_sequences one = sequences_of(&source), its = sequences_of(&target);
                assert_int_equal(score_targets(model, &alone, &count, &one, &its, skip, ends),
                                 KEN_OK);
                assert_true(alone == together[b] && count == counts[b]);
                assert_int_equal(count, length + ends - first);
                float *logits = forced_logits(model, &source, &target);
                from_logits = 0;
                for (size_t i = first; i < length + ends; i++) {
                    double sum = 0;
                    for (size_t v = 0; v < OUTPUT_SIZE; v++)
                        sum += exp((double)logits[i * OUTPUT_SIZE + v]);
                    int32_t id = i < length ? target.ids[i] : END;
                    from_logits += (double)logits[i * OUTPUT_SIZE + (size_t)id] - log(sum);
                }
                ken_memory_free(logits);
                assert_true(fabs(alone - from_logits) <= 1e-4 + 1e-6 * fabs(from_logits));
            }
        }
    ken_model_free(model);
}

/* Predicting, generating and looking between two steps change nothing in the training. */
static void using_is_not_training(void **state)
{
    (void)state;
    static struct examples examples;
    static float weights[64];
    uint64_t hashes[2];
    random_examples(&examples, TRANSLATOR, (size_t[]){ 7, 5 }, 2, 14);
    ken_sequences input = sequences_of(&examples.input), target = sequences_of(&examples.target);
    for (int used = 0; used < 2; used++) {
        ken_config config = small_config(TRANSLATOR);
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        ken_trainer *trainer;
        int32_t ids[2 * LONGEST];
        size_t lengths[2];
        assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
        for (int step = 0; step < 5; step++) {
            assert_int_equal(train_step(trainer, TRANSLATOR, &examples, NULL), KEN_OK);
            if (!used) continue;
            assert_int_equal(write_most_likely(model, ids, lengths, &input, LONGEST), KEN_OK);
            assert_int_equal(ken_model_look(model, weights, KEN_LOOK_CROSS, 0, 0, &input, &target),
                             KEN_OK);
        }
        hashes[used] = hash_of_weights(model);
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_is_most_likely),
        cmocka_unit_test(limits),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(nothing_is_repeated),
        cmocka_unit_test(other_ends),
        cmocka_unit_test(choices_that_do_not_go_together),
        cmocka_unit_test(scoring),
        cmocka_unit_test(using_is_not_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
