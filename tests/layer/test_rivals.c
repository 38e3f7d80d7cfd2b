/* test_rivals.c - blocks with another token mixer in place of attention: which rows a row can see,
 * which choices matter, and what is refused by name. (The tests of gradients, batches, caches and
 * files include them as variants.) */
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <string.h>

static ken_config config_of(ken_mixing mixing)
{
    ken_config config = small_config(TAGGER);
    config.mixing = mixing;
    config.position = KEN_POSITION_NONE;
    return config;
}

enum { T = 21, CHANGED = 10 };

/* Finds the rows that change if the id at CHANGED changes. */
static void find_seeing(bool seeing[T], const ken_config *config)
{
    static struct batch first, second;
    ken_model *model = new_model(config);
    random_batch(&first, (size_t[]){ T, 4 }, 2, 0, INPUT_SIZE, 3);
    second = first;
    second.ids[CHANGED] = (second.ids[CHANGED] + 1) % INPUT_SIZE;
    float *a = encoder_rows(model, &first), *b = encoder_rows(model, &second);
    for (size_t t = 0; t < T; t++)
        seeing[t] = memcmp(a + t * WIDTH, b + t * WIDTH, WIDTH * sizeof *a) != 0;
    assert_memory_equal(a + T * WIDTH, b + T * WIDTH, 4 * WIDTH * sizeof *a);
    ken_memory_free(a);
    ken_memory_free(b);
    ken_model_free(model);
}

/* `before` and `behind` are the numbers of rows before and after a row that it sees through all
 * blocks. */
static void check_sight(const char *name, const ken_config *config, size_t before, size_t behind)
{
    bool seeing[T];
    find_seeing(seeing, config);
    for (size_t t = 0; t < T; t++) {
        bool should = t >= CHANGED ? t - CHANGED <= before : CHANGED - t <= behind;
        if (seeing[t] != should)
            fail_msg("%s: row %zu %s row %d", name, t, should ? "misses" : "sees", CHANGED);
    }
}

static void rows_see_what_they_should(void **state)
{
    (void)state;
    ken_config config = config_of(KEN_MIX_FC);
    check_sight("fc", &config, 0, 0);
    for (size_t n = 0; n < 3; n++) { /* two blocks see twice as far */
        config = config_of(KEN_MIX_FC_WINDOW);
        config.neighbours = n;
        check_sight("fc-window", &config, 2 * n, 2 * n);
        config.mixing = KEN_MIX_CONV;
        check_sight("conv", &config, 2 * n, 2 * n);
    }
    config = config_of(KEN_MIX_CONFORMER); /* its attention sees one row to the left */
    config.neighbours = 2;
    config.window_left = 1;
    config.window_right = 0;
    check_sight("conformer", &config, 6, 4);
    for (ken_mixing mixing = KEN_MIX_RNN; mixing <= KEN_MIX_GRU; mixing++) {
        config = config_of(mixing);
        check_sight("both ways", &config, T, T);
        config.both_ways = 0; /* no bit depends on later rows */
        check_sight("one way", &config, T, 0);
    }
}

/* Choices about attention change neither the weights nor the results. */
static void choices_of_attention_do_not_count(void **state)
{
    (void)state;
    static struct batch input;
    random_batch(&input, (size_t[]){ 9, 0, 5 }, 3, 0, INPUT_SIZE, 4);
    for (ken_mixing mixing = KEN_MIX_FC; mixing < KEN_MIX_CONFORMER; mixing++) {
        ken_config plain = config_of(mixing), other = plain;
        other.position = KEN_POSITION_ROTARY;
        other.heads = 5; /* not a divisor of the width */
        other.score = KEN_SCORE_ADDITIVE;
        other.weigh = KEN_WEIGH_RELU;
        other.window_left = 1;
        ken_model *a = new_model(&plain), *b = new_model(&other);
        assert_true(hash_of_weights(a) == hash_of_weights(b));
        float *x = encoder_rows(a, &input), *y = encoder_rows(b, &input);
        assert_memory_equal(x, y, input.start[input.count] * WIDTH * sizeof *x);
        ken_memory_free(x);
        ken_memory_free(y);
        ken_model_free(a);
        ken_model_free(b);
    }
}

