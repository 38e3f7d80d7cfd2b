/* settings.c - what the keys of a recipe mean to the parts below: layout of the data, shape of the
 * model, training, generation. */
#include "data/made.h"
#include "data/molecule_rows.h"
#include "model/words.h"
#include "task/metric_table.h"
#include "task/task.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t choice(const ken_recipe *recipe, enum ken_key key)
{
    return ken_recipe_choice(recipe, key);
}

static const char *text_or_null(const ken_recipe *recipe, enum ken_key key)
{
    const char *value = ken_recipe_value(recipe, key);
    return value[0] ? value : NULL;
}

bool ken_settings_format_is(const ken_recipe *recipe, const char *name)
{
    return strcmp(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT), name) == 0;
}

bool ken_settings_unit_is(const ken_recipe *recipe, const char *name)
{
    return strcmp(ken_recipe_value(recipe, KEN_KEY_INPUT_UNIT), name) == 0;
}

/* Formats in which something is a node and something a link. */
static bool is_graph(const ken_recipe *recipe)
{
    return ken_settings_format_is(recipe, "nodes") || ken_settings_format_is(recipe, "graphs");
}

bool ken_settings_vectors(const ken_recipe *recipe)
{
    const struct ken_maker *maker = ken_maker_named(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT));
    return ken_settings_format_is(recipe, "vectors") || ken_settings_format_is(recipe, "npy") ||
           (maker && maker->vectors) ||
           (is_graph(recipe) && ken_settings_unit_is(recipe, "numbers"));
}

bool ken_settings_linked(const ken_recipe *recipe)
{
    const struct ken_maker *maker = ken_maker_named(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT));
    return is_graph(recipe) || ken_settings_unit_is(recipe, "atoms") || (maker && maker->linked);
}

/* Data that is made is for some kinds of output, and its text for words with one label of a few. */
static ken_status check_made(const ken_recipe *r)
{
    const struct ken_maker *maker = ken_maker_named(ken_recipe_value(r, KEN_KEY_DATA_FORMAT));
    if (!maker) return KEN_OK;
    if (!strstr(maker->outputs, ken_recipe_value(r, KEN_KEY_OUTPUT_KIND)))
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "is for output.kind=%s", maker->outputs);
    if (maker->draft && choice(r, KEN_KEY_INPUT_UNIT) != KEN_UNIT_WORDS)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "is for input.unit=words");
    if (maker->draft && choice(r, KEN_KEY_OUTPUT_VALUE) != KEN_VALUE_CLASS)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "is for output.value=class");
    return KEN_OK;
}

/* What the recipe's output is, for the table of metrics. */
static unsigned measured(const ken_recipe *r)
{
    static const unsigned by_value[] = { [KEN_VALUE_CLASS] = KEN_OF_CLASSES,
                                         [KEN_VALUE_NUMBER] = KEN_OF_NUMBERS,
                                         [KEN_VALUE_SET] = KEN_OF_SETS };
    if (choice(r, KEN_KEY_OUTPUT_KIND) != KEN_GENERATE)
        return by_value[choice(r, KEN_KEY_OUTPUT_VALUE)];
    return ken_settings_format_is(r, "plain") ? KEN_OF_PLAIN : KEN_OF_TEXTS;
}

/* A metric that the output does not have would be missed only at the first evaluation. */
static ken_status check_metric(const ken_recipe *r, enum ken_key key)
{
    unsigned output = measured(r);
    if (ken_metric_table[choice(r, key)].outputs & output) return KEN_OK;
    struct ken_word list[KEN_METRIC_COUNT];
    struct ken_words possible = { list, 0 };
    char words[KEN_WORDS_SIZE];
    for (enum ken_metric m = KEN_METRIC_LOSS; m < KEN_METRIC_COUNT; m++)
        if (ken_metric_table[m].outputs & output) list[possible.count++] = ken_metric_words.list[m];
    return ken_recipe_fail(r, key, "this kind of output is measured by %s",
                           ken_words_print(words, sizeof words, &possible));
}

