/* metric_table.h - the metrics that a recipe can name (train.metric, train.choose). The table has
 * one row for each metric: its name, which kinds of output it measures, whether lower is better,
 * and whether it needs generated texts. */
#ifndef RECIPE_METRIC_TABLE_H
#define RECIPE_METRIC_TABLE_H

#include "base/word.h"

#include <stdbool.h>

enum ken_metric {
    /* No metric is named. In train.metric the word is "auto": the usual metric of the output kind.
     * In train.choose the word is "metric": the metric that train.metric names. */
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

/* The kinds of output that a metric can measure, as bits. */
enum {
    KEN_OF_CLASSES = 1,
    KEN_OF_NUMBERS = 2,
    KEN_OF_SETS = 4,
    KEN_OF_PLAIN = 8,  /* text of a language model    */
    KEN_OF_TEXTS = 16, /* text of any other generator */
    KEN_OF_ALL = 31
};

struct ken_metric_info {
    unsigned outputs; /* kinds of output that the metric measures: bits KEN_OF_*   */
    bool falls;       /* whether a lower value of the metric is better             */
    bool texts;       /* whether the metric needs generated texts, which take time */
};
extern const struct ken_metric_info ken_metric_table[KEN_METRIC_COUNT];

/* The allowed words of train.metric and of train.choose, indexed by enum ken_metric. The two lists
 * differ only in their first word. */
extern const struct ken_words ken_metric_words, ken_choose_words;
const char *ken_metric_word(enum ken_metric metric);

#endif
