/* words.c - the words of each choice, see words.h. The index of a word is its enum value, and the
 * text beside a word is what `ken help recipe` prints. Words are part of recipes and model files: a
 * word may be added, but never changed or given to another value (tests/model/test_words.c has a
 * second copy of all words). */
#include "model/words.h"

#include "base/status.h"

#include <stdint.h>

#define LIST(name) static const struct ken_word name[]

LIST(outputs) = {
    [KEN_EACH] = { "each", "one label for each row: tagging" },
    [KEN_WHOLE] = { "whole", "one label for the whole sequence: classification, regression" },
    [KEN_GENERATE] = { "generate", "another sequence: translation, or a language model" },
};

LIST(inputs) = {
    [KEN_INPUT_IDS] = { "ids", "ids, each with a learned row (embedding)" },
    [KEN_INPUT_ONE_HOT] = { "one-hot", "ids as one-hot rows, through a linear layer" },
    [KEN_INPUT_VECTORS] = { "vectors", "rows of numbers, through a linear layer" },
    [KEN_INPUT_BAGS] = { "bags", "a bag of ids for each row: the mean of their embeddings" },
};

LIST(values) = {
    [KEN_VALUE_CLASS] = { "class", "one of several classes; cross-entropy" },
    [KEN_VALUE_NUMBER] = { "number", "numbers (regression); mean squared error" },
    [KEN_VALUE_SET] = { "set", "any set of labels (multi-label); binary cross-entropy" },
};

LIST(poolings) = {
    [KEN_POOL_MEAN] = { "mean", "mean of the rows" },
    [KEN_POOL_MAX] = { "max", "maximum of each column" },
    [KEN_POOL_FIRST] = { "first", "the first row" },
    [KEN_POOL_ATTENTIVE] = { "attentive", "mean weighted by a softmax of learned scores" },
    [KEN_POOL_LAST] = { "last", "the last row" },
    [KEN_POOL_SUM] = { "sum", "sum of the rows" },
};

LIST(positions) = {
    [KEN_POSITION_NONE] = { "none", "no positions: a sequence is a bag of rows" },
    [KEN_POSITION_SINUSOID] = { "sinusoid", "sines and cosines, added to the input" },
    [KEN_POSITION_LEARNED] = { "learned", "a learned row for each place, added to the input" },
    [KEN_POSITION_ROTARY] = { "rotary", "rotates queries and keys by their place (RoPE)" },
    [KEN_POSITION_ALIBI] = { "alibi", "scores fall linearly with the distance" },
    [KEN_POSITION_RELATIVE] = { "relative", "a learned score for each head and distance" },
    [KEN_POSITION_SHAW] = { "shaw", "learned vectors for each distance, added to keys and values" },
    [KEN_POSITION_BUCKETS] = { "buckets", "a learned score for each range of distances, as in T5" },
    [KEN_POSITION_QUADRATIC] = { "quadratic", "a learned parabola of the distance, per head" },
    [KEN_POSITION_RNN] = { "rnn", "made by a recurrent network that counts, added to the input" },
    [KEN_POSITION_FLOATER] = { "floater", "a learned flow, added to queries, keys and values" },
    [KEN_POSITION_DISTANCE] = { "distance", "graphs: by the number of links between two nodes" },
};

LIST(activations) = {
    [KEN_ACT_NONE] = { "none", "x" },
    [KEN_ACT_RELU] = { "relu", "max(x, 0)" },
    [KEN_ACT_GELU] = { "gelu", "x Phi(x), exact" },
    [KEN_ACT_GELU_TANH] = { "gelu-tanh", "gelu approximated by tanh, as in GPT-2" },
    [KEN_ACT_SILU] = { "silu", "x sigma(x), also called swish" },
    [KEN_ACT_SIGMOID] = { "sigmoid", "1 / (1 + e^-x)" },
    [KEN_ACT_TANH] = { "tanh", "tanh(x)" },
    [KEN_ACT_ELU] = { "elu", "x for x > 0, else e^x - 1" },
};

LIST(scores) = {
    [KEN_SCORE_DOT] = { "dot", "q . k / sqrt(width of a head)" },
    [KEN_SCORE_ADDITIVE] = { "additive", "a . tanh(q + k), a learned" },
    [KEN_SCORE_GAT] = { "gat", "LeakyReLU(a . [q ; k]), as in graph attention networks" },
    [KEN_SCORE_GATV2] = { "gatv2", "a . LeakyReLU(q + k)" },
};

LIST(weighs) = {
    [KEN_WEIGH_SOFTMAX] = { "softmax", "e^s, divided by the sum over all keys" },
    [KEN_WEIGH_RELU] = { "relu", "max(s, 0) / number of keys" },
    [KEN_WEIGH_SIGMOID] = { "sigmoid", "sigma(s - ln(number of keys))" },
    [KEN_WEIGH_NONE] = { "none", "s / number of keys" },
    [KEN_WEIGH_SPARSEMAX] = { "sparsemax", "the nearest distribution to s; many weights are 0" },
    [KEN_WEIGH_LINEAR] = { "linear",
                           "linear attention: cost grows with the length, not its square" },
    [KEN_WEIGH_PERFORMER] = { "performer", "linear, with random features that estimate softmax" },
};