/* Graphs and molecules. */
static ken_status check_graphs(const ken_recipe *r)
{
    ken_output output = choice(r, KEN_KEY_OUTPUT_KIND);
    bool atoms = ken_settings_unit_is(r, "atoms"), graph = is_graph(r);
    bool edges = choice(r, KEN_KEY_MODEL_REACH) == KEN_REACH_EDGES;
    bool lines = ken_settings_format_is(r, "tsv") || ken_settings_format_is(r, "csv") ||
                 ken_settings_format_is(r, "fasttext") || ken_settings_format_is(r, "parallel");
    const char *split = ken_recipe_value(r, KEN_KEY_DATA_SPLIT);
    if (edges && !ken_settings_linked(r))
        return ken_recipe_fail(r, KEN_KEY_MODEL_REACH,
                               "edges are those of data.format=nodes, graphs, social or beads, or "
                               "of input.unit=atoms");
    if (choice(r, KEN_KEY_MODEL_POSITION) == KEN_POSITION_DISTANCE && !ken_settings_linked(r))
        return ken_recipe_fail(r, KEN_KEY_MODEL_POSITION, "distance is between nodes of a graph");
    if (atoms && !lines)
        return ken_recipe_fail(r, KEN_KEY_INPUT_UNIT,
                               "atoms are those of a line of text: data.format=csv, tsv ...");
    if (atoms && output == KEN_EACH)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_KIND, "molecules have one label, or a text");
    if (!graph && (ken_settings_unit_is(r, "indices") || ken_settings_unit_is(r, "numbers")))
        return ken_recipe_fail(r, KEN_KEY_INPUT_UNIT, "is for data.format=nodes or graphs");
    if (graph && !ken_settings_unit_is(r, "words") && !ken_settings_unit_is(r, "indices") &&
        !ken_settings_unit_is(r, "numbers"))
        return ken_recipe_fail(r, KEN_KEY_INPUT_UNIT, "a node is words, indices or numbers");
    if (ken_settings_format_is(r, "nodes") && output != KEN_EACH)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT,
                               "one graph of nodes is for output.kind=each");
    if (split[0] && !ken_settings_format_is(r, "tsv") && !ken_settings_format_is(r, "csv") &&
        !ken_settings_format_is(r, "nodes"))
        return ken_recipe_fail(r, KEN_KEY_DATA_SPLIT, "is for data.format=tsv, csv or nodes");
    return KEN_OK;
}

