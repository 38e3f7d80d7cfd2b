/* keys.h - the keys of a recipe: an enum of all keys, and the table that describes each key. */
#ifndef RECIPE_KEYS_H
#define RECIPE_KEYS_H

#include "base/word.h"

enum ken_key {
    KEN_KEY_DATA_FORMAT,
    KEN_KEY_DATA_TRAIN,
    KEN_KEY_DATA_DEV,
    KEN_KEY_DATA_TEST,
    KEN_KEY_DATA_SOURCE,
    KEN_KEY_DATA_INPUT,
    KEN_KEY_DATA_TARGET,
    KEN_KEY_DATA_SEQUENCE,
    KEN_KEY_DATA_HEADER,
    KEN_KEY_DATA_SEPARATOR,
    KEN_KEY_DATA_DECIMAL,
    KEN_KEY_DATA_WINDOW,
    KEN_KEY_DATA_STRIDE,
    KEN_KEY_DATA_HORIZON,
    KEN_KEY_DATA_LONGEST,
    KEN_KEY_DATA_CONTEXT,
    KEN_KEY_DATA_DISTANCE,
    KEN_KEY_DATA_SPLIT,
    KEN_KEY_DATA_NODE,
    KEN_KEY_DATA_DIRECTED,
    KEN_KEY_DATA_HOMOPHILY,
    KEN_KEY_DATA_NOISE,
    KEN_KEY_INPUT_UNIT,
    KEN_KEY_INPUT_SIZE,
    KEN_KEY_INPUT_LEAST,
    KEN_KEY_INPUT_LOWER,
    KEN_KEY_INPUT_TABLE,
    KEN_KEY_INPUT_LETTERS,
    KEN_KEY_INPUT_LETTERS_WIDTH,
    KEN_KEY_INPUT_STACK,
    KEN_KEY_OUTPUT_KIND,
    KEN_KEY_OUTPUT_VALUE,
    KEN_KEY_OUTPUT_UNIT,
    KEN_KEY_OUTPUT_SIZE,
    KEN_KEY_OUTPUT_LEAST,
    KEN_KEY_OUTPUT_LOWER,
    KEN_KEY_OUTPUT_SHARED,
    KEN_KEY_MODEL_ENCODER,
    KEN_KEY_MODEL_DECODER,
    KEN_KEY_MODEL_WIDTH,
    KEN_KEY_MODEL_HIDDEN,
    KEN_KEY_MODEL_HEADS,
    KEN_KEY_MODEL_KV_HEADS,
    KEN_KEY_MODEL_POSITION,
    KEN_KEY_MODEL_LONGEST,
    KEN_KEY_MODEL_SCORE,
    KEN_KEY_MODEL_WEIGH,
    KEN_KEY_MODEL_REACH,
    KEN_KEY_MODEL_LEFT,
    KEN_KEY_MODEL_RIGHT,
    KEN_KEY_MODEL_REACH_GLOBAL,
    KEN_KEY_MODEL_REACH_BLOCK,
    KEN_KEY_MODEL_REACH_RANDOM,
    KEN_KEY_MODEL_LANDMARKS,
    KEN_KEY_MODEL_FEATURES,
    KEN_KEY_MODEL_LOOPS,
    KEN_KEY_MODEL_LAST_HEADS,
    KEN_KEY_MODEL_ACTIVATION,
    KEN_KEY_MODEL_GATED,
    KEN_KEY_MODEL_NORM,
    KEN_KEY_MODEL_POST_NORM,
    KEN_KEY_MODEL_POOLING,
    KEN_KEY_MODEL_TIED,
    KEN_KEY_MODEL_DROPOUT,
    KEN_KEY_MODEL_ATTENTION_DROPOUT,
    KEN_KEY_MODEL_HIDDEN_DROPOUT,
    KEN_KEY_MODEL_WORD_DROPOUT,
    KEN_KEY_BLOCKS_KIND,
    KEN_KEY_BLOCKS_NEIGHBOURS,
    KEN_KEY_BLOCKS_BOTH_WAYS,
    KEN_KEY_TRAIN_SEED,
    KEN_KEY_TRAIN_EPOCHS,
    KEN_KEY_TRAIN_STEPS,
    KEN_KEY_TRAIN_BATCH,
    KEN_KEY_TRAIN_ACCUMULATE,
    KEN_KEY_TRAIN_RATE,
    KEN_KEY_TRAIN_SCHEDULE,
    KEN_KEY_TRAIN_WARM_UP,
    KEN_KEY_TRAIN_DECAY,
    KEN_KEY_TRAIN_FLOOR,
    KEN_KEY_TRAIN_WEIGHT_DECAY,
    KEN_KEY_TRAIN_L2,
    KEN_KEY_TRAIN_CLIP,
    KEN_KEY_TRAIN_BETA1,
    KEN_KEY_TRAIN_BETA2,
    KEN_KEY_TRAIN_SMOOTHING,
    KEN_KEY_TRAIN_AVERAGE,
    KEN_KEY_TRAIN_EVALUATE,
    KEN_KEY_TRAIN_CHECKPOINT,
    KEN_KEY_TRAIN_PATIENCE,
    KEN_KEY_TRAIN_METRIC,
    KEN_KEY_TRAIN_CHOOSE,
    KEN_KEY_TRAIN_FROM,
    KEN_KEY_GENERATE_BEAM,
    KEN_KEY_GENERATE_LENGTH_PENALTY,
    KEN_KEY_GENERATE_LONGEST,
    KEN_KEY_GENERATE_TEMPERATURE,
    KEN_KEY_GENERATE_TOP_K,
    KEN_KEY_GENERATE_TOP_P,
    KEN_KEY_GENERATE_NO_REPEAT,
    KEN_KEY_GENERATE_SEED,
    KEN_KEY_RUN_LONGEST,
    KEN_KEY_COUNT
};

/* Values of the keys data.separator and data.decimal. */
enum ken_separator {
    KEN_SEPARATOR_AUTO,
    KEN_SEPARATOR_COMMA,
    KEN_SEPARATOR_SEMICOLON,
    KEN_SEPARATOR_TAB
};
enum ken_decimal { KEN_DECIMAL_AUTO, KEN_DECIMAL_POINT, KEN_DECIMAL_COMMA };

/* The values of the recipe key input.table. */
enum ken_table { KEN_TABLE_EMBEDDING, KEN_TABLE_ONE_HOT };

enum ken_key_type {
    KEN_TYPE_TEXT,   /* any text; may be empty               */
    KEN_TYPE_CHOICE, /* one of the words that the key allows */
    KEN_TYPE_YES_NO,
    KEN_TYPE_SIZE,  /* a whole number from `least` to `most`           */
    KEN_TYPE_REACH, /* a whole number from `least` to `most`, or "all" */
    /* Any text. If the text begins with "hash ", a whole number from `least` to `most` follows. */
    KEN_TYPE_SPLIT,
    KEN_TYPE_REAL
};

struct ken_key_info {
    /* "section.name" is the full key; `value` is its default value */
    const char *section, *name, *value;
    enum ken_key_type type;
    double least, most;            /* smallest and largest number that is allowed              */
    const struct ken_words *words; /* allowed words of a KEN_TYPE_CHOICE; NULL for other types */
    const char *about;
};
extern const struct ken_key_info ken_key_table[KEN_KEY_COUNT];

#endif
