/* test_words.c - the words of every choice, written down once more: recipes and model files contain
 * them, so a word must never change or go to another value. A new value needs a row here. */
#include "base/size.h"
#include "unit/tokeniser.h"
#include "model/words.h"
#include "recipe/metric_table.h"
#include "recipe/recipe.h"
#include "tests/unit.h"

#include <string.h>

static const struct {
    ken_choice choice;
    int value;
    const char *word;
} known[] = {
    { KEN_CHOICE_OUTPUT, KEN_EACH, "each" },
    { KEN_CHOICE_OUTPUT, KEN_WHOLE, "whole" },
    { KEN_CHOICE_OUTPUT, KEN_GENERATE, "generate" },
    { KEN_CHOICE_INPUT, KEN_INPUT_IDS, "ids" },
    { KEN_CHOICE_INPUT, KEN_INPUT_ONE_HOT, "one-hot" },
    { KEN_CHOICE_INPUT, KEN_INPUT_VECTORS, "vectors" },
    { KEN_CHOICE_INPUT, KEN_INPUT_BAGS, "bags" },
    { KEN_CHOICE_VALUE, KEN_VALUE_CLASS, "class" },
    { KEN_CHOICE_VALUE, KEN_VALUE_NUMBER, "number" },
    { KEN_CHOICE_VALUE, KEN_VALUE_SET, "set" },
    { KEN_CHOICE_POOLING, KEN_POOL_MEAN, "mean" },
    { KEN_CHOICE_POOLING, KEN_POOL_MAX, "max" },
    { KEN_CHOICE_POOLING, KEN_POOL_FIRST, "first" },
    { KEN_CHOICE_POOLING, KEN_POOL_ATTENTIVE, "attentive" },
    { KEN_CHOICE_POOLING, KEN_POOL_LAST, "last" },
    { KEN_CHOICE_POOLING, KEN_POOL_SUM, "sum" },
    { KEN_CHOICE_POSITION, KEN_POSITION_NONE, "none" },
    { KEN_CHOICE_POSITION, KEN_POSITION_SINUSOID, "sinusoid" },
    { KEN_CHOICE_POSITION, KEN_POSITION_LEARNED, "learned" },
    { KEN_CHOICE_POSITION, KEN_POSITION_ROTARY, "rotary" },
    { KEN_CHOICE_POSITION, KEN_POSITION_ALIBI, "alibi" },
    { KEN_CHOICE_POSITION, KEN_POSITION_RELATIVE, "relative" },
    { KEN_CHOICE_POSITION, KEN_POSITION_SHAW, "shaw" },
    { KEN_CHOICE_POSITION, KEN_POSITION_BUCKETS, "buckets" },
    { KEN_CHOICE_POSITION, KEN_POSITION_QUADRATIC, "quadratic" },
    { KEN_CHOICE_POSITION, KEN_POSITION_RNN, "rnn" },
    { KEN_CHOICE_POSITION, KEN_POSITION_FLOATER, "floater" },
    { KEN_CHOICE_POSITION, KEN_POSITION_DISTANCE, "distance" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_NONE, "none" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_RELU, "relu" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_GELU, "gelu" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_GELU_TANH, "gelu-tanh" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_SILU, "silu" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_SIGMOID, "sigmoid" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_TANH, "tanh" },
    { KEN_CHOICE_ACTIVATION, KEN_ACT_ELU, "elu" },
    { KEN_CHOICE_SCORE, KEN_SCORE_DOT, "dot" },
    { KEN_CHOICE_SCORE, KEN_SCORE_ADDITIVE, "additive" },
    { KEN_CHOICE_SCORE, KEN_SCORE_GAT, "gat" },
    { KEN_CHOICE_SCORE, KEN_SCORE_GATV2, "gatv2" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_SOFTMAX, "softmax" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_RELU, "relu" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_SIGMOID, "sigmoid" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_NONE, "none" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_SPARSEMAX, "sparsemax" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_LINEAR, "linear" },
    { KEN_CHOICE_WEIGH, KEN_WEIGH_PERFORMER, "performer" },
    { KEN_CHOICE_REACH, KEN_REACH_WINDOW, "window" },
    { KEN_CHOICE_REACH, KEN_REACH_GLOBAL, "global" },
    { KEN_CHOICE_REACH, KEN_REACH_BLOCKS, "blocks" },
    { KEN_CHOICE_REACH, KEN_REACH_RANDOM, "random" },
    { KEN_CHOICE_REACH, KEN_REACH_SEGMENTS, "segments" },
    { KEN_CHOICE_REACH, KEN_REACH_NYSTROM, "nystrom" },
    { KEN_CHOICE_REACH, KEN_REACH_EDGES, "edges" },
    { KEN_CHOICE_MIXING, KEN_MIX_ATTENTION, "attention" },
    { KEN_CHOICE_MIXING, KEN_MIX_FC, "fc" },
    { KEN_CHOICE_MIXING, KEN_MIX_FC_WINDOW, "fc-window" },
    { KEN_CHOICE_MIXING, KEN_MIX_CONV, "conv" },
    { KEN_CHOICE_MIXING, KEN_MIX_RNN, "rnn" },
    { KEN_CHOICE_MIXING, KEN_MIX_LSTM, "lstm" },
    { KEN_CHOICE_MIXING, KEN_MIX_GRU, "gru" },
    { KEN_CHOICE_MIXING, KEN_MIX_CONFORMER, "conformer" },
    { KEN_CHOICE_MIXING, KEN_MIX_BARE, "bare" },
    { KEN_CHOICE_NORM, 0, "layer" },
    { KEN_CHOICE_NORM, 1, "rms" },
    { KEN_CHOICE_SCHEDULE, KEN_SCHEDULE_CONSTANT, "constant" },
    { KEN_CHOICE_SCHEDULE, KEN_SCHEDULE_INVERSE_ROOT, "inverse-root" },
    { KEN_CHOICE_SCHEDULE, KEN_SCHEDULE_COSINE, "cosine" },
    { KEN_CHOICE_SCHEDULE, KEN_SCHEDULE_STABLE_DECAY, "stable-decay" },
    { KEN_CHOICE_LOOK, KEN_LOOK_ENCODER, "encoder" },
    { KEN_CHOICE_LOOK, KEN_LOOK_DECODER, "decoder" },
    { KEN_CHOICE_LOOK, KEN_LOOK_CROSS, "cross" },
};

