/* settings.c - translates the keys of a recipe into the structs of the other folders: layout of the
 * data, shape of the model, training, generation. */
#include "base/text.h"
#include "format/separator.h"
#include "made/made.h"
#include "recipe/metric_table.h"
#include "task/settings.h"

#include <stddef.h>
#include <stdio.h>
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

const struct ken_format_info *ken_settings_format(const ken_recipe *recipe)
{
    return ken_format_of(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT));
}

const struct ken_input_kind *ken_settings_input(const ken_recipe *recipe)
{
    return ken_input_of(ken_settings_format(recipe), ken_recipe_value(recipe, KEN_KEY_INPUT_UNIT));
}

bool ken_settings_linked(const ken_recipe *recipe)
{
    const struct ken_input_kind *kind = ken_settings_input(recipe);
    return ken_settings_format(recipe)->linked || (kind && kind->linked);
}

/* Returns the recipe's kind of output as a flag of the table of metrics. */
static unsigned measured(const ken_recipe *r)
{
    static const unsigned by_value[] = { [KEN_VALUE_CLASS] = KEN_OF_CLASSES,
                                         [KEN_VALUE_NUMBER] = KEN_OF_NUMBERS,
                                         [KEN_VALUE_SET] = KEN_OF_SETS };
    if (choice(r, KEN_KEY_OUTPUT_KIND) != KEN_GENERATE)
        return by_value[choice(r, KEN_KEY_OUTPUT_VALUE)];
    return ken_settings_format(r)->carries == KEN_CARRIES_NOTHING ? KEN_OF_PLAIN : KEN_OF_TEXTS;
}

/* Checks that the metric that `key` names exists for the recipe's output. Without this check a
 * wrong metric would be noticed only at the first evaluation. */
static ken_status check_metric(const ken_recipe *r, enum ken_key key)
{
    unsigned output = measured(r);
    if (ken_metric_table[choice(r, key)].outputs & output) return KEN_OK;
    struct ken_word list[KEN_METRIC_COUNT];
    struct ken_words possible = { list, 0 };
    char words[KEN_WORDS_SIZE];
    for (enum ken_metric m = KEN_METRIC_LOSS; m < KEN_METRIC_COUNT; m++)
        if (ken_metric_table[m].outputs & output) list[possible.count++] = ken_metric_words.list[m];
    return ken_recipe_fail(r, key, "the metrics of this kind of output are %s",
                           ken_words_print(words, sizeof words, &possible));
}

/* Returns whether the recipe cuts sequences into windows. */
static bool windows(const ken_recipe *recipe)
{
    return ken_recipe_size(recipe, KEN_KEY_DATA_WINDOW) > 0;
}

/* Checks that the data format supports the kind of output and the kind of target that the output
 * needs. */
static ken_status check_format(const ken_recipe *r)
{
    const struct ken_format_info *format = ken_settings_format(r);
    size_t encoder = ken_recipe_size(r, KEN_KEY_MODEL_ENCODER);
    bool generates = choice(r, KEN_KEY_OUTPUT_KIND) == KEN_GENERATE;
    enum ken_target_kind target = ken_settings_layout(r).target_kind;
    if (ken_word_index(format->outputs, ken_recipe_value(r, KEN_KEY_OUTPUT_KIND)) == SIZE_MAX)
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT, "this format is for output.kind=%s",
                               format->outputs);
    if ((format->carries == KEN_CARRIES_NOTHING) != (generates && encoder == 0))
        return ken_recipe_fail(r, KEN_KEY_DATA_FORMAT,
                               "data.format=plain requires a language model (output.kind=generate "
                               "with model.encoder_blocks=0), and vice versa");
    if (!(format->targets & 1u << target))
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE, "data.format=%s has no %s", format->name,
                               ken_target_words(target));
    const char *split = ken_recipe_value(r, KEN_KEY_DATA_SPLIT);
    if (windows(r) ? split[0] && strcmp(split, "percent") != 0 : split[0] && !format->splits)
        return ken_recipe_fail(r, KEN_KEY_DATA_SPLIT,
                               "is for data.format=tsv, csv or nodes; with data.window only "
                               "percent is possible");
    return KEN_OK;
}

static ken_status check_window(const ken_recipe *r)
{
    const struct ken_format_info *format = ken_settings_format(r);
    bool rows = format->carries == KEN_CARRIES_NUMBERS && !ken_maker_named(format->name);
    if (!windows(r)) return KEN_OK;
    if (!rows) return ken_recipe_fail(r, KEN_KEY_DATA_WINDOW, "is for data.format=vectors or npy");
    if (choice(r, KEN_KEY_OUTPUT_KIND) != KEN_WHOLE)
        return ken_recipe_fail(r, KEN_KEY_DATA_WINDOW, "is for output.kind=whole");
    return KEN_OK;
}

