/* bleu.c - BLEU (Papineni 2002) with the tokens of NIST's mteval-v13a, as sacreBLEU reports it. The
 * 13a rules rewrite a line one after another, so on odd input their order matters; each rule is a
 * separate pass here. The rules know only ASCII and work on bytes; all other characters count as
 * letters. There is one reference per answer, and single sentences are not scored. */
#include "measure/metrics.h"

#include "base/size.h"
#include "base/text.h"
#include "measure/ngrams.h"

#include <math.h>
#include <string.h>

/* ---- The 13a rules -------------------------------------------------------------------------- */

/* Marks in the files that mteval reads, and their replacements. The marks are <skipped>, which
 * stands for a line that was not translated; the hyphen of a word that is broken at the end of a
 * line; line ends; and entities. All marks are replaced in the order of this list, so "&amp;lt;"
 * becomes "<", but "&amp;quot;" becomes "&quot;". */
static const struct replacement {
    const char *from, *to;
} replacements[] = {
    { "<skipped>", "" }, { "-\n", "" },   { "\n", " " },   { "&quot;", "\"" },
    { "&amp;", "&" },    { "&lt;", "<" }, { "&gt;", ">" },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_other(char c)
{
    return !is_digit(c);
}

static bool is_point(char c)
{
    return c == '.' || c == ',';
}

static bool is_dash(char c)
{
    return c == '-';
}

/* Returns whether a character is punctuation that is always a token of its own: any ASCII
 * punctuation except ' - . and , */
static bool is_symbol(char c)
{
    return c != '\0' && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", c);
}

/* A rule for two neighbouring characters between which a word ends. `first` and `second` test the
 * two characters. One of the two is a punctuation sign, which becomes a token of its own. */
static const struct pair_rule {
    bool (*first)(char), (*second)(char);
    bool first_is_sign;
} pair_rules[] = {
    { is_other, is_point, false }, /* splits . and , after a non-digit; "1,000.50" stays whole */
    { is_point, is_other, true },  /* splits . and , before a non-digit: "in 1999."            */
    { is_digit, is_dash, false },  /* splits - after a digit: "10-year-old" is "10 - year-old" */
};

static void replace(ken_buffer *out, const char *text, const struct replacement *rule)
{
    size_t length = strlen(rule->from);
    for (const char *hit; (hit = strstr(text, rule->from)); text = hit + length) {
        ken_buffer_append(out, text, (size_t)(hit - text));
        ken_buffer_text(out, rule->to);
    }
    ken_buffer_text(out, text);
}

static void split_symbols(ken_buffer *out, const char *text)
{
    for (; *text; text++) {
        bool alone = is_symbol(*text);
        if (alone) ken_buffer_text(out, " ");
        ken_buffer_append(out, text, 1);
        if (alone) ken_buffer_text(out, " ");
    }
}

/* Splits a text at all pairs of characters to which a rule applies. After a split, the second
 * character cannot begin another pair. */
static void split_pairs(ken_buffer *out, const char *text, const struct pair_rule *rule)
{
    while (*text) {
        bool split = rule->first(text[0]) && text[1] && rule->second(text[1]);
        if (split && rule->first_is_sign) ken_buffer_text(out, " ");
        ken_buffer_append(out, text++, 1);
        if (!split) continue;
        ken_buffer_text(out, " ");
        ken_buffer_append(out, text++, 1);
        if (!rule->first_is_sign) ken_buffer_text(out, " ");
    }
}

/* ---- Lines to tokens ------------------------------------------------------------------------ */

/* Returns the length of a line without the white space at its end. */
static size_t stripped(const char *line)
{
    size_t length = strlen(line), end = 0;
    for (size_t i = 0, size; i < length; i += size) {
        size = ken_ngrams_space(line + i, length - i);
        if (size > 0) continue;
        size = ken_text_step(line + i, length - i);
        end = i + size;
    }
    return end;
}

static void split_words(ken_strings *words, const char *line)
{
    size_t length = strlen(line), start = 0;
    for (size_t i = 0, size; i < length; i += size) {
        size_t space = ken_ngrams_space(line + i, length - i);
        size = space > 0 ? space : ken_text_step(line + i, length - i);
        if (space > 0 && i > start) ken_strings_add(words, line + start, i - start);
        if (space > 0) start = i + space;
    }
    if (length > start) ken_strings_add(words, line + start, length - start);
}

/* The two buffers of the 13a rules: each pass reads one and writes to the other. */
struct passes {
    ken_buffer text, next;
};

static void turn(struct passes *passes)
{
    ken_buffer written = passes->next;
    passes->next = passes->text;
    passes->text = written;
    bool failed = passes->next.failed;
    ken_buffer_clear(&passes->next);
    passes->next.failed = failed; /* restores a failure, which ken_buffer_clear() forgets */
}

static ken_status tokenise(ken_strings *tokens, const char *line, bool lower)
{
    struct passes passes = { 0 };
    ken_buffer *text = &passes.text, *next = &passes.next;
    ken_status status = KEN_OK;
    if (lower) status = ken_text_lower(next, line, strlen(line));
    else ken_buffer_text(next, line);
    turn(&passes);
    /* A space is added at both ends of the line, because the rules look at pairs of neighbouring
     * characters. */
    ken_buffer_text(next, " ");
    ken_buffer_append(next, ken_buffer_string(text), stripped(ken_buffer_string(text)));
    ken_buffer_text(next, " ");
    turn(&passes);
    for (size_t i = 0; i < KEN_COUNT(replacements); i++, turn(&passes))
        replace(next, ken_buffer_string(text), &replacements[i]);
    split_symbols(next, ken_buffer_string(text));
    turn(&passes);
    for (size_t i = 0; i < KEN_COUNT(pair_rules); i++, turn(&passes))
        split_pairs(next, ken_buffer_string(text), &pair_rules[i]);
    split_words(tokens, ken_buffer_string(text));
    if (!status) status = ken_buffer_status(text);
    if (!status) status = ken_buffer_status(next);
    if (!status) status = ken_strings_status(tokens);
    ken_buffer_release(text);
    ken_buffer_release(next);
    return status;
}

ken_status ken_bleu_tokens(ken_buffer *out, const char *line)
{
    ken_strings tokens = { 0 };
    ken_status status = tokenise(&tokens, line, false);
    for (size_t i = 0; i < tokens.count && !status; i++) {
        if (i > 0) ken_buffer_text(out, " ");
        ken_buffer_text(out, ken_strings_at(&tokens, i, NULL));
    }
    ken_strings_release(&tokens);
    return status ? status : ken_buffer_status(out);
}

/* ---- The score ------------------------------------------------------------------------------ */

static ken_status compare(ken_bleu *bleu, const ken_strings *answer, const ken_strings *reference)
{
    for (size_t n = 1; n <= KEN_COUNT(bleu->match); n++) {
        uint64_t match;
        KEN_TRY(ken_ngrams_match(&match, answer, reference, n));
        bleu->match[n - 1] += match;
        bleu->total[n - 1] += ken_ngrams_count(answer, n);
    }
    bleu->answer += answer->count;
    bleu->reference += reference->count;
    return KEN_OK;
}

ken_status ken_bleu_add(ken_bleu *bleu, const char *answer, const char *reference)
{
    ken_strings answered = { 0 }, right = { 0 };
    ken_bleu grown = *bleu; /* a copy is changed, so that `*bleu` stays valid after a failure */
    ken_status status = tokenise(&answered, answer, bleu->lower);
    if (!status) status = tokenise(&right, reference, bleu->lower);
    if (!status) status = compare(&grown, &answered, &right);
    if (!status) *bleu = grown;
    ken_strings_release(&answered);
    ken_strings_release(&right);
    return status;
}

/* Computes BLEU = BP * (p_1 p_2 p_3 p_4)^(1/4), where p_n is the share of the answers' n-grams that
 * match the reference. The brevity penalty BP is exp(1 - reference / answer) if the answers have
 * fewer tokens than the references, else 1. If n-grams of some lengths have no match, the k-th such
 * length gets p_n = 1 / (2^k * total) instead of 0 (exponential smoothing), where total is the
 * number of the answers' n-grams of this length. */
double ken_bleu_score(const ken_bleu *bleu)
{
    double sum = 0, halves = 1;
    if (bleu->match[0] == 0) return 0; /* without a matching token no n-gram matches */
    for (size_t n = 0; n < KEN_COUNT(bleu->match); n++) {
        /* If no answer has n tokens, BLEU is not defined; it is 0 by convention. */
        if (bleu->total[n] == 0) return 0;
        if (bleu->match[n] == 0) halves *= 2;
        double match = bleu->match[n] > 0 ? (double)bleu->match[n] : 1 / halves;
        sum += log(match / (double)bleu->total[n]);
    }
    double missing = 0;
    if (bleu->answer < bleu->reference)
        missing = 1 - (double)bleu->reference / (double)bleu->answer;
    return 100 * exp(missing + sum / (double)KEN_COUNT(bleu->match));
}
