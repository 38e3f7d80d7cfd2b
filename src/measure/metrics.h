/* metrics.h - metrics, which say how good answers are. Each metric is a small struct of sums that
 * starts as { 0 }, grows answer by answer, and can be evaluated at any time. All metrics are shares
 * or ratios, not percent, except BLEU and chrF, which are 0 to 100 by convention. For classes, sets
 * and numbers, a metric without any answer is NaN. */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include "base/buffer.h"

#include <stdint.h>

/* ---- Classes (metrics_class.c) -------------------------------------------------------------- */

/* Maximum number of labels for which a confusion table is kept; nobody could read a larger
 * table. */
enum { KEN_CONFUSION_MOST = 40 };

typedef struct ken_confusion {
    size_t labels;
    /* For each label: `right` counts correct answers with this label, `said` counts answers with
     * this label, `there` counts examples whose target is this label. */
    uint64_t *right, *said, *there;
    /* Confusion table: counts[target * labels + answer]. NULL if there are more than
     * KEN_CONFUSION_MOST labels. */
    uint64_t *counts;
} ken_confusion;

struct ken_precision {
    /* Precision, recall and F1 of one label. A number is 0 if it is undefined, because the label
     * was never predicted or is never the target. */
    double precision, recall, f1;
    uint64_t right, said, there;
};

ken_status ken_confusion_init(ken_confusion *confusion, size_t labels);
void ken_confusion_release(ken_confusion *confusion);
/* Adds one answer to a confusion table: `right` is the target and `answer` the model's label, both
 * below the number of labels. */
void ken_confusion_add(ken_confusion *confusion, size_t right, size_t answer);
double ken_confusion_accuracy(const ken_confusion *confusion);
struct ken_precision ken_confusion_label(const ken_confusion *confusion, size_t label);
/* Computes macro F1: the mean F1 of all labels that occur as a target or as an answer. */
double ken_confusion_macro(const ken_confusion *confusion);

/* Counts for sets of labels (multi-label classification), in which each label is present or not. */
typedef struct ken_sets {
    size_t labels;
    /* For each label: `right` counts how often it was answered and present, `said` how often it was
     * answered, `there` how often it was present. */
    uint64_t *right, *said, *there;
    /* Number of sets that were answered entirely right; number of sets with at least one known
     * label. */
    uint64_t exact, count;
} ken_sets;

ken_status ken_sets_init(ken_sets *sets, size_t labels);
void ken_sets_release(ken_sets *sets);
/* Sets all counts to 0, as after ken_sets_init(). */
void ken_sets_clear(ken_sets *sets);
/* Adds one set. probability[i] and truth[i] belong to label i; truth is 0, 1, or NaN for unknown,
 * and unknown labels are not counted. A label with a probability of at least `threshold` is
 * answered as present. */
void ken_sets_add(ken_sets *sets, const float *probability, const float *truth, float threshold);
struct ken_precision ken_sets_label(const ken_sets *sets, size_t label);
/* ken_sets_exact() returns the share of sets whose known labels are all answered right. */
double ken_sets_exact(const ken_sets *sets);
/* ken_sets_micro() returns micro F1: the F1 of the counts summed over all labels. */
double ken_sets_micro(const ken_sets *sets);
/* Computes macro F1: the mean F1 of all labels. Labels that never occur count as 0. */
double ken_sets_macro(const ken_sets *sets);

/* ---- Ranking (metrics_auc.c) ----------------------------------------------------------------- */

/* Computes the area under the ROC curve (AUC): the probability that a random positive example has a
 * higher score than a random negative one, where a tie counts half. truth[i] is 1, 0, or NaN for
 * unknown. *auc is NaN if there is no positive or no negative example. A score that is NaN counts
 * as the lowest. */
ken_status ken_auc(double *auc, const float *score, const float *truth, size_t count,
                   size_t stride);

/* Computes the mean AUC of all labels. `score` and `truth` have one row per example and one column
 * per label. Labels without a positive or without a negative example are left out; *mean is NaN if
 * no label is left. */
ken_status ken_auc_mean(double *mean, const float *score, const float *truth, size_t count,
                        size_t labels);

/* ---- Numbers (metrics_class.c) --------------------------------------------------------------- */

typedef struct ken_deviation {
    uint64_t count;
    double squares, absolute; /* sum of squared errors; sum of absolute errors */
    /* Mean of the true values; sum of their squared distances from the mean. */
    double mean, spread;
} ken_deviation;

/* Adds one answer; does nothing if `truth` is NaN (unknown). */
void ken_deviation_add(ken_deviation *deviation, double answer, double truth);
double ken_deviation_rmse(const ken_deviation *deviation);
double ken_deviation_mae(const ken_deviation *deviation);
/* Computes the coefficient of determination, R^2 = 1 - squares / spread. If all true values are
 * equal (`spread` is 0), the result is 1 if all answers are exact, else 0. */
double ken_deviation_r2(const ken_deviation *deviation);

/* ---- Text (metrics_text.c, bleu.c, chrf.c) --------------------------------------------------- */

/* Computes the Levenshtein distance: the least number of insertions, deletions and replacements
 * that turn a into b. Returns SIZE_MAX if memory is short. */
size_t ken_edit_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count);

/* Counts errors per unit (word or phoneme), and answers that are not exactly right. If an example
 * has several targets, the target closest to the answer counts. */
typedef struct ken_errors {
    /* edits / units is the phoneme error rate or, if units are words, the word error rate. */
    uint64_t edits, units;
    uint64_t wrong, wholes; /* wrong / wholes is the share of answers that are not exactly right */
} ken_errors;

struct ken_units {
    const int32_t *ids;
    size_t count;
};
ken_status ken_errors_add(ken_errors *errors, struct ken_units answer,
                          const struct ken_units *right, size_t rights); /* requires rights > 0 */

/* BLEU of a whole corpus as sacreBLEU computes it by default: tokenised by its 13a rules, cased or
 * lower-cased, with exponential smoothing and one reference. */
typedef struct ken_bleu {
    bool lower;
    /* For n-grams of n + 1 tokens: total[n] is the number of n-grams in the answers, match[n] is
     * the number of those that match the reference. */
    uint64_t match[4], total[4];
    uint64_t answer, reference; /* number of tokens in all answers, and in all references */
} ken_bleu;

ken_status ken_bleu_add(ken_bleu *bleu, const char *answer, const char *reference);
double ken_bleu_score(const ken_bleu *bleu); /* returns the score, 0 to 100 */

/* Appends the 13a tokens of a line to `out`, separated by single spaces. Public only for tests. */
ken_status ken_bleu_tokens(ken_buffer *out, const char *line);

/* chrF2 as sacreBLEU computes it by default: n-grams of 1 to 6 characters, white space left out,
 * beta = 2. */
typedef struct ken_chrf {
    uint64_t match[6], answer[6], reference[6];
} ken_chrf;

ken_status ken_chrf_add(ken_chrf *chrf, const char *answer, const char *reference);
double ken_chrf_score(const ken_chrf *chrf); /* returns the score, 0 to 100 */

#endif