ken_status ken_settings_check(const ken_recipe *r)
{
    ken_output output = choice(r, KEN_KEY_OUTPUT_KIND);
    bool generates = output == KEN_GENERATE,
         words = choice(r, KEN_KEY_INPUT_UNIT) == KEN_UNIT_WORDS;
    size_t encoder = ken_recipe_size(r, KEN_KEY_MODEL_ENCODER);
    if (ken_recipe_value(r, KEN_KEY_DATA_TRAIN)[0] == '\0')
        return ken_recipe_fail(r, KEN_KEY_DATA_TRAIN, "no file to train on");
    if (!generates && encoder == 0)
        return ken_recipe_fail(r, KEN_KEY_MODEL_ENCODER, "labels need an encoder of blocks");
    if (ken_settings_format_is(r, "plain") != (generates && encoder == 0))
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT,
                               "plain text is for output.kind=generate with "
                               "model.encoder_blocks=0, and they for plain text");
    if (generates && choice(r, KEN_KEY_OUTPUT_VALUE) != KEN_VALUE_CLASS)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE, "a generator writes text");
    if (output == KEN_EACH && choice(r, KEN_KEY_OUTPUT_VALUE) == KEN_VALUE_SET)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE, "sets of labels are for output.kind=whole");
    if ((ken_settings_format_is(r, "conllu") || ken_settings_format_is(r, "columns")) &&
        (output != KEN_EACH || !words))
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT,
                               "one word a line is for output.kind=each and input.unit=words");
    KEN_TRY(check_made(r));
    KEN_TRY(check_graphs(r));
    if (ken_settings_format_is(r, "parallel") && !generates)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "is for output.kind=generate");
    if (ken_settings_format_is(r, "fasttext") && output != KEN_WHOLE)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "is for output.kind=whole");
    if (ken_settings_vectors(r) && generates && !ken_settings_linked(r))
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "vectors are for output.kind=each or whole");
    if (ken_settings_vectors(r) && !ken_settings_linked(r) &&
        choice(r, KEN_KEY_OUTPUT_VALUE) == KEN_VALUE_SET)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE, "sets of labels are for text");
    if (ken_recipe_yes(r, KEN_KEY_INPUT_LETTERS) && (!words || ken_settings_vectors(r)))
        return ken_recipe_fail(r, KEN_KEY_INPUT_LETTERS, "letters are those of input.unit=words");
    if (ken_recipe_yes(r, KEN_KEY_OUTPUT_SHARED) &&
        (!generates || encoder == 0 ||
         choice(r, KEN_KEY_INPUT_UNIT) != choice(r, KEN_KEY_OUTPUT_UNIT)))
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_SHARED,
                               "needs a generator with an encoder and input.unit=output.unit");
    if (ken_recipe_size(r, KEN_KEY_GENERATE_BEAM) > 1 &&
        ken_recipe_real(r, KEN_KEY_GENERATE_TEMPERATURE) > 0)
        return ken_recipe_fail(r, KEN_KEY_GENERATE_TEMPERATURE,
                               "either beam search or sampling, not both");
    KEN_TRY(check_metric(r, KEN_KEY_TRAIN_METRIC));
    KEN_TRY(check_metric(r, KEN_KEY_TRAIN_CHOOSE));
    return ken_settings_check_model(r);
}

/* A graph with labels for its nodes may be the only example. */
size_t ken_settings_longest(const ken_recipe *r)
{
    bool nodes = ken_settings_linked(r) && choice(r, KEN_KEY_OUTPUT_KIND) == KEN_EACH;
    return nodes ? SIZE_MAX : ken_recipe_size(r, KEN_KEY_DATA_LONGEST);
}

struct ken_layout ken_settings_layout(const ken_recipe *recipe)
{
    static const enum ken_target_kind kinds[] = { [KEN_VALUE_CLASS] = KEN_TARGET_LABEL,
                                                  [KEN_VALUE_NUMBER] = KEN_TARGET_NUMBER,
                                                  [KEN_VALUE_SET] = KEN_TARGET_SET };
    ken_output output = choice(recipe, KEN_KEY_OUTPUT_KIND);
    bool labels = output == KEN_EACH && choice(recipe, KEN_KEY_OUTPUT_VALUE) == KEN_VALUE_CLASS;
    bool text_target = output == KEN_GENERATE || /* labels of a line are split as its words are */
                       (labels && (ken_settings_format_is(recipe, "tsv") ||
                                   ken_settings_format_is(recipe, "csv")));
    const char *split = ken_recipe_value(recipe, KEN_KEY_DATA_SPLIT);
    bool hash = strncmp(split, "hash ", 5) == 0;
    return (struct ken_layout){
        .format = ken_format_named(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT)),
        .target_kind = text_target ? KEN_TARGET_TEXT : kinds[choice(recipe, KEN_KEY_OUTPUT_VALUE)],
        .each = output == KEN_EACH,
        .header = ken_recipe_yes(recipe, KEN_KEY_DATA_HEADER),
        .input = text_or_null(recipe, KEN_KEY_DATA_INPUT),
        .target = text_or_null(recipe, KEN_KEY_DATA_TARGET),
        .sequence = text_or_null(recipe, KEN_KEY_DATA_SEQUENCE),
        .node = text_or_null(recipe, KEN_KEY_DATA_NODE),
        .numbers = ken_settings_unit_is(recipe, "numbers"),
        .indices = ken_settings_unit_is(recipe, "indices"),
        .smiles = ken_settings_unit_is(recipe, "atoms"),
        .directed = ken_recipe_yes(recipe, KEN_KEY_DATA_DIRECTED),
        .split = hash || !split[0] ? NULL : split,
        .hash = hash ? (size_t)strtoul(split + 5, NULL, 10) : 0,
    };
}

