/* recipe_keys.c - the table of all keys of a recipe: type, default, limits and meaning of each key.
 * A new key needs only a row here and a name in keys.h; reading, checking, writing and `ken help
 * recipe` use the table. */
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
#define SPLIT(value, least, most) value, KEN_TYPE_SPLIT, least, most, NULL
#define REAL(value, least, most) value, KEN_TYPE_REAL, least, most, NULL

#define BELOW_ONE 0.999999

static const struct ken_word format_list[] = {
    { "conllu", "sentences in CoNLL-U format" },
    { "columns", "one word per line, columns separated by tabs or spaces" },
    { "tsv", "one example per line, columns separated by tabs" },
    { "csv", "one example per line, columns separated by commas, semicolons or tabs" },
    { "fasttext", "one text per line, with __label__x before it" },
    { "parallel", "line n of one file belongs to line n of another" },
    { "plain", "text without labels, for a language model" },
    { "vectors", "rows of numbers, one per line, for example number series in csv" },
    { "npy", "a NumPy array of numbers, and a file of targets" },
    { "nodes", "one graph: a file of nodes and a file of links" },
    { "graphs", "one graph per line, as JSON" },
    { "signals", "made: noisy waves as rows of numbers" },
    { "dates", "made: dates as people write them, and in ISO form" },
    { "ambiguous", "made: sentences whose words can have several tags" },
    { "recall", "made: questions for a value that was set long before" },
    { "future", "made: letters, each labelled with a later letter" },
    { "social", "made: one network of people, some of whom buy" },
    { "beads", "made: letters on a string, as a graph, to be written in order" },
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

static const struct ken_word separator_list[] = {
    [KEN_SEPARATOR_AUTO] = { "auto",
                             "the one with which most of the first 100 lines of the training "
                             "file have as many columns as the first line" },
    [KEN_SEPARATOR_COMMA] = { "comma", "," },
    [KEN_SEPARATOR_SEMICOLON] = { "semicolon", ";" },
    [KEN_SEPARATOR_TAB] = { "tab", "the tab character" },
};
static const struct ken_words separators = KEN_WORDS(separator_list);

static const struct ken_word decimal_list[] = {
    [KEN_DECIMAL_AUTO] = { "auto", "as the numbers of the training file show; it is an error if a "
                                   "file has both kinds, or only numbers like 1,234" },
    [KEN_DECIMAL_POINT] = { "point", "3.14" },
    [KEN_DECIMAL_COMMA] = { "comma", "3,14" },
};
static const struct ken_words decimals = KEN_WORDS(decimal_list);

const struct ken_key_info ken_key_table[KEN_KEY_COUNT] = {
    [KEN_KEY_DATA_FORMAT] = { "data", "format", CHOICE("tsv", &formats),
                              "format of the files; from signals on, the examples are made "
                              "instead of read" },
    [KEN_KEY_DATA_TRAIN] = { "data", "train", TEXT(""),
                             "file to train on. Formats with two files (parallel, npy, "
                             "nodes): both paths, separated by a space; a path with spaces is "
                             "in double quotes. Append @PART to use only that part (see "
                             "split). Made formats: the number of examples instead of a "
                             "file" },
    [KEN_KEY_DATA_DEV] = { "data", "dev", TEXT(""),
                           "file to choose the best model by (validation set)" },
    [KEN_KEY_DATA_TEST] = { "data", "test", TEXT(""),
                            "file to measure on, which training never reads" },
    [KEN_KEY_DATA_SOURCE] = { "data", "source", TEXT(""),
                              "how to get the data, as a sentence for the reader; shown if a file "
                              "whose path begins with $ is missing" },
    [KEN_KEY_DATA_INPUT] = { "data", "input", TEXT(""),
                             "column(s) of the input, by number or name, separated by spaces; "
                             "a name with spaces is in double quotes if there are several; empty "
                             "= the default of the format" },
    [KEN_KEY_DATA_TARGET] = { "data", "target", TEXT(""),
                              "column(s) of the target; empty = the default of the format" },
    [KEN_KEY_DATA_SEQUENCE] = { "data", "sequence", TEXT(""),
                                "vectors: column that names the sequence of a row; empty = one "
                                "sequence of all rows (output each), else one per row" },
    [KEN_KEY_DATA_HEADER] = { "data", "header", YES_NO("no"),
                              "the first line has the names of the columns" },
    [KEN_KEY_DATA_SEPARATOR] = { "data", "separator", CHOICE("auto", &separators),
                                 "csv, vectors: character between two columns" },
    [KEN_KEY_DATA_DECIMAL] = { "data", "decimal", CHOICE("auto", &decimals),
                               "text files: decimal mark of numbers" },
    [KEN_KEY_DATA_WINDOW] = { "data", "window", SIZE("0", 0, 1e6),
                              "vectors, npy with output whole: cut each sequence into windows of "
                              "this many rows, each an example; 0 = off" },
    [KEN_KEY_DATA_STRIDE] = { "data", "stride", SIZE("1", 1, 1e6),
                              "window: rows from the start of a window to the start of the next" },
    [KEN_KEY_DATA_HORIZON] = { "data", "horizon", SIZE("1", 0, 1e6),
                               "window: the target is that of the row this many rows after the "
                               "last row of the window; 0 = of the last row" },
    [KEN_KEY_DATA_LONGEST] = { "data", "longest", SIZE("1000", 1, 1e6),
                               "maximum rows of a training example; longer ones are left out. "
                               "Graphs with labels of nodes have no limit" },
    [KEN_KEY_DATA_CONTEXT] = { "data", "context", SIZE("0", 0, 1e6),
                               "plain: join all lines and cut the text into pieces of this "
                               "many ids; 0 = every line is an example" },
    [KEN_KEY_DATA_DISTANCE] = { "data", "distance", SIZE("0", 0, 4096),
                                "ambiguous, recall, future: maximum distance between related "
                                "words; 0 = the default of the format (12, 64, 2)" },
    [KEN_KEY_DATA_SPLIT] = { "data", "split", SPLIT("", 1, 1e6),
                             "tsv, csv, nodes: column that names the part of a line, or "
                             "\"hash N\": the FNV-1a hash of its input (nodes: name) modulo "
                             "N, 1 to 1e6. Then \"FILE @val\" or \"FILE @2-9\" is that part of a "
                             "file. With window: \"percent\"; \"FILE @0-80\" is the first 80 "
                             "percent "
                             "of the rows of each sequence" },
    [KEN_KEY_DATA_NODE] = { "data", "node", TEXT(""),
                            "nodes: column of the name of a node; empty = the first" },
    [KEN_KEY_DATA_DIRECTED] = { "data", "directed", YES_NO("no"),
                                "nodes, graphs: only the first end of a link sees the other "
                                "end; no = both ends see each other" },
    [KEN_KEY_DATA_HOMOPHILY] = { "data", "homophily", REAL("0.9", 0, 1),
                                 "social: share of a person's friends who are of the same kind" },
    [KEN_KEY_DATA_NOISE] = { "data", "noise", REAL("0.05", 0, 1),
                             "social: share of people who do what they are not expected to" },

    [KEN_KEY_INPUT_UNIT] = { "input", "unit", CHOICE("words", &units),
                             "what becomes a row: a unit of a text, an atom of a molecule, "
                             "or for nodes and graphs a word, indices or numbers" },
    [KEN_KEY_INPUT_SIZE] = { "input", "size", SIZE("0", 0, 1e7),
                             "maximum size of the vocabulary; 0 = no limit, for subwords "
                             "8000" },
    [KEN_KEY_INPUT_LEAST] = { "input", "least", SIZE("2", 1, 1e9),
                              "a word or character that is rarer in training is unknown" },
    [KEN_KEY_INPUT_LOWER] = { "input", "lower", YES_NO("no"),
                              "convert the input to lower case; letters keep their case" },
    [KEN_KEY_INPUT_TABLE] = { "input", "table", CHOICE("embedding", &tables),
                              "how an id becomes a vector" },
    [KEN_KEY_INPUT_LETTERS] = { "input", "letters", YES_NO("no"),
                                "words: also read the letters of each word, with a small "
                                "network (character CNN) beside the table" },
    [KEN_KEY_INPUT_LETTERS_WIDTH] = { "input", "letters_width", SIZE("64", 1, 4096),
                                      "width of that network" },
    [KEN_KEY_INPUT_STACK] = { "input", "stack", SIZE("1", 1, 1024),
                              "vectors: so many neighbouring rows become one (frame stacking), for "
                              "output whole and generate; 1 = off" },

    [KEN_KEY_OUTPUT_KIND] = { "output", "kind", CHOICE("each", WORDS(OUTPUT)),
                              "what the model gives: labels or numbers for each row, for the "
                              "whole sequence, or another sequence" },
    [KEN_KEY_OUTPUT_VALUE] = { "output", "value", CHOICE("class", WORDS(VALUE)),
                               "kind of target: one class, a number, or a set of labels" },
    [KEN_KEY_OUTPUT_UNIT] = { "output", "unit", CHOICE("subwords", &ken_unit_words),
                              "generate: the unit of text that is generated one by one" },
    [KEN_KEY_OUTPUT_SIZE] = { "output", "size", SIZE("0", 0, 1e7),
                              "generate: maximum size of the vocabulary; 0 = no limit, for "
                              "subwords 8000" },
    [KEN_KEY_OUTPUT_LEAST] = { "output", "least", SIZE("2", 1, 1e9), "generate: like input.least" },
    [KEN_KEY_OUTPUT_LOWER] = { "output", "lower", YES_NO("no"),
                               "generate: convert the target to lower case" },
    [KEN_KEY_OUTPUT_SHARED] = { "output", "shared", YES_NO("no"),
                                "one vocabulary and one table for input and output" },

    [KEN_KEY_MODEL_ENCODER] = { "model", "encoder_blocks", SIZE("2", 0, 256),
                                "number of blocks of the encoder; 0 = a language model" },
    [KEN_KEY_MODEL_DECODER] = { "model", "decoder_blocks", SIZE("2", 1, 256),
                                "generate: number of blocks of the decoder" },
    [KEN_KEY_MODEL_WIDTH] = { "model", "width", SIZE("128", 1, 65536),
                              "numbers per row (model dimension)" },
    [KEN_KEY_MODEL_HIDDEN] = { "model", "hidden", SIZE("512", 1, 262144),
                               "width inside the feed-forward part" },
    [KEN_KEY_MODEL_HEADS] = { "model", "heads", SIZE("4", 1, 256),
                              "number of attention heads; must divide the width" },
    [KEN_KEY_MODEL_KV_HEADS] = { "model", "kv_heads", SIZE("0", 0, 256),
                                 "number of key/value heads (grouped-query attention); 0 = same "
                                 "as heads" },
    [KEN_KEY_MODEL_POSITION] = { "model", "position", CHOICE("sinusoid", WORDS(POSITION)),
                                 "how a row knows its place (position encoding)" },
    [KEN_KEY_MODEL_LONGEST] = { "model", "longest", SIZE("512", 1, 1e6),
                                "position learned: number of places, and so the maximum rows of "
                                "an input or target (which has one more for its begin symbol); "
                                "relative, shaw, quadratic: maximum distance that is "
                                "distinguished" },
    [KEN_KEY_MODEL_SCORE] = { "model", "score", CHOICE("dot", WORDS(SCORE)),
                              "how well a key fits a query" },
    [KEN_KEY_MODEL_WEIGH] = { "model", "weigh", CHOICE("softmax", WORDS(WEIGH)),
                              "how scores become attention weights" },
    [KEN_KEY_MODEL_REACH] = { "model", "reach", CHOICE("window", WORDS(REACH)),
                              "which rows a row sees (attention pattern)" },
    [KEN_KEY_MODEL_LEFT] = { "model", "window_left", REACH("all"),
                             "reach window, global: number of rows before it that a row sees" },
    [KEN_KEY_MODEL_RIGHT] = { "model", "window_right", REACH("all"),
                              "reach window, global: number of rows after it that a row sees" },
    [KEN_KEY_MODEL_REACH_GLOBAL] = { "model", "reach_global", SIZE("1", 1, 1e6),
                                     "reach global: number of first rows that see all rows and "
                                     "that "
                                     "all rows see" },
    [KEN_KEY_MODEL_REACH_BLOCK] = { "model", "reach_block", SIZE("64", 1, 1e6),
                                    "reach blocks, random, segments: rows per block" },
    [KEN_KEY_MODEL_REACH_RANDOM] = { "model", "reach_random", SIZE("3", 0, 32),
                                     "reach random: number of random blocks" },
    [KEN_KEY_MODEL_LANDMARKS] = { "model", "landmarks", SIZE("32", 1, 256),
                                  "reach nystrom: number of landmarks (means of neighbouring "
                                  "rows)" },
    [KEN_KEY_MODEL_FEATURES] = { "model", "features", SIZE("128", 1, 4096),
                                 "weigh performer: number of random features per head" },
    [KEN_KEY_MODEL_LOOPS] = { "model", "loops", YES_NO("yes"),
                              "reach edges: a row also sees itself (self-loops)" },
    [KEN_KEY_MODEL_LAST_HEADS] = { "model", "last_heads", SIZE("1", 1, 256),
                                   "blocks bare, output each: number of heads of the last block" },
    [KEN_KEY_MODEL_ACTIVATION] = { "model", "activation", CHOICE("gelu", WORDS(ACTIVATION)),
                                   "activation function inside the feed-forward part" },
    [KEN_KEY_MODEL_GATED] = { "model", "gated", YES_NO("no"), "gated feed-forward (GLU)" },
    [KEN_KEY_MODEL_NORM] = { "model", "norm", CHOICE("layer", WORDS(NORM)), "kind of norm" },
    [KEN_KEY_MODEL_POST_NORM] = { "model", "post_norm", YES_NO("no"),
                                  "norm after each part of a block (post-norm); no = before it "
                                  "(pre-norm)" },
    [KEN_KEY_MODEL_POOLING] = { "model", "pooling", CHOICE("mean", WORDS(POOLING)),
                                "output whole: how the rows become one vector" },
    [KEN_KEY_MODEL_TIED] = { "model", "tied", YES_NO("no"),
                             "generate: one table for embedding and output layer (weight "
                             "tying)" },
    [KEN_KEY_MODEL_DROPOUT] = { "model", "dropout", REAL("0.1", 0, BELOW_ONE),
                                "dropout of embeddings and of each part's result; 0 = off" },
    [KEN_KEY_MODEL_ATTENTION_DROPOUT] = { "model", "attention_dropout", REAL("0.1", 0, BELOW_ONE),
                                          "dropout of attention weights; 0 = off" },
    [KEN_KEY_MODEL_HIDDEN_DROPOUT] = { "model", "hidden_dropout", REAL("0", 0, BELOW_ONE),
                                       "dropout inside the feed-forward part; 0 = off" },
    [KEN_KEY_MODEL_WORD_DROPOUT] = { "model", "word_dropout", REAL("0", 0, BELOW_ONE),
                                     "share of input ids read as unknown" },

    [KEN_KEY_BLOCKS_KIND] = { "blocks", "kind", CHOICE("attention", WORDS(MIXING)),
                              "how rows learn of each other (token mixer)" },
    [KEN_KEY_BLOCKS_NEIGHBOURS] = { "blocks", "neighbours", SIZE("2", 0, 4096),
                                    "fc-window, conv, conformer: number of rows on each side" },
    [KEN_KEY_BLOCKS_BOTH_WAYS] = { "blocks", "both_ways", YES_NO("yes"),
                                   "rnn, lstm, gru of an encoder: also from the end" },

    [KEN_KEY_TRAIN_SEED] = { "train", "seed", SIZE("1", 0, 9e15),
                             "seed of all random numbers of training" },
    [KEN_KEY_TRAIN_EPOCHS] = { "train", "epochs", SIZE("10", 1, 1e6),
                               "passes over the training data" },
    [KEN_KEY_TRAIN_STEPS] = { "train", "steps", SIZE("0", 0, 1e9),
                              "number of updates; 0 = as many as train.epochs needs" },
    [KEN_KEY_TRAIN_BATCH] = { "train", "batch", SIZE("2048", 1, 1e7),
                              "maximum rows per batch; an update has `accumulate` batches" },
    [KEN_KEY_TRAIN_ACCUMULATE] = { "train", "accumulate", SIZE("1", 1, 4096),
                                   "number of batches per update (gradient accumulation)" },
    [KEN_KEY_TRAIN_RATE] = { "train", "rate", REAL("0.001", 1e-12, 1e12), "peak learning rate" },
    [KEN_KEY_TRAIN_SCHEDULE] = { "train", "schedule", CHOICE("cosine", WORDS(SCHEDULE)),
                                 "how the learning rate changes after the warm-up" },
    [KEN_KEY_TRAIN_WARM_UP] = { "train", "warm_up", SIZE("200", 0, 1e9),
                                "number of updates until the rate reaches its peak; a short run "
                                "gets a shorter warm-up: at most a quarter of all updates" },
    [KEN_KEY_TRAIN_DECAY] = { "train", "decay", SIZE("0", 0, 1e9),
                              "schedule stable-decay: number of last updates in which the "
                              "rate falls" },
    [KEN_KEY_TRAIN_FLOOR] = { "train", "floor", REAL("0", 0, 1),
                              "share of the peak rate that is left at the end" },
    [KEN_KEY_TRAIN_WEIGHT_DECAY] = { "train", "weight_decay", REAL("0.01", 0, 1e6),
                                     "weight decay of matrices (AdamW); 0 = off" },
    [KEN_KEY_TRAIN_L2] = { "train", "l2", REAL("0", 0, 1e6),
                           "L2 penalty as part of the gradient; 0 = off" },
    [KEN_KEY_TRAIN_CLIP] = { "train", "clip", REAL("1", 0, 1e30),
                             "maximum norm of the gradient, which is scaled down to it; 0 = "
                             "no limit" },
    [KEN_KEY_TRAIN_BETA1] = { "train", "beta1", REAL("0.9", 0, BELOW_ONE),
                              "Adam: decay of the first moment" },
    [KEN_KEY_TRAIN_BETA2] = { "train", "beta2", REAL("0.98", 0, BELOW_ONE),
                              "Adam: decay of the second moment" },
    [KEN_KEY_TRAIN_SMOOTHING] = { "train", "smoothing", REAL("0", 0, BELOW_ONE),
                                  "label smoothing; 0 = off" },
    [KEN_KEY_TRAIN_AVERAGE] = { "train", "average", REAL("0", 0, BELOW_ONE),
                                "decay of a moving average of the weights (EMA), which then is "
                                "the model; 0 = off" },
    [KEN_KEY_TRAIN_EVALUATE] = { "train", "evaluate", SIZE("0", 0, 1e9),
                                 "updates between two evaluations on dev; 0 = one epoch" },
    [KEN_KEY_TRAIN_CHECKPOINT] = { "train", "checkpoint", SIZE("0", 0, 1e9),
                                   "updates between two checkpoints; 0 = at every evaluation" },
    [KEN_KEY_TRAIN_PATIENCE] = { "train", "patience", SIZE("0", 0, 1e9),
                                 "stop after this many evaluations without improvement (early "
                                 "stopping); 0 = never" },
    [KEN_KEY_TRAIN_METRIC] = { "train", "metric", CHOICE("auto", &ken_metric_words),
                               "the metric that is reported; auto = depends on the kind of "
                               "output" },
    [KEN_KEY_TRAIN_CHOOSE] = { "train", "choose", CHOICE("metric", &ken_choose_words),
                               "the metric that the best model is chosen by and that patience "
                               "watches" },
    [KEN_KEY_TRAIN_FROM] = { "train", "from", TEXT(""), "model file to start from" },

    [KEN_KEY_GENERATE_BEAM] = { "generate", "beam", SIZE("1", 1, 1024),
                                "number of hypotheses of beam search; 1 = no beam search" },
    [KEN_KEY_GENERATE_LENGTH_PENALTY] = { "generate", "length_penalty", REAL("1", 0, 10),
                                          "beams are ranked by log p / length ^ this" },
    [KEN_KEY_GENERATE_LONGEST] = { "generate", "longest", SIZE("256", 1, 1e6),
                                   "maximum ids of a result" },
    [KEN_KEY_GENERATE_TEMPERATURE] = { "generate", "temperature", REAL("0", 0, 1000),
                                       "above 0: draw ids at this temperature; 0 = always the most "
                                       "likely id" },
    [KEN_KEY_GENERATE_TOP_K] = { "generate", "top_k", SIZE("0", 0, 1e9),
                                 "draw only from this many most likely ids; 0 = all" },
    [KEN_KEY_GENERATE_TOP_P] = { "generate", "top_p", REAL("1", 1e-9, 1),
                                 "nucleus sampling: draw from the smallest set of ids whose "
                                 "probabilities sum to this; 1 = all" },
    [KEN_KEY_GENERATE_NO_REPEAT] = { "generate", "no_repeat", SIZE("0", 0, 1e6),
                                     "never repeat an n-gram of this length; 0 = off" },
    [KEN_KEY_GENERATE_SEED] = { "generate", "seed", SIZE("1", 0, 9e15), "seed of random draws" },

    [KEN_KEY_RUN_LONGEST] = { "run", "longest", SIZE("100000", 0, 1e9),
                              "maximum rows (tokens) of an example that `ken run` answers; a "
                              "longer one gets an error. 0 = no limit. Graphs with labels of "
                              "nodes have no limit" },
};

static void print_values(ken_buffer *out, const struct ken_key_info *info)
{
    char words[KEN_WORDS_SIZE];
    switch (info->type) {
    case KEN_TYPE_TEXT:
    case KEN_TYPE_SPLIT: ken_buffer_text(out, "text"); break;
    case KEN_TYPE_CHOICE:
        ken_buffer_text(out, ken_words_print(words, sizeof words, info->words));
        break;
    case KEN_TYPE_YES_NO: ken_buffer_text(out, "yes no"); break;
    case KEN_TYPE_REACH: ken_buffer_text(out, "all, or "); /* fall through */
    case KEN_TYPE_SIZE:
    case KEN_TYPE_REAL: ken_buffer_format(out, "%g to %g", info->least, info->most); break;
    }
}

/* Prints, for each key of a section whose values are words, what the words mean. */
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
    KEN_TRY(KEN_GIVEN(write));
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
