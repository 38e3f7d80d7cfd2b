/* recipe_keys.c - every key of a recipe: its type, default, limits and meaning. The one place to
 * add a key; reading, checking, writing and `ken help recipe` follow from it. */
#include "recipe/recipe.h"

#include "unit/tokeniser.h"
#include "model/words.h"
#include "recipe/metric_table.h"

#include <string.h>

#define TEXT(value) value, KEN_TYPE_TEXT, 0, 0, NULL
#define CHOICE(value, words) value, KEN_TYPE_CHOICE, 0, 0, words
#define WORDS(choice) &ken_choice_words[KEN_CHOICE_##choice]
#define YES_NO(value) value, KEN_TYPE_YES_NO, 0, 0, NULL
#define SIZE(value, least, most) value, KEN_TYPE_SIZE, least, most, NULL
#define REACH(value) value, KEN_TYPE_REACH, 0, 1e9, NULL
#define REAL(value, least, most) value, KEN_TYPE_REAL, least, most, NULL

#define BELOW_ONE 0.999999

static const struct ken_word format_list[] = {
    { "conllu", "sentences of CoNLL-U" },
    { "columns", "one word a line, columns separated by tabs or blanks" },
    { "tsv", "one example a line, columns separated by tabs" },
    { "csv", "one example a line, columns separated by commas" },
    { "fasttext", "one text a line, with __label__x before it" },
    { "parallel", "line n of one file belongs to line n of another" },
    { "plain", "text without labels, for a language model" },
    { "vectors", "one row of numbers a line" },
    { "npy", "a NumPy array of numbers, and a file of targets" },
    { "nodes", "one graph: a file of nodes and a file of links" },
    { "graphs", "one graph a line, as JSON" },
    { "signals", "made: noisy waves as rows of numbers" },
    { "dates", "made: dates as people write them, and in ISO form" },
    { "ambiguous", "made: sentences whose words have several tags" },
    { "recall", "made: a value that was set long before is asked for" },
    { "future", "made: each letter and the one that comes after it" },
    { "social", "made: one network of people who buy or do not" },
    { "beads", "made: letters on a string, to be read in order" },
};
static const struct ken_words formats = KEN_WORDS(format_list);

static const struct ken_word unit_list[] = {
    KEN_UNIT_LIST,
    { "atoms", "the atoms of a molecule, written in SMILES" },
    { "indices", "nodes of a graph: a list of indices" },
    { "numbers", "nodes of a graph: a list of numbers" },
};
static const struct ken_words units = KEN_WORDS(unit_list);

static const struct ken_word table_list[] = {
    [KEN_TABLE_EMBEDDING] = { "embedding", "a learned row for each id" },
    [KEN_TABLE_ONE_HOT] = { "one-hot", "a row of zeros with one 1, through a linear layer" },
};
static const struct ken_words tables = KEN_WORDS(table_list);

