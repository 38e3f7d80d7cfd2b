/* chrf.c - chrF2 (Popovic 2015): the F-score of n-grams of 1 to 6 characters, without white space.
 * A character is a Unicode code point; a byte that is not UTF-8 counts as a character. Precision
 * and recall are computed from the n-gram counts of the whole corpus, not per sentence. */
#include "measure/metrics.h"

#include "base/size.h"
#include "base/text.h"
#include "measure/ngrams.h"

#include <string.h>

static void characters_of(ken_strings *characters, const char *line)
{
    size_t length = strlen(line);
    for (size_t i = 0, size; i < length; i += size) {
        size = ken_ngrams_space(line + i, length - i);
        if (size > 0) continue;
        size = ken_text_step(line + i, length - i);
        ken_strings_add(characters, line + i, size);
    }
}

/* Adds the n-gram counts of one answer and its reference. If the reference has fewer than n
 * characters, the answer's n-grams of length n are not counted. */
static ken_status compare(ken_chrf *chrf, const ken_strings *answer, const ken_strings *reference)
{
    KEN_TRY(ken_strings_status(answer));
    KEN_TRY(ken_strings_status(reference));
    for (size_t n = 1; n <= KEN_COUNT(chrf->match); n++) {
        uint64_t match;
        size_t there = ken_ngrams_count(reference, n);
        KEN_TRY(ken_ngrams_match(&match, answer, reference, n));
        chrf->match[n - 1] += match;
        chrf->reference[n - 1] += there;
        if (there > 0) chrf->answer[n - 1] += ken_ngrams_count(answer, n);
    }
    return KEN_OK;
}

ken_status ken_chrf_add(ken_chrf *chrf, const char *answer, const char *reference)
{
    ken_strings answered = { 0 }, right = { 0 };
    ken_chrf grown = *chrf; /* a copy is changed, so that `*chrf` stays valid after a failure */
    characters_of(&answered, answer);
    characters_of(&right, reference);
    ken_status status = compare(&grown, &answered, &right);
    if (!status) *chrf = grown;
    ken_strings_release(&answered);
    ken_strings_release(&right);
    return status;
}

/* Computes the score F = (1 + beta^2) P R / (beta^2 P + R) with beta = 2, which gives recall more
 * weight than precision. Precision P and recall R are means over those n-gram lengths that occur in
 * both answers and references. */
double ken_chrf_score(const ken_chrf *chrf)
{
    const double beta_squared = 4;
    double precision = 0, recall = 0;
    size_t orders = 0;
    for (size_t n = 0; n < KEN_COUNT(chrf->match); n++) {
        if (chrf->answer[n] == 0 || chrf->reference[n] == 0) continue;
        precision += (double)chrf->match[n] / (double)chrf->answer[n];
        recall += (double)chrf->match[n] / (double)chrf->reference[n];
        orders++;
    }
    if (precision + recall == 0) return 0;
    precision /= (double)orders;
    recall /= (double)orders;
    return 100 * (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}
