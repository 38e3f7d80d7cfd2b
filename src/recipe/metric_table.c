/* metric_table.c - the table of metrics that a recipe can name. The functions in measure/metrics.h
 * compute the metrics. */
#include "recipe/metric_table.h"

#define METRICS(USUAL, ABOUT)                                                                      \
    [KEN_METRIC_USUAL] = { USUAL, ABOUT },                                                         \
    [KEN_METRIC_LOSS] = { "loss", "mean loss; lower is better" },                                  \
    [KEN_METRIC_ACCURACY] = { "accuracy", "share of labels that are right" },                      \
    [KEN_METRIC_MACRO_F1] = { "macro_f1", "F1 of each label, averaged over labels" },              \
    [KEN_METRIC_MICRO_F1] = { "micro_f1", "sets: F1 over all labels together" },                   \
    [KEN_METRIC_RMSE] = { "rmse", "numbers: root mean squared error; lower is better" },           \
    [KEN_METRIC_PERPLEXITY] = { "perplexity", "texts: e to the loss; lower is better" },           \
    [KEN_METRIC_BITS_PER_BYTE] = { "bits_per_byte",                                                \
                                   "texts: bits that a byte costs the model; lower is better" },   \
    [KEN_METRIC_BLEU] = { "bleu", "texts: BLEU, 0 to 100" },                                       \
    [KEN_METRIC_CHRF] = { "chrf", "texts: chrF, 0 to 100" },                                       \
    [KEN_METRIC_EXACT] = { "exact", "texts, sets: share that is right as a whole" },               \
    [KEN_METRIC_UNIT_ERRORS] = { "unit_errors",                                                    \
                                 "texts: edits for each unit of the target; lower is better" },    \
    [KEN_METRIC_AUC] = { "auc", "sets: area under the ROC curve, averaged over labels" },

static const struct ken_word metrics[] = { METRICS("auto", "by the kind of output: accuracy, rmse "
                                                           "(numbers), macro_f1 (sets) or loss "
                                                           "(texts)") };
static const struct ken_word choosable[] = { METRICS("metric", "the metric of train.metric") };

const struct ken_words ken_metric_words = KEN_WORDS(metrics);
const struct ken_words ken_choose_words = KEN_WORDS(choosable);

const struct ken_metric_info ken_metric_table[KEN_METRIC_COUNT] = {
    [KEN_METRIC_USUAL] = { KEN_OF_ALL },
    [KEN_METRIC_LOSS] = { KEN_OF_ALL, .falls = true },
    [KEN_METRIC_ACCURACY] = { KEN_OF_CLASSES },
    [KEN_METRIC_MACRO_F1] = { KEN_OF_CLASSES | KEN_OF_SETS },
    [KEN_METRIC_MICRO_F1] = { KEN_OF_SETS },
    [KEN_METRIC_RMSE] = { KEN_OF_NUMBERS, .falls = true },
    [KEN_METRIC_PERPLEXITY] = { KEN_OF_PLAIN | KEN_OF_TEXTS, .falls = true },
    [KEN_METRIC_BITS_PER_BYTE] = { KEN_OF_PLAIN | KEN_OF_TEXTS, .falls = true },
    [KEN_METRIC_BLEU] = { KEN_OF_TEXTS, .texts = true },
    [KEN_METRIC_CHRF] = { KEN_OF_TEXTS, .texts = true },
    [KEN_METRIC_EXACT] = { KEN_OF_TEXTS | KEN_OF_SETS, .texts = true },
    [KEN_METRIC_UNIT_ERRORS] = { KEN_OF_TEXTS, .falls = true, .texts = true },
    [KEN_METRIC_AUC] = { KEN_OF_SETS },
};

const char *ken_metric_word(enum ken_metric metric)
{
    return metrics[metric].word;
}
