/* metrics.h - metrics: how good answers are. Each metric is a small struct of sums that starts as
 * { 0 }, grows answer by answer, and can be evaluated at any time. All figures are shares or
 * ratios, not percent, except BLEU and chrF, which are 0 to 100 by convention. For classes, sets
 * and numbers, a figure over no answers is NaN. */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include "base/buffer.h"

#include <stdint.h>

/* ---- Classes (metrics_class.c) -------------------------------------------------------------- */

enum { KEN_CONFUSION_MOST = 40 }; /* maximum labels of a table: more are too many to read */

typedef struct ken_confusion {
    size_t labels;
    uint64_t *right, *said, *there; /* (labels) each: true positives, answers, occurrences   */
    uint64_t *counts;               /* (labels, labels): row the right label, column the      *
                                     * answer; NULL for more than KEN_CONFUSION_MOST labels   */
} ken_confusion;

struct ken_precision {
    double precision, recall, f1; /* 0 if the label was never answered or never occurs        */
    uint64_t right, said, there;
};

ken_status ken_confusion_init(ken_confusion *confusion, size_t labels);
void ken_confusion_release(ken_confusion *confusion);
void ken_confusion_add(ken_confusion *confusion, size_t right, size_t answer); /* both < labels */
double ken_confusion_accuracy(const ken_confusion *confusion);
struct ken_precision ken_confusion_label(const ken_confusion *confusion, size_t label);
/* The mean F1 of the labels that occur, as the right label or as an answer. */
double ken_confusion_macro(const ken_confusion *confusion);

/* Sets of labels (multi-label classification): each label is present or not. */
typedef struct ken_sets {
    size_t labels;
    uint64_t *right, *said, *there; /* (labels) each                                          */
    uint64_t exact, count;          /* sets that are right; sets with a known label           */
} ken_sets;

ken_status ken_sets_init(ken_sets *sets, size_t labels);
void ken_sets_release(ken_sets *sets);
void ken_sets_clear(ken_sets *sets); /* as after init */
/* truth (labels) is 0, 1, or NaN for unknown, which is not counted. A probability of at least
 * `threshold` answers yes. */
void ken_sets_add(ken_sets *sets, const float *probability, const float *truth, float threshold);
struct ken_precision ken_sets_label(const ken_sets *sets, size_t label);
double ken_sets_exact(const ken_sets *sets); /* share of sets whose known labels are all right    */
double ken_sets_micro(const ken_sets *sets); /* F1 of the counts of all labels together           */
double ken_sets_macro(const ken_sets *sets); /* mean F1 of all labels; unseen ones count as 0    */

/* ---- Ranking (metrics_auc.c) ----------------------------------------------------------------- */

/* The area under the ROC curve: the probability that a random positive has a higher score than a
 * random negative; a tie counts half. truth is 1, 0, or NaN for unknown. The result is NaN if there
 * is no positive or no negative. A score that is NaN counts as the lowest. */
ken_status ken_auc(double *auc, const float *score, const float *truth, size_t count,
                   size_t stride);

/* The mean over the columns of (count, labels) for which the area is defined; NaN if there is
 * none. */
ken_status ken_auc_mean(double *mean, const float *score, const float *truth, size_t count,
                        size_t labels);

/* ---- Numbers (metrics_class.c) --------------------------------------------------------------- */

typedef struct ken_deviation {
    uint64_t count;
    double squares, absolute; /* sums of squared and of absolute errors                       */
    double mean, spread;      /* of the truth: its mean, and the sum of squares around it      */
} ken_deviation;

void ken_deviation_add(ken_deviation *deviation, double answer, double truth); /* skips truth NaN */
double ken_deviation_rmse(const ken_deviation *deviation);
double ken_deviation_mae(const ken_deviation *deviation);
/* R^2 = 1 - squares / spread. If the truth is constant, its spread is 0, and the result is 1 if all
 * answers are exact, else 0. */
double ken_deviation_r2(const ken_deviation *deviation);

/* ---- Text (metrics_text.c, bleu.c, chrf.c) --------------------------------------------------- */

/* The least number of insertions, deletions and replacements that turn a into b (Levenshtein
 * distance). SIZE_MAX if memory is short. */
size_t ken_edit_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count);

/* Errors per unit (word, phoneme), and the share of whole answers that are not exact. If there are
 * several right answers, the closest one counts (the first of equally close ones). */
typedef struct ken_errors {
    uint64_t edits, units;  /* PER, or WER of sentences: edits / units             */
    uint64_t wrong, wholes; /* WER of grapheme-to-phoneme conversion: wrong / wholes */
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
    uint64_t match[4], total[4]; /* n-grams of length 1 to 4   */
    uint64_t answer, reference;  /* tokens                     */
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
