/* metrics.h - metrics: how good answers are. Each metric is a small struct of sums that starts as {
 * 0 }, grows answer by answer, and can be evaluated at any time. All metrics are shares or ratios,
 * not percent, except BLEU and chrF, which are 0 to 100 by convention. For classes, sets and
 * numbers, the metric of no answers is NaN. */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include "base/buffer.h"

#include <stdint.h>

/* ---- Classes (metrics_class.c) -------------------------------------------------------------- */

/* Maximum number of labels of a confusion table; a larger table would be too large to read. */
enum { KEN_CONFUSION_MOST = 40 };

typedef struct ken_confusion {
    size_t labels;
    /* Arrays (labels): how often each label was answered and right, was answered, was the right
     * one. */
    uint64_t *right, *said, *there;
    /* Confusion table (labels, labels): the row is the right label, the column the answer. NULL for
     * more than KEN_CONFUSION_MOST labels. */
    uint64_t *counts;
} ken_confusion;

struct ken_precision {
    double precision, recall, f1; /* 0 if the label was never answered or never occurs */
    uint64_t right, said, there;
};

ken_status ken_confusion_init(ken_confusion *confusion, size_t labels);
void ken_confusion_release(ken_confusion *confusion);
/* Adds one answer; `right` and `answer` are below `labels`. */
void ken_confusion_add(ken_confusion *confusion, size_t right, size_t answer);
double ken_confusion_accuracy(const ken_confusion *confusion);
struct ken_precision ken_confusion_label(const ken_confusion *confusion, size_t label);
/* Computes macro F1: the mean F1 of the labels that occur, as the right label or as an answer. */
double ken_confusion_macro(const ken_confusion *confusion);

/* Sets of labels (multi-label classification): each label is present or not. */
typedef struct ken_sets {
    size_t labels;
    /* Arrays (labels): how often each label was answered and present, was answered, was present. */
    uint64_t *right, *said, *there;
    /* Number of sets that are entirely right; number of sets with at least one known label. */
    uint64_t exact, count;
} ken_sets;

ken_status ken_sets_init(ken_sets *sets, size_t labels);
void ken_sets_release(ken_sets *sets);
/* Sets all counts to 0, as after ken_sets_init(). */
void ken_sets_clear(ken_sets *sets);
/* Adds one set. truth (labels) is 0, 1, or NaN for unknown; unknown labels are not counted. A
 * probability of at least `threshold` means that the label is answered as present. */
void ken_sets_add(ken_sets *sets, const float *probability, const float *truth, float threshold);
struct ken_precision ken_sets_label(const ken_sets *sets, size_t label);
double ken_sets_exact(const ken_sets *sets); /* share of sets whose known labels are all right    */
double ken_sets_micro(const ken_sets *sets); /* micro F1: F1 of the counts of all labels together */
/* Computes macro F1: the mean F1 of all labels, where unseen labels count as 0. */
double ken_sets_macro(const ken_sets *sets);

/* ---- Ranking (metrics_auc.c) ----------------------------------------------------------------- */

/* Computes the area under the ROC curve (AUC): the probability that a random positive has a higher
 * score than a random negative; a tie counts half. truth is 1, 0, or NaN for unknown. The result is
 * NaN if there is no positive or no negative. A score that is NaN counts as the lowest. */
ken_status ken_auc(double *auc, const float *score, const float *truth, size_t count,
                   size_t stride);

/* Computes the mean area under the ROC curve over those columns of (count, labels) for which it is
 * defined; NaN if there are none. */
ken_status ken_auc_mean(double *mean, const float *score, const float *truth, size_t count,
                        size_t labels);

/* ---- Numbers (metrics_class.c) --------------------------------------------------------------- */

typedef struct ken_deviation {
    uint64_t count;
    double squares, absolute; /* sums of squared and of absolute errors */
    /* Mean of the true values, and the sum of their squared distances from that mean. */
    double mean, spread;
} ken_deviation;

/* Adds one answer, unless `truth` is NaN (unknown). */
void ken_deviation_add(ken_deviation *deviation, double answer, double truth);
double ken_deviation_rmse(const ken_deviation *deviation);
double ken_deviation_mae(const ken_deviation *deviation);
/* Computes R^2 = 1 - squares / spread. If all true values are equal, `spread` is 0, and the result
 * is 1 if all answers are exact, else 0. */
double ken_deviation_r2(const ken_deviation *deviation);

/* ---- Text (metrics_text.c, bleu.c, chrf.c) --------------------------------------------------- */

/* Computes the Levenshtein distance: the least number of insertions, deletions and replacements
 * that turn a into b. Returns SIZE_MAX if memory is short. */
size_t ken_edit_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count);

/* Counts errors per unit (word, phoneme), and whole answers that are not exact. If there are
 * several right answers, the closest one counts (the first one among equally close ones). */
typedef struct ken_errors {
    uint64_t edits, units;  /* edits / units is the PER, or the WER of sentences           */
    uint64_t wrong, wholes; /* wrong / wholes is the WER of grapheme-to-phoneme conversion */
} ken_errors;

struct ken_units {
    const int32_t *ids;
    size_t count;
};
ken_status ken_errors_add(ken_errors *errors, struct ken_units answer,
                          const struct ken_units *right, size_t rights); /* rights > 0 */

/* BLEU of a whole corpus as sacreBLEU computes it by default: tokenised by its 13a rules, cased or
 * lower-cased, with exponential smoothing and one reference. */
typedef struct ken_bleu {
    bool lower;
    uint64_t match[4], total[4]; /* n-grams of length 1 to 4: matches, and all of the answers */
    uint64_t answer, reference;  /* number of tokens of all answers, of all references        */
} ken_bleu;

ken_status ken_bleu_add(ken_bleu *bleu, const char *answer, const char *reference);
double ken_bleu_score(const ken_bleu *bleu); /* 0 to 100 */

/* Appends the 13a tokens of a line, joined by single spaces; for tests. */
ken_status ken_bleu_tokens(ken_buffer *out, const char *line);

/* chrF2 as sacreBLEU computes it by default: n-grams of 1 to 6 characters without white space,
 * beta 2. */
typedef struct ken_chrf {
    uint64_t match[6], answer[6], reference[6];
} ken_chrf;

ken_status ken_chrf_add(ken_chrf *chrf, const char *answer, const char *reference);
double ken_chrf_score(const ken_chrf *chrf); /* 0 to 100 */

#endif