ken_training ken_settings_training(const ken_recipe *r, uint64_t steps)
{
    ken_training training = ken_training_default();
    training.schedule = choice(r, KEN_KEY_TRAIN_SCHEDULE);
    training.rate = ken_recipe_real(r, KEN_KEY_TRAIN_RATE);
    training.warm_up = ken_recipe_size(r, KEN_KEY_TRAIN_WARM_UP);
    training.steps = steps;
    training.decay = ken_recipe_size(r, KEN_KEY_TRAIN_DECAY);
    training.floor = ken_recipe_real(r, KEN_KEY_TRAIN_FLOOR);
    training.weight_decay = ken_recipe_real(r, KEN_KEY_TRAIN_WEIGHT_DECAY);
    training.l2 = ken_recipe_real(r, KEN_KEY_TRAIN_L2);
    training.clip = ken_recipe_real(r, KEN_KEY_TRAIN_CLIP);
    training.beta1 = ken_recipe_real(r, KEN_KEY_TRAIN_BETA1);
    training.beta2 = ken_recipe_real(r, KEN_KEY_TRAIN_BETA2);
    training.smoothing = (float)ken_recipe_real(r, KEN_KEY_TRAIN_SMOOTHING);
    training.average = ken_recipe_real(r, KEN_KEY_TRAIN_AVERAGE);
    training.seed = ken_recipe_size(r, KEN_KEY_TRAIN_SEED);
    return training;
}

ken_generation ken_settings_generation(const ken_recipe *r)
{
    ken_generation how = ken_generation_default();
    how.longest = ken_recipe_size(r, KEN_KEY_GENERATE_LONGEST);
    how.beam = ken_recipe_size(r, KEN_KEY_GENERATE_BEAM);
    how.length_penalty = (float)ken_recipe_real(r, KEN_KEY_GENERATE_LENGTH_PENALTY);
    how.temperature = (float)ken_recipe_real(r, KEN_KEY_GENERATE_TEMPERATURE);
    how.top_k = ken_recipe_size(r, KEN_KEY_GENERATE_TOP_K);
    how.top_p = (float)ken_recipe_real(r, KEN_KEY_GENERATE_TOP_P);
    how.no_repeat = ken_recipe_size(r, KEN_KEY_GENERATE_NO_REPEAT);
    how.seed = ken_recipe_size(r, KEN_KEY_GENERATE_SEED);
    return how;
}

/* Sizes that follow from the data. */
static void set_sizes(ken_config *config, const struct ken_task *task)
{
    bool shared = ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED);
    if (task->vectors) config->input_size = task->inputs.width;
    else if (task->atoms) config->input_size = ken_molecule_atom_width();
    else if (task->indices) config->input_size = task->index_count;
    else if (task->reads) config->input_size = ken_tokeniser_size(&task->input);
    if (task->output == KEN_GENERATE)
        config->output_size = ken_tokeniser_size(shared ? &task->input : &task->written);
    else if (task->value == KEN_VALUE_NUMBER) config->output_size = 1;
    else config->output_size = ken_vocabulary_size(&task->labels);
    bool links = choice(task->recipe, KEN_KEY_MODEL_REACH) == KEN_REACH_EDGES ||
                 choice(task->recipe, KEN_KEY_MODEL_POSITION) == KEN_POSITION_DISTANCE;
    if (links) config->edge_size = task->atoms ? ken_molecule_bond_width() : task->link_width;
    if (ken_recipe_yes(task->recipe, KEN_KEY_INPUT_LETTERS))
        config->letters = ken_vocabulary_size(&task->input.letters);
}