LIST(reaches) = {
    [KEN_REACH_WINDOW] = { "window", "window_left rows before and window_right after" },
    [KEN_REACH_GLOBAL] = { "global", "the window, and the first rows, which see all rows" },
    [KEN_REACH_BLOCKS] = { "blocks", "the rows of the same block" },
    [KEN_REACH_RANDOM] = { "random", "own, neighbouring, first and some random blocks (BigBird)" },
    [KEN_REACH_SEGMENTS] = { "segments", "own block and the one before, without its gradient" },
    [KEN_REACH_NYSTROM] = { "nystrom", "all rows, approximated by landmarks (Nystromformer)" },
    [KEN_REACH_EDGES] = { "edges", "graphs: the nodes that a row has a link to" },
};

LIST(mixings) = {
    [KEN_MIX_ATTENTION] = { "attention", "self-attention: the Transformer block" },
    [KEN_MIX_FC] = { "fc", "nothing: each row on its own" },
    [KEN_MIX_FC_WINDOW] = { "fc-window", "a linear layer over neighbouring rows" },
    [KEN_MIX_CONV] = { "conv", "a depthwise convolution, then a linear layer" },
    [KEN_MIX_RNN] = { "rnn", "a recurrent network with tanh" },
    [KEN_MIX_LSTM] = { "lstm", "long short-term memory" },
    [KEN_MIX_GRU] = { "gru", "gated recurrent unit" },
    [KEN_MIX_CONFORMER] = { "conformer", "attention and convolution between half feed-forwards" },
    [KEN_MIX_BARE] = { "bare", "attention alone, as in graph attention networks" },
};

LIST(norms) = {
    { "layer", "layer norm: by mean and variance" },
    { "rms", "by the root mean square" },
};

LIST(schedules) = {
    [KEN_SCHEDULE_CONSTANT] = { "constant", "stays at its peak" },
    [KEN_SCHEDULE_INVERSE_ROOT] = { "inverse-root", "falls with the root of the step" },
    [KEN_SCHEDULE_COSINE] = { "cosine", "falls in half a cosine to floor * rate" },
    [KEN_SCHEDULE_STABLE_DECAY] = { "stable-decay", "stays, then falls linearly in `decay` steps" },
};

LIST(looks) = {
    [KEN_LOOK_ENCODER] = { "encoder", "self-attention of the encoder" },
    [KEN_LOOK_DECODER] = { "decoder", "self-attention of the decoder" },
    [KEN_LOOK_CROSS] = { "cross", "attention from the decoder to the encoder's rows" },
};

const struct ken_words ken_choice_words[KEN_CHOICE_COUNT] = {
    [KEN_CHOICE_OUTPUT] = KEN_WORDS(outputs),     [KEN_CHOICE_INPUT] = KEN_WORDS(inputs),
    [KEN_CHOICE_VALUE] = KEN_WORDS(values),       [KEN_CHOICE_POOLING] = KEN_WORDS(poolings),
    [KEN_CHOICE_POSITION] = KEN_WORDS(positions), [KEN_CHOICE_ACTIVATION] = KEN_WORDS(activations),
    [KEN_CHOICE_SCORE] = KEN_WORDS(scores),       [KEN_CHOICE_WEIGH] = KEN_WORDS(weighs),
    [KEN_CHOICE_REACH] = KEN_WORDS(reaches),      [KEN_CHOICE_MIXING] = KEN_WORDS(mixings),
    [KEN_CHOICE_NORM] = KEN_WORDS(norms),         [KEN_CHOICE_SCHEDULE] = KEN_WORDS(schedules),
    [KEN_CHOICE_LOOK] = KEN_WORDS(looks),
};

static const struct ken_word *find(ken_choice choice, int value)
{
    if ((unsigned)choice >= KEN_CHOICE_COUNT) return NULL;
    const struct ken_words *words = &ken_choice_words[choice];
    return value >= 0 && (size_t)value < words->count ? &words->list[value] : NULL;
}

const char *ken_word(ken_choice choice, int value)
{
    const struct ken_word *word = find(choice, value);
    return word ? word->word : NULL;
}

const char *ken_word_about(ken_choice choice, int value)
{
    const struct ken_word *word = find(choice, value);
    return word ? word->about : NULL;
}

int ken_word_value(ken_choice choice, const char *word)
{
    if (KEN_GIVEN(word) || (unsigned)choice >= KEN_CHOICE_COUNT) return -1;
    size_t value = ken_words_find(&ken_choice_words[choice], word);
    return value == SIZE_MAX ? -1 : (int)value;
}