static ken_status check_unit(const ken_recipe *r)
{
    const struct ken_format_info *format = ken_settings_format(r);
    ken_buffer units = { 0 };
    ken_input_units(&units, format);
    ken_status status = ken_buffer_status(&units);
    if (!status)
        status = ken_recipe_fail(r, KEN_KEY_INPUT_UNIT, "data.format=%s takes %s", format->name,
                                 ken_buffer_string(&units));
    ken_buffer_release(&units);
    return status;
}

/* Checks that the input fits the format, the output and the model. */
static ken_status check_input(const ken_recipe *r)
{
    const struct ken_input_kind *kind = ken_settings_input(r);
    bool words = choice(r, KEN_KEY_INPUT_UNIT) == KEN_UNIT_WORDS, linked = ken_settings_linked(r);
    if (!kind && ken_settings_format(r)->carries != KEN_CARRIES_NOTHING) return check_unit(r);
    if (kind && ken_word_index(kind->outputs, ken_recipe_value(r, KEN_KEY_OUTPUT_KIND)) == SIZE_MAX)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_KIND, "input.unit=%s is for output.kind=%s",
                               ken_recipe_value(r, KEN_KEY_INPUT_UNIT), kind->outputs);
    if (ken_recipe_yes(r, KEN_KEY_INPUT_LETTERS) && !(kind && kind->tokenises && words))
        return ken_recipe_fail(r, KEN_KEY_INPUT_LETTERS, "letters need input.unit=words");
    if (ken_recipe_yes(r, KEN_KEY_OUTPUT_SHARED) &&
        (choice(r, KEN_KEY_OUTPUT_KIND) != KEN_GENERATE || !(kind && kind->tokenises) ||
         choice(r, KEN_KEY_INPUT_UNIT) != choice(r, KEN_KEY_OUTPUT_UNIT)))
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_SHARED,
                               "needs a generator with an encoder and input.unit=output.unit");
    if (choice(r, KEN_KEY_MODEL_REACH) == KEN_REACH_EDGES && !linked)
        return ken_recipe_fail(r, KEN_KEY_MODEL_REACH,
                               "edges need links: data.format=nodes, graphs, social or beads, or "
                               "input.unit=atoms");
    if (choice(r, KEN_KEY_MODEL_POSITION) == KEN_POSITION_DISTANCE && !linked)
        return ken_recipe_fail(r, KEN_KEY_MODEL_POSITION,
                               "distances need links between nodes of a graph");
    return KEN_OK;
}

ken_status ken_settings_check(const ken_recipe *r)
{
    ken_output output = choice(r, KEN_KEY_OUTPUT_KIND);
    if (ken_recipe_value(r, KEN_KEY_DATA_TRAIN)[0] == '\0')
        return ken_recipe_fail(r, KEN_KEY_DATA_TRAIN, "no training data given");
    if (output != KEN_GENERATE && ken_recipe_size(r, KEN_KEY_MODEL_ENCODER) == 0)
        return ken_recipe_fail(r, KEN_KEY_MODEL_ENCODER, "labels need at least one encoder block");
    if (output == KEN_GENERATE && choice(r, KEN_KEY_OUTPUT_VALUE) != KEN_VALUE_CLASS)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE,
                               "output.kind=generate writes text, which is output.value=class");
    if (output == KEN_EACH && choice(r, KEN_KEY_OUTPUT_VALUE) == KEN_VALUE_SET)
        return ken_recipe_fail(r, KEN_KEY_OUTPUT_VALUE, "sets of labels are for output.kind=whole");
    KEN_TRY(check_format(r));
    KEN_TRY(check_window(r));
    KEN_TRY(check_input(r));
    if (ken_recipe_size(r, KEN_KEY_GENERATE_BEAM) > 1 &&
        ken_recipe_real(r, KEN_KEY_GENERATE_TEMPERATURE) > 0)
        return ken_recipe_fail(r, KEN_KEY_GENERATE_TEMPERATURE,
                               "either beam search or sampling, not both");
    KEN_TRY(check_metric(r, KEN_KEY_TRAIN_METRIC));
    KEN_TRY(check_metric(r, KEN_KEY_TRAIN_CHOOSE));
    return ken_settings_check_model(r);
}

/* Returns whether examples are graphs with a target for each node. The length of such a graph is
 * not limited, because it may be the only example. */
static bool targets_nodes(const ken_recipe *r)
{
    return ken_settings_linked(r) && choice(r, KEN_KEY_OUTPUT_KIND) == KEN_EACH;
}

size_t ken_settings_longest(const ken_recipe *r)
{
    return targets_nodes(r) ? SIZE_MAX : ken_recipe_size(r, KEN_KEY_DATA_LONGEST);
}

size_t ken_settings_run_longest(const ken_recipe *r)
{
    size_t longest = ken_recipe_size(r, KEN_KEY_RUN_LONGEST);
    return targets_nodes(r) || longest == 0 ? SIZE_MAX : longest;
}

