/* metric_table.h - the metrics that a recipe can name (train.metric, train.choose). There is one
 * row for each: its word, which outputs it measures, whether lower is better, and whether texts
 * must be generated for it. */
#ifndef RECIPE_METRIC_TABLE_H
#define RECIPE_METRIC_TABLE_H

#include "base/word.h"

#include <stdbool.h>

enum ken_metric {
    /* "auto" of train.metric and "metric" of train.choose: another setting decides. */
    KEN_METRIC_USUAL,
    KEN_METRIC_LOSS,
    KEN_METRIC_ACCURACY,
    KEN_METRIC_MACRO_F1,
    KEN_METRIC_MICRO_F1,
    KEN_METRIC_RMSE,
    KEN_METRIC_PERPLEXITY,
    KEN_METRIC_BITS_PER_BYTE,
    KEN_METRIC_BLEU,
    KEN_METRIC_CHRF,
    KEN_METRIC_EXACT,
    KEN_METRIC_UNIT_ERRORS,
    KEN_METRIC_AUC,
    KEN_METRIC_COUNT
};

/* The kinds of output, as bits. */
enum {
    KEN_OF_CLASSES = 1,
    KEN_OF_NUMBERS = 2,
    KEN_OF_SETS = 4,
    KEN_OF_PLAIN = 8,  /* a language model    */
    KEN_OF_TEXTS = 16, /* any other generator */
    KEN_OF_ALL = 31
};

struct ken_metric_info {
    unsigned outputs; /* kinds of output that it measures          */
    bool falls;       /* lower is better                           */
    bool texts;       /* needs generated texts, which take a while */
};
extern const struct ken_metric_info ken_metric_table[KEN_METRIC_COUNT];

/* Indexed by enum ken_metric; the two lists differ in their first word only. */
extern const struct ken_words ken_metric_words, ken_choose_words;
const char *ken_metric_word(enum ken_metric metric);

#endif