static void public_choices(void **state)
{
    (void)state;
    size_t words = 0;
    for (size_t i = 0; i < KEN_COUNT(known); i++) {
        assert_string_equal(ken_word(known[i].choice, known[i].value), known[i].word);
        assert_int_equal(ken_word_value(known[i].choice, known[i].word), known[i].value);
        assert_true(strlen(ken_word_about(known[i].choice, known[i].value)) > 0);
    }
    for (size_t c = 0; c < KEN_CHOICE_COUNT; c++) {
        const struct ken_words *list = &ken_choice_words[c];
        words += list->count;
        assert_null(ken_word(c, -1));
        assert_null(ken_word(c, (int)list->count));
        assert_null(ken_word_about(c, (int)list->count));
        assert_int_equal(ken_word_value(c, ""), -1);
    }
    assert_int_equal(words, KEN_COUNT(known)); /* each once: none is missing above */
    assert_null(ken_word(KEN_CHOICE_COUNT, 0));
    assert_int_equal(ken_word_value(KEN_CHOICE_COUNT, "dot"), -1);
}

static void expect_words(const struct ken_words *words, const char *expected)
{
    char text[KEN_WORDS_SIZE];
    assert_string_equal(ken_words_print(text, sizeof text, words), expected);
}

/* Those that are no enum of ken.h, in the order of their values. */
static void other_choices(void **state)
{
    (void)state;
    expect_words(ken_key_table[KEN_KEY_INPUT_TABLE].words, "embedding one-hot");
    expect_words(&ken_unit_words, "words subwords characters bytes");
    expect_words(&ken_metric_words, "auto loss accuracy macro_f1 micro_f1 rmse perplexity "
                                    "bits_per_byte bleu chrf exact unit_errors auc");
    assert_string_equal(ken_choose_words.list[0].word, "metric");
    for (enum ken_metric m = KEN_METRIC_LOSS; m < KEN_METRIC_COUNT; m++)
        assert_string_equal(ken_choose_words.list[m].word, ken_metric_word(m));
    assert_string_equal(ken_metric_word(KEN_METRIC_RMSE), "rmse");
    assert_string_equal(ken_metric_word(KEN_METRIC_EXACT), "exact");
    assert_string_equal(ken_unit_words.list[KEN_UNIT_CHARACTERS].word, "characters");
    expect_words(ken_key_table[KEN_KEY_INPUT_UNIT].words,
                 "words subwords characters bytes atoms indices numbers");
}

/* The list that does not fit is cut, never written beyond its end. */
static void a_list_that_is_cut(void **state)
{
    (void)state;
    char text[12];
    memset(text, '#', sizeof text);
    ken_words_print(text, 9, &ken_choice_words[KEN_CHOICE_OUTPUT]);
    assert_string_equal(text, "each who");
    assert_int_equal(text[9], '#');
}

/* A recipe's choices have these very lists, and a default that is one of the words. */
static void keys_of_recipes(void **state)
{
    (void)state;
    static const struct {
        enum ken_key key;
        ken_choice choice;
    } keys[] = {
        { KEN_KEY_OUTPUT_KIND, KEN_CHOICE_OUTPUT },
        { KEN_KEY_OUTPUT_VALUE, KEN_CHOICE_VALUE },
        { KEN_KEY_MODEL_POSITION, KEN_CHOICE_POSITION },
        { KEN_KEY_MODEL_SCORE, KEN_CHOICE_SCORE },
        { KEN_KEY_MODEL_WEIGH, KEN_CHOICE_WEIGH },
        { KEN_KEY_MODEL_REACH, KEN_CHOICE_REACH },
        { KEN_KEY_MODEL_ACTIVATION, KEN_CHOICE_ACTIVATION },
        { KEN_KEY_MODEL_NORM, KEN_CHOICE_NORM },
        { KEN_KEY_MODEL_POOLING, KEN_CHOICE_POOLING },
        { KEN_KEY_BLOCKS_KIND, KEN_CHOICE_MIXING },
        { KEN_KEY_TRAIN_SCHEDULE, KEN_CHOICE_SCHEDULE },
    };
    for (size_t i = 0; i < KEN_COUNT(keys); i++)
        assert_ptr_equal(ken_key_table[keys[i].key].words, &ken_choice_words[keys[i].choice]);
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        assert_int_equal(info->type == KEN_TYPE_CHOICE, info->words != NULL);
        if (info->words) assert_true(ken_words_find(info->words, info->value) != SIZE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_choices),
        cmocka_unit_test(other_choices),
        cmocka_unit_test(a_list_that_is_cut),
        cmocka_unit_test(keys_of_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