const struct ken_key_info ken_key_table[KEN_KEY_COUNT] = {
    [KEN_KEY_DATA_FORMAT] = { "data", "format", CHOICE("tsv", &formats),
                              "how the files are written; from signals on they are made, not "
                              "read" },
    [KEN_KEY_DATA_TRAIN] = { "data", "train", TEXT(""),
                             "file to learn from; of two files (parallel, npy, nodes) both, with "
                             "a blank; and @PART, see split" },
    [KEN_KEY_DATA_DEV] = { "data", "dev", TEXT(""), "file to choose the best model by" },
    [KEN_KEY_DATA_TEST] = { "data", "test", TEXT(""), "file that training never looks at" },
    [KEN_KEY_DATA_INPUT] = { "data", "input", TEXT(""), "column of the input, by number or name" },
    [KEN_KEY_DATA_TARGET] = { "data", "target", TEXT(""), "column of the target" },
    [KEN_KEY_DATA_SEQUENCE] = { "data", "sequence", TEXT(""),
                                "vectors: column that tells sequences apart" },
    [KEN_KEY_DATA_HEADER] = { "data", "header", YES_NO("no"), "the first line names the columns" },
    [KEN_KEY_DATA_LONGEST] = { "data", "longest", SIZE("1000", 1, 1e6),
                               "training leaves out examples with more rows than this" },
    [KEN_KEY_DATA_CONTEXT] = { "data", "context", SIZE("0", 0, 1e6),
                               "plain: join all lines and cut pieces of so many ids; 0: line by "
                               "line" },
    [KEN_KEY_DATA_DISTANCE] = { "data", "distance", SIZE("0", 0, 4096),
                                "ambiguous, recall, future: how far apart what belongs together "
                                "is, at the most; 0: 12, 64, 2" },
    [KEN_KEY_DATA_SPLIT] = { "data", "split", TEXT(""),
                             "tsv, csv, nodes: column that names the part a line belongs to, or "
                             "\"hash N\": that of its input (nodes: name) modulo N. Then \"FILE "
                             "@val\" or \"FILE @2-9\" is that part of a file" },
    [KEN_KEY_DATA_NODE] = { "data", "node", TEXT(""), "nodes: column of their names" },
    [KEN_KEY_DATA_DIRECTED] = { "data", "directed", YES_NO("no"),
                                "nodes, graphs: only the first end of a link sees the other" },
    [KEN_KEY_DATA_HOMOPHILY] = { "data", "homophily", REAL("0.9", 0, 1),
                                 "social: share of friends of one's own kind" },
    [KEN_KEY_DATA_NOISE] = { "data", "noise", REAL("0.05", 0, 1),
                             "social: share of people who do what they are not expected to" },

    [KEN_KEY_INPUT_UNIT] = { "input", "unit", CHOICE("words", &units),
                             "what becomes a row; atoms: of molecules in SMILES; of nodes and "
                             "graphs a word, indices or numbers" },
    [KEN_KEY_INPUT_SIZE] = { "input", "size", SIZE("0", 0, 1e7),
                             "kinds of units, at the most; 0: all" },
    [KEN_KEY_INPUT_LEAST] = { "input", "least", SIZE("2", 1, 1e9),
                              "rarer words and characters are unknown" },
    [KEN_KEY_INPUT_LOWER] = { "input", "lower", YES_NO("no"), "lower case" },
    [KEN_KEY_INPUT_TABLE] = { "input", "table", CHOICE("embedding", &tables),
                              "how an id becomes a vector" },
    [KEN_KEY_INPUT_LETTERS] = { "input", "letters", YES_NO("no"),
                                "words: a small network over their characters beside the table" },
    [KEN_KEY_INPUT_LETTERS_WIDTH] = { "input", "letters_width", SIZE("64", 1, 4096), "its width" },
    [KEN_KEY_INPUT_STACK] = { "input", "stack", SIZE("1", 1, 1024),
                              "vectors: so many neighbouring rows become one (frame stacking), for "
                              "output whole and generate; 1 = off" },

    [KEN_KEY_OUTPUT_KIND] = { "output", "kind", CHOICE("each", WORDS(OUTPUT)),
                              "a label for each row, one for the whole, or a sequence" },
    [KEN_KEY_OUTPUT_VALUE] = { "output", "value", CHOICE("class", WORDS(VALUE)),
                               "what a label is" },
    [KEN_KEY_OUTPUT_UNIT] = { "output", "unit", CHOICE("subwords", &ken_unit_words),
                              "what is generated, one by one" },
    [KEN_KEY_OUTPUT_SIZE] = { "output", "size", SIZE("0", 0, 1e7), "kinds of units, at the most" },
    [KEN_KEY_OUTPUT_LEAST] = { "output", "least", SIZE("2", 1, 1e9), "as input.least" },
    [KEN_KEY_OUTPUT_LOWER] = { "output", "lower", YES_NO("no"), "lower case" },
    [KEN_KEY_OUTPUT_SHARED] = { "output", "shared", YES_NO("no"),
                                "one vocabulary and one table for input and output" },

    [KEN_KEY_MODEL_ENCODER] = { "model", "encoder_blocks", SIZE("2", 0, 256),
                                "0: a language model" },
    [KEN_KEY_MODEL_DECODER] = { "model", "decoder_blocks", SIZE("2", 1, 256),
                                "of output.kind generate" },
    [KEN_KEY_MODEL_WIDTH] = { "model", "width", SIZE("128", 1, 65536), "numbers in a row" },
    [KEN_KEY_MODEL_HIDDEN] = { "model", "hidden", SIZE("512", 1, 262144),
                               "width inside feed-forward" },
    [KEN_KEY_MODEL_HEADS] = { "model", "heads", SIZE("4", 1, 256), "attentions side by side" },
    [KEN_KEY_MODEL_KV_HEADS] = { "model", "kv_heads", SIZE("0", 0, 256), "of keys; 0: as many" },
    [KEN_KEY_MODEL_POSITION] = { "model", "position", CHOICE("sinusoid", WORDS(POSITION)),
                                 "how a row knows its place" },
    [KEN_KEY_MODEL_LONGEST] = { "model", "longest", SIZE("512", 1, 1e6),
                                "places that are learned, or distances that are told apart" },
    [KEN_KEY_MODEL_SCORE] = { "model", "score", CHOICE("dot", WORDS(SCORE)),
                              "how well a key fits a query" },
    [KEN_KEY_MODEL_WEIGH] = { "model", "weigh", CHOICE("softmax", WORDS(WEIGH)),
                              "how scores become weights" },
    [KEN_KEY_MODEL_REACH] = { "model", "reach", CHOICE("window", WORDS(REACH)),
                              "which rows a row sees" },
    [KEN_KEY_MODEL_LEFT] = { "model", "window_left", REACH("all"),
                             "rows before it that a row sees" },
    [KEN_KEY_MODEL_RIGHT] = { "model", "window_right", REACH("all"), "rows behind it" },
    [KEN_KEY_MODEL_REACH_GLOBAL] = { "model", "reach_global", SIZE("1", 1, 1e6),
                                     "reach global: first rows, which all see and which see all" },
    [KEN_KEY_MODEL_REACH_BLOCK] = { "model", "reach_block", SIZE("64", 1, 1e6),
                                    "reach blocks, random, segments: rows of a block" },
    [KEN_KEY_MODEL_REACH_RANDOM] = { "model", "reach_random", SIZE("3", 0, 32),
                                     "reach random: blocks that are drawn" },
    [KEN_KEY_MODEL_LANDMARKS] = { "model", "landmarks", SIZE("32", 1, 256),
                                  "reach nystrom: means of rows" },
    [KEN_KEY_MODEL_FEATURES] = { "model", "features", SIZE("128", 1, 4096),
                                 "weigh performer: random features of a head" },
    [KEN_KEY_MODEL_LOOPS] = { "model", "loops", YES_NO("yes"), "reach edges: a row sees itself" },
    [KEN_KEY_MODEL_LAST_HEADS] = { "model", "last_heads", SIZE("1", 1, 256),
                                   "blocks bare, output each: heads of the last block" },
    [KEN_KEY_MODEL_ACTIVATION] = { "model", "activation", CHOICE("gelu", WORDS(ACTIVATION)),
                                   "inside feed-forward" },
    [KEN_KEY_MODEL_GATED] = { "model", "gated", YES_NO("no"), "GLU form of feed-forward" },
    [KEN_KEY_MODEL_NORM] = { "model", "norm", CHOICE("layer", WORDS(NORM)), "kind of norm" },
    [KEN_KEY_MODEL_POST_NORM] = { "model", "post_norm", YES_NO("no"), "norm behind each part" },
    [KEN_KEY_MODEL_POOLING] = { "model", "pooling", CHOICE("mean", WORDS(POOLING)),
                                "output whole: how rows become one" },
    [KEN_KEY_MODEL_TIED] = { "model", "tied", YES_NO("no"),
                             "output generate: one table reads and writes" },
    [KEN_KEY_MODEL_DROPOUT] = { "model", "dropout", REAL("0.1", 0, BELOW_ONE),
                                "of embeddings and of each part's result" },
    [KEN_KEY_MODEL_ATTENTION_DROPOUT] = { "model", "attention_dropout", REAL("0.1", 0, BELOW_ONE),
                                          "of attention weights" },
    [KEN_KEY_MODEL_HIDDEN_DROPOUT] = { "model", "hidden_dropout", REAL("0", 0, BELOW_ONE),
                                       "inside feed-forward" },
    [KEN_KEY_MODEL_WORD_DROPOUT] = { "model", "word_dropout", REAL("0", 0, BELOW_ONE),
                                     "share of input ids read as unknown" },

    [KEN_KEY_BLOCKS_KIND] = { "blocks", "kind", CHOICE("attention", WORDS(MIXING)),
                              "what lets rows know of each other" },
    [KEN_KEY_BLOCKS_NEIGHBOURS] = { "blocks", "neighbours", SIZE("2", 0, 4096),
                                    "fc-window, conv, conformer: rows on each side" },
    [KEN_KEY_BLOCKS_BOTH_WAYS] = { "blocks", "both_ways", YES_NO("yes"),
                                   "rnn, lstm, gru of an encoder: also from the end" },

    [KEN_KEY_TRAIN_SEED] = { "train", "seed", SIZE("1", 0, 9e15), "of everything random" },
    [KEN_KEY_TRAIN_EPOCHS] = { "train", "epochs", SIZE("10", 1, 1e6), "passes over the data" },
    [KEN_KEY_TRAIN_STEPS] = { "train", "steps", SIZE("0", 0, 1e9), "instead of epochs, unless 0" },
    [KEN_KEY_TRAIN_BATCH] = { "train", "batch", SIZE("2048", 1, 1e7), "rows that make an update" },
    [KEN_KEY_TRAIN_ACCUMULATE] = { "train", "accumulate", SIZE("1", 1, 4096),
                                   "batches that make one update" },
    [KEN_KEY_TRAIN_RATE] = { "train", "rate", REAL("0.001", 1e-12, 1e12), "highest learning rate" },
    [KEN_KEY_TRAIN_SCHEDULE] = { "train", "schedule", CHOICE("cosine", WORDS(SCHEDULE)),
                                 "how the learning rate goes on" },
    [KEN_KEY_TRAIN_WARM_UP] = { "train", "warm_up", SIZE("200", 0, 1e9),
                                "steps until it is highest; at most a quarter of all" },
    [KEN_KEY_TRAIN_DECAY] = { "train", "decay", SIZE("0", 0, 1e9),
                              "stable-decay: last steps that fall" },
    [KEN_KEY_TRAIN_FLOOR] = { "train", "floor", REAL("0", 0, 1),
                              "share of the rate left at the end" },
    [KEN_KEY_TRAIN_WEIGHT_DECAY] = { "train", "weight_decay", REAL("0.01", 0, 1e6), "of matrices" },
    [KEN_KEY_TRAIN_L2] = { "train", "l2", REAL("0", 0, 1e6), "the same, as part of the gradient" },
    [KEN_KEY_TRAIN_CLIP] = { "train", "clip", REAL("1", 0, 1e30), "largest gradient norm; 0: any" },
    [KEN_KEY_TRAIN_BETA1] = { "train", "beta1", REAL("0.9", 0, BELOW_ONE), "of Adam" },
    [KEN_KEY_TRAIN_BETA2] = { "train", "beta2", REAL("0.98", 0, BELOW_ONE), "of Adam" },
    [KEN_KEY_TRAIN_SMOOTHING] = { "train", "smoothing", REAL("0", 0, BELOW_ONE), "of labels" },
    [KEN_KEY_TRAIN_AVERAGE] = { "train", "average", REAL("0", 0, BELOW_ONE),
                                "decay of the weights' moving average, which is then the model" },
    [KEN_KEY_TRAIN_EVALUATE] = { "train", "evaluate", SIZE("0", 0, 1e9),
                                 "steps from one look at dev to the next; 0: an epoch" },
    [KEN_KEY_TRAIN_CHECKPOINT] = { "train", "checkpoint", SIZE("0", 0, 1e9),
                                   "steps from save to save; 0: at every evaluation" },
    [KEN_KEY_TRAIN_PATIENCE] = { "train", "patience", SIZE("0", 0, 1e9),
                                 "evaluations without gain before it stops; 0: never" },
    [KEN_KEY_TRAIN_METRIC] = { "train", "metric", CHOICE("auto", &ken_metric_words),
                               "how good a model is; auto: by the kind of output" },
    [KEN_KEY_TRAIN_CHOOSE] = { "train", "choose", CHOICE("metric", &ken_choose_words),
                               "what the best model is chosen by, and patience waits for" },
    [KEN_KEY_TRAIN_FROM] = { "train", "from", TEXT(""), "model file to start from" },

    [KEN_KEY_GENERATE_BEAM] = { "generate", "beam", SIZE("1", 1, 1024), "hypotheses side by side" },
    [KEN_KEY_GENERATE_LENGTH_PENALTY] = { "generate", "length_penalty", REAL("1", 0, 10),
                                          "beams are ranked by log p / length ^ this" },
    [KEN_KEY_GENERATE_LONGEST] = { "generate", "longest", SIZE("256", 1, 1e6), "ids, at the most" },
    [KEN_KEY_GENERATE_TEMPERATURE] = { "generate", "temperature", REAL("0", 0, 1000),
                                       "above 0: sample instead of taking the likeliest" },
    [KEN_KEY_GENERATE_TOP_K] = { "generate", "top_k", SIZE("0", 0, 1e9),
                                 "sample among so many; 0: all" },
    [KEN_KEY_GENERATE_TOP_P] = { "generate", "top_p", REAL("1", 1e-9, 1),
                                 "sample within this share" },
    [KEN_KEY_GENERATE_NO_REPEAT] = { "generate", "no_repeat", SIZE("0", 0, 1e6),
                                     "length of sequences that never come twice; 0: off" },
    [KEN_KEY_GENERATE_SEED] = { "generate", "seed", SIZE("1", 0, 9e15), "of what is drawn" },
};