ken_config ken_settings_config(const struct ken_task *task)
{
    const ken_recipe *r = task->recipe;
    ken_config c = ken_config_default(task->output);
    bool one_hot = choice(r, KEN_KEY_INPUT_TABLE) == KEN_TABLE_ONE_HOT;
    c.input_kind = task->vectors || task->atoms ? KEN_INPUT_VECTORS
                   : task->indices              ? KEN_INPUT_BAGS
                   : one_hot                    ? KEN_INPUT_ONE_HOT
                                                : KEN_INPUT_IDS;
    c.value = task->value;
    set_sizes(&c, task);
    c.letters_width = ken_recipe_size(r, KEN_KEY_INPUT_LETTERS_WIDTH);
    c.encoder_blocks = ken_recipe_size(r, KEN_KEY_MODEL_ENCODER);
    c.decoder_blocks = task->output == KEN_GENERATE ? ken_recipe_size(r, KEN_KEY_MODEL_DECODER) : 0;
    c.width = ken_recipe_size(r, KEN_KEY_MODEL_WIDTH);
    c.hidden = ken_recipe_size(r, KEN_KEY_MODEL_HIDDEN);
    c.heads = ken_recipe_size(r, KEN_KEY_MODEL_HEADS);
    c.kv_heads = ken_recipe_size(r, KEN_KEY_MODEL_KV_HEADS);
    c.position = choice(r, KEN_KEY_MODEL_POSITION);
    c.longest = ken_recipe_size(r, KEN_KEY_MODEL_LONGEST);
    c.score = choice(r, KEN_KEY_MODEL_SCORE);
    c.weigh = choice(r, KEN_KEY_MODEL_WEIGH);
    c.window_left = ken_recipe_size(r, KEN_KEY_MODEL_LEFT);
    c.window_right = ken_recipe_size(r, KEN_KEY_MODEL_RIGHT);
    c.reach = choice(r, KEN_KEY_MODEL_REACH);
    c.reach_global = ken_recipe_size(r, KEN_KEY_MODEL_REACH_GLOBAL);
    c.reach_block = ken_recipe_size(r, KEN_KEY_MODEL_REACH_BLOCK);
    c.reach_random = ken_recipe_size(r, KEN_KEY_MODEL_REACH_RANDOM);
    c.landmarks = ken_recipe_size(r, KEN_KEY_MODEL_LANDMARKS);
    c.features = ken_recipe_size(r, KEN_KEY_MODEL_FEATURES);
    c.loops = ken_recipe_yes(r, KEN_KEY_MODEL_LOOPS);
    c.last_heads = ken_recipe_size(r, KEN_KEY_MODEL_LAST_HEADS);
    c.mixing = choice(r, KEN_KEY_BLOCKS_KIND);
    c.neighbours = ken_recipe_size(r, KEN_KEY_BLOCKS_NEIGHBOURS);
    c.both_ways = ken_recipe_yes(r, KEN_KEY_BLOCKS_BOTH_WAYS);
    c.activation = choice(r, KEN_KEY_MODEL_ACTIVATION);
    c.gated = ken_recipe_yes(r, KEN_KEY_MODEL_GATED);
    c.rms_norm = (int)choice(r, KEN_KEY_MODEL_NORM);
    c.post_norm = ken_recipe_yes(r, KEN_KEY_MODEL_POST_NORM);
    c.pooling = choice(r, KEN_KEY_MODEL_POOLING);
    c.tied = ken_recipe_yes(r, KEN_KEY_MODEL_TIED);
    c.shared = ken_recipe_yes(r, KEN_KEY_OUTPUT_SHARED);
    c.dropout = (float)ken_recipe_real(r, KEN_KEY_MODEL_DROPOUT);
    c.attention_dropout = (float)ken_recipe_real(r, KEN_KEY_MODEL_ATTENTION_DROPOUT);
    c.hidden_dropout = (float)ken_recipe_real(r, KEN_KEY_MODEL_HIDDEN_DROPOUT);
    c.word_dropout = (float)ken_recipe_real(r, KEN_KEY_MODEL_WORD_DROPOUT);
    c.unknown = KEN_ID_UNKNOWN;
    c.begin = KEN_ID_BEGIN;
    c.end = KEN_ID_END;
    c.seed = ken_recipe_size(r, KEN_KEY_TRAIN_SEED);
    return c;
}
