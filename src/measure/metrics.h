/* metrics.h - how good answers are. Each metric is a small sum that grows answer by answer, starts
 * as { 0 }, and can be asked at any time. All figures are shares or ratios, not percent, except
 * BLEU and chrF, which are by custom 0 to 100. Of classes, sets and numbers a figure over nothing
 * is NaN. Not here: making answers, printing. */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include "base/buffer.h"

#include <stdint.h>

/* ---- Classes (metrics_class.c) -------------------------------------------------------------- */

enum { KEN_CONFUSION_MOST = 40 }; /* labels of a table that somebody reads */

typedef struct ken_confusion {
    size_t labels;
    uint64_t *right, *said, *there; /* (labels) each                                         */
    uint64_t *counts;               /* (labels, labels): row the right one, column the answer; *
                                     * NULL of more than KEN_CONFUSION_MOST                   */
} ken_confusion;

struct ken_precision {
    double precision, recall, f1; /* 0 where nothing was said or nothing is there (as usual)  */
    uint64_t right, said, there;
};

ken_status ken_confusion_init(ken_confusion *confusion, size_t labels);
void ken_confusion_release(ken_confusion *confusion);
void ken_confusion_add(ken_confusion *confusion, size_t right, size_t answer); /* both < labels */
double ken_confusion_accuracy(const ken_confusion *confusion);
struct ken_precision ken_confusion_label(const ken_confusion *confusion, size_t label);
/* Mean F1 of the labels that occur, be it as the right one or as an answer. */
double ken_confusion_macro(const ken_confusion *confusion);

/* Sets of labels, each present or not: counts a label. */
typedef struct ken_sets {
    size_t labels;
    uint64_t *right, *said, *there; /* (labels) each                                          */
    uint64_t exact, count;          /* whole sets, of which something is known                */
} ken_sets;

ken_status ken_sets_init(ken_sets *sets, size_t labels);
void ken_sets_release(ken_sets *sets);
void ken_sets_clear(ken_sets *sets); /* as after init */
/* truth (labels): 0, 1, or NaN for unknown, which counts nowhere; probability >= threshold says
 * yes. */
void ken_sets_add(ken_sets *sets, const float *probability, const float *truth, float threshold);
struct ken_precision ken_sets_label(const ken_sets *sets, size_t label);
double ken_sets_exact(const ken_sets *sets); /* share of sets that are right in all that is known */
double ken_sets_micro(const ken_sets *sets); /* F1 of all labels' counts together                 */
double ken_sets_macro(const ken_sets *sets); /* mean F1 of all labels, 0 for those never there    */

/* ---- Ranking (metrics_auc.c) ----------------------------------------------------------------- */

/* Area under the ROC curve: how likely a random yes stands above a random no, a tie counting half.
 * truth: 1, 0, or NaN for unknown. NaN without a yes or without a no. A score that is NaN is the
 * lowest. */
ken_status ken_auc(double *auc, const float *score, const float *truth, size_t count,
                   size_t stride);

/* Mean over `labels` columns of (count, labels) that have one; NaN when none has. */
ken_status ken_auc_mean(double *mean, const float *score, const float *truth, size_t count,
                        size_t labels);

/* ---- Numbers (metrics_class.c) --------------------------------------------------------------- */

typedef struct ken_deviation {
    uint64_t count;
    double squares, absolute; /* sums over the errors                                         */
    double mean, spread;      /* of the truth: its mean, and the sum of squares around that    */
} ken_deviation;

void ken_deviation_add(ken_deviation *deviation, double answer, double truth); /* NaN truth: not */
double ken_deviation_rmse(const ken_deviation *deviation);
double ken_deviation_mae(const ken_deviation *deviation);
/* 1 - squares / spread. A truth that never changes has no spread: 1 if all is exact, else 0. */
double ken_deviation_r2(const ken_deviation *deviation);

/* ---- Text (metrics_text.c, bleu.c, chrf.c) --------------------------------------------------- */

/* Insertions, deletions and replacements that turn a into b. SIZE_MAX when memory is short. */
size_t ken_edit_distance(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count);

/* Errors per unit (words, phonemes) and share of wholes that are not exact. With several right
 * answers the closest one (first of equals) is taken. */
typedef struct ken_errors {
    uint64_t edits, units;  /* PER or WER of sentences: edits / units */
    uint64_t wrong, wholes; /* WER of words in g2p: wrong / wholes    */
} ken_errors;

struct ken_units {
    const int32_t *ids;
    size_t count;
};
ken_status ken_errors_add(ken_errors *errors, struct ken_units answer,
                          const struct ken_units *right, size_t rights); /* rights > 0 */

/* BLEU of a whole corpus as sacreBLEU's default computes it: tokenised by its 13a rules, cased or
 * lower-cased, exponential smoothing, one reference. */
typedef struct ken_bleu {
    bool lower;
    uint64_t match[4], total[4]; /* n-grams of length 1 to 4   */
    uint64_t answer, reference;  /* tokens                     */
} ken_bleu;

ken_status ken_bleu_add(ken_bleu *bleu, const char *answer, const char *reference);
double ken_bleu_score(const ken_bleu *bleu); /* 0 to 100 */

/* Appends the 13a tokens of a line, joined by single blanks: for tests and for the curious. */
ken_status ken_bleu_tokens(ken_buffer *out, const char *line);

/* chrF2 as sacreBLEU's default: characters 1 to 6 without white space, beta 2. */
typedef struct ken_chrf {
    uint64_t match[6], answer[6], reference[6];
} ken_chrf;

ken_status ken_chrf_add(ken_chrf *chrf, const char *answer, const char *reference);
double ken_chrf_score(const ken_chrf *chrf); /* 0 to 100 */

#endif