static void print_values(ken_buffer *out, const struct ken_key_info *info)
{
    char words[KEN_WORDS_SIZE];
    switch (info->type) {
    case KEN_TYPE_TEXT: ken_buffer_text(out, "text"); break;
    case KEN_TYPE_CHOICE:
        ken_buffer_text(out, ken_words_print(words, sizeof words, info->words));
        break;
    case KEN_TYPE_YES_NO: ken_buffer_text(out, "yes no"); break;
    case KEN_TYPE_REACH: ken_buffer_text(out, "all, or "); /* fall through */
    case KEN_TYPE_SIZE:
    case KEN_TYPE_REAL: ken_buffer_format(out, "%g to %g", info->least, info->most); break;
    }
}

/* What each word means, for the choices of a section that say so. */
static void print_words(ken_buffer *out, const char *section)
{
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        if (strcmp(section, info->section) != 0 || !info->words || !info->words->list[0].about)
            continue;
        ken_buffer_format(out, "\n`%s.%s`:\n\n", section, info->name);
        for (size_t i = 0; i < info->words->count; i++)
            ken_buffer_format(out, "- `%s`: %s\n", info->words->list[i].word,
                              info->words->list[i].about);
    }
}

ken_status ken_recipe_keys(ken_text_fn *write, void *user)
{
    ken_buffer out = { 0 };
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        if (k == 0 || strcmp(info[-1].section, info->section) != 0)
            ken_buffer_format(&out,
                              "%s## [%s]\n\n| key | default | values | meaning |\n"
                              "|---|---|---|---|\n",
                              k > 0 ? "\n" : "", info->section);
        ken_buffer_format(&out, "| `%s` | %s | ", info->name, info->value);
        print_values(&out, info);
        ken_buffer_format(&out, " | %s |\n", info->about);
        if (k + 1 == KEN_KEY_COUNT || strcmp(info[1].section, info->section) != 0)
            print_words(&out, info->section);
    }
    ken_status status = ken_buffer_status(&out);
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&out);
    return status;
}
