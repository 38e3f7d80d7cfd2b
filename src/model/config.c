/* config.c - the default configuration, and the check for choices that contradict each other. */
#include "model/model.h"

#include "base/options.h"
#include "base/size.h"

#include <stdio.h>

void ken_config_init(ken_config *config, size_t size, ken_output output)
{
    const ken_config defaults = {
        .size = sizeof defaults,
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
        .input_stack = 1,
        .place_axes = 1,
    };
    ken_options_give(config, size, &defaults, sizeof defaults);
}

ken_status ken_config_take(ken_config *own, const ken_config *given)
{
    bool there = given->size >= KEN_OPTIONS_END(ken_config, output);
    *own = ken_config_default(there ? given->output : KEN_EACH);
    return ken_options_take(own, sizeof *own, given, KEN_OPTIONS_END(ken_config, place_axes),
                            "ken_config");
}

static bool is_share(float p)
{
    return p >= 0 && p < 1; /* false for NaN */
}

static bool is_id(int32_t id, size_t size)
{
    return id >= 0 && (size_t)id < size;
}

static const char *unknown_choice(const ken_config *c)
{
    const struct {
        ken_choice choice;
        int value;
        const char *wrong;
    } made[] = {
        { KEN_CHOICE_OUTPUT, (int)c->output, "unknown output" },
        { KEN_CHOICE_INPUT, (int)c->input_kind, "unknown input_kind" },
        { KEN_CHOICE_VALUE, (int)c->value, "unknown value" },
        { KEN_CHOICE_POOLING, (int)c->pooling, "unknown pooling" },
        { KEN_CHOICE_POSITION, (int)c->position, "unknown position" },
        { KEN_CHOICE_ACTIVATION, (int)c->activation, "unknown activation" },
        { KEN_CHOICE_SCORE, (int)c->score, "unknown score" },
        { KEN_CHOICE_WEIGH, (int)c->weigh, "unknown weigh" },
        { KEN_CHOICE_REACH, (int)c->reach, "unknown reach" },
        { KEN_CHOICE_MIXING, (int)c->mixing, "unknown mixing" },
    };
    for (size_t i = 0; i < KEN_COUNT(made); i++)
        if (!ken_word(made[i].choice, made[i].value)) return made[i].wrong;
    return NULL;
}

