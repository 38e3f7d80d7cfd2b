/* test_look.c - a look (the attention weights of a model) shows distributions over the visible
 * keys, and the positions in the scores. */
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        /* the target is the reversed input */
        random_examples(&examples, TRANSLATOR, lengths[i], 2, 13);
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

/* The weights of one head of block 1 are 0 outside of the pattern and add up to 1. */
static void check_pattern(ken_model *model, ken_look which, const struct examples *examples,
                          size_t T, const struct ken_pattern *pattern)
{
    ken_sequences input = sequences_of(&examples->input), target = sequences_of(&examples->target);
    float *weights = ken_memory_new(T * T, sizeof *weights);
    assert_int_equal(ken_model_look(model, weights, which, 1, 0, &input, &target), KEN_OK);
    for (size_t i = 0; i < T; i++) {
        struct ken_range seen[KEN_PATTERN_RANGES];
        size_t count = ken_pattern_ranges(seen, pattern, (ptrdiff_t)i, T), r = 0;
        double sum = 0;
        for (size_t j = 0; j < T; j++) {
            while (r < count && seen[r].end <= j) r++;
            assert_true(weights[i * T + j] >= 0);
            if (r == count || j < seen[r].first) assert_true(weights[i * T + j] == 0);
            sum += weights[i * T + j];
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    ken_memory_free(weights);
}

static void looking_at_patterns(void **state)
{
    (void)state;
    static struct examples examples;
    static const size_t lengths[] = { 70, 140 };
    random_examples(&examples, TRANSLATOR, lengths, 2, 14);
    for (int reach = KEN_REACH_GLOBAL; reach <= KEN_REACH_SEGMENTS; reach++)
        for (int shaw = 0; shaw < 2; shaw++) {
            ken_config config = small_config(TRANSLATOR);
            config.reach = reach;
            config.reach_block = 9;
            if (reach == KEN_REACH_GLOBAL) config.window_left = config.window_right = 4;
            config.weigh = shaw ? KEN_WEIGH_SPARSEMAX : KEN_WEIGH_SOFTMAX;
            if (shaw) config.position = KEN_POSITION_SHAW;
            ken_model *model = new_model(&config);
            struct ken_pattern encoder = model->encoder[1].attention.config.pattern;
            struct ken_pattern decoder = model->decoder[1].attention.config.pattern;
            assert_true(encoder.kind == config.reach && !encoder.causal && decoder.causal);
            assert_true(encoder.seed != model->encoder[0].attention.config.pattern.seed);
            check_pattern(model, KEN_LOOK_ENCODER, &examples, 70, &encoder);
            check_pattern(model, KEN_LOOK_DECODER, &examples, 141, &decoder);
            look_at(model, KEN_LOOK_CROSS, &examples, 141, 70, KEN_UNLIMITED, KEN_UNLIMITED);
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

/* An arbitrary function; distances beyond 3 count as 3. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking),
        cmocka_unit_test(looking_at_patterns),
        cmocka_unit_test(positions_in_the_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