/* A conformer whose parts all give 0 is a norm, and so are two of them. */
static void an_empty_conformer_is_a_norm(void **state)
{
    (void)state;
    static struct batch input;
    ken_config config = config_of(KEN_MIX_CONFORMER);
    ken_model *model = new_model(&config);
    for (size_t i = 0; i < model->parameters.count; i++) {
        const struct ken_named *named = &model->parameters.list[i];
        if (strncmp(named->name, "encoder.", 8) == 0 && !strstr(named->name, ".gain"))
            memset(named->tensor->data, 0, ken_tensor_size(named->tensor) * sizeof(float));
    }
    random_batch(&input, (size_t[]){ 9 }, 1, 0, INPUT_SIZE, 4);
    float *rows = encoder_rows(model, &input);
    for (size_t t = 0; t < 9; t++) {
        double sum = 0, squares = 0;
        for (size_t j = 0; j < WIDTH; j++) {
            sum += rows[t * WIDTH + j];
            squares += (double)rows[t * WIDTH + j] * rows[t * WIDTH + j];
        }
        assert_true(sum < 1e-4 && sum > -1e-4);
        assert_true(squares > WIDTH * 0.999 && squares < WIDTH * 1.001);
    }
    ken_memory_free(rows);
    ken_model_free(model);
}

static void refused(const ken_config *config, const char *words)
{
    ken_model *model;
    assert_int_equal(ken_model_new(&model, config), KEN_ERR_ARGUMENT);
    assert_null(model);
    if (!strstr(ken_last_error(), words)) fail_msg("no \"%s\" in %s", words, ken_last_error());
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    ken_config config = config_of(KEN_MIX_LSTM);
    config.width = 25;
    refused(&config, "even width, not 25");
    config.both_ways = 0;
    ken_model_free(new_model(&config));
    config.width = 0;
    refused(&config, "width is 0");
    config = config_of(KEN_MIX_CONV);
    config.neighbours = (1 << 16) + 1;
    refused(&config, "65537 neighbours");
    config.mixing = KEN_MIX_FC_WINDOW;
    config.neighbours = SIZE_MAX;
    refused(&config, "neighbours");
}

/* Looking at attention weights that do not exist fails and does not show others. */
static void looks(void **state)
{
    (void)state;
    static struct batch input, target;
    float weights[64];
    random_batch(&input, (size_t[]){ 5 }, 1, 0, INPUT_SIZE, 4);
    random_batch(&target, (size_t[]){ 3 }, 1, 0, OUTPUT_SIZE, 5);
    ken_sequences in = sequences_of(&input), to = sequences_of(&target);
    for (ken_mixing mixing = 0; mixing < KEN_MIX_BARE; mixing++) {
        ken_config config = small_config(TRANSLATOR);
        config.mixing = mixing;
        ken_model *model = new_model(&config);
        bool attends = mixing == KEN_MIX_ATTENTION || mixing == KEN_MIX_CONFORMER;
        ken_status expected = attends ? KEN_OK : KEN_ERR_STATE;
        for (ken_look which = KEN_LOOK_ENCODER; which <= KEN_LOOK_DECODER; which++)
            assert_int_equal(ken_model_look(model, weights, which, 0, 0, &in, &to), expected);
        if (mixing == KEN_MIX_FC_WINDOW)
            assert_non_null(strstr(ken_last_error(), "fc-window have no self-attention"));
        assert_int_equal(ken_model_look(model, weights, KEN_LOOK_CROSS, 0, 0, &in, &to), KEN_OK);
        for (size_t t = 0; t < 4; t++) {
            float sum = 0;
            for (size_t s = 0; s < 5; s++) sum += weights[t * 5 + s];
            assert_true(sum > 0.999f && sum < 1.001f);
        }
        ken_model_free(model);
    }
}

/* An LSTM starts with its forget gate open; all other biases are 0. */
static void first_biases(void **state)
{
    (void)state;
    ken_config config = config_of(KEN_MIX_LSTM);
    config.both_ways = 0;
    ken_model *model = new_model(&config);
    const ken_tensor *bias = &model->encoder[0].recurrent.way[0].bias_input;
    assert_int_equal(ken_tensor_size(bias), 4 * WIDTH);
    for (size_t j = 0; j < 4 * WIDTH; j++) assert_true(bias->data[j] == (float)(j / WIDTH == 1));
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_see_what_they_should),
        cmocka_unit_test(choices_of_attention_do_not_count),
        cmocka_unit_test(an_empty_conformer_is_a_norm),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(looks),
        cmocka_unit_test(first_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