static const char *wrong_input(const ken_config *c)
{
    bool words = c->encoder_blocks > 0 && c->input_kind != KEN_INPUT_VECTORS &&
                 c->input_kind != KEN_INPUT_BAGS;
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

/* Checks the options for stacked rows and for places with two coordinates. Returns a description of
 * the first problem, or NULL if there is none. */
static const char *wrong_rows(const ken_config *c)
{
    bool stacked = c->input_stack != 1;
    if (c->input_stack == 0 || c->input_stack > KEN_STACK_MOST)
        return "input_stack must be 1 to 1024";
    if (stacked && (c->encoder_blocks == 0 || c->input_kind != KEN_INPUT_VECTORS))
        return "input_stack is for rows of numbers: KEN_INPUT_VECTORS";
    if (stacked && c->input_size > SIZE_MAX / KEN_STACK_MOST)
        return "input_size is too large to be stacked";
    if (stacked && c->output == KEN_EACH)
        return "input_stack makes one row of several, so there is no label for each (KEN_EACH)";
    if (stacked && ken_config_graph(c))
        return "input_stack does not support graphs: their links name single rows";
    if (c->place_axes == 0 || c->place_axes > KEN_PLACE_AXES) return "place_axes must be 1 or 2";
    if (c->place_axes == 1) return NULL;
    if (c->encoder_blocks == 0) return "place_axes is for encoders: a decoder counts what it wrote";
    if (c->position == KEN_POSITION_SINUSOID && c->width % 2)
        return "position sinusoid needs an even width for place_axes = 2";
    if (c->position == KEN_POSITION_LEARNED && c->longest > KEN_PLACE_MOST)
        return "position learned needs a longest of at most 2^20 for place_axes = 2";
    return NULL;
}

/* Checks place_axes: positions that count rows cannot use a second coordinate. Returns a
 * description of the problem, or NULL if there is none. */
static const char *wrong_axes(const ken_config *c)
{
    if (c->place_axes == 1) return NULL;
    switch (c->position) {
    case KEN_POSITION_ALIBI: return "position alibi counts rows and needs place_axes = 1";
    case KEN_POSITION_RELATIVE: return "position relative counts rows and needs place_axes = 1";
    case KEN_POSITION_SHAW: return "position shaw counts rows and needs place_axes = 1";
    case KEN_POSITION_BUCKETS: return "position buckets counts rows and needs place_axes = 1";
    case KEN_POSITION_QUADRATIC: return "position quadratic counts rows and needs place_axes = 1";
    case KEN_POSITION_RNN: return "position rnn counts rows and needs place_axes = 1";
    case KEN_POSITION_FLOATER: return "position floater counts rows and needs place_axes = 1";
    case KEN_POSITION_DISTANCE: return "position distance counts links and needs place_axes = 1";
    default: return NULL;
    }
}

static const char *wrong_labels(const ken_config *c)
{
    if (c->encoder_blocks == 0) return "labels need at least one encoder block";
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
    if (c->value != KEN_VALUE_CLASS)
        return "value must be class in a generator: numbers and sets are not generated";
    if (c->pooling != KEN_POOL_MEAN) return "pooling is for labels of whole sequences";
    if (c->shared && c->encoder_blocks == 0) return "a shared embedding needs an encoder";
    if (c->shared && c->input_kind != KEN_INPUT_IDS)
        return "a shared embedding needs KEN_INPUT_IDS";
    if (c->shared && c->input_size != c->output_size)
        return "a shared embedding needs input_size and output_size to be equal";
    return NULL;
}

/* Checks attention that computes no scores between rows: most positions act on scores, so they
 * cannot be combined with it. Returns a description of the first problem, or NULL if there is
 * none. */
static const char *wrong_without_scores(const ken_config *c)
{
    static _Thread_local char message[96];
    bool linear = c->weigh == KEN_WEIGH_LINEAR || c->weigh == KEN_WEIGH_PERFORMER;
    /* If the model has no self-attention, the options of attention are not used. */
    if (!ken_mixing_attends(c->mixing)) return NULL;
    if (c->reach == KEN_REACH_NYSTROM && c->output == KEN_GENERATE)
        return "reach nystrom sees all rows at once, which a generator cannot";
    if (!linear && c->reach != KEN_REACH_NYSTROM) return NULL;
    switch (c->position) {
    case KEN_POSITION_ROTARY:
    case KEN_POSITION_ALIBI:
    case KEN_POSITION_RELATIVE:
    case KEN_POSITION_SHAW:
    case KEN_POSITION_BUCKETS:
    case KEN_POSITION_QUADRATIC:
        snprintf(message, sizeof message,
                 "position %s needs scores, so no linear, performer or nystrom",
                 ken_word(KEN_CHOICE_POSITION, (int)c->position));
        return message;
    default: return NULL;
    }
}

static const char *wrong_reach(const ken_config *c)
{
    bool window = c->window_left != KEN_UNLIMITED || c->window_right != KEN_UNLIMITED;
    bool blocks = c->reach == KEN_REACH_BLOCKS || c->reach == KEN_REACH_RANDOM ||
                  c->reach == KEN_REACH_SEGMENTS || c->reach == KEN_REACH_EDGES;
    return blocks && window ? "window_left and window_right are for reach window and global" : NULL;
}

bool ken_config_graph(const ken_config *c)
{
    bool edges = c->reach == KEN_REACH_EDGES || c->position == KEN_POSITION_DISTANCE;
    return edges && c->encoder_blocks > 0 && ken_mixing_attends(c->mixing);
}

bool ken_config_answers(const ken_config *c)
{
    return c->mixing == KEN_MIX_BARE && c->output == KEN_EACH;
}

/* Checks the options of graphs. The attention layer itself checks which options attention along
 * edges supports. */
static const char *wrong_graph(const ken_config *c)
{
    bool distance = c->position == KEN_POSITION_DISTANCE;
    if (c->edge_size > KEN_EDGE_NUMBERS) return "edge_size must be at most 64";
    if (distance && c->encoder_blocks == 0) return "position distance is for graphs of an encoder";
    if (distance && (c->reach != KEN_REACH_WINDOW || c->window_left != KEN_UNLIMITED ||
                     c->window_right != KEN_UNLIMITED))
        return "position distance needs reach window without limits: all nodes see each other";
    if (c->reach == KEN_REACH_EDGES && c->encoder_blocks == 0)
        return "reach edges is for graphs of an encoder";
    if (c->mixing != KEN_MIX_BARE) return NULL;
    if (c->output == KEN_GENERATE) return "blocks of kind bare are for labels, not for generators";
    if (c->position != KEN_POSITION_NONE && !distance)
        return "blocks of kind bare support only position none and distance";
    if (c->letters > 0) return "blocks of kind bare do not support letters";
    if (c->last_heads == 0) return "last_heads is 0";
    return NULL;
}

const char *ken_config_wrong(const ken_config *c)
{
    const char *wrong = unknown_choice(c);
    if (wrong) return wrong;
    if (c->output_size == 0) return "output_size is 0";
    if (c->width == 0) return "width is 0";
    wrong = c->output == KEN_GENERATE ? wrong_generator(c) : wrong_labels(c);
    if (!wrong) wrong = wrong_input(c);
    if (!wrong) wrong = wrong_rows(c);
    if (!wrong) wrong = wrong_axes(c);
    if (!wrong) wrong = wrong_without_scores(c);
    if (!wrong) wrong = wrong_reach(c);
    if (!wrong) wrong = wrong_graph(c);
    if (wrong) return wrong;
    if (c->position == KEN_POSITION_LEARNED && c->longest == 0) return "longest is 0";
    if (!is_share(c->dropout)) return "dropout must be at least 0 and below 1";
    if (!is_share(c->hidden_dropout)) return "hidden_dropout must be at least 0 and below 1";
    return NULL;
}
