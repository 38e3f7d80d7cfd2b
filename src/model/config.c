/* config.c - the default configuration, and which choices do not go together. */
#include "model/model.h"

ken_config ken_config_default(ken_output output)
{
    return (ken_config){
        .output = output,
        .width = 128,
        .heads = 4,
        .hidden = 512,
        .encoder_blocks = 2,
        .decoder_blocks = output == KEN_GENERATE ? 2 : 0,
        .letters_width = 64,
        .unknown = 2,
        .position = KEN_POSITION_SINUSOID,
        .longest = 512,
        .activation = KEN_ACT_GELU,
        .window_left = KEN_UNLIMITED,
        .window_right = KEN_UNLIMITED,
        .neighbours = 2,
        .both_ways = 1,
        .reach_global = 1,
        .reach_block = 64,
        .reach_random = 3,
        .landmarks = 32,
        .features = 128,
        .loops = 1,
        .last_heads = 1,
        .dropout = 0.1f,
        .attention_dropout = 0.1f,
        .begin = 0,
        .end = 1,
        .seed = 1,
    };
}

static bool is_share(float p)
{
    return p >= 0 && p < 1; /* not of NaN */
}

static bool is_id(int32_t id, size_t size)
{
    return id >= 0 && (size_t)id < size;
}

static const char *unknown_choice(const ken_config *c)
{
    if (c->output < KEN_EACH || c->output > KEN_GENERATE) return "unknown output";
    if (c->input_kind < KEN_INPUT_IDS || c->input_kind > KEN_INPUT_BAGS)
        return "unknown input_kind";
    if (c->value < KEN_VALUE_CLASS || c->value > KEN_VALUE_SET) return "unknown value";
    if (c->pooling < KEN_POOL_MEAN || c->pooling >= KEN_POOL_COUNT) return "unknown pooling";
    if (c->position < KEN_POSITION_NONE || c->position >= KEN_POSITION_COUNT)
        return "unknown position";
    if (c->activation < KEN_ACT_NONE || c->activation >= KEN_ACT_COUNT) return "unknown activation";
    if (c->score < KEN_SCORE_DOT || c->score >= KEN_SCORE_COUNT) return "unknown score";
    if (c->weigh < KEN_WEIGH_SOFTMAX || c->weigh >= KEN_WEIGH_COUNT) return "unknown weigh";
    if (c->reach < KEN_REACH_WINDOW || c->reach >= KEN_REACH_COUNT) return "unknown reach";
    if (c->mixing < KEN_MIX_ATTENTION || c->mixing >= KEN_MIX_COUNT) return "unknown mixing";
    return NULL;
}

/* Named already, not built yet. */
static const char *not_yet(const ken_config *c)
{
    if (c->input_kind == KEN_INPUT_BAGS) return "input_kind bags is not there yet";
    if (c->reach == KEN_REACH_EDGES) return "reach edges is not there yet";
    if (c->position == KEN_POSITION_DISTANCE) return "position distance is not there yet";
    if (c->mixing == KEN_MIX_BARE) return "blocks of kind bare are not there yet";
    return NULL;
}

static const char *wrong_input(const ken_config *c)
{
    bool words = c->encoder_blocks > 0 && c->input_kind != KEN_INPUT_VECTORS;
    if (c->encoder_blocks > 0 && c->input_size == 0) return "input_size is 0";
    if (c->encoder_blocks == 0 && c->input_kind != KEN_INPUT_IDS)
        return "input_kind is for encoders: a language model reads its own ids";
    if (!words && c->letters > 0) return "letters are for words that an encoder reads";
    if (c->letters > 0 && c->letters_width == 0) return "letters_width is 0";
    if (!is_share(c->word_dropout)) return "word_dropout must be at least 0 and below 1";
    if (!words && c->word_dropout > 0) return "word_dropout is for words that an encoder reads";
    if (c->word_dropout > 0 && !is_id(c->unknown, c->input_size))
        return "word_dropout needs an unknown id below input_size";
    return NULL;
}