struct ken_layout ken_settings_layout(const ken_recipe *recipe)
{
    static const enum ken_target_kind kinds[] = { [KEN_VALUE_CLASS] = KEN_TARGET_LABEL,
                                                  [KEN_VALUE_NUMBER] = KEN_TARGET_NUMBER,
                                                  [KEN_VALUE_SET] = KEN_TARGET_SET };
    static const char separators[] = { [KEN_SEPARATOR_AUTO] = 0,
                                       [KEN_SEPARATOR_COMMA] = ',',
                                       [KEN_SEPARATOR_SEMICOLON] = ';',
                                       [KEN_SEPARATOR_TAB] = '\t' };
    static const char
        marks[] = { [KEN_DECIMAL_AUTO] = 0, [KEN_DECIMAL_POINT] = '.', [KEN_DECIMAL_COMMA] = ',' };
    ken_output output = choice(recipe, KEN_KEY_OUTPUT_KIND);
    bool labels = output == KEN_EACH && choice(recipe, KEN_KEY_OUTPUT_VALUE) == KEN_VALUE_CLASS;
    /* The labels of a line of text are separated by spaces, like its words. */
    bool text_target = output == KEN_GENERATE ||
                       (labels && ken_settings_format(recipe)->carries == KEN_CARRIES_TEXT);
    const char *split = ken_recipe_value(recipe, KEN_KEY_DATA_SPLIT);
    bool hash = strncmp(split, "hash ", 5) == 0;
    struct ken_layout layout = {
        .format = ken_format_named(ken_recipe_value(recipe, KEN_KEY_DATA_FORMAT)),
        .target_kind = text_target ? KEN_TARGET_TEXT : kinds[choice(recipe, KEN_KEY_OUTPUT_VALUE)],
        .each = output == KEN_EACH,
        .header = ken_recipe_yes(recipe, KEN_KEY_DATA_HEADER),
        .input = text_or_null(recipe, KEN_KEY_DATA_INPUT),
        .target = text_or_null(recipe, KEN_KEY_DATA_TARGET),
        .sequence = text_or_null(recipe, KEN_KEY_DATA_SEQUENCE),
        .node = text_or_null(recipe, KEN_KEY_DATA_NODE),
        .directed = ken_recipe_yes(recipe, KEN_KEY_DATA_DIRECTED),
        .separator = separators[choice(recipe, KEN_KEY_DATA_SEPARATOR)],
        .decimal = marks[choice(recipe, KEN_KEY_DATA_DECIMAL)],
        .window = ken_recipe_size(recipe, KEN_KEY_DATA_WINDOW),
        .stride = ken_recipe_size(recipe, KEN_KEY_DATA_STRIDE),
        .horizon = ken_recipe_size(recipe, KEN_KEY_DATA_HORIZON),
        .split = hash || !split[0] ? NULL : split,
        .hash = hash ? (size_t)strtoul(split + 5, NULL, 10) : 0,
    };
    const struct ken_input_kind *kind = ken_settings_input(recipe);
    if (kind && kind->lay_out) kind->lay_out(&(struct ken_input_side){ .kind = kind }, &layout);
    return layout;
}

/* Sets a key whose value is "auto" to the value `found`. */
static ken_status settle(ken_recipe *recipe, enum ken_key key, const char *found)
{
    char assignment[64];
    if (ken_recipe_given(recipe, key)) return KEN_OK;
    snprintf(assignment, sizeof assignment, "data.%s=%s", ken_key_table[key].name, found);
    return ken_recipe_set(recipe, assignment);
}

ken_status ken_settings_reading(ken_recipe *recipe, char separator, char decimal)
{
    const char *separators = ken_settings_format(recipe)->separators;
    if (!separator && separators) separator = separators[0];
    if (separator && separators)
        KEN_TRY(settle(recipe, KEN_KEY_DATA_SEPARATOR, ken_separator_word(separator)));
    if (decimal) KEN_TRY(settle(recipe, KEN_KEY_DATA_DECIMAL, decimal == ',' ? "comma" : "point"));
    return KEN_OK;
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

ken_config ken_settings_config(const ken_recipe *r, const struct ken_input_side *input,
                               size_t outputs)
{
    ken_config c = ken_config_default(choice(r, KEN_KEY_OUTPUT_KIND));
    bool links = choice(r, KEN_KEY_MODEL_REACH) == KEN_REACH_EDGES ||
                 choice(r, KEN_KEY_MODEL_POSITION) == KEN_POSITION_DISTANCE;
    c.value = choice(r, KEN_KEY_OUTPUT_VALUE);
    c.output_size = outputs;
    if (input->kind) input->kind->shape(input, &c, links);
    c.letters_width = ken_recipe_size(r, KEN_KEY_INPUT_LETTERS_WIDTH);
    c.input_stack = ken_recipe_size(r, KEN_KEY_INPUT_STACK);
    c.encoder_blocks = ken_recipe_size(r, KEN_KEY_MODEL_ENCODER);
    c.decoder_blocks = c.output == KEN_GENERATE ? ken_recipe_size(r, KEN_KEY_MODEL_DECODER) : 0;
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
