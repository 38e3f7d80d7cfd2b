/* test_generate.c - generation step by step against forced decoding, and what a look at the
 * attention shows. */
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
    int32_t best = 0;
    for (int32_t i = 1; i < OUTPUT_SIZE; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

/* One sequence the slow way: all ids so far are forced, the last row tells the next. */
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
    assert_int_equal(ken_model_generate(model, ids, written, &input, LONGEST), KEN_OK);
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
    assert_true(ends[0] > 10 && ends[1] > 10); /* else the test has not seen both */
}

/* A limit cuts, it does not change; 0 is a limit too, and no sequence is a batch too. */
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
    assert_int_equal(ken_model_generate(model, full, full_length, &input, LONGEST), KEN_OK);
    assert_int_equal(ken_model_generate(model, cut, length, &input, 5), KEN_OK);
    for (size_t b = 0; b < 3; b++) {
        assert_int_equal(length[b], ken_size_min(full_length[b], 5));
        assert_memory_equal(cut + b * 5, full + b * LONGEST, length[b] * sizeof *cut);
    }
    assert_int_equal(ken_model_generate(model, NULL, length, &input, 0), KEN_OK);
    for (size_t b = 0; b < 3; b++) assert_int_equal(length[b], 0);
    assert_int_equal(ken_model_generate(model, full, length, &input, SIZE_MAX), KEN_ERR_MEMORY);
    input.count = 0;
    assert_int_equal(ken_model_generate(model, NULL, NULL, &input, LONGEST), KEN_OK);
    ken_model_free(model);
}

/* Row i of softmax weights is a distribution over the keys it may see, and 0 elsewhere. */
static void check_weights(const float *weights, size_t T, size_t S, size_t left, size_t right)
{
    for (size_t i = 0; i < T; i++) {
        double sum = 0;
        for (size_t j = 0; j < S; j++) {
            bool seen = (j > i || left >= i - j) && (j <= i || right >= j - i);
            double weight = weights[i * S + j];
            assert_true(seen ? weight >= 0 : weight == 0);
            sum += weight;
        }
        assert_true(fabs(sum - (S > 0)) < 1e-5);
    }
}

static void look_at(ken_model *model, ken_look which, const struct examples *examples, size_t T,
                    size_t S, size_t left, size_t right)
{
    ken_sequences input = sequences_of(&examples->input), target = sequences_of(&examples->target);
    size_t size = T * S, heads = model->config.heads;
    float *mean = ken_memory_new(size, sizeof *mean), *one = ken_memory_new(size, sizeof *one);
    double *sum = ken_memory_zeroed(size, sizeof *sum);
    for (size_t block = 0; block < 2; block++) {
        memset(sum, 0, size * sizeof *sum);
        for (size_t h = 0; h < heads; h++) {
            assert_int_equal(ken_model_look(model, one, which, block, h, &input, &target), KEN_OK);
            check_weights(one, T, S, left, right);
            for (size_t i = 0; i < size; i++) sum[i] += one[i] / (double)heads;
        }
        assert_int_equal(ken_model_look(model, mean, which, block, KEN_ALL_HEADS, &input, &target),
                         KEN_OK);
        for (size_t i = 0; i < size; i++) assert_true(fabs(mean[i] - sum[i]) < 1e-6);
    }
    ken_memory_free(mean);
    ken_memory_free(one);
    ken_memory_free(sum);
}

static void looking(void **state)
{
    (void)state;
    static struct examples examples;
    static const size_t lengths[][2] = { { 9, 6 }, { 0, 4 }, { 70, 140 } };
    for (size_t i = 0; i < KEN_COUNT(lengths); i++) {
        size_t n = lengths[i][0], m = lengths[i][1] + 1;
        random_examples(&examples, TRANSLATOR, lengths[i], 2, 13); /* the target is turned round */
        ken_config config = small_config(TRANSLATOR);
        config.position = KEN_POSITION_ALIBI;
        config.window_left = 3;
        config.window_right = 1;
        ken_model *model = new_model(&config);
        look_at(model, KEN_LOOK_ENCODER, &examples, n, n, 3, 1);
        look_at(model, KEN_LOOK_DECODER, &examples, m, m, 3, 0);
        look_at(model, KEN_LOOK_CROSS, &examples, m, n, KEN_UNLIMITED, KEN_UNLIMITED);
        ken_model_free(model);
        config = small_config(WRITER);
        model = new_model(&config);
        look_at(model, KEN_LOOK_DECODER, &examples, m, m, KEN_UNLIMITED, 0);
        ken_model_free(model);
    }
}

/* With projections of 0 all scores are 0, and positions alone decide: weight_ij is proportional to
 * e^bias(i - j), which this compares for every head. */
static void check_bias(ken_config config, double (*bias)(size_t head, ptrdiff_t offset))
{
    enum { T = 11 };
    static struct batch batch;
    float weights[T * T];
    ken_model *model = new_model(&config);
    ken_tensor *relative = &model->encoder[0].attention.relative;
    ken_tensor *project = &model->encoder[0].attention.project.weight;
    memset(project->data, 0, ken_tensor_size(project) * sizeof(float));
    for (size_t i = 0; i < ken_tensor_size(relative); i++)
        relative->data[i] = (float)bias(i / relative->cols, (ptrdiff_t)(i % relative->cols) - 3);
    random_batch(&batch, (size_t[]){ T }, 1, 0, INPUT_SIZE, 15);
    ken_sequences input = sequences_of(&batch);
    for (size_t h = 0; h < config.heads; h++) {
        assert_int_equal(ken_model_look(model, weights, KEN_LOOK_ENCODER, 0, h, &input, NULL),
                         KEN_OK);
        for (ptrdiff_t i = 0; i < T; i++) {
            double sum = 0;
            for (ptrdiff_t j = 0; j < T; j++) sum += exp(bias(h, i - j));
            for (ptrdiff_t j = 0; j < T; j++)
                assert_true(fabs(weights[i * T + j] - exp(bias(h, i - j)) / sum) < 1e-6);
        }
    }
    ken_model_free(model);
}

static double no_bias(size_t head, ptrdiff_t offset)
{
    (void)head;
    (void)offset;
    return 0;
}

/* 4 heads: 1/4, 1/16, 1/64, 1/256 of the distance */
static double alibi_bias(size_t head, ptrdiff_t offset)
{
    return -ldexp((double)llabs(offset), -2 * (int)(head + 1));
}

/* Any function will do; distances beyond 3 count as 3. */
static double relative_bias(size_t head, ptrdiff_t offset)
{
    double cut = offset > 3 ? 3 : offset < -3 ? -3 : (double)offset;
    return sin(1.5 * cut + (double)head);
}

static void positions_in_the_scores(void **state)
{
    (void)state;
    ken_config config = small_config(TAGGER);
    check_bias(config, no_bias);
    config.position = KEN_POSITION_ALIBI;
    check_bias(config, alibi_bias);
    config.position = KEN_POSITION_RELATIVE;
    config.longest = 3;
    check_bias(config, relative_bias);
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
            assert_int_equal(ken_model_generate(model, ids, lengths, &input, LONGEST), KEN_OK);
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
        cmocka_unit_test(looking),
        cmocka_unit_test(positions_in_the_scores),
        cmocka_unit_test(using_is_not_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