static const char *wrong_labels(const ken_config *c)
{
    if (c->encoder_blocks == 0) return "an encoder of no blocks gives no labels";
    if (c->shared) return "a shared embedding is for generators";
    if (c->pooling != KEN_POOL_MEAN && c->output != KEN_WHOLE)
        return "pooling is for labels of whole sequences";
    return NULL;
}

static const char *wrong_generator(const ken_config *c)
{
    if (c->decoder_blocks == 0) return "a generator needs decoder blocks";
    if (!is_id(c->begin, c->output_size) || !is_id(c->end, c->output_size))
        return "begin and end must be ids below output_size";
    if (c->score == KEN_SCORE_GAT && c->encoder_blocks > 0)
        return "the gat score has no cross-attention";
    if (c->value != KEN_VALUE_CLASS) return "numbers and sets are not generated: value";
    if (c->pooling != KEN_POOL_MEAN) return "pooling is for labels of whole sequences";
    if (c->shared && c->encoder_blocks == 0) return "a shared embedding needs an encoder";
    if (c->shared && c->input_kind != KEN_INPUT_IDS)
        return "a shared embedding needs KEN_INPUT_IDS";
    if (c->shared && c->input_size != c->output_size)
        return "a shared embedding needs input_size and output_size to be equal";
    return NULL;
}

/* What forms no scores of its own rows has none that a position could act on. */
static const char *wrong_without_scores(const ken_config *c)
{
    bool linear = c->weigh == KEN_WEIGH_LINEAR || c->weigh == KEN_WEIGH_PERFORMER;
    if (!ken_mixing_attends(c->mixing)) return NULL; /* nothing of this is used */
    if (c->reach == KEN_REACH_NYSTROM && c->output == KEN_GENERATE)
        return "reach nystrom sees all rows at once: not in a generator";
    if (!linear && c->reach != KEN_REACH_NYSTROM) return NULL;
    switch (c->position) {
    case KEN_POSITION_ROTARY: return "position rotary needs scores: no linear, performer, nystrom";
    case KEN_POSITION_ALIBI: return "position alibi needs scores: no linear, performer, nystrom";
    case KEN_POSITION_RELATIVE:
        return "position relative needs scores: no linear, performer, nystrom";
    case KEN_POSITION_SHAW: return "position shaw needs scores: no linear, performer, nystrom";
    case KEN_POSITION_BUCKETS:
        return "position buckets needs scores: no linear, performer, nystrom";
    case KEN_POSITION_QUADRATIC:
        return "position quadratic needs scores: no linear, performer, nystrom";
    default: return NULL;
    }
}

static const char *wrong_reach(const ken_config *c)
{
    bool window = c->window_left != KEN_UNLIMITED || c->window_right != KEN_UNLIMITED;
    bool blocks = c->reach == KEN_REACH_BLOCKS || c->reach == KEN_REACH_RANDOM ||
                  c->reach == KEN_REACH_SEGMENTS;
    return blocks && window ? "window_left and window_right are for reach window and global" : NULL;
}

const char *ken_config_wrong(const ken_config *c)
{
    const char *wrong = unknown_choice(c);
    if (!wrong) wrong = not_yet(c);
    if (wrong) return wrong;
    if (c->output_size == 0) return "output_size is 0";
    if (c->width == 0) return "width is 0";
    wrong = c->output == KEN_GENERATE ? wrong_generator(c) : wrong_labels(c);
    if (!wrong) wrong = wrong_input(c);
    if (!wrong) wrong = wrong_without_scores(c);
    if (!wrong) wrong = wrong_reach(c);
    if (wrong) return wrong;
    if (c->position == KEN_POSITION_LEARNED && c->longest == 0) return "longest is 0";
    if (!is_share(c->dropout)) return "dropout must be at least 0 and below 1";
    if (!is_share(c->hidden_dropout)) return "hidden_dropout must be at least 0 and below 1";
    return NULL;
}
